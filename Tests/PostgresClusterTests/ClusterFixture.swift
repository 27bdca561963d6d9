// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Testing

@testable import PostgresCluster

/// A folder for one test, gone with it.
final class ScratchFolder {
    let url: URL

    init(_ name: String = "c") throws {
        url = URL(filePath: "/tmp").appending(path: "pgc-\(UUID().uuidString.prefix(8))-\(name)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        chmod(url.path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Small servers: a test run starts many of them on one machine. What a killed process wrote the system keeps, so all
/// but a power failure can be tried without waiting for the disk; `isDurable` runs a server as the product does.
func configuration(_ folder: URL, isDurable: Bool = false) -> PostgresClusterConfiguration {
    var settings = ["max_connections": "20", "shared_buffers": "16MB"]
    if !isDurable { settings["fsync"] = "off" }
    return PostgresClusterConfiguration(dataDirectory: folder, settings: settings)
}

/// Starts a server on `folder`, hands it to `body` and stops it, whatever happens.
func withCluster<R>(
    _ configuration: PostgresClusterConfiguration, _ body: (PostgresCluster) async throws -> R
) async throws -> R {
    let cluster = try await PostgresCluster.start(configuration, logger: quiet)
    do {
        let result = try await body(cluster)
        try await cluster.stop()
        return result
    } catch {
        try? await cluster.stop()
        throw error
    }
}

/// What a program prints, and whether it succeeded.
///
/// Not Foundation's Process: it notices an end by a socket that every child started meanwhile inherits, exit tests too.
func run(_ program: String, _ arguments: [String], as user: OSUser? = nil) async throws -> (Bool, String) {
    let (exit, text) = try await ChildProcess.output(of: program, arguments, as: user)
    return (exit == .status(0), text.trimmingCharacters(in: .whitespacesAndNewlines))
}

/// What `psql` prints for one statement.
@discardableResult
func query(_ connection: String, _ sql: String) async throws -> String {
    try await run("/usr/bin/psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", connection, "-c", sql]).1
}

/// Expects that the server answers a statement with `answer`.
func expectAnswer(
    _ cluster: PostgresCluster, to sql: String = "SELECT 1", _ answer: String = "1",
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let given = try await query(cluster.connectionString, sql)
    #expect(given == answer, sourceLocation: sourceLocation)
}

/// A line of `/proc/PID/status`.
func processStatus(_ process: Int32, _ key: String) throws -> String? {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return text.split(separator: "\n").first { $0.hasPrefix(key + ":") }.map { String($0.dropFirst(key.count + 1)) }
}
