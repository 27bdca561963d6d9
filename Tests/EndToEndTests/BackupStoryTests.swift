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

/// A market, its backups, and what is made of them.
private struct Drill {
    let scratch: ScratchFolder
    var data: URL { scratch.url.appendingPathComponent("data") }
    var backups: URL { scratch.url.appendingPathComponent("backups") }
    private var passphrase: URL { scratch.url.appendingPathComponent("passphrase") }

    init() throws {
        scratch = try ScratchFolder("backup")
        try Data("correct horse battery staple\n".utf8).write(to: passphrase)
        try Data("another horse battery staple\n".utf8).write(to: scratch.url.appendingPathComponent("wrong"))
    }

    func backup(_ options: String...) async throws -> Command.Outcome {
        try await sheetmarket(
            ["backup", "--to", backups.path, "--data", data.path, "--passphrase-file", passphrase.path] + options)
    }

    func restore(
        _ name: String, from folder: URL? = nil, passphrase: String = "passphrase", _ options: String...
    ) async throws -> Command.Outcome {
        let secret = scratch.url.appendingPathComponent(passphrase).path
        return try await sheetmarket(
            [
                "restore", "--from", (folder ?? backups).path, "--data", restored(name).path, "--passphrase-file",
                secret,
            ] + options)
    }

    func restored(_ name: String) -> URL { scratch.url.appendingPathComponent(name) }

    func sheetmarket(_ arguments: [String]) async throws -> Command.Outcome {
        try await Command.run(BuildProducts.executable("sheetmarket"), arguments)
    }

    func receiver() throws -> ChildProgram {
        try ChildProgram(
            BuildProducts.executable("sheetmarket"),
            ["backup", "--continuous", "--to", backups.path, "--data", data.path])
    }

    /// The newest backup's folder.
    func newest(in folder: URL? = nil) throws -> URL {
        let folder = folder ?? backups
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix("Z") }
        return folder.appendingPathComponent(try #require(names.max()))
    }

    /// Whether the receiver has all that the market has committed.
    func hasEverything(of market: RunningMarket) async throws -> Bool {
        let hashes = try await market.artifactsOnceReceived()
        return !hashes.isEmpty
            && hashes.allSatisfy { hash in
                let path = "objects/\(hash.hex.prefix(2))/\(hash.hex.dropFirst(2).prefix(2))/\(hash.hex)"
                return FileManager.default.fileExists(atPath: backups.appendingPathComponent(path).path)
            }
    }

    /// Starts what was restored and hands it over with its own token.
    func serving(_ name: String, _ body: (RunningMarket) async throws -> Void) async throws {
        let verified = try await sheetmarket(["verify", "--data", restored(name).path])
        #expect(verified.status == 0 && verified.output.contains("Everything holds"), "\(verified)")
        let market = try await RunningMarket(data: restored(name))
        do { try await body(market) } catch { Issue.record(error, "\(name)") }
        let status = await market.stop()
        #expect(status == 0)
    }
}

