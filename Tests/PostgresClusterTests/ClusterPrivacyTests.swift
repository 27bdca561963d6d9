// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import PostgresCluster

let runsAsRoot = geteuid() == 0

@Suite("Who may reach a private PostgreSQL, and as whom it runs")
struct ClusterPrivacyTests {
    @Test("the socket's folder and the data are closed to everybody else")
    func foldersAreClosed() async throws {
        let scratch = try ScratchFolder()
        try await withCluster(configuration(scratch.url)) { cluster in
            for name in ["sock", "cluster"] {
                var status = stat()
                #expect(lstat(scratch.url.path + "/" + name, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o700)
            }
            if runsAsRoot {
                let ids = try processStatus(cluster.processID, "Uid")
                #expect(ids?.hasPrefix("\t0\t") == false)
            }
        }
    }

    @Test("another OS user is turned away even where the folder lets it in", .enabled(if: runsAsRoot))
    func peerIsChecked() async throws {
        let scratch = try ScratchFolder()
        var open = configuration(scratch.url)
        open.settings["unix_socket_permissions"] = "0777"
        try await withCluster(open) { cluster in
            chmod(scratch.url.path + "/sock", 0o755)
            let psql = ["-XAtqc", "SELECT 1", cluster.connectionString]
            let (succeeded, text) = try await run("/usr/bin/psql", psql, as: OSUser(name: "nobody"))
            #expect(!succeeded)
            #expect(text.contains("Peer authentication failed"))
        }
    }

    @Test("works under a folder that the server's own user may not enter", .enabled(if: runsAsRoot))
    func closedParent() async throws {
        let scratch = try ScratchFolder()
        chmod(scratch.url.path, 0o700)
        let folder = configuration(scratch.url.appending(path: "data/pg"))
        for _ in 1...2 {
            try await withCluster(folder) { try await expectAnswer($0) }
        }
    }

    @Test("works with another OS user than postgres, and stays with it", .enabled(if: runsAsRoot))
    func otherUser() async throws {
        let scratch = try ScratchFolder()
        var asNobody = configuration(scratch.url)
        asNobody.osUser = "nobody"
        for folder in [asNobody, configuration(scratch.url)] {
            try await withCluster(folder) { cluster in
                let ids = try processStatus(cluster.processID, "Uid")
                #expect(ids?.hasPrefix("\t65534") == true)
                try await expectAnswer(cluster)
            }
        }
    }

    @Test("works as an ordinary user, with kill -9 and a restart", .enabled(if: runsAsRoot))
    func ordinaryUser() async throws {
        let scratch = try ScratchFolder()
        chown(scratch.url.path, 65534, 65534)
        await #expect(processExitsWith: .success) { [path = scratch.url.path as String] in
            try #require(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
            let folder = configuration(URL(filePath: path).appending(path: "pg"))
            let cluster = try await PostgresCluster.start(folder, logger: quiet)
            #expect(
                try await query(cluster.connectionString, "CREATE TABLE t AS SELECT 7 AS n; SELECT n FROM t") == "7")
            kill(cluster.processID, SIGKILL)
            await cluster.waitForExit()
            try await withCluster(folder) { try await expectAnswer($0, to: "SELECT n FROM t", "7") }
        }
    }

    @Test("the server inherits no descriptor of ours")
    func inheritsNothing() async throws {
        let scratch = try ScratchFolder()
        let secret = open("/etc/hostname", O_RDONLY)
        defer { close(secret) }
        try await withCluster(configuration(scratch.url)) { cluster in
            let folder = "/proc/\(cluster.processID)/fd"
            let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)
            }
            #expect(!targets.isEmpty)
            #expect(!targets.contains("/etc/hostname"))
        }
    }

    @Test(
        "copes with folders that would break a socket's path or a connection string",
        arguments: [String(repeating: "long-name-", count: 12), "a,comma", "it's a back\\slash, ünï", "it's 'ünï'"])
    func oddFolders(name: String) async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url.appending(path: name)
        try await withCluster(configuration(folder)) { cluster in
            try await expectAnswer(cluster)
            #expect(PostgresCluster.connectionStringOfRunningServer(in: folder) == cluster.connectionString)
        }
    }
}
