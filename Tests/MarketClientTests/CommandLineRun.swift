// SPDX-License-Identifier: Apache-2.0
import ChildProcess
import Foundation
import MarketClient
import TestSupport
import Testing

/// The real `sheets`, run as people run it.
struct CommandLineRun: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// The executable beside the test bundle.
    static var executable: URL {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: path ?? CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("sheets")
    }

    /// Runs it with a home of its own and waits for its end.
    static func sheets(
        _ arguments: String..., in scratch: Scratch, server: String, input: String = ""
    ) async throws -> Self {
        let started = try start(arguments, in: scratch, server: server, input: input)
        return try await started.end()
    }

    struct Started {
        let process: Process
        let arguments: [String]
        let ended: AsyncStream<Int32>
        let output: URL
        let errors: URL

        func end() async throws -> CommandLineRun {
            var status: Int32 = -1
            for await code in ended { status = code }
            let run = CommandLineRun(
                status: status, output: try String(contentsOf: output, encoding: .utf8),
                errors: try String(contentsOf: errors, encoding: .utf8))
            let faults = try JSONOutputs.faults(of: run.output, of: arguments)
            #expect(faults.isEmpty)
            return run
        }
    }

    static func start(
        _ arguments: [String], in scratch: Scratch, server: String, input: String = "", terminal: TestTerminal? = nil,
        isShownThere: Bool = false, environment: [String: String] = [:], through: [String] = []
    ) throws -> Started {
        let run = UUID().uuidString
        let output = URL(fileURLWithPath: "\(scratch.path)/\(run).out")
        let errors = URL(fileURLWithPath: "\(scratch.path)/\(run).err")
        let typed = URL(fileURLWithPath: "\(scratch.path)/\(run).in")
        try Data().write(to: output)
        try Data().write(to: errors)
        try Data(input.utf8).write(to: typed)
        let process = Process()
        // Another program may start it, which gets it and its arguments at the end of its own.
        process.executableURL = through.first.map { URL(fileURLWithPath: $0) } ?? executable
        process.arguments = through.isEmpty ? arguments : through.dropFirst() + [executable.path] + arguments
        process.environment = [
            "HOME": scratch.path, "SHEETS_SERVER": server, "SHEETS_LIBRARY": scratch.library.root,
            "PATH": "/usr/bin:/bin",
        ].merging(environment) { $1 }
        process.standardInput = try terminal?.theirs ?? FileHandle(forReadingFrom: typed)
        // With `isShownThere` the terminal gets results, too.
        process.standardOutput = try isShownThere ? terminal?.theirs : FileHandle(forWritingTo: output)
        process.standardError = try terminal?.theirs ?? FileHandle(forWritingTo: errors)
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.start()
        return Started(process: process, arguments: arguments, ended: ended, output: output, errors: errors)
    }

    /// The output as JSON.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    }
}
