// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Logging
import Postgres
import Synchronization

/// A PostgreSQL server of the tests' own: in a temporary folder, on a unix socket only, gone when the tests are.
///
/// A shell stands between: it holds the read end of a pipe, and stops the server when the pipe closes, which
/// happens however this process ends.
final class TestServer: Sendable {
    /// The one server that all tests share, save those that kill theirs.
    static let shared: TestServer = {
        do { return try TestServer() } catch { preconditionFailure("no PostgreSQL for the tests: \(error)") }
    }()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Running {
        var process: Process
        var lifeline: FileHandle
    }

    let folder: String
    private let binaries: String
    private let extraSettings: [String]
    private let running = Mutex<Running?>(nil)

    init(settings: (String) throws -> [String] = { _ in [] }) throws {
        folder = try Self.makeFolder()
        extraSettings = try settings(folder)
        binaries = try Self.findBinaries()
        try run([
            "\(binaries)/initdb", "-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync",
        ])
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var connectionString: String { "host=\(folder) user=postgres dbname=postgres" }

    func start() throws {
        let pipe = Pipe()
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        let settings = extraSettings.contains { $0.hasPrefix("listen_addresses") } ? [] : ["listen_addresses="]
        let all =
            settings + [
                "unix_socket_directories=\(folder)", "fsync=off", "max_connections=300",
                "log_min_messages=fatal", "deadlock_timeout=100ms", "logging_collector=off",
            ] + extraSettings
        let command = """
            "$0" -D "$1/data" \(all.map { "-c '\($0)'" }.joined(separator: " ")) >>"$1/log" 2>&1 </dev/null &
            server=$!
            cat >/dev/null
            kill -QUIT $server; wait $server
            [ "$(ls "$1" | wc -l)" -gt 0 ] && [ ! -e "$1/keep" ] && rm -rf "$1"
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = Self.dropped(["sh", "-c", command, "\(binaries)/postgres", folder])
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // While this exists the folder stays, also when the server is stopped.
        _ = FileManager.default.createFile(atPath: "\(folder)/keep", contents: nil)
        try process.run()
        running.withLock { $0 = Running(process: process, lifeline: pipe.fileHandleForWriting) }
        for _ in 0..<15_000 {
            let ready = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
            if ready?.contains("ready") == true {
                try? FileManager.default.removeItem(atPath: "\(folder)/keep")
                return
            }
            usleep(20_000)
        }
        throw Failure(description: "the server did not start: see \(folder)/log")
    }

    /// Ends the server as a power cut would, and waits until it is gone.
    func killHard() {
        _ = FileManager.default.createFile(atPath: "\(folder)/keep", contents: nil)
        let pidFile = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        if let first = pidFile?.split(separator: "\n").first, let pid = Int32(first) { kill(pid, SIGKILL) }
        try? FileManager.default.removeItem(atPath: "\(folder)/data/postmaster.pid")
        stop()
    }

    func stop() {
        let current = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let current else { return }
        try? current.lifeline.close()
        current.process.waitUntilExit()
    }

    private func run(_ command: [String]) throws { try Self.run(command) }

    static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = Self.dropped(command)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(command[0]) failed") }
    }

    /// PostgreSQL refuses to run as root.
    private static func dropped(_ command: [String]) -> [String] {
        guard getuid() == 0 else { return command }
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] + command
    }

    private static func makeFolder() throws -> String {
        var template = Array("/tmp/pgdriver-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if getuid() == 0, let user = getpwnam("postgres") { chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) }
        return folder
    }

    /// Not one of those that the kernel gives to whoever asks for any: until the server has it, nobody else gets it.
    static func freePort() throws -> Int {
        for _ in 0..<200 {
            let port = UInt16.random(in: 20_000...31_999)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            address.sin_port = port.bigEndian
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
            }
            if bound { return Int(port) }
        }
        throw Failure(description: "no free port")
    }

    private static func findBinaries() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        guard let newest = versions.max(by: { (Int($0) ?? 0) < (Int($1) ?? 0) }) else {
            throw Failure(description: "no PostgreSQL under \(root)")
        }
        return "\(root)/\(newest)/bin"
    }
}

func quietLogger() -> Logger {
    var logger = Logger(label: "postgres-tests") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
}

/// A client whose statements see a schema of their own, dropped at the end.
func withClient<T: Sendable>(
    on server: TestServer = .shared,
    _ adjust: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: (PostgresClient) async throws -> T
) async throws -> T {
    let schema = "t_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
    var configuration = PostgresConfiguration(connectionString: server.connectionString)
    configuration.searchPath = schema
    // The machine may be busy with a build.
    configuration.checkoutTimeout = .seconds(300)
    configuration.connectTimeout = .seconds(60)
    configuration.statementTimeout = .seconds(300)
    configuration.idleTransactionTimeout = .seconds(300)
    adjust(&configuration)
    let client = PostgresClient(configuration: configuration, logger: quietLogger())
    do {
        try await client.execute("CREATE SCHEMA IF NOT EXISTS \(ident: schema)")
        let value = try await body(client)
        _ = try? await client.execute("DROP SCHEMA \(ident: schema) CASCADE")
        await client.shutdown()
        return value
    } catch {
        await client.shutdown()
        throw error
    }
}

/// Waits for something that happens soon, for ten minutes at most.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<30_000 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}

/// Runs the body and gives the driver's error it threw.
func failure<T>(of body: () async throws -> T) async -> PostgresError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}

/// A value that several tasks of a test share.
final class Cell<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    func withLock<T: Sendable>(_ body: (inout sending Value) -> sending T) -> T {
        mutex.withLock(body)
    }
}
