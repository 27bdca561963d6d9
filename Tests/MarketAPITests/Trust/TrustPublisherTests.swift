// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import MarketCatalog
import MarketPages
import MarketTrust
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketPlatform

@Suite("Signed metadata of the catalog")
struct TrustPublisherTests {
    @Test("One version rewrites one bin, snapshot and timestamp; its bytes are at their signed address")
    func oneVersion() async throws {
        try await TrustScene.run { trust in
            let before = try await trust.versions()
            let made = try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            let after = try await trust.versions()
            let changed = after.filter { before[$0.key] != $0.value }.keys.sorted()
            #expect(changed.count == 3 && changed.suffix(2) == ["snapshot", "timestamp"], "\(changed)")
            let target = try await trust.find(TrustScene.path(made))
            #expect(target.custom?["slug"]?.string == "lantern")
            #expect(target.custom?["state"] == nil)
            let hash = try #require(target.info.sha256)
            let address = "/trust/targets/\(TargetPath.stored(target.path, hash))"
            let answer = try await trust.scene.send(.get, address)
            #expect(answer.status == .ok)
            try target.verify(Data(answer.body.readableBytesView))
            #expect(answer.headers[.cacheControl]?.contains("immutable") == true)
            let other = address.replacing("1.0.0.pdf", with: "1.0.1.pdf")
            #expect(try await trust.scene.send(.get, other).status == .notFound)
            try await trust.publisher.publish()
            #expect(try await trust.versions() == after, "nothing was new")
        }
    }

    @Test("A first set that is cut off at any table leaves nothing behind, and is made by the next start")
    func cutOff() async throws {
        try await CatalogScene.run { scene in
            let trust = TrustScene(scene: scene)
            let database = trust.platform.database
            for table in ["trust_keys", "trust_metadata", "trust_state"] {
                let cut: PostgresQuery = table == "trust_state" ? "pending_targets IS NULL" : "false"
                try await database.execute("ALTER TABLE \(ident: table) ADD CONSTRAINT cut CHECK (\(fragment: cut))")
                await #expect(throws: (any Error).self) { try await trust.begin() }
                try await database.execute("ALTER TABLE \(ident: table) DROP CONSTRAINT cut")
                #expect(try await TrustStore.state(database) == nil)
            }
            try await trust.begin()
            try await trust.publisher.publish()
            #expect(try await trust.versions()["targets"] == 1)
            await #expect(throws: TrustPublishingError.alreadyInitialized) { try await trust.begin() }
        }
    }

    @Test("Online keys lie sealed in the database: without the market's secret they are nothing")
    func sealed() async throws {
        try await TrustScene.run { trust in
            let rows = try await trust.platform.database.all("SELECT id, secret FROM trust_keys") {
                (id: try $0.get(0, as: UUID.self), secret: try $0.get(1, as: Data.self))
            }
            #expect(rows.count == OnlineRole.allCases.count)
            let own = try #require(trust.platform.secrets)
            let stranger = try SecretBox(setting: SecretBox.makeKeySetting(id: "test"))
            for row in rows {
                let key = try #require(own.open(row.secret, for: "signing key \(row.id.lowercaseText)"))
                #expect(row.secret.range(of: Data(key)) == nil)
                #expect(stranger.open(row.secret, for: "signing key \(row.id.lowercaseText)") == nil)
                #expect(own.open(row.secret, for: "signing key \(UUID().lowercaseText)") == nil)
            }
        }
    }

    @Test("Keepers elsewhere hand in the first root and targets when they have signed")
    func keepers() async throws {
        try await CatalogScene.run { scene in
            let trust = TrustScene(scene: scene)
            var draft = try await trust.administration.begin(
                .init(root: [trust.rootKey.publicKey], targets: [trust.targetsKey.publicKey]), binCount: 16)
            try await trust.publisher.publish()
            #expect(try await trust.file("1.root.json") == nil)
            try draft.root.sign(with: trust.rootKey)
            try draft.targets.sign(with: trust.targetsKey)
            try await trust.administration.handIn(draft.root)
            try await trust.administration.handIn(draft.targets)
            try await trust.publisher.publish()
            #expect(try await trust.versions()["targets"] == 1)
        }
    }

