// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketHTTP
@testable import MarketPages

@Suite("Calls that are sent again")
struct IdempotencyTests {
    private static let collections = "\(Paths.base)/collections"

    @Test("The same call with the same key is made once, and answered again as it was the first time")
    func replayed() async throws {
        try await withMarket { market in
            let moderator = try await market.person("moritz", role: .moderator)
            let edit = CollectionEdit(title: "First", items: [])
            let key = [("Idempotency-Key", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"")]
            let path = "\(Self.collections)/first"
            let first = try await moderator.send(.PUT, path, json: edit, headers: key)
            #expect(first.status == 201 && first.headers.first(name: "Idempotency-Replayed") == nil)
            let again = try await moderator.send(.PUT, path, json: edit, headers: key)
            #expect(again.status == 201 && again.text == first.text)
            #expect(again.headers.first(name: "Idempotency-Replayed") == "true")
            #expect(again.headers.first(name: "Content-Type") == first.headers.first(name: "Content-Type"))
            #expect(again.headers.first(name: "X-Request-Id") != first.headers.first(name: "X-Request-Id"))
            let entries = try await moderator.get("\(Paths.base)/moderation/audit").json(AuditList.self).entries
            #expect(entries.count { $0.action == "collection.put" } == 1)
            // The quotation marks of the draft are no part of the key.
            let bare = [("Idempotency-Key", "8e03978e-40d5-43dd-bc93-6894a57f9324")]
            #expect(try await moderator.send(.PUT, path, json: edit, headers: bare).status == 201)
            // Without a key it is another call.
            #expect(try await moderator.send(.PUT, path, json: edit).status == 200)
        }
    }

    @Test("The key with another body or address is refused; another caller's same key is another key")
    func reused() async throws {
        try await withMarket { market in
            let moderator = try await market.person("moritz", role: .moderator)
            let other = try await market.person("mona", role: .moderator)
            let key = [("Idempotency-Key", "one")]
            let edit = CollectionEdit(title: "First", items: [])
            #expect(try await moderator.send(.PUT, "\(Self.collections)/first", json: edit, headers: key).status == 201)
            let body = try await moderator.send(
                .PUT, "\(Self.collections)/first", json: CollectionEdit(title: "Second", items: []), headers: key)
            #expect(body.status == 422 && body.problemCode == .idempotencyKeyReused)
            let address = try await moderator.send(.PUT, "\(Self.collections)/second", json: edit, headers: key)
            #expect(address.status == 422 && address.problemCode == .idempotencyKeyReused)
            #expect(try await other.send(.PUT, "\(Self.collections)/first", json: edit, headers: key).status == 200)
            for bad in ["", "\"\"", "with blank", String(repeating: "k", count: 256)] {
                let answer = try await moderator.send(
                    .PUT, "\(Self.collections)/first", json: edit, headers: [("Idempotency-Key", bad)])
                #expect(answer.status == 400, "\(bad)")
            }
        }
    }

    @Test("What is wrong stays wrong under its key; a fault of ours does not")
    func failures() async throws {
        let counter = Counter()
        try await GateScene.run { routes, market in
            routes.post("/wrong", access: .optionalAuthentication) { _, _ in
                throw APIError.validation([.init(pointer: "/name", detail: "No \(counter.add()).")])
            }
            routes.post("/broken", access: .optionalAuthentication) { _, _ in
                if counter.add() == 1 { throw APIError.unavailable("Not now.") }
                try await Self.add("broken-\(counter.value)", to: market)
                return .empty()
            }
        } _: { scene in
            let wrong = try await scene.send(.post, "/wrong", key: "w", body: "{}")
            let again = try await scene.send(.post, "/wrong", key: "w", body: "{}")
            #expect(wrong.status == .unprocessableContent && again.status == .unprocessableContent)
            #expect(again.headers[.idempotencyReplayed] == "true")
            #expect(String(buffer: again.body) == String(buffer: wrong.body))
            counter.clear()
            #expect(try await scene.send(.post, "/broken", key: "b").status == .serviceUnavailable)
            for replayed in [nil, "true", "true"] {
                let answer = try await scene.send(.post, "/broken", key: "b")
                #expect(answer.status == .noContent && answer.headers[.idempotencyReplayed] == replayed)
                await scene.idempotency.tracker.flush()
            }
            #expect(try await Self.systems(of: scene) == ["broken-2"])
        }
    }

