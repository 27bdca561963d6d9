// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import PostgresCluster
import SheetCore
import TestSupport
import Testing

/// A market that reads from one streaming replica.
private struct ReplicaScene: Sendable {
    let servers: ReplicatedDatabase
    let market: TestMarket
    let author: TestHTTP
    let collection: MemberCollectionID

    var path: String { "\(Paths.base)/member-collections/\(collection)" }

    init(_ servers: ReplicatedDatabase, _ market: TestMarket, _ handle: String) async throws {
        self.servers = servers
        self.market = market
        author = try await market.person(handle)
        let made = try await author.send(
            .POST, "\(Paths.base)/member-collections", json: MemberCollectionEdit(title: "0"))
        try #require(made.status == 201, "\(made.text)")
        collection = try made.json(MemberCollectionDetail.self).collection.id
        // A program that says nothing of what it has written is answered by the primary; this one is content with anything.
        #expect(try await title() == "0")
    }

    /// Changes the title behind the market's back, so that nobody is told, and says where in the log that stands.
    func rename(_ title: String) async throws -> LogPosition {
        try await servers.administer(
            nil, "SET session_replication_role = replica",
            "UPDATE member_collections SET title = \(title) WHERE id = \(collection)")
        return try await replicas.position()
    }

    /// The title as a program reads it that has written up to `position`; `nil` does not say.
    func title(from position: String? = nil) async throws -> String {
        let answer = try await author.get(path, headers: position.map { [("Read-After", $0)] } ?? [])
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.json(MemberCollectionDetail.self).collection.title
    }

