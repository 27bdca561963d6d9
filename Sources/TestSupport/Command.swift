// SPDX-License-Identifier: Apache-2.0
import ChildProcess
import Foundation
import Synchronization

/// A program run to its end, as a person at a terminal would run it.
package struct Command: Sendable {
    package struct Outcome: Sendable {
        /// The exit status, or 128 and the signal's number.
        package let status: Int32
        package let output: String
        package let errors: String
    }

    /// Runs `executable`; its environment is `environment` and a plain `PATH`.
    package static func run(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) async throws -> Outcome {
        let child = try ChildProgram(executable, arguments, environment: environment, input: input)
        let status = await child.waitForExit()
        return Outcome(status: status, output: child.output, errors: child.errors)
    }
}

/// A program that runs beside the test.
package final class ChildProgram: Sendable {
    private let process: Process
    private let readers: [Task<Void, Never>]
    private let exit: Task<Int32, Never>
    private let lines: AsyncStream<String>

    /// Starts `executable`.
    package init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/tmp"]
            .merging(environment) { $1 }
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        if let input {
            let pipe = Pipe()
            process.standardInput = pipe
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        let (lines, lineSink) = AsyncStream<String>.makeStream()
        let (exits, exitSink) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { ended in
            exitSink.yield(ended.terminationReason == .exit ? ended.terminationStatus : 128 + ended.terminationStatus)
            exitSink.finish()
        }
        try process.start()
        self.process = process
        self.lines = lines
        SuiteLog.note(environment: environment)
        // What our own programs write to standard error is their log; standard output is for who asked.
        let isOurs = BuildProducts.executable(executable.lastPathComponent).path == executable.path
        let log = isOurs ? "\(executable.lastPathComponent)-\(process.processIdentifier).log" : nil
        let box = CollectedText(log: log)
        readers = [
            Self.read(output.fileHandleForReading) { chunk in
                box.appendOutput(chunk, lines: lineSink)
            } atEnd: {
                // Who waits for a line of a program that has died waits no longer.
                lineSink.finish()
            },
            Self.read(errors.fileHandleForReading) { chunk in box.appendErrors(chunk) },
        ]
        self.box = box
        // Ends with the process, whose end finishes `exits`; so it needs no owner.
        exit = Task {
            for await status in exits { return status }
            return -1
        }
    }

    private let box: CollectedText

    package var output: String { box.output }
    package var errors: String { box.errors }
    package var processID: Int32 { process.processIdentifier }
    /// Whether it has not ended yet.
    package var isRunning: Bool { process.isRunning }

    /// The first line of standard output that satisfies `condition`, or `nil` when output ends or `seconds` pass.
    package func line(within seconds: Double, where condition: @escaping @Sendable (String) -> Bool) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask { [lines] in
                for await line in lines where condition(line) { return line }
                return nil
            }
            group.addTask {
                // Cancelled when the line comes first.
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    package func signal(_ number: Int32) {
        _ = kill(process.processIdentifier, number)
    }

    /// Waits for the end and for all output.
    @discardableResult package func waitForExit() async -> Int32 {
        let status = await exit.value
        for reader in readers { await reader.value }
        return status
    }

    private static func read(
        _ handle: FileHandle, _ take: @escaping @Sendable (Data) -> Void,
        atEnd: @escaping @Sendable () -> Void = {}
    ) -> Task<Void, Never> {
        let (chunks, sink) = AsyncStream<Data>.makeStream()
        // Reading blocks: it gets a thread of its own, never one of the cooperative pool's.
        let thread = Thread {
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                sink.yield(data)
            }
            sink.finish()
        }
        thread.start()
        // Ends with the thread, which ends when the process closes its end of the pipe.
        return Task {
            for await chunk in chunks { take(chunk) }
            atEnd()
        }
    }
}

/// What a child has printed so far, as bytes: a pipe hands them on in pieces, which may end in the middle of a
/// character.
private final class CollectedText: Sendable {
    private struct State {
        var output = Data()
        var errors = Data()
        var unfinished = Data()
    }
    private let state = Mutex(State())
    /// Where standard error is kept for the run.
    private let log: String?

    init(log: String?) {
        self.log = log
    }

    var output: String { String(decoding: state.withLock { $0.output }, as: UTF8.self) }
    var errors: String { String(decoding: state.withLock { $0.errors }, as: UTF8.self) }

    func appendErrors(_ chunk: Data) {
        if let log { SuiteLog.append(chunk, to: log) }
        state.withLock { $0.errors += chunk }
    }

    func appendOutput(_ chunk: Data, lines: AsyncStream<String>.Continuation) {
        let complete = state.withLock { state in
            state.output += chunk
            var parts = (state.unfinished + chunk)
                .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            state.unfinished = Data(parts.removeLast())
            return parts.map { String(decoding: $0, as: UTF8.self) }
        }
        for line in complete { lines.yield(line) }
    }
}