    /// Writes something in a transaction.
    private static func add(_ slug: String, to features: Features) async throws {
        try await features.database.withTransaction { connection in
            try await connection.execute("INSERT INTO game_systems (slug, name) VALUES (\(slug), 'S')")
        }
    }

    /// A call that writes something new each time it is made.
    private static let things: @Sendable (APIRoutes, Features) -> Void = { routes, market in
        routes.post("/thing", access: .optionalAuthentication) { _, _ in
            try await add("thing-\(UUID())", to: market)
            return .empty()
        }
    }

    private static func systems(of scene: GateScene) async throws -> [String] {
        try await scene.features.database.all("SELECT slug FROM game_systems ORDER BY slug") {
            try $0.get(0, as: String.self)
        }
    }

    @Test("Of many at once one is made; the others hear that it is under way, or what came of it")
    func atOnce() async throws {
        try await withMarket { market in
            let moderator = try await market.person("moritz", role: .moderator)
            let edit = CollectionEdit(title: "First", items: [])
            let answers = try await withThrowingTaskGroup(of: TestHTTP.Answer.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await moderator.send(
                            .PUT, "\(Self.collections)/first", json: edit, headers: [("Idempotency-Key", "one")])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers where answer.status != 201 {
                #expect(answer.status == 409 && answer.problemCode == .idempotencyKeyInUse)
                #expect(answer.headers.first(name: "Retry-After") != nil)
            }
            #expect(answers.count { $0.status == 201 && $0.headers.first(name: "Idempotency-Replayed") == nil } == 1)
            let entries = try await moderator.get("\(Paths.base)/moderation/audit").json(AuditList.self).entries
            #expect(entries.count { $0.action == "collection.put" } == 1)
        }
    }

    @Test("An upload that is sent again is one submission, whatever boundary its parts have; another file is refused")
    func uploads() async throws {
        try await withMarket { market in
            let author = try await market.person("nadia")
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills"])
            let file = builder.build()
            let metadata = UploadMetadata(
                name: "Sheet", summary: "For a test.", gameSystem: "dnd5e", license: "CC0-1.0", language: "en",
                version: "1.0.0")
            func upload(_ file: Data, boundary: String) async throws -> TestHTTP.Answer {
                var form = MultipartForm()
                form.add("metadata", contentType: "application/json", try WireJSON.encoder().encode(metadata))
                form.add("file", fileName: "sheet.pdf", contentType: "application/pdf", file)
                let usual = "test-boundary-7MA4YWxkTrZu0gW"
                let body = Data(buffer: form.finished)
                let cut = Self.replacing(Data(usual.utf8), in: body, with: Data(boundary.utf8))
                return try await author.send(
                    .POST, "\(Paths.base)/templates",
                    headers: [
                        ("Content-Type", form.contentType.replacing(usual, with: boundary)), ("Idempotency-Key", "up"),
                    ], body: ByteBuffer(data: cut))
            }
            let first = try await upload(file, boundary: "one-boundary")
            #expect(first.status == 202, "\(first.text)")
            let again = try await upload(file, boundary: "quite-another-boundary")
            #expect(again.status == 202 && again.text == first.text)
            #expect(again.headers.first(name: "Idempotency-Replayed") == "true")
            #expect(again.headers.first(name: "Location") == first.headers.first(name: "Location"))
            // Once more, when its answer is no longer the node's alone.
            let isKept = try await eventually {
                try await market.features.database.scalar(
                    "SELECT count(*) = 1 FROM idempotency_keys WHERE answer IS NOT NULL", as: Bool.self)
            }
            #expect(isKept)
            let third = try await upload(file, boundary: "a-third-boundary")
            #expect(third.text == first.text && third.headers.first(name: "Idempotency-Replayed") == "true")
            let other = try await upload(file + Data("% more".utf8), boundary: "one-boundary")
            #expect(other.status == 422 && other.problemCode == .idempotencyKeyReused)
            let count = try await market.features.database.scalar("SELECT count(*) FROM submissions", as: Int.self)
            #expect(count == 1)
        }
    }

    private static func replacing(_ old: Data, in data: Data, with new: Data) -> Data {
        var result = Data()
        var rest = data[...]
        while let range = rest.range(of: old) {
            result += rest[..<range.lowerBound] + new
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    @Test("An answer with a secret is not kept: the token is made once, shown once, and nowhere to be read")
    func secrets() async throws {
        try await withMarket { market in
            let user = try await market.person("nadia")
            let wish = TokenRequest(name: "again", scopes: [.read])
            let key = [("Idempotency-Key", "token")]
            let first = try await user.send(.POST, "\(Paths.base)/auth/tokens", json: wish, headers: key)
            #expect(first.status == 201)
            let again = try await user.send(.POST, "\(Paths.base)/auth/tokens", json: wish, headers: key)
            #expect(again.status == 409 && again.problemCode == .idempotencyAnswerNotKept)
            let tokens = try await user.get("\(Paths.base)/auth/tokens").json(TokenList.self).tokens
            #expect(tokens.count { $0.name == "again" } == 1)
            let secret = try first.json(NewToken.self).token
            let rows = try await market.features.database.scalar(
                """
                SELECT count(*) FROM idempotency_keys
                WHERE position(\(Data(secret.utf8)) IN coalesce(answer, '')) > 0 OR fields::text LIKE \("%\(secret)%")
                """, as: Int.self)
            #expect(rows == 0)
        }
    }

    // MARK: - Crashes

    @Test("Where the work was committed and the answer lost, the work is not made again; where not, it is")
    func crashed() async throws {
        let counter = Counter()
        try await GateScene.run { routes, market in
            routes.post("/committed", access: .optionalAuthentication) { _, _ in
                try await Self.add("committed-\(counter.add())", to: market)
                throw APIError.unavailable("The answer is lost.")
            }
            routes.post("/rolled-back", access: .optionalAuthentication) { _, _ in
                try await market.database.withTransaction { connection in
                    try await connection.execute("INSERT INTO game_systems (slug, name) VALUES ('rolled-back', 'R')")
                    if counter.add() == 1 { throw APIError.unavailable("Not this time.") }
                }
                return .empty()
            }
        } _: { scene in
            #expect(try await scene.send(.post, "/committed", key: "c").status == .serviceUnavailable)
            for _ in 0..<2 {
                let again = try await scene.send(.post, "/committed", key: "c")
                #expect(again.status == .conflict && again.problem == .idempotencyAnswerNotKept)
            }
            #expect(try await Self.systems(of: scene) == ["committed-1"])
            counter.clear()
            #expect(try await scene.send(.post, "/rolled-back", key: "r").status == .serviceUnavailable)
            #expect(try await scene.send(.post, "/rolled-back", key: "r").status == .noContent)
            #expect(try await Self.systems(of: scene) == ["committed-1", "rolled-back"])
        }
    }

    @Test("Of two nodes that make one call at once, one commits; the other is rolled back and answers what came of it")
    func twoNodes() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (goOn, go) = AsyncStream<Void>.makeStream()
        let counter = Counter()
        let routes: @Sendable (APIRoutes, Features) -> Void = { routes, market in
            routes.post("/slow", access: .optionalAuthentication) { _, _ in
                let isFirst = counter.add() == 1
                if isFirst {
                    begin.yield()
                    for await _ in goOn { break }
                }
                try await Self.add(isFirst ? "first" : "second", to: market)
                return .empty()
            }
        }
        try await GateScene.run(routes: routes) { scene in
            try await GateScene.serve(scene.features, routes: routes) { other in
                async let stalled = scene.send(.post, "/slow", key: "s")
                for await _ in begun { break }
                let busy = try await scene.send(.post, "/slow", key: "s")
                #expect(busy.status == .conflict && busy.problem == .idempotencyKeyInUse)
                #expect(try await other.send(.post, "/slow", key: "s").status == .noContent)
                await other.idempotency.tracker.flush()
                go.yield()
                let late = try await stalled
                #expect(late.status == .noContent && late.headers[.idempotencyReplayed] == "true")
                let reused = try await scene.send(.post, "/slow", key: "s", body: "{}")
                #expect(reused.problem == .idempotencyKeyReused)
                #expect(try await Self.systems(of: scene) == ["second"])
            }
        }
    }

    @Test("While an answer is still on one node, the others say that the call is under way")
    func onItsWay() async throws {
        try await GateScene.run(routes: Self.things) { scene in
            #expect(try await scene.send(.post, "/thing", key: "t").status == .noContent)
            await scene.idempotency.tracker.flush()
            // As it stands before it has been written.
            try await scene.features.database.execute("UPDATE idempotency_keys SET status = NULL, answer = NULL")
            let early = try await scene.send(.post, "/thing", key: "t")
            #expect(early.problem == .idempotencyKeyInUse && early.headers[.retryAfter] == "5")
            try await scene.features.database.execute(
                "UPDATE idempotency_keys SET leased_until = statement_timestamp()")
            #expect(try await scene.send(.post, "/thing", key: "t").problem == .idempotencyAnswerNotKept)
            #expect(try await Self.systems(of: scene).count == 1)
        }
    }

    @Test("Answers that cannot be written yet are kept and written later, and given again meanwhile")
    func writtenLater() async throws {
        try await GateScene.run(routes: Self.things) { scene in
            let database = scene.features.database
            try await database.execute("ALTER TABLE idempotency_keys RENAME COLUMN answer TO away")
            #expect(try await scene.send(.post, "/thing", key: "t").status == .noContent)
            await scene.idempotency.tracker.flush()
            #expect(try await scene.send(.post, "/thing", key: "t").headers[.idempotencyReplayed] == "true")
            try await database.execute("ALTER TABLE idempotency_keys RENAME COLUMN away TO answer")
            let isWritten = try await eventually {
                try await database.scalar("SELECT bool_and(status = 204) FROM idempotency_keys", as: Bool?.self) == true
            }
            #expect(isWritten)
            #expect(try await Self.systems(of: scene).count == 1)
        }
    }

    @Test("What is dear or counts attempts is looked for first: sent again it is not tried again")
    func lookedForFirst() async throws {
        let counter = Counter()
        let routes: @Sendable (APIRoutes, Features) -> Void = { routes, market in
            routes.withCost(.signIn).post("/dear", access: .optionalAuthentication) { _, _ in
                counter.add()
                return .empty()
            }
        }
        try await GateScene.run(routes: routes) { scene in
            for replayed in [nil, "true", "true"] {
                let answer = try await scene.send(.post, "/dear", key: "d")
                #expect(answer.status == .noContent && answer.headers[.idempotencyReplayed] == replayed)
            }
            #expect(counter.value == 1)
        }
    }

    @Test("A call that a node of the version before began holds its place until its lease is over")
    func begunBefore() async throws {
        try await GateScene.run(routes: Self.things) { scene in
            #expect(try await scene.send(.post, "/thing", key: "t").status == .noContent)
            await scene.idempotency.tracker.flush()
            try await scene.features.database.execute(
                """
                UPDATE idempotency_keys SET status = NULL, answer = NULL, body = NULL, worked_at = NULL,
                    leased_until = statement_timestamp() + interval '1 hour'
                """)
            #expect(try await scene.send(.post, "/thing", key: "t").problem == .idempotencyKeyInUse)
            try await scene.features.database.execute(
                "UPDATE idempotency_keys SET leased_until = statement_timestamp()")
            let made = try await scene.send(.post, "/thing", key: "t")
            #expect(made.status == .noContent && made.headers[.idempotencyReplayed] == nil)
            #expect(try await Self.systems(of: scene).count == 2)
        }
    }

    @Test("After its time a key is a new one, and the sweeper forgets it")
    func expiry() async throws {
        try await GateScene.run { routes, market in
            routes.post("/thing", access: .optionalAuthentication) { _, _ in
                try await Self.add("thing-\(UUID())", to: market)
                return .empty()
            }
            routes.post("/nothing", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            let database = scene.features.database
            for path in ["/thing", "/nothing"] {
                for replayed in [nil, "true"] {
                    let answer = try await scene.send(.post, path, key: path)
                    #expect(answer.status == .noContent && answer.headers[.idempotencyReplayed] == replayed)
                }
                await scene.idempotency.tracker.flush()
                try await database.execute("UPDATE idempotency_keys SET expires_at = statement_timestamp()")
                #expect(try await scene.send(.post, path, key: path).headers[.idempotencyReplayed] == nil)
                await scene.idempotency.tracker.flush()
            }
            #expect(try await Self.systems(of: scene).count == 2)
            await PeriodicService(
                [IdempotencyStore.periodicTask(scene.features.database)], platform: scene.features.platform
            ).runOnce()
            #expect(try await database.scalar("SELECT count(*) FROM idempotency_keys", as: Int.self) == 1)
            try await database.execute("UPDATE idempotency_keys SET expires_at = statement_timestamp()")
            await PeriodicService(
                [IdempotencyStore.periodicTask(scene.features.database)], platform: scene.features.platform
            ).runOnce()
            #expect(try await database.scalar("SELECT count(*) FROM idempotency_keys", as: Int.self) == 0)
        }
    }
}

/// Counts across tasks.
private final class Counter: Sendable {
    private let count = Mutex(0)

    @discardableResult func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func clear() { count.withLock { $0 = 0 } }

    var value: Int { count.withLock { $0 } }
}