@Suite("Backup and restore")
struct BackupStoryTests {
    @Test("everything is lost, and comes back as it was last, or as it was at a time")
    func drill() async throws {
        let drill = try Drill()
        let market = try await RunningMarket(data: drill.data)
        let receiver = try drill.receiver()
        let line = await receiver.line(within: 60) { $0.hasPrefix("receiving") }
        #expect(line != nil, "\(receiver.errors)")
        let author = try await market.person("ada")
        let moderator = try await market.person("moritz", role: .moderator)
        let first = try await Scene.publish(
            "First", file: try Scene.sheet("oathbound-journal"), as: author, approvedBy: moderator)
        let one = try await drill.backup()
        #expect(one.status == 0, "\(one)")
        // Pictures are drawn a while after a publication. Once they are, a backup copies nothing again.
        let isAllThere = try await eventually {
            let next = try await drill.backup("--keep", "1")
            #expect(next.status == 0 && next.output.contains("Removed: 1 backup, 0 artifacts."), "\(next)")
            return next.output.contains(" 0 of them new")
        }
        #expect(isAllThere)

        let between = Date()
        let second = try await Scene.publish(
            "Second", file: try Scene.sheet("lantern-and-blade"), as: author, approvedBy: moderator)
        let late = try await market.person("late")
        let isReceived = try await eventually { try await drill.hasEverything(of: market) }
        #expect(isReceived)
        let bytes = try await market.http.get(Paths.template(second.templateSlug)).text
        await market.kill(database: true)
        receiver.signal(SIGTERM)
        let ended = await receiver.waitForExit()
        #expect(ended == 0, "\(receiver.errors)")
        try FileManager.default.removeItem(at: drill.data)

        try await refusals(drill)
        let time = between.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        async let earlier = drill.restore("earlier", "--to", time)
        let last = try await drill.restore("last")
        #expect(last.status == 0, "\(last)")
        let past = try await earlier
        #expect(past.status == 0, "\(past)")
        try await drill.serving("last") { market in
            let known = try await market.http.get(Paths.template(first.templateSlug))
            let found = try await market.http.get(Paths.template(second.templateSlug))
            let own = try await market.http.signedIn(late.token).get("\(Paths.base)/submissions")
            #expect(known.status == 200 && found.text == bytes && own.status == 200)
            try await faults(in: market, drill)
        }
        try await drill.serving("earlier") { market in
            let known = try await market.http.get(Paths.template(first.templateSlug))
            let gone = try await market.http.get(Paths.template(second.templateSlug))
            let stranger = try await market.http.signedIn(late.token).get("\(Paths.base)/submissions")
            #expect(known.status == 200 && gone.status == 404 && stranger.status == 401)
            let again = try await Scene.publish(
                "Third", file: try Scene.sheet("lantern-and-blade"),
                as: market.http.signedIn(author.token), approvedBy: market.http.signedIn(moderator.token))
            #expect(again.state == .published)
        }
    }

    /// Wrong counters are found and mended, a lost artifact is found.
    private func faults(in market: RunningMarket, _ drill: Drill) async throws {
        let verify = ["verify", "--data", market.data.path]
        let hash: ContentHash = try await market.withDatabase { database in
            try await database.execute("UPDATE templates SET downloads = 9 WHERE slug = 'second'")
            return try await database.one("SELECT sha256 FROM artifacts LIMIT 1") { try $0.get("sha256") }
        }
        let counted = try await drill.sheetmarket(verify + ["--quick"])
        #expect(counted.status == 1 && counted.output.contains("downloads: 1 wrong"), "\(counted)")
        let repaired = try await drill.sheetmarket(verify + ["--quick", "--repair"])
        #expect(repaired.status == 0 && repaired.output.contains("Everything holds."), "\(repaired)")

        try await derived(in: market, drill, verify)

        let path = "storage/objects/\(hash.hex.prefix(2))/\(hash.hex.dropFirst(2).prefix(2))/\(hash.hex)"
        let file = market.data.appendingPathComponent(path)
        try Self.flip(file)
        let changed = try await drill.sheetmarket(verify)
        #expect(changed.status == 1 && changed.output.contains("changed artifact: \(hash)"), "\(changed)")
        try Self.remove(file)
        let lost = try await drill.sheetmarket(verify + ["--quick"])
        #expect(lost.status == 1 && lost.output.contains("lost artifact: \(hash)"), "\(lost)")
    }

