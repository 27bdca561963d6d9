// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import PostgresCluster
import SheetCore
import TestSupport
import Testing

/// A market on one machine and its backups in a bucket.
private struct Drill {
    let scratch: ScratchFolder
    let server: ObjectStorageServer
    let files: S3Files

    var data: URL { scratch.url.appendingPathComponent("data") }
    var restored: URL { scratch.url.appendingPathComponent("restored") }
    private var spool: URL { scratch.url.appendingPathComponent("spool") }

    init() async throws {
        scratch = try ScratchFolder("backup-bucket")
        server = try await ObjectStorageServer()
        files = S3Files(server.bucket(prefix: "night/ly/"), logger: TestLog.logger)
        try Data("correct horse battery staple\n".utf8).write(to: scratch.url.appendingPathComponent("passphrase"))
        try Data("another horse battery staple\n".utf8).write(to: scratch.url.appendingPathComponent("wrong"))
    }

    private var place: String { "s3://\(server.bucket().name)/night/ly" }

    private var settings: [String: String] {
        let bucket = server.bucket()
        return [
            "SHEETMARKET_BACKUP_S3_ENDPOINT": bucket.endpoint, "SHEETMARKET_BACKUP_S3_ACCESS_KEY": bucket.accessKey,
            "SHEETMARKET_BACKUP_S3_SECRET_KEY": bucket.secretKey, "SHEETMARKET_S3_SPOOL": spool.path,
        ]
    }

    private func passphrase(_ name: String) -> [String] {
        ["--passphrase-file", scratch.url.appendingPathComponent(name).path]
    }

    func backup(_ options: String...) async throws -> Command.Outcome {
        try await sheetmarket(["backup", "--to", place, "--data", data.path] + passphrase("passphrase") + options)
    }

    /// As it is done where the market is not that of `up`.
    func backupByAddress() async throws -> Command.Outcome {
        let cluster = data.appendingPathComponent("postgres")
        let database = try #require(PostgresCluster.superuserConnectionStringOfRunningServer(in: cluster))
        let storage = data.appendingPathComponent("storage").path
        return try await Command.run(
            BuildProducts.executable("sheetmarket"), ["backup", "--to", place] + passphrase("passphrase"),
            environment: settings.merging(["DATABASE_URL": database, "SHEETMARKET_STORAGE": storage]) { $1 })
    }

    func restore(passphrase name: String = "passphrase", _ options: [String] = []) async throws -> Command.Outcome {
        try await sheetmarket(
            ["restore", "--from", place, "--data", restored.path] + passphrase(name) + options)
    }

    func sheetmarket(_ arguments: [String]) async throws -> Command.Outcome {
        try await Command.run(BuildProducts.executable("sheetmarket"), arguments, environment: settings)
    }

    func receiver() throws -> ChildProgram {
        try ChildProgram(
            BuildProducts.executable("sheetmarket"),
            ["backup", "--continuous", "--to", place, "--data", data.path] + passphrase("passphrase"),
            environment: settings)
    }

    /// Names of the bucket's files, without what they begin with.
    func names(_ prefix: String = "") async throws -> [String] { try await files.list(prefix).map(\.name) }

    func read(_ name: String) async throws -> Data {
        let file = scratch.url.appendingPathComponent(UUID().uuidString)
        #expect(try await files.get(name, to: file), "\(name)")
        return try Data(contentsOf: file)
    }

    func write(_ bytes: Data, as name: String) async throws {
        let file = scratch.url.appendingPathComponent(UUID().uuidString)
        try bytes.write(to: file)
        try await files.put(file, as: name)
    }

    /// Whether all that the market has committed has been received, and its artifacts are in the bucket.
    func hasEverything(of market: RunningMarket) async throws -> Bool {
        let hashes = try await market.artifactsOnceReceived()
        let present = Set(try await names("objects/"))
        return !hashes.isEmpty && hashes.allSatisfy { present.contains("objects/\($0.hex)") }
    }

