// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Synchronization

/// Writes each message as one line to standard error, as JSON for machines or as text for people. Values under names
/// like `token` or `password` never get that far, nor do passwords inside addresses.
package struct StructuredLogHandler: LogHandler {
    private let label: String
    private let format: LogFormat
    private let output: LogOutput
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    /// A handler for loggers of this label.
    package init(
        label: String, level: Logger.Level, format: LogFormat, output: LogOutput = .standardError,
        metadataProvider: Logger.MetadataProvider? = nil
    ) {
        self.label = label
        self.format = format
        self.output = output
        self.metadataProvider = metadataProvider
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let own = event.metadata { fields.merge(own) { $1 } }
        if let error = event.error { fields["error"] = "\(String(reflecting: error))" }
        let line = LogLine(level: event.level, label: label, message: event.message.description, fields: fields)
        output.write(format == .json ? line.json() : line.text())
    }
}

/// How log messages are written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line.
    case json
    /// A line for people.
    case text
}

/// Where lines go: whole, one after the other.
package struct LogOutput: Sendable {
    package let write: @Sendable (String) -> Void

    /// Lines go to `write`, each with its newline.
    package init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    private static let lock = Mutex(())

    /// The process's standard error.
    package static let standardError = LogOutput { line in
        var line = line
        line.withUTF8 { bytes in
            lock.withLock { _ in
                var rest = UnsafeRawBufferPointer(bytes)
                while !rest.isEmpty {
                    let count = Foundation.write(STDERR_FILENO, rest.baseAddress, rest.count)
                    // If standard error cannot be written, there is no other place to report it.
                    if count < 0 && errno != EINTR { return }
                    if count > 0 { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
                }
            }
        }
    }
}
