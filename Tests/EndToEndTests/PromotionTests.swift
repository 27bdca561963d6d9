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
        let servers = try await ReplicatedDatabase()
        do {
            try await Self.promote(servers)
        } catch {
            await servers.stop()
            throw error
        }
        await servers.stop()
    }

    private static func promote(_ servers: ReplicatedDatabase) async throws {
        let folder = try ScratchFolder("promoted")
        let server = try ChildProgram(
            BuildProducts.executable("sheetmarket"), ["serve"],
            environment: [
                "DATABASE_URL": await servers.address,
                "SHEETMARKET_REPLICA_URLS": await servers.replicaAddresses.joined(separator: " "),
                "SHEETMARKET_STORAGE": folder.url.appendingPathComponent("storage").path,
                "SHEETMARKET_DOWNLOAD_KEYS": "k1:\(Data(repeating: 7, count: 32).base64EncodedString())",
                "SHEETMARKET_SECRET_KEYS": "s1:\(Data(repeating: 8, count: 32).base64EncodedString())",
                "SHEETMARKET_STAFF_SECOND_FACTOR": "off", "SHEETMARKET_LISTEN": "127.0.0.1:0",
                "SHEETMARKET_DB_POOL_TIMEOUT": "1s", "SHEETMARKET_LIMIT_ADDRESS": "1000000/1s",
                "SHEETMARKET_LIMIT_ACCOUNT": "1000000/1s",
            ])
        let line = try #require(await server.line(within: 600) { $0.hasPrefix("ready ") }, "\(server.errors)")
        let http = TestHTTP(base: String(line.dropFirst("ready ".count)))
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
