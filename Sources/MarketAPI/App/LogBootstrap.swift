// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform

extension StructuredLogHandler {
    /// Makes this the process's way to log. Once, before anything is logged.
    package static func bootstrap(_ configuration: ServerConfiguration) {
        let format = configuration.logFormat ?? (isatty(STDERR_FILENO) == 1 ? .text : .json)
        let level = configuration.logLevel
        LoggingSystem.bootstrap(
            { label, provider in
                StructuredLogHandler(label: label, level: level, format: format, metadataProvider: provider)
            }, metadataProvider: configuration.tracing.endpoint == nil ? nil : .trace)
    }
}