    func isUsable() async throws -> Bool {
        try await market.http.get("/metrics").text.contains(/sheetmarket_database_replica_usable\{[^}]*\} 1\n/)
    }

    /// Waits until the replica is read from, or no more; readiness does not depend on it.
    func expect(usable: Bool) async throws {
        #expect(try await eventually { try await isUsable() == usable })
        #expect(try await market.http.get("/readyz").status == 200)
    }

    /// Waits until the replica answers; until then the primary does, and says the same.
    func expectReplica(toSay expected: String, from position: String) async throws {
        let before = try replicas.reads.replica
        let isAnswered = try await eventually {
            #expect(try await title(from: position) == expected)
            return try replicas.reads.replica > before
        }
        #expect(isAnswered)
    }

    var replicas: PostgresReplicas { get throws { try #require(market.features.database.replicas) } }
}

@Suite("Reads from streaming replicas")
struct ReplicaTests {
    private static let anything = "0/0"

    private static func withScene(
        bound: Duration, _ handle: String, on servers: ReplicatedDatabase,
        _ body: @escaping @Sendable (ReplicaScene) async throws -> Void
    ) async throws {
        try await withMarket(
            connection: servers.primary.connectionString, replicas: await servers.replicaAddresses, replicaBound: bound
        ) { market in
            let scene = try await ReplicaScene(servers, market, handle)
            try await scene.expect(usable: true)
            try await body(scene)
        }
    }

    @Test("a replica answers what may be old, nobody misses their own changes, and the primary mends what goes wrong")
    func story() async throws {
        let servers = try await ReplicatedDatabase()
        do {
            try await Self.withScene(bound: .seconds(3600), "nadia", on: servers) { scene in
                try await Self.positions(scene)
                try await Self.news(scene)
                try await Self.changesInReads(scene)
                try await Self.sessions(scene)
                try await Self.frozen(scene)
            }
            try await Self.withScene(bound: .milliseconds(500), "noor", on: servers) { scene in
                try await Self.late(scene)
                try await Self.gone(scene)
                try await Self.primaryStopped(scene)
            }
            try await Self.withoutReplicas(servers)
        } catch {
            await servers.stop()
            throw error
        }
        await servers.stop()
    }

    /// The replica stands still: what it shows tells who answered.
    private static func positions(_ scene: ReplicaScene) async throws {
        try await scene.expectReplica(toSay: "0", from: anything)
        try await scene.servers.administer(0, "SELECT pg_wal_replay_pause()")
        let position = try await scene.rename("1")
        #expect(try await scene.title(from: anything) == "0")
        #expect(try await scene.title(from: position.description) == "1")
        #expect(try await scene.title() == "1")
        #expect(try await scene.title(from: "what is this") == "1")
        try await scene.servers.administer(0, "SELECT pg_wal_replay_resume()")
        // By and by the replica is as far, and answers this, too.
        try await scene.expectReplica(toSay: "1", from: position.description)
    }

    /// Whoever was told of a change, as caches are, reads nothing older.
    private static func news(_ scene: ReplicaScene) async throws {
        try await scene.expectReplica(toSay: "1", from: anything)
        try await scene.servers.administer(0, "SELECT pg_wal_replay_pause()")
        _ = try await scene.rename("2")
        #expect(try await scene.title(from: anything) == "1")
        try await scene.servers.administer(nil, "NOTIFY catalog")
        #expect(try await eventually { try await scene.title(from: anything) == "2" })
        try await scene.servers.administer(0, "SELECT pg_wal_replay_resume()")
    }

    /// What turns out to write is done by the primary, and the rest of the task stays there.
    private static func changesInReads(_ scene: ReplicaScene) async throws {
        let database = scene.market.features.database
        for (slug, isTransaction) in [("written-one", false), ("written-two", true)] {
            let insert: PostgresQuery =
                "INSERT INTO game_systems (slug, name, publisher) VALUES (\(slug), 'W', 'Nobody')"
            let count = try await ReplicaReads.$current.withValue(ReplicaReads()) {
                if isTransaction {
                    try await database.withTransaction { try await $0.execute(insert) }
                } else {
                    try await database.execute(insert)
                }
                return try await database.scalar("SELECT count(*) FROM game_systems WHERE slug = \(slug)", as: Int.self)
            }
            #expect(count == 1)
        }
    }

    /// A browser is told by a cookie.
    private static func sessions(_ scene: ReplicaScene) async throws {
        let http = scene.market.http
        let account = try await http.send(
            json: RegisterRequest(handle: "ada", email: "ada@example.org", password: "correct horse battery"),
            to: "/auth/register")
        #expect(account.status == 201)
        let signedIn = try await http.send(
            json: LoginRequest(login: "ada", password: "correct horse battery"), to: "/auth/login")
        let cookies = signedIn.headers["Set-Cookie"].compactMap { $0.split(separator: ";").first.map(String.init) }
        let mark = try #require(cookies.first { $0.hasPrefix("sheetmarket_read_after=") })
        let session = try #require(cookies.first { $0.hasPrefix("sheetmarket_session=") })
        let told = try #require(signedIn.headers.first(name: "Read-After"))
        #expect(mark == "sheetmarket_read_after=\(told.replacing("/", with: "-"))")

        func title(_ cookies: String) async throws -> String {
            let answer = try await http.get(scene.path, headers: [("Cookie", cookies)])
            return try answer.json(MemberCollectionDetail.self).collection.title
        }
        // Long after sign-in the replica is as far.
        #expect(
            try await eventually {
                let before = try scene.replicas.reads.replica
                _ = try await title("\(session); \(mark)")
                return try scene.replicas.reads.replica > before
            })
        try await scene.servers.administer(0, "SELECT pg_wal_replay_pause()")
        let position = try await scene.rename("3")
        let fresh = "sheetmarket_read_after=\(position.description.replacing("/", with: "-"))"
        #expect(try await title(session) == "2")
        #expect(try await title("\(session); \(fresh)") == "3")
        try await scene.servers.administer(0, "SELECT pg_wal_replay_resume()")
    }

    /// A replica that neither answers nor hangs up, in the middle of a statement.
    private static func frozen(_ scene: ReplicaScene) async throws {
        #expect(try await eventually { try await scene.title(from: anything) == "3" })
        try await scene.expectReplica(toSay: "3", from: anything)
        let before = try scene.replicas.reads
        await scene.servers.signal(SIGSTOP, replica: 0)
        #expect(try await scene.title(from: anything) == "3")
        #expect(try scene.replicas.reads.repeated > before.repeated)
        try await scene.expect(usable: false)
        #expect(try await scene.title(from: anything) == "3")
        await scene.servers.signal(SIGCONT, replica: 0)
        try await scene.expect(usable: true)
    }

    /// One that lags beyond the bound is left alone until it has caught up.
    private static func late(_ scene: ReplicaScene) async throws {
        try await scene.servers.administer(0, "SELECT pg_wal_replay_pause()")
        _ = try await scene.rename("1")
        try await scene.expect(usable: false)
        #expect(try await scene.title(from: anything) == "1")
        try await scene.servers.administer(0, "SELECT pg_wal_replay_resume()")
        try await scene.expect(usable: true)
    }

    /// So is one that is not there.
    private static func gone(_ scene: ReplicaScene) async throws {
        try await scene.servers.stopReplica(0)
        for _ in 0..<20 { #expect(try await scene.title(from: anything) == "1") }
        try await scene.expect(usable: false)
        try await scene.servers.startReplica(0)
        try await scene.expect(usable: true)
        try await scene.expectReplica(toSay: "1", from: anything)
    }

    /// The primary stands still: strangers go on reading, however late the replica is by then.
    private static func primaryStopped(_ scene: ReplicaScene) async throws {
        await scene.servers.signalPrimary(SIGSTOP)
        #expect(try await eventually { try scene.replicas.standings.first?.ageSeconds ?? 0 > 5 })
        let before = try scene.replicas.reads.replica
        #expect(try await scene.market.http.get("\(Paths.base)/templates").status == 200)
        #expect(try scene.replicas.reads.replica > before)
        await scene.servers.signalPrimary(SIGCONT)
        try await scene.expect(usable: true)
        #expect(try await eventually { try await scene.market.http.get("/readyz").status == 200 })
        // Its age falls with the next probe of it.
        #expect(
            try await eventually { try scene.replicas.standings.first.flatMap(\.ageSeconds).map { $0 < 5 } == true })
    }

    private static func withoutReplicas(_ servers: ReplicatedDatabase) async throws {
        try await withMarket(connection: servers.primary.connectionString) { market in
            let made = try await market.person("olga").send(
                .POST, "\(Paths.base)/member-collections", json: MemberCollectionEdit(title: "0"))
            #expect(made.status == 201)
            #expect(made.headers.first(name: "Read-After") == nil)
            #expect(market.features.database.replicas == nil)
        }
    }
}
