// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketWire
import NIOHTTP1
import Postgres
import Synchronization
import TestSupport
import Testing

/// People who make changes all the time, and what they were told.
private final class Writers: Sendable {
    struct Told: Sendable {
        var kept: [String] = []
        /// Answers other than the wanted one: status, and whether it says when to try again.
        var refused: [String] = []
    }

    let told = Mutex(Told())
    private let isOver = Mutex(false)

    var keptCount: Int { told.withLock { $0.kept.count } }

    func stop() { isOver.withLock { $0 = true } }

    /// One change after the other.
    func write(as caller: TestHTTP, _ name: String) async throws {
        var number = 0
        while !isOver.withLock({ $0 }) {
            number += 1
            let title = "\(name) \(number)"
            let answer = try await caller.send(
                .POST, "\(Paths.base)/member-collections", json: MemberCollectionEdit(title: title))
            told.withLock { told in
                if answer.status == 201 {
                    told.kept.append(title)
                } else {
                    let wait = answer.headers.first(name: "Retry-After") ?? "none"
                    told.refused.append("\(answer.status) Retry-After: \(wait)")
                }
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

@Suite("The primary is lost")
struct PromotionTests {
    @Test(
        "the server finds the promoted replica by itself, nothing acknowledged is lost, and refusals say when to come back"
    )
    func promotion() async throws {
        try await Self.withServers(Self.promote)
    }

    @Test(
        "a server that was led to a replica serves reads, and refuses changes as in any outage until that is promoted")
    func replicaTakenForPrimary() async throws {
        try await Self.withServers { servers in
            let folder = try ScratchFolder("misled")
            let (first, primary) = try await Self.start(folder, ["DATABASE_URL": await servers.address])
            let caller = try #require(try await Self.callers(primary).first)
            first.signal(SIGTERM)
            await first.waitForExit()

            let replica = try #require(await servers.replicaAddresses.first)
            let (misled, http) = try await Self.start(folder, ["DATABASE_URL": replica])
            let member = http.signedIn(caller.token)
            #expect(try await eventually { try await member.get("\(Paths.base)/me").status == 200 })
            #expect(try await http.get("\(Paths.base)/templates").status == 200)
            let change = MemberCollectionEdit(title: "Mine")
            let collections = "\(Paths.base)/member-collections"
            Self.expectOutage(try await member.send(.POST, collections, json: change))
            let stranger = RegisterRequest(handle: "otto", email: nil, password: "correct horse battery")
            Self.expectOutage(try await http.send(json: stranger, to: "/auth/register"))
            try await servers.administer(0, "SELECT pg_promote()")
            #expect(try await eventually { try await member.send(.POST, collections, json: change).status == 201 })
            misled.signal(SIGTERM)
            #expect(await misled.waitForExit() == 0, "\(misled.errors.suffix(2000))")
        }
    }

    /// The limits of some calls are counted in the database before anything else.
    private static func expectOutage(_ answer: TestHTTP.Answer) {
        #expect(answer.status == 503, "\(answer.text)")
        #expect(answer.headers.first(name: "Retry-After") != nil)
        #expect(answer.problemCode == .unavailable || answer.problemCode == .limitsUnavailable)
    }

    private static func withServers(_ body: (ReplicatedDatabase) async throws -> Void) async throws {
        let servers = try await ReplicatedDatabase()
        do {
            try await body(servers)
        } catch {
            await servers.stop()
            throw error
        }
        await servers.stop()
    }

    private static func start(
        _ folder: ScratchFolder, _ environment: [String: String]
    ) async throws -> (ChildProgram, TestHTTP) {
        let common = [
            "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
            "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(Data(repeating: 7, count: 32).base64EncodedString())",
            "SHEETMARKET_SECRET_KEYS": "s1:\(Data(repeating: 8, count: 32).base64EncodedString())",
            "SHEETMARKET_STAFF_SECOND_FACTOR": "off", "SHEETMARKET_LISTEN": "127.0.0.1:0",
            "SHEETMARKET_DB_POOL_TIMEOUT": "1s", "SHEETMARKET_LIMIT_ADDRESS": "1000000/1s",
            "SHEETMARKET_LIMIT_ACCOUNT": "1000000/1s",
        ]
        let server = try ChildProgram(
            BuildProducts.executable("sheetmarket"), ["serve"], environment: common.merging(environment) { $1 })
        let line = try #require(await server.line(within: 600) { $0.hasPrefix("ready ") }, "\(server.errors)")
        return (server, TestHTTP(base: String(line.dropFirst("ready ".count))))
    }

    private static func promote(_ servers: ReplicatedDatabase) async throws {
        let folder = try ScratchFolder("promoted")
        let (server, http) = try await start(
            folder,
            [
                "DATABASE_URL": await servers.address,
                "SHEETMARKET_REPLICA_URLS": await servers.replicaAddresses.joined(separator: " "),
            ])
        #expect(try await eventually { try await usable(http) == "1" })

        let callers = try await callers(http)
        try await servers.makeSynchronous()
        let writers = Writers()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, caller) in callers.enumerated() {
                group.addTask { try await writers.write(as: caller, "Writer \(index)") }
            }
            #expect(try await eventually { writers.keptCount >= 6 })
            await servers.killPrimary()
            #expect(try await eventually { writers.told.withLock { !$0.refused.isEmpty } })
            try await servers.administer(0, "SELECT pg_promote()")
            let before = writers.keptCount
            #expect(try await eventually { writers.keptCount >= before + 6 })
            writers.stop()
            try await group.waitForAll()
        }
        let told = writers.told.withLock { $0 }
        for refusal in told.refused { #expect(refusal.contains(/^503 Retry-After: \d+$/), "\(refusal)") }
        try await expectKept(told.kept, on: await servers.address)

        #expect(try await http.get("/readyz").status == 200)
        // The promoted one is a replica no more, and says so.
        #expect(try await eventually { try await usable(http) == "0" })
        #expect(server.errors.contains("it is no replica any more"))
        server.signal(SIGTERM)
        #expect(await server.waitForExit() == 0, "\(server.errors.suffix(2000))")
    }

    private static func usable(_ http: TestHTTP) async throws -> String? {
        let text = try await http.get("/metrics").text
        return text.firstMatch(of: /sheetmarket_database_replica_usable\{[^}]*\} (\d)\n/).map { String($0.1) }
    }

    private static func callers(_ http: TestHTTP) async throws -> [TestHTTP] {
        var callers: [TestHTTP] = []
        for handle in ["nadia", "noor"] {
            let password = "correct horse battery"
            let account = try await http.send(
                json: RegisterRequest(handle: handle, email: "\(handle)@example.org", password: password),
                to: "/auth/register")
            try #require(account.status == 201, "\(account.text)")
            callers.append(try await http.tokenHolder(handle: handle, password: password))
        }
        return callers
    }

    private static func expectKept(_ titles: [String], on address: String) async throws {
        let client = PostgresClient(configuration: .calm(connectionString: address), logger: TestLog.logger)
        let found = try await client.all("SELECT title FROM member_collections") { try $0.get(0, as: String.self) }
        await client.shutdown()
        for title in titles { #expect(found.count { $0 == title } == 1, "\(title)") }
    }
}