    @Test("Metadata with a version in its name never changes; the timestamp may be ten seconds old")
    func caching() async throws {
        try await TrustScene.run { trust in
            let root = try await trust.scene.send(.get, "/trust/1.root.json")
            #expect(root.headers[.cacheControl] == "public, max-age=31536000, immutable")
            let timestamp = try await trust.scene.send(.get, "/trust/timestamp.json")
            #expect(timestamp.headers[.cacheControl] == "public, max-age=10")
            for name in ["2.root.json", "root.json", "01.root.json", "1.secrets.json", "x"] {
                #expect(try await trust.scene.send(.get, "/trust/\(name)").status == .notFound, "\(name)")
            }
        }
    }

    @Test("Many files come by one question, byte by byte as they come by themselves; what there is not is left out")
    func bundle() async throws {
        try await TrustScene.run { trust in
            let names = try await trust.versions().map { "\($1).\($0).json" }.filter { !$0.hasSuffix("timestamp.json") }
            #expect(names.count > 16)
            func ask(_ names: [String]) async throws -> TestResponse {
                try await trust.scene.send(.post, "/signed-metadata", as: nil, json: MetadataQuery(names: names))
            }
            let odd = ["timestamp.json", "9.bin-0.json", "1.nothing.json", "../1.root.json", "", "01.root.json"]
            let answer = try await ask(names + odd).json(MetadataBundle.self)
            #expect(answer.files.map(\.name).sorted() == names.sorted())
            for file in answer.files { #expect(try await trust.file(file.name) == Data(file.content.utf8)) }
            let many = try await ask(Array(repeating: "1.root.json", count: MetadataQuery.maximumCount + 1))
            #expect(many.problem == .validationFailed)
        }
    }

    @Test("A withdrawal and a take-down travel with reason and replacement")
    func withdrawals() async throws {
        try await TrustScene.run { trust in
            let made = try await trust.scene.addTemplate("Lantern")
            try await trust.scene.addVersion("1.1.0", of: made)
            try await trust.scene.features.database.execute(
                """
                UPDATE templates SET latest_version_id = (SELECT id FROM versions WHERE template_id = \(made.id)
                    AND number = '1.1.0') WHERE id = \(made.id)
                """)
            try await trust.scene.features.database.execute(
                """
                UPDATE versions SET state = 'yanked', state_reason = \("one\ntwo")
                WHERE template_id = \(made.id) AND number = '1.0.0'
                """)
            try await trust.publisher.publish()
            let target = try await trust.find(TrustScene.path(made))
            #expect(target.custom?["state"]?.string == "yanked")
            #expect(target.custom?["reason"]?.string == "one\ntwo")
            #expect(try target.custom?["replacement"]?.string == TrustScene.path(made, "1.1.0"))
            try await trust.scene.takeDown("1.0.0", of: made)
            try await trust.publisher.publish()
            #expect(try await trust.find(TrustScene.path(made)).custom?["state"]?.string == "taken_down")
        }
    }

    @Test("Only one publishes at a time, and what one that dies has begun is as if it never was")
    func onePublisher() async throws {
        try await TrustScene.run { trust in
            let before = try await trust.versions()
            try await trust.scene.addTemplate("Lantern")
            let publisher = trust.publisher
            struct Crash: Error {}
            await #expect(throws: Crash.self) {
                try await trust.platform.database.withTransaction { connection in
                    _ = try await connection.scalar(
                        "SELECT pg_advisory_xact_lock(\(Int64(0x5348_4545_5454_5255)))::text", as: String?.self)
                    #expect(try await publisher.step() == .busy)
                    throw Crash()
                }
            }
            #expect(try await trust.versions() == before)
            async let one: Void = publisher.publish()
            async let other: Void = publisher.publish()
            _ = try await (one, other)
            try await publisher.publish()
            let count = try await trust.platform.database.scalar(
                "SELECT count(*) FROM trust_metadata WHERE role = 'snapshot'", as: Int.self)
            #expect(count == 2, "the first, and one with the template")
        }
    }

    @Test("Timestamp, snapshot and bins are signed anew before they end")
    func refresh() async throws {
        let clock = Mutex(try Date("2026-11-21T03:30:00Z", strategy: .iso8601))
        try await TrustScene.run(now: { clock.withLock { $0 } }) { trust in
            let made = try await trust.scene.addTemplate("Lantern")
            // Nobody looks in for 300 days but the publisher, every third of them.
            for _ in 0..<100 {
                clock.withLock { $0 += 3 * 86_400 }
                try await trust.publisher.publish()
            }
            _ = try await trust.find(TrustScene.path(made))
            let count = try await trust.platform.database.scalar("SELECT count(*) FROM trust_metadata", as: Int.self)
            #expect(count < 60, "old metadata is kept: \(count) files")
        }
    }

