// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgresCluster
import Testing

@Suite("What a private PostgreSQL says when it cannot start")
struct ClusterRefusalTests {
    @Test("missing programs are named, with the command that installs them")
    func missingBinaries() async throws {
        let scratch = try ScratchFolder()
        var nowhere = configuration(scratch.url)
        nowhere.binaries = URL(filePath: "/nonexistent")
        let error = try await refusal(nowhere)
        #expect(error.code == .binariesMissing)
        #expect(error.message.contains("/nonexistent"))
        #expect(error.message.contains("apt-get install postgresql-15"))
    }

    @Test("a second start on a running folder is refused and names the holder")
    func secondStart() async throws {
        let scratch = try ScratchFolder()
        try await withCluster(configuration(scratch.url)) { cluster in
            let error = try await refusal(configuration(scratch.url))
            #expect(error.code == .alreadyRunning)
            #expect(error.message.contains("pid \(getpid())"))
            try await expectAnswer(cluster)
        }
    }

    @Test("data of another major version is not touched")
    func versionMismatch() async throws {
        let scratch = try ScratchFolder()
        try await withCluster(configuration(scratch.url)) { _ in }
        try Data("9.6\n".utf8).write(to: scratch.url.appending(path: "cluster/PG_VERSION"))
        let error = try await refusal(configuration(scratch.url))
        #expect(error.code == .versionMismatch)
        #expect(error.message.contains("9.6"))
    }

    @Test("a folder that is a file, or lies under one, is named")
    func folderInTheWay() async throws {
        let error = try await refusal(configuration(URL(filePath: "/dev/null/pg")))
        #expect(error.code == .folderUnusable)
        #expect(error.message.contains("/dev/null/pg"))
    }

    @Test("a folder that may not be written to is named", .enabled(if: runsAsRoot))
    func folderNotWritable() async throws {
        let scratch = try ScratchFolder()
        await #expect(processExitsWith: .success) { [path = scratch.url.path as String] in
            try #require(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
            let error = try await refusal(configuration(URL(filePath: path).appending(path: "pg")))
            #expect(error.code == .folderUnusable)
            #expect(error.message.contains("\(path)/pg: Permission denied"))
        }
    }

    @Test("a setting that PostgreSQL refuses is quoted from its log")
    func badSetting() async throws {
        let scratch = try ScratchFolder()
        var bad = configuration(scratch.url)
        bad.settings["shared_buffers"] = "plenty"
        let error = try await refusal(bad)
        #expect(error.code == .server)
        #expect(error.message.contains("shared_buffers"))
        try await withCluster(configuration(scratch.url)) { _ in }
    }

    @Test("an OS user that does not exist is named", .enabled(if: runsAsRoot))
    func unknownUser() async throws {
        let scratch = try ScratchFolder()
        var unknown = configuration(scratch.url)
        unknown.osUser = "no-such-user"
        let error = try await refusal(unknown)
        #expect(error.code == .osUser)
        #expect(error.message.contains("no-such-user"))
    }

    @Test("a full disk is named", .enabled(if: runsAsRoot))
    func fullDisk() async throws {
        let scratch = try ScratchFolder()
        let mount = ["-t", "tmpfs", "-o", "size=60m", "tmpfs", scratch.url.path]
        // A container may not mount: then there is no small disk to try.
        guard try await run("/bin/mount", mount).0 else { return }
        let result = await #expect(throws: PostgresClusterError.self) {
            try await PostgresCluster.start(configuration(scratch.url), logger: quiet)
        }
        _ = try await run("/bin/umount", [scratch.url.path])
        let error = try #require(result)
        #expect(error.code == .folderUnusable)
        #expect(error.message.contains("MB free"))
    }
}

/// The error that a start ends with.
private func refusal(_ configuration: PostgresClusterConfiguration) async throws -> PostgresClusterError {
    let error = await #expect(throws: PostgresClusterError.self) {
        let cluster = try await PostgresCluster.start(configuration, logger: quiet)
        try await cluster.stop()
    }
    return try #require(error)
}
