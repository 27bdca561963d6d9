// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Logging
import MarketAPI
import MarketPlatform
import Synchronization

/// Where settings come from: the same for every command that uses them.
struct NodeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file of NAME=value lines; the environment wins over it.", valueName: "file"),
        completion: .file())
    var config: String?

    /// The log is set up once in a process, however often settings are read.
    private static let isLogging = Mutex(false)

    /// Reads the settings and begins to log as they say.
    func load(requiring names: [String] = []) throws -> ServerConfiguration {
        let environment = ProcessInfo.processInfo.environment
        let configuration = try ServerConfiguration.load(
            environment: environment, file: config.map { URL(filePath: $0) })
        try configuration.require(names)
        let isFirst = Self.isLogging.withLock { isLogging in
            defer { isLogging = true }
            return !isLogging
        }
        guard isFirst else { return configuration }
        StructuredLogHandler.bootstrap(configuration)
        for name in ServerConfiguration.unknownNames(in: environment) {
            Logger.service.warning(
                "this variable is not a setting; see `sheetmarket settings`", metadata: ["name": "\(name)"])
        }
        return configuration
    }

    /// What every command that takes settings says about them.
    static let discussion = """
        Settings come from the environment, or from a file named with --config. A secret can stand in a file of its own: \
        NAME_FILE=/path instead of NAME=value, or a systemd credential of the setting's name.

        \(ServerConfiguration.help)
        """
}

/// Why a command cannot do what it was asked, in words for the operator.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Logger {
    /// The service's own log.
    static var service: Logger { Logger(label: "sheetmarket") }
}

/// `1 backup`, `2 backups`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// Prints one line for machines to standard output, at once.
func printLine(_ line: String) {
    // Whoever reads it may be gone; the service goes on.
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}
