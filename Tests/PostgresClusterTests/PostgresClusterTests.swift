// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import PostgresCluster

@Suite("A private PostgreSQL")
struct PostgresClusterTests {
    @Test("starts from an empty folder, durable, checksummed, without a network port")
    func startsFromNothing() async throws {
        let scratch = try ScratchFolder()
        try await withCluster(configuration(scratch.url.appending(path: "deep/pg"), isDurable: true)) { cluster in
            let facts = try await query(
                cluster.connectionString,
                """
                SELECT current_user, current_database(), current_setting('is_superuser'), current_setting('fsync'),
                       current_setting('data_checksums'), current_setting('listen_addresses'),
                       pg_encoding_to_char(encoding), datcollate, datctype
                FROM pg_database WHERE datname = current_database()
                """)
            #expect(facts == "sheetmarket|sheetmarket|off|on|on||UTF8|C|C.UTF-8")
            #expect(try await query(cluster.connectionString, "SELECT lower('ÀÉÎÕÜЖΩ')") == "àéîõüжω")
            #expect(try await query(cluster.connectionString, "CREATE EXTENSION pg_trgm; SELECT 1") == "1")
            let superuser = cluster.connectionString(user: "postgres", database: "postgres")
            #expect(try await query(superuser, "SELECT current_setting('is_superuser')") == "on")
        }
    }

    @Test("keeps what was written over a stop and a start, and may be stopped twice")
    func restarts() async throws {
        let scratch = try ScratchFolder()
        let first = try await PostgresCluster.start(configuration(scratch.url), logger: quiet)
        try await query(first.connectionString, "CREATE TABLE notes (note text); INSERT INTO notes VALUES ('kept')")
        try await first.stop()
        try await first.stop()
        #expect(await first.waitForExit() == .status(0))
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(first.processID)"))
        try await withCluster(configuration(scratch.url)) {
            try await expectAnswer($0, to: "SELECT note FROM notes", "kept")
        }
    }

    @Test("tells when the server dies, and starts at once after kill -9 with nothing lost")
    func survivesKilledPostmaster() async throws {
        let scratch = try ScratchFolder()
        var cluster = try await PostgresCluster.start(configuration(scratch.url), logger: quiet)
        try await query(cluster.connectionString, "CREATE TABLE numbers (n int)")
        for round in 1...3 {
            try await query(cluster.connectionString, "INSERT INTO numbers VALUES (\(round))")
            kill(cluster.processID, SIGKILL)
            #expect(await cluster.waitForExit() == .signal(SIGKILL))
            cluster = try await PostgresCluster.start(configuration(scratch.url), logger: quiet)
            #expect(try await query(cluster.connectionString, "SELECT count(*) FROM numbers") == "\(round)")
        }
        try await cluster.stop()
    }

    @Test("ends the server that a killed process left behind, and goes on with its data")
    func takesOverLeftover() async throws {
        let scratch = try ScratchFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = scratch.url.path as String] in
            let cluster = try await PostgresCluster.start(configuration(URL(filePath: path)), logger: quiet)
            try await query(cluster.connectionString, "CREATE TABLE notes AS SELECT 'kept' AS note")
            kill(getpid(), SIGKILL)
        }
        let file = try String(contentsOfFile: scratch.url.path + "/cluster/postmaster.pid", encoding: .utf8)
        let orphan = try #require(Int32(file.prefix { $0.isNumber }))
        #expect(kill(orphan, 0) == 0, "the leftover should still run")
        try await withCluster(configuration(scratch.url)) { cluster in
            let state = try? processStatus(orphan, "State")
            #expect(state?.contains("Z") ?? true)
            #expect(cluster.processID != orphan)
            try await expectAnswer(cluster, to: "SELECT note FROM notes", "kept")
        }
    }

    @Test("makes the cluster anew when it was killed half-way", arguments: [60, 250, 450])
    func redoesInterruptedInitdb(milliseconds: Int) async throws {
        let scratch = try ScratchFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = scratch.url.path as String, milliseconds = milliseconds as Int] in
            Task.detached {
                try await Task.sleep(for: .milliseconds(milliseconds))
                kill(getpid(), SIGKILL)
            }
            _ = try await PostgresCluster.start(configuration(URL(filePath: path)), logger: quiet)
            try await Task.sleep(for: .seconds(600))
        }
        try await withCluster(configuration(scratch.url)) { cluster in
            try await expectAnswer(cluster)
            #expect(!FileManager.default.fileExists(atPath: scratch.url.path + "/cluster.new"))
        }
    }

    @Test("is not misled by a process id in postmaster.pid that now belongs to somebody else")
    func ignoresReusedProcessID() async throws {
        let scratch = try ScratchFolder()
        try await withCluster(configuration(scratch.url)) { _ in }
        let stranger = try ChildProcess("/bin/sleep", ["60"])
        defer { stranger.send(signal: SIGKILL) }
        let marks = "\(stranger.id)\n/somewhere\n1700000000\n5432\n../sock\n\n 1 1\nready\n"
        try Data(marks.utf8).write(to: scratch.url.appending(path: "cluster/postmaster.pid"))
        try await withCluster(configuration(scratch.url)) { try await expectAnswer($0) }
        #expect(stranger.knownExit == nil)
    }

    @Test("lets go of the folder when a start is cancelled")
    func cancelledStart() async throws {
        let scratch = try ScratchFolder()
        let start = Task { try await PostgresCluster.start(configuration(scratch.url), logger: quiet) }
        try await Task.sleep(for: .milliseconds(150))
        start.cancel()
        let result = await start.result
        if case .success(let cluster) = result { try await cluster.stop() }
        try await withCluster(configuration(scratch.url)) { try await expectAnswer($0) }
    }

    @Test("is found by another command while it runs")
    func isFoundByOthers() async throws {
        let scratch = try ScratchFolder()
        #expect(PostgresCluster.connectionStringOfRunningServer(in: scratch.url) == nil)
        try await withCluster(configuration(scratch.url)) { cluster in
            #expect(
                PostgresCluster.connectionStringOfRunningServer(in: scratch.url) == cluster.connectionString)
        }
        #expect(PostgresCluster.connectionStringOfRunningServer(in: scratch.url) == nil)
    }
}
