// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketHTTP
import MarketPages
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketPlatform

@Suite("Counting downloads")
struct CountingTests {
    /// A signed address of the template's version on offer.
    private static func address(
        _ scene: CatalogScene, _ slug: String = "sheet", as caller: UserID? = nil
    ) async throws -> String {
        let answer = try await scene.get("/templates/\(slug)/versions/latest/download", as: caller)
        return try #require(answer.headers[.location])
    }

    /// Fetches an address as somebody at `client`.
    @discardableResult private static func fetch(
        _ scene: CatalogScene, _ address: String, from client: String, _ headers: HTTPFields = [:],
        method: HTTPRequest.Method = .get
    ) async throws -> TestResponse {
        var headers = headers
        headers[.xForwardedFor] = client
        return try await scene.send(method, address, headers: headers)
    }

    private static func settle(_ scene: CatalogScene) async {
        await scene.counter.flush()
        await scene.counter.fold()
    }

    /// A clock that stands, so that no day ends between two lines.
    private static let noon = Date(timeIntervalSince1970: 1_900_000_000)

    private static func total(_ scene: CatalogScene, _ slug: String = "sheet") async throws -> Int {
        try await scene.features.database.scalar("SELECT downloads FROM templates WHERE slug = \(slug)", as: Int.self)
    }