    /// The machine with all that is on it.
    func loseMachine() throws {
        for folder in [data, spool] { try FileManager.default.removeItem(at: folder) }
    }
}

@Suite("Backups in a bucket")
struct BackupBucketTests {
    /// One server for all of it: its start takes longer than the tests.
    @Test("a machine is lost and comes back out of the bucket; what is broken there is refused")
    func drill() async throws {
        let drill = try await Drill()
        try await large(drill)
        let market = try await RunningMarket(data: drill.data)
        let receiver = try drill.receiver()
        let line = await receiver.line(within: 60) { $0.hasPrefix("receiving into s3://") }
        #expect(line != nil, "\(receiver.errors)")
        let author = try await market.person("ada")
        let moderator = try await market.person("moritz", role: .moderator)
        let first = try await Scene.publish(
            "First", file: try Scene.sheet("oathbound-journal"), as: author, approvedBy: moderator)
        try await retention(drill)

        let between = Date()
        let second = try await Scene.publish(
            "Second", file: try Scene.sheet("lantern-and-blade"), as: author, approvedBy: moderator)
        let late = try await market.person("late")
        #expect(try await eventually { try await drill.hasEverything(of: market) })
        #expect(try await eventually { try await !drill.names("wal/").isEmpty })
        await market.kill(database: true)
        receiver.signal(SIGTERM)
        let ended = await receiver.waitForExit()
        #expect(ended == 0, "\(receiver.errors)")
        try drill.loseMachine()

        try await refusals(drill)
        let time = between.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        try await restored(drill, "--to", time) { market in
            let known = try await market.http.get(Paths.template(first.templateSlug))
            let gone = try await market.http.get(Paths.template(second.templateSlug))
            #expect(known.status == 200 && gone.status == 404)
        }
        try await restored(drill) { market in
            let known = try await market.http.get(Paths.template(first.templateSlug))
            let found = try await market.http.get(Paths.template(second.templateSlug))
            let own = try await market.http.signedIn(late.token).get("\(Paths.base)/submissions")
            #expect(known.status == 200 && found.status == 200 && own.status == 200)
        }
    }

    /// A database is sent in parts.
    private func large(_ drill: Drill) async throws {
        var bytes = Data(count: 17 << 20)
        for index in stride(from: 0, to: bytes.count, by: 997) { bytes[index] = UInt8(truncatingIfNeeded: index) }
        try await drill.write(bytes, as: "large")
        #expect(try await drill.read("large") == bytes)
        #expect(try await drill.files.size(of: "large") == bytes.count)
        try await drill.files.remove("large")
        #expect(try await drill.files.isEmpty())
    }

    /// What no kept backup needs goes, and what does stays.
    private func retention(_ drill: Drill) async throws {
        let storage = try await DiskStorage.open(drill.data.appendingPathComponent("storage"))
        let writer = try await storage.makeWriter()
        try await writer.write(ByteBuffer(string: "an object that is soon removed"))
        let extra = try await writer.finish().hash
        let one = try await drill.backupByAddress()
        #expect(one.status == 0, "\(one)")
        let old = try await drill.names("2")
        let before = try await drill.names()
        #expect(old.count == 7 && before.contains("objects/\(extra.hex)"), "\(before)")
        try await storage.remove(extra)
        // As a run that was cut off leaves it.
        try await drill.write(Data("cut off".utf8), as: "20200101T000000Z/base.tar.gz")

        let two = try await drill.backup("--keep", "1")
        #expect(two.status == 0 && two.output.contains("Removed: 1 backup, 1 artifact."), "\(two)")
        // Pictures are drawn a while after a publication. Once they are, a backup copies nothing again.
        let isAllThere = try await eventually {
            let next = try await drill.backup("--keep", "1")
            #expect(next.status == 0 && next.output.contains("Removed: 1 backup, 0 artifacts."), "\(next)")
            return next.output.contains(" 0 of them new")
        }
        #expect(isAllThere)
        let all = try await drill.names()
        #expect(Set(old).isDisjoint(with: all) && !all.contains { $0.hasPrefix("2020") })
        #expect(!all.contains("objects/\(extra.hex)"))
        #expect(all.filter { $0.hasPrefix("2") }.count == 7, "\(all)")
    }