    @Test("The log warns sixty days before a root or targets end, and calls the last fifteen an error")
    func warnings() async throws {
        let clock = Mutex(Date())
        try await TrustScene.run(now: { clock.withLock { $0 } }) { trust in
            let stages: [(days: Double, level: String?)] = [(300, nil), (6, "WARN"), (46, "ERROR")]
            for (days, level) in stages {
                clock.withLock { $0 += days * 86_400 }
                let lines = Mutex<[String]>([])
                let logger = Logger(label: "trust") { label in
                    StructuredLogHandler(
                        label: label, level: .info, format: .json,
                        output: LogOutput { line in lines.withLock { $0.append(line) } })
                }
                let own = trust.platform
                let platform = Platform(
                    database: own.database, storage: own.storage, signer: own.signer, now: own.now, logger: logger)
                try await TrustModule.warnOfEnds(platform)
                let told = lines.withLock { $0 }
                #expect(told.count == (level == nil ? 0 : 2), "\(told)")
                for line in told {
                    #expect(line.uppercased().contains(level ?? "nothing") && line.contains("keys expire"), "\(line)")
                }
            }
        }
    }

    @Test("New keys of all online roles come into force at once, and a lost key of the bins is got over")
    func rotation() async throws {
        try await TrustScene.run { trust in
            let made = try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            let database = trust.platform.database
            // The private halves are lost.
            try await database.execute("DELETE FROM trust_keys")
            try await trust.scene.addVersion("1.1.0", of: made)
            await #expect(throws: TrustPublishingError.noKey(role: "bins")) { try await trust.publisher.publish() }
            var fresh: [OnlineRole: TrustKey] = [:]
            for role in OnlineRole.allCases { fresh[role] = try await trust.administration.makeOnlineKey(role) }
            let keys = fresh
            var root = try await trust.administration.draftRoot { root in
                for role in [OnlineRole.timestamp, .snapshot] {
                    guard let key = keys[role] else { continue }
                    root.keys[key.id] = key
                    root.roles[role.rawValue] = TrustRoleKeys(keyIDs: [key.id], threshold: 1)
                }
            }
            #expect(try await trust.administration.missingSignatures(root) != nil)
            try root.sign(with: trust.rootKey)
            var targets = try await trust.administration.draftTargets { targets in
                guard let key = keys[.bins] else { return }
                targets.delegatedKeys = [key.id: key]
                for place in targets.delegations.indices {
                    targets.delegations[place].keys = TrustRoleKeys(keyIDs: [key.id], threshold: 1)
                }
            }
            try targets.sign(with: trust.targetsKey)
            try await trust.administration.handIn(targets)
            try await trust.administration.handIn(root)
            try await trust.publisher.publish()
            #expect(try await trust.versions()["targets"] == 2)
            _ = try await trust.find(TrustScene.path(made, "1.1.0"))
            #expect(try await TrustStatus.read(database)?.pending == [])
        }
    }

    @Test("What was not signed by its keepers, or is not the next version, is not taken in")
    func handingIn() async throws {
        try await TrustScene.run { trust in
            var root = try await trust.administration.draftRoot { _ in }
            try root.sign(with: TrustSigningKey())
            let unsigned = root
            await #expect(throws: TrustError.self) { try await trust.administration.handIn(unsigned) }
            var skipping = try await trust.administration.draftRoot { $0.head.version += 1 }
            try skipping.sign(with: trust.rootKey)
            let later = skipping
            await #expect(throws: TrustPublishingError.self) { try await trust.administration.handIn(later) }
        }
    }

