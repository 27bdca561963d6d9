// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Postgres

/// PgBouncer in transaction mode before a database, which it has few connections to.
package final class Pooler: Sendable {
    private let folder: ScratchFolder
    private let program: ChildProgram

    /// Starts it before the database of `connection`, a socket's.
    package init(before connection: String, connections: Int) async throws {
        let options = try ConnectionOptions(connection).environment
        let folder = try ScratchFolder("pool")
        self.folder = folder
        let database = ["PGHOST", "PGPORT", "PGDATABASE", "PGUSER"].compactMap { name in
            options[name].map { "\(Self.keys[name, default: ""])=\($0)" }
        }
        let settings = folder.url.appendingPathComponent("pgbouncer.ini")
        try """
        [databases]
        market = \(database.joined(separator: " "))
        [pgbouncer]
        pool_mode = transaction
        default_pool_size = \(connections)
        max_client_conn = 500
        auth_type = any
        listen_addr =
        listen_port = \(Self.port)
        unix_socket_dir = \(folder.url.path)
        """.write(to: settings, atomically: true, encoding: .utf8)
        // It does not run as root, and whom the database lets in is the user that itself runs as.
        let isRoot = geteuid() == 0
        if isRoot {
            let owned = try await Command.run(
                URL(fileURLWithPath: "/usr/bin/chown"), ["--recursive", "postgres:postgres", folder.url.path])
            guard owned.status == 0 else { throw RunningMarket.StartFailure(description: owned.errors) }
        }
        let bouncer = try ChildProgram(
            URL(fileURLWithPath: "/usr/sbin/pgbouncer"), (isRoot ? ["-u", "postgres"] : []) + [settings.path])
        program = bouncer
        let socket = folder.url.appendingPathComponent(".s.PGSQL.\(Self.port)").path
        let isThere = try await eventually { !bouncer.isRunning || FileManager.default.fileExists(atPath: socket) }
        guard isThere, bouncer.isRunning else {
            throw RunningMarket.StartFailure(description: "pgbouncer: \(bouncer.errors); run 'make setup' first")
        }
    }

    private static let port = 6432
    private static let keys = ["PGHOST": "host", "PGPORT": "port", "PGDATABASE": "dbname", "PGUSER": "user"]

    /// Where clients connect.
    package var connection: String { "host=\(folder.url.path) port=\(Self.port) dbname=market user=sheetmarket" }

    /// Ends it; whoever is connected is cut off.
    package func stop() async {
        program.signal(SIGTERM)
        await program.waitForExit()
    }

    deinit { program.signal(SIGKILL) }
}
