// SPDX-License-Identifier: Apache-2.0
import CSpawn
import Foundation
import Synchronization

/// How a process ended.
package enum ProcessExit: Sendable, Equatable, CustomStringConvertible {
    /// It returned this status.
    case status(Int32)
    /// A signal ended it.
    case signal(Int32)

    var isSuccess: Bool { self == .status(0) }

    package var description: String {
        switch self {
        case .status(let status): "exit status \(status)"
        case .signal(let signal): "signal \(signal)"
        }
    }
}

/// A child in a session of its own, so that a terminal's Ctrl-C reaches it only through us, with no descriptor of ours
/// but those it is given. A thread of its own waits for it: no zombie stays, and no signal goes to a reused id.
final class ChildProcess: Sendable {
    let id: pid_t
    private let state = Mutex(State())

    private struct State {
        var exit: ProcessExit?
        var waiters: [UInt64: CheckedContinuation<ProcessExit?, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    /// The environment of every child: ours could carry PGDATA, PGPORT and secrets.
    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"]

    /// - Parameters:
    ///   - user: whom to become first (needs root); nil stays who we are.
    ///   - input: what the child reads; nil is /dev/null.
    ///   - output: where standard output and error go; nil is /dev/null.
    ///   - extra: a descriptor that the child finds at number 3.
    ///   - environment: what the child's environment has besides the usual.
    init(
        _ program: String, _ arguments: [String], as user: OSUser? = nil,
        input: OwnedDescriptor? = nil, output: OwnedDescriptor? = nil, extra: OwnedDescriptor? = nil,
        environment: [String: String]
    ) throws {
        var command = [program] + arguments
        if let user, user.isOther {
            command =
                ["/usr/bin/setpriv", "--reuid=\(user.uid)", "--regid=\(user.gid)", "--clear-groups", "--no-new-privs"]
                + command
        }
        // Standard output and error are one; /dev/null stands in for what is not given.
        let descriptors = [input?.raw ?? -1, output?.raw ?? -1, output?.raw ?? -1] + (extra.map { [$0.raw] } ?? [])
        var child = pid_t()
        let failure = Self.withCStrings(command) { argv in
            Self.withCStrings(Self.environment + environment.map { "\($0.key)=\($0.value)" }) { envp in
                cspawn_session(&child, argv, envp, descriptors, Int32(descriptors.count))
            }
        }
        guard failure == 0 else { throw PostgresClusterError.system("run", command[0], errno: failure) }
        id = child
        Thread.detachNewThread { [self] in reap() }
    }

    /// The same with nothing but the usual environment.
    convenience init(
        _ program: String, _ arguments: [String], as user: OSUser? = nil,
        input: OwnedDescriptor? = nil, output: OwnedDescriptor? = nil, extra: OwnedDescriptor? = nil
    ) throws {
        try self.init(
            program, arguments, as: user, input: input, output: output, extra: extra, environment: [:])
    }

    /// A pipe whose ends stay with us unless a child is given one.
    static func pipe() throws -> (reader: OwnedDescriptor, writer: OwnedDescriptor) {
        var ends: [Int32] = [0, 0]
        let failure = cspawn_pipe(&ends)
        guard failure == 0 else { throw PostgresClusterError.system("make", "a pipe", errno: failure) }
        return (OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// Runs a program to its end: how it ended, and the first 64 KiB of what it printed.
    static func output(
        of program: String, _ arguments: [String], as user: OSUser? = nil
    ) async throws -> (exit: ProcessExit, text: String) {
        try await output(of: program, arguments, as: user, environment: [:])
    }

    /// The same with more in the environment.
    static func output(
        of program: String, _ arguments: [String], as user: OSUser? = nil, environment: [String: String]
    ) async throws -> (exit: ProcessExit, text: String) {
        let (child, reader) = try piped(program, arguments, as: user, environment)
        guard let exit = await child.exit() else {
            child.send(signal: SIGTERM)
            throw CancellationError()
        }
        let bytes = try FileHandle(fileDescriptor: reader.raw).read(upToCount: 65536) ?? Data()
        return (exit, String(decoding: bytes, as: UTF8.self))
    }

    /// A function of its own so that our copy of the writing end is closed when it returns: reading meets the end then.
    private static func piped(
        _ program: String, _ arguments: [String], as user: OSUser?, _ environment: [String: String]
    ) throws -> (child: ChildProcess, reader: OwnedDescriptor) {
        let (reader, writer) = try pipe()
        return (try ChildProcess(program, arguments, as: user, output: writer, environment: environment), reader)
    }

    /// Waits for the end. Nil when the waiting task was cancelled first.
    func exit() async -> ProcessExit? {
        let ticket = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: ProcessExit?? = state.withLock { state in
                    if let exit = state.exit { return .some(exit) }
                    if Task.isCancelled { return .some(nil) }
                    state.waiters[ticket] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume(returning: nil)
        }
    }

    /// Waits for the end, but no longer than `limit`.
    func exit(within limit: Duration) async -> ProcessExit? {
        await withTaskGroup(of: ProcessExit?.self) { group in
            group.addTask { await self.exit() }
            group.addTask {
                // Cancelled when the process ends first.
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// How it ended, if it has.
    var knownExit: ProcessExit? { state.withLock { $0.exit } }

    func send(signal: Int32) {
        state.withLock { state in
            if state.exit == nil { _ = kill(id, signal) }
        }
    }

    private func reap() {
        var info = siginfo_t()
        // WNOWAIT leaves the id taken until the lock is held: `send` can never hit a successor.
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        let waiters = state.withLock { state in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0 && errno == EINTR {}
            let exit: ProcessExit = status & 0x7f == 0 ? .status((status >> 8) & 0xff) : .signal(status & 0x7f)
            state.exit = exit
            defer { state.waiters = [:] }
            return state.waiters.values.map { (waiter: $0, exit: exit) }
        }
        for (waiter, exit) in waiters { waiter.resume(returning: exit) }
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