    @Test("A restored database, whose feed is another, is gone through from the beginning")
    func restored() async throws {
        try await TrustScene.run { trust in
            let made = try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            let database = trust.platform.database
            try await database.execute("DELETE FROM trust_targets")
            try await database.execute("UPDATE change_feed SET id = gen_random_uuid()")
            let before = try await trust.versions()
            try await trust.publisher.publish()
            _ = try await trust.find(TrustScene.path(made))
            let after = try await trust.versions()
            #expect(
                after.allSatisfy { $0.key == "targets" || $0.value > before[$0.key] ?? 0 }, "clients saw later ones")
        }
    }

    @Test("After a theft of the root key a market begins anew with other keys, and so do mirrors")
    func anew() async throws {
        try await TrustScene.run { trust in
            let made = try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            let folder = try ScratchFolder("mirror")
            let mirror = StaticMirror(platform: trust.platform, folder: folder.url)
            _ = try await mirror.write()
            let stolen = try #require(try await trust.file("1.root.json"))
            try await trust.platform.database.execute(
                "TRUNCATE trust_state, trust_bins, trust_keys, trust_metadata")
            var fresh = trust
            (fresh.rootKey, fresh.targetsKey) = (TrustSigningKey(), TrustSigningKey())
            try await fresh.begin()
            try await fresh.publisher.publish()
            _ = try await fresh.find(TrustScene.path(made))
            let root = try #require(try await fresh.file("1.root.json"))
            #expect(root != stolen)
            _ = try await mirror.write()
            #expect(try Data(contentsOf: folder.url.appending(path: "trust/1.root.json")) == root)
        }
    }

    @Test("A mirror has all that a client needs, and a second run writes nothing")
    func mirror() async throws {
        try await TrustScene.run { trust in
            let made = try await trust.scene.addTemplate("Lantern")
            let gone = try await trust.scene.addTemplate("Stolen", bytes: Array("%PDF-1.7 stolen".utf8))
            try await trust.publisher.publish()
            let dump = try #require(try await CatalogDumps(platform: trust.platform).make())
            let folder = try ScratchFolder("mirror")
            let mirror = StaticMirror(platform: trust.platform, folder: folder.url)
            let first = try await mirror.write()
            #expect(first.written > 3)
            let second = try await mirror.write()
            #expect(second.written == 0 && second.removed == 0)
            let target = try await trust.find(TrustScene.path(made))
            let hash = try #require(target.info.sha256)
            let file = folder.url.appending(path: "trust/targets/\(TargetPath.stored(target.path, hash))")
            try target.verify(try Data(contentsOf: file))
            let dumped = folder.url.appending(path: "dumps/\(dump.name)")
            #expect(FileManager.default.fileExists(atPath: dumped.path))
            try await trust.scene.takeDown("1.0.0", of: gone)
            try await trust.publisher.publish()
            try await trust.platform.database.execute("DELETE FROM catalog_dumps")
            #expect(try await mirror.write().removed > 0)
            #expect(!FileManager.default.fileExists(atPath: dumped.path), "the market has withdrawn it")
            let left = folder.url.appending(path: "trust/targets/\(gone.id)")
            #expect(!FileManager.default.fileExists(atPath: left.path))
        }
    }

    @Test("A mirror mends what is damaged, keeps for one run what readers may be at, and touches nobody else's folder")
    func mirrorAgain() async throws {
        try await TrustScene.run { trust in
            let folder = try ScratchFolder("mirror")
            let files = FileManager.default
            let metadata = folder.url.appending(path: "trust")
            let mirror = StaticMirror(platform: trust.platform, folder: folder.url)
            _ = try await mirror.write()
            let first = try files.contentsOfDirectory(atPath: metadata.path)
            for name in ["1.root.json", "1.targets.json"] {
                try Data("{}".utf8).write(to: metadata.appending(path: name))
                #expect(try await mirror.write().written == 1)
                #expect(try await trust.file(name) == Data(contentsOf: metadata.appending(path: name)))
            }
            try await trust.scene.addTemplate("Lantern")
            try await trust.publisher.publish()
            #expect(try await mirror.write().removed == 0)
            #expect(Set(first).isSubset(of: try files.contentsOfDirectory(atPath: metadata.path)))
            #expect(try await mirror.write().removed == 2, "the snapshot and the bin of before")

            let foreign = try ScratchFolder("photos")
            let photo = foreign.url.appending(path: "trust/photo.jpg")
            try files.createDirectory(at: photo.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("a photo".utf8).write(to: photo)
            await #expect(throws: TrustPublishingError.self) {
                try await StaticMirror(platform: trust.platform, folder: foreign.url).write()
            }
            #expect(try Data(contentsOf: photo) == Data("a photo".utf8))
        }
    }
}
