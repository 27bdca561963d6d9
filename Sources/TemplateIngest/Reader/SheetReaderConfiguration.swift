// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import SystemPackage

/// How readers are started.
package struct SheetReaderConfiguration: Sendable {
    /// The `sheet-inspect` program.
    package var executable: FilePath
    /// Where to say what happened to a reader.
    package var logger: Logger
    /// How many readers stand ready at most; more are started when more files are read at once.
    package var readers = 2
    /// How many files a reader reads before it is replaced. With 1 each file has a process of its own.
    package var filesPerReader = 32
    /// How long a reader stands ready before it is ended, in seconds.
    package var idleSeconds = 300.0
    /// By how many bytes a reader may have grown since its start before it is replaced.
    package var growthBytes = 128 << 20

    /// `sheet-inspect` at a path.
    package init(executable: FilePath, logger: Logger = Logger(label: "sheet-reader")) {
        self.executable = executable
        self.logger = logger
    }

    /// The `sheet-inspect` that lies beside the running program, where builds and packages put it.
    package static func besideThisProgram(logger: Logger = Logger(label: "sheet-reader")) -> SheetReaderConfiguration {
        let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ".")
        let folder = own.resolvingSymlinksInPath().deletingLastPathComponent()
        return SheetReaderConfiguration(
            executable: FilePath(folder.appendingPathComponent("sheet-inspect").path),
            logger: logger
        )
    }
}