    /// All is sealed; what was changed, swapped or taken away is told by name, and nothing is left of what was refused.
    private func refusals(_ drill: Drill) async throws {
        let seal = try await drill.read("seal.json")
        let all = try await drill.names()
        for name in all { #expect(try await drill.read(name).starts(with: seal), "\(name)") }
        let wrong = try await drill.restore(passphrase: "wrong")
        #expect(wrong.status == 1 && wrong.errors.contains("The passphrase does not open"), "\(wrong.errors)")

        let backup = try #require(all.last { $0.hasPrefix("2") }?.split(separator: "/").first)
        let objects = all.filter { $0.hasPrefix("objects/") }
        let (one, other) = (try #require(objects.first), try #require(objects.last))
        #expect(one != other)
        let base = "\(backup)/base.tar.gz"
        try await refused(drill, base, "is damaged") { Self.flip(&$0, at: 0.5) }
        // Cut off between two chunks.
        try await refused(drill, base, "is damaged") { $0 = $0?.prefix(seal.count + 32 + (1 << 20) + 16) }
        try await refused(drill, "\(backup)/keys.sealed", "is missing") { $0 = nil }
        // Everything else is brought back without it, and its name is told.
        try await refused(drill, one, "without artifacts that no backup has", isRestored: true) { $0 = nil }
        let swapped = try await drill.read(other)
        try await refused(drill, one, "is ") { $0 = swapped }
        try await refused(drill, one, "is damaged") { Self.flip(&$0, at: 0.999) }
        try await refused(drill, "\(backup)/manifest.sha256", "There is no complete backup") { $0 = nil }
    }

    private static func flip(_ bytes: inout Data?, at place: Double) {
        guard let count = bytes?.count else { return }
        bytes?[Int(Double(count) * place)] ^= 1
    }

    /// Breaks one file, expects a restore to say so, and mends it.
    private func refused(
        _ drill: Drill, _ name: String, _ words: String, isRestored: Bool = false, _ damage: (inout Data?) -> Void
    ) async throws {
        let bytes = try await drill.read(name)
        var broken: Data? = bytes
        damage(&broken)
        if let broken { try await drill.write(broken, as: name) } else { try await drill.files.remove(name) }
        let outcome = try await drill.restore()
        let hash = name.split(separator: "/").last.map(String.init) ?? name
        #expect(outcome.status == 1 && outcome.errors.contains(words), "\(name): \(outcome.errors)")
        #expect(outcome.errors.contains(hash) || words.hasPrefix("There"), "\(name): \(outcome.errors)")
        let isLeft = FileManager.default.fileExists(atPath: drill.restored.path)
        #expect(isLeft == isRestored, "nothing is left of a try that failed: \(name)")
        if isLeft { try FileManager.default.removeItem(at: drill.restored) }
        try await drill.write(bytes, as: name)
    }

    /// Restores, proves that all is whole, and lends the market.
    private func restored(
        _ drill: Drill, _ options: String..., body: (RunningMarket) async throws -> Void
    ) async throws {
        let outcome = try await drill.restore(options)
        #expect(outcome.status == 0, "\(outcome)")
        let verified = try await drill.sheetmarket(["verify", "--data", drill.restored.path])
        #expect(verified.status == 0 && verified.output.contains("Everything holds"), "\(verified)")
        let market = try await RunningMarket(data: drill.restored)
        do { try await body(market) } catch { Issue.record(error, "\(options)") }
        #expect(await market.stop() == 0)
        try FileManager.default.removeItem(at: drill.restored)
    }
}