    @Test("A client counts once a day for each template, when it fetches the bytes")
    func oncePerClient() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            try await scene.addTemplate("Sheet")
            try await scene.addTemplate("Other", bytes: Array("%PDF-1.7 other".utf8))
            // Asking for an address is no download.
            let first = try await Self.address(scene)
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 0)
            for _ in 0..<3 { try await Self.fetch(scene, first, from: "192.0.2.1") }
            try await Self.fetch(scene, try await Self.address(scene), from: "192.0.2.1")
            try await Self.fetch(scene, try await Self.address(scene), from: "192.0.2.2")
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 2)
            try await Self.fetch(scene, try await Self.address(scene), from: "192.0.2.2")
            try await Self.fetch(scene, try await Self.address(scene, "other"), from: "192.0.2.2")
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 2)
            #expect(try await Self.total(scene, "other") == 1)
            // A household's or machine's addresses of version 6 are one client.
            for client in ["2001:db8:1:2::1", "2001:db8:1:2:ffff::7", "2001:db8:1:3::1"] {
                try await Self.fetch(scene, first, from: client)
            }
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 4)
            let days = try await scene.features.database.scalar(
                "SELECT sum(downloads) FROM download_days", as: Int.self)
            #expect(days == 5)
        }
    }

    @Test("Parts, heads, what is held already, programs that read everything, and forged purposes do not count")
    func whatDoesNotCount() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            try await scene.addTemplate("Sheet")
            let address = try await Self.address(scene)
            let tag = "\"\(ContentHash(hashing: Array("%PDF-1.7 a sheet".utf8)).hex)\""
            try await Self.fetch(scene, address, from: "192.0.2.1", method: .head)
            #expect(try await Self.fetch(scene, address, from: "192.0.2.2", [.range: "bytes=2-"]).status.code == 206)
            #expect(try await Self.fetch(scene, address, from: "192.0.2.3", [.ifNoneMatch: tag]).status.code == 304)
            for agent in ["Mozilla/5.0 (compatible; Googlebot/2.1)", "SomeCrawler", "facebookexternalhit/1.1"] {
                try await Self.fetch(scene, address, from: "192.0.2.4", [.userAgent: agent])
            }
            let purpose = try #require(HTTPField.Name("Sec-Purpose"))
            try await Self.fetch(scene, address, from: "192.0.2.5", [purpose: "prefetch;prerender"])
            // Without what it is for, or with what another address was for, it is served and not counted.
            let bare = try #require(address.components(separatedBy: "&for=").first)
            try await scene.addTemplate("Other", bytes: Array("%PDF-1.7 other".utf8))
            let other = try await Self.address(scene, "other").components(separatedBy: "&for=")[1]
            for forged in [bare, "\(bare)&for=\(other)", "\(bare)&for=AAAA", "\(bare)&for="] {
                #expect(try await Self.fetch(scene, forged, from: "192.0.2.6").status == .ok, "\(forged)")
            }
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 0)
            #expect(try await Self.total(scene, "other") == 0)
            try await Self.fetch(scene, address, from: "192.0.2.7", [.userAgent: "sheets/0.2.0"])
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 1)
        }
    }

    @Test("Who is signed in counts once wherever they are, and the address does not say who they are")
    func accounts() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            let made = try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            for client in ["192.0.2.1", "192.0.2.2"] {
                let address = try await Self.address(scene, as: ann)
                for spelling in [ann.description, ann.description.replacing("-", with: "")] {
                    #expect(!address.lowercased().contains(spelling))
                }
                try await Self.fetch(scene, address, from: client)
            }
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 1)
            let kept = try await scene.features.database.all(
                "SELECT user_id, template_id FROM user_downloads"
            ) { (try $0.get(0, as: UserID.self), try $0.get(1, as: TemplateID.self)) }
            #expect(kept.count == 1 && kept[0] == (ann, made.id))
        }
    }

    @Test("All nodes count a client once, and doing a batch twice counts it once")
    func nodes() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            let made = try await scene.addTemplate("Sheet")
            let version = try await scene.features.database.scalar("SELECT id FROM versions", as: VersionID.self)
            let purpose = DownloadPurpose(template: made.id, version: version, account: nil)
            let nodes = (0..<4).map { _ in DownloadCounter(platform: scene.features.platform) }
            await withTaskGroup(of: Void.self) { group in
                for node in nodes {
                    group.addTask {
                        for client in 0..<300 { await node.count(purpose, address: "192.0.2.\(client % 100)") }
                        await node.flush()
                        await node.fold()
                    }
                }
            }
            for node in nodes { await node.fold() }
            try await DownloadStore.fold(scene.features.database)
            #expect(try await Self.total(scene) == 100)
        }
    }

    @Test("No address is kept, and with the day goes what the clients were hashed with")
    func privacy() async throws {
        let clock = Mutex(Date(timeIntervalSince1970: 1_900_000_000))
        try await CatalogScene.run(now: { clock.withLock { $0 } }) { scene in
            try await scene.addTemplate("Sheet")
            let database = scene.features.database
            func count(_ table: PostgresQuery) async throws -> Int {
                try await database.scalar("SELECT count(*) FROM \(fragment: table)", as: Int.self)
            }
            try await Self.fetch(scene, try await Self.address(scene), from: "192.0.2.1")
            await Self.settle(scene)
            let salt = try await database.scalar("SELECT salt FROM download_salts", as: Data.self)
            let client = try await database.scalar("SELECT client FROM download_clients", as: Data.self)
            #expect(salt.count == 32 && client.count == 16)
            let logged = try await database.scalar(
                "SELECT count(*) FROM pg_class WHERE relname LIKE 'download_clients_2%' AND relpersistence <> 'u'",
                as: Int.self)
            #expect(logged == 0)
            // Ten minutes after midnight yesterday is forgotten, not before.
            let midnight = UTCDay(clock.withLock { $0 }).date.addingTimeInterval(86_400)
            clock.withLock { $0 = midnight.addingTimeInterval(60) }
            try await DownloadStore.rotateDays(at: scene.features.now(), database)
            #expect(try await count("download_clients") == 1)
            clock.withLock { $0 = midnight.addingTimeInterval(1200) }
            try await DownloadStore.rotateDays(at: scene.features.now(), database)
            #expect(try await count("download_clients") == 0)
            #expect(try await count("download_salts") == 0)
            // On another day the same client is another.
            try await Self.fetch(scene, try await Self.address(scene), from: "192.0.2.1")
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 2)
            let next = try await database.scalar("SELECT client FROM download_clients", as: Data.self)
            #expect(next != client)
            // The days are in partitions of their months.
            let partitions = try await database.all(
                "SELECT DISTINCT tableoid::regclass::text FROM download_days"
            ) { try $0.get(0, as: String.self) }
            #expect(partitions == ["download_days_2030_03"])
            #expect(try await count("download_days") == 2)
        }
    }

    @Test("None is lost while the database is away for a moment, or when the service ends")
    func outage() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            try await scene.addTemplate("Sheet")
            let address = try await Self.address(scene)
            let database = scene.features.database
            try await Self.fetch(scene, address, from: "192.0.2.1")
            try await database.execute("ALTER TABLE download_changes RENAME TO away")
            await Self.settle(scene)
            #expect(try await Self.total(scene) == 0)
            try await database.execute("ALTER TABLE away RENAME TO download_changes")
            try await Self.fetch(scene, address, from: "192.0.2.2")
            // The service's end writes what is left.
            let service = Task { try await scene.counter.run() }
            service.cancel()
            try await service.value
            #expect(try await Self.total(scene) == 2)
        }
    }

    @Test("Authors and moderators see the days, everybody the total")
    func timeline() async throws {
        let now = Date(timeIntervalSince1970: 1_900_000_000)
        try await CatalogScene.run(now: { now }) { scene in
            let made = try await scene.addTemplate("Sheet", downloads: 12)
            let helper = try await scene.person("helper")
            let moderator = try await scene.person("moritz", role: .moderator)
            let stranger = try await scene.person("stranger")
            try await scene.addAuthor(helper, to: made.id)
            try await scene.features.database.execute(
                """
                INSERT INTO download_days (day, template_id, downloads) VALUES
                    ('2030-03-17', \(made.id), 4), ('2030-03-15', \(made.id), 7), ('2029-01-01', \(made.id), 1)
                """)
            let path = "/templates/sheet/downloads"
            for caller in [scene.owner, helper, moderator] {
                let told = try await scene.get("\(path)?from=2030-03-14&to=2030-03-17", as: caller)
                    .json(DownloadTimeline.self)
                #expect(told.total == 12 && told.templateId == made.id)
                #expect(told.days.map(\.day) == ["2030-03-14", "2030-03-15", "2030-03-16", "2030-03-17"])
                #expect(told.days.map(\.downloads) == [0, 7, 0, 4])
            }
            let usual = try await scene.get(path, as: scene.owner).json(DownloadTimeline.self)
            #expect(usual.days.count == 30 && usual.days.last?.day == "2030-03-17")
            #expect(try await scene.get(path, as: stranger).status == .forbidden)
            #expect(try await scene.get(path).status == .unauthorized)
            for (query, pointer) in [
                ("from=yesterday", "from"), ("to=2030-02-30", "to"), ("from=2030-03-18&to=2030-03-17", "from"),
                ("from=2020-01-01", "from"),
            ] {
                #expect(try await scene.get("\(path)?\(query)", as: scene.owner).pointers == [pointer], "\(query)")
            }
            #expect(try await scene.get("/templates/none/downloads", as: scene.owner).status == .notFound)
            #expect(try await scene.get("/templates/sheet").json(TemplateDetail.self).summary.downloads == 12)
        }
    }

    @Test("No download stands in the days and is missing in the total, while some are being added")
    func timelineIsOfOneMoment() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            let made = try await scene.addTemplate("Sheet")
            let database = scene.features.database
            let told = Mutex<Task<DownloadTimeline, any Error>?>(nil)
            try await database.withTransaction { adding in
                try await adding.execute("LOCK TABLE download_days IN ACCESS EXCLUSIVE MODE")
                let asked = Task {
                    try await scene.get("/templates/sheet/downloads", as: scene.owner).json(DownloadTimeline.self)
                }
                told.withLock { $0 = asked }
                // Whoever asks has read what it reads first, and waits for the days.
                let isWaiting = try await eventually {
                    try await database.scalar(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'download_days'::regclass",
                        as: Int.self) > 0
                }
                #expect(isWaiting)
                try await adding.execute("UPDATE templates SET downloads = 1 WHERE id = \(made.id)")
                try await adding.execute(
                    """
                    INSERT INTO download_days (day, template_id, downloads)
                    VALUES ((\(UTCDay(scene.features.now()).text)::text)::date, \(made.id), 1)
                    """)
            }
            let timeline = try await told.withLock { $0 }?.value
            #expect(timeline?.days.last?.downloads == 1 && timeline?.total == 1)
        }
    }

    @Test(
        "A client's network is the address of version 4, or half of that of version 6",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2/64"),
            ("2001:db8:1:2::%eth0", "20:1:d:b8:0:1:0:2/64"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("unknown", "unknown"), ("not:an:address", "not:an:address"),
        ])
    func networks(address: String, network: String) {
        #expect(NetworkAddress.network(of: address) == network)
    }
}
