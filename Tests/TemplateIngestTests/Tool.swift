// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage

/// `sheet-inspect` as people run it.
enum Tool {
    /// What `--clean` prints.
    struct Cleaning: Decodable {
        var isClean: Bool
        var findings: [Finding]
        var removed: [Removal]
        var differences: [String]
        var report: ReaderReport?
    }

    struct Result {
        var status: Int32
        var output: Data
    }

    static func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: output)
    }

    static func inspect(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        try run(Workbench.executable.string, arguments, environment: environment)
    }

    static func clean(_ file: String, to copy: String) throws -> (status: Int32, outcome: Cleaning) {
        let result = try inspect(["--seconds", "120", "--clean", copy, file])
        return (result.status, try JSONDecoder().decode(Cleaning.self, from: result.output))
    }

    static func report(of file: String) throws -> ReaderReport {
        try JSONDecoder().decode(ReaderReport.self, from: try inspect(["--seconds", "120", file]).output)
    }
}
