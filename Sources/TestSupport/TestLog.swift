// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketAPI
import MarketPlatform

/// What the tests log with: silent unless `SHEETMARKET_TEST_LOG` names a level, or the run's logs are kept (`SuiteLog`).
package enum TestLog {
    /// The logger. Whatever the libraries of this process log goes the same way, as it does in the programs.
    package static let logger: Logger = {
        LoggingSystem.bootstrap { label in
            var handlers: [any LogHandler] = []
            if SuiteLog.folder != nil {
                handlers.append(
                    StructuredLogHandler(
                        label: label, level: .debug, format: .json,
                        output: LogOutput { SuiteLog.append($0.utf8, to: "in-process.log") }))
            }
            let shown = ProcessInfo.processInfo.environment["SHEETMARKET_TEST_LOG"].flatMap {
                Logger.Level(rawValue: $0)
            }
            handlers.append(StructuredLogHandler(label: label, level: shown ?? .critical, format: .text))
            return MultiplexLogHandler(handlers)
        }
        return Logger(label: "test")
    }()
}