    /// What can be derived is made anew; broken references and a changed audit log are told, and stay.
    private func derived(in market: RunningMarket, _ drill: Drill, _ verify: [String]) async throws {
        let cluster = market.data.appendingPathComponent("postgres")
        let superuser = try #require(PostgresCluster.superuserConnectionStringOfRunningServer(in: cluster))
        let extra = Array("an object that no row names".utf8)
        let storage = try await DiskStorage.open(market.data.appendingPathComponent("storage"))
        let writer = try await storage.makeWriter()
        try await writer.write(ByteBuffer(bytes: extra))
        let object = try await writer.finish().hash
        let hex = object.hex
        let path = "storage/objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)"
        let file = market.data.appendingPathComponent(path).path
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -200_000)], ofItemAtPath: file)
        let client = PostgresClient(configuration: .init(connectionString: superuser), logger: TestLog.logger)
        try await client.withTransaction { connection in
            // Past triggers and foreign keys, as a disk that lies would.
            try await connection.execute("SET LOCAL session_replication_role = replica")
            try await connection.execute("UPDATE templates SET rating_count = 7 WHERE slug = 'first'")
            try await connection.execute("DELETE FROM listings WHERE slug = 'second'")
            try await connection.execute(
                """
                INSERT INTO favorites (user_id, template_id, marked_at)
                SELECT gen_random_uuid(), id, now() FROM templates WHERE slug = 'first'
                """)
            try await connection.execute("UPDATE audit_entries SET subject = 'nobody' WHERE sequence = 2")
        }
        await client.shutdown()
        let found = try await drill.sheetmarket(verify + ["--quick"])
        let repaired = try await drill.sheetmarket(verify + ["--quick", "--repair"])
        let last = try await drill.sheetmarket(verify + ["--quick"])
        for lasting in ["broken reference: favorites_user_fkey, in 1 row", "audit log: "] {
            #expect(found.output.contains(lasting) && last.output.contains(lasting), "\(found) \(last)")
        }
        for mended in ["ratings: 1 wrong", "search tables: ", "object that no row names: \(hex)"] {
            #expect(found.output.contains(mended), "\(found)")
            #expect(!last.output.contains(mended), "\(repaired) \(last)")
        }
        #expect(found.status == 1 && last.status == 1 && !FileManager.default.fileExists(atPath: file))
    }

    /// What is not whole is refused by name, and nothing is left of the try.
    private func refusals(_ drill: Drill) async throws {
        let files = FileManager.default
        let wrong = try await drill.restore("wrong-passphrase", passphrase: "wrong")
        #expect(wrong.status == 1 && wrong.errors.contains("does not open"), "\(wrong.errors)")
        let full = try await drill.restore("backups")
        #expect(full.status == 1 && full.errors.contains("is not empty"), "\(full.errors)")

        for (name, damage) in [
            ("base.tar.gz", Self.flip), ("manifest.json", Self.flip), ("keys.sealed", Self.remove),
        ] as [(String, (URL) throws -> Void)] {
            let copy = try copy(drill)
            try damage(try drill.newest(in: copy).appendingPathComponent(name))
            let refused = try await drill.restore("damaged", from: copy)
            #expect(refused.status == 1 && refused.errors.contains("/\(name) is "), "\(refused.errors)")
            try files.removeItem(at: copy)
        }
        let object = try copy(drill)
        let list = try String(contentsOf: try drill.newest().appendingPathComponent("objects.txt"), encoding: .utf8)
        let hash = String(try #require(list.split(separator: " ").first))
        try Self.flip(
            object.appendingPathComponent("objects/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))/\(hash)"))
        let refused = try await drill.restore("damaged", from: object)
        #expect(refused.status == 1 && refused.errors.contains("are damaged: \(hash)"), "\(refused.errors)")

        // Cut off before its end, it is no backup.
        let newest = try drill.newest(in: object)
        try files.moveItem(at: newest, to: URL(fileURLWithPath: newest.path + ".partial"))
        let none = try await drill.restore("damaged", from: object)
        #expect(none.status == 1 && none.errors.contains("There is no complete backup"), "\(none.errors)")
        for name in ["damaged", "wrong-passphrase"] {
            #expect(!files.fileExists(atPath: drill.restored(name).path), "nothing is left of \(name)")
        }
    }

    private func copy(_ drill: Drill) throws -> URL {
        let copy = drill.restored("copy")
        if FileManager.default.fileExists(atPath: copy.path) { try FileManager.default.removeItem(at: copy) }
        try FileManager.default.copyItem(at: drill.backups, to: copy)
        return copy
    }

    private static func flip(_ file: URL) throws {
        var bytes = try Data(contentsOf: file)
        let middle = bytes.count / 2
        bytes[middle] ^= 1
        try bytes.write(to: file)
    }

    private static func remove(_ file: URL) throws { try FileManager.default.removeItem(at: file) }
}

extension RunningMarket {
    /// Its artifacts, once the receiver of its log has all that it has committed; none before.
    func artifactsOnceReceived() async throws -> [ContentHash] {
        try await withDatabase { database in
            let isFlushed = try await database.scalar(
                """
                SELECT coalesce(bool_or(restart_lsn >= pg_current_wal_lsn()), false) FROM pg_replication_slots
                """, as: Bool.self)
            guard isFlushed else { return [] }
            return try await database.all("SELECT sha256 FROM artifacts") { try $0.get("sha256", as: ContentHash.self) }
        }
    }
}
