// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore
import Synchronization
import Testing

@testable import MarketClient

@Suite struct TransportTests {
    @Test("a problem document becomes an error with its code and its details")
    func problemDocument() async throws {
        try await withStub { _, _ in
            var problem = ProblemDocument(
                status: 422, code: .validationFailed, title: "Invalid", detail: "The upload does not hold.",
                errors: [.init(pointer: "/version", detail: "is not a version")], requestId: "r1")
            problem.requestId = "r1"
            return try .json(problem, status: .unprocessableContent)
        } _: { server in
            let error = await #expect(throws: MarketClientError.self) {
                try await server.client().template("quest-sheet")
            }
            #expect(error?.code == .validationFailed)
            #expect(error?.description == "The upload does not hold.\n  version: is not a version")
            #expect(error?.isOutage == false)
        }
    }

    @Test("an error that is no problem document still says its status")
    func plainError() async throws {
        try await withStub { _, _ in
            Response(status: .internalServerError, body: .init(byteBuffer: .init(string: "<html>")))
        } _: { server in
            await #expect(throws: MarketClientError.status(500, "Internal Server Error")) {
                try await server.client().gameSystems()
            }
        }
    }

    @Test("a call that changes nothing is tried again after the time that 429 names", arguments: [429, 503])
    func retries(status: Int) async throws {
        try await withStub { request, server in
            if server.seen(request.uri.path).count < 3 {
                return try .problem(status, .tooManyRequests, "Slow down.", retryAfter: "0")
            }
            return try .json(GameSystemList(gameSystems: []))
        } _: { server in
            let systems = try await server.client().gameSystems()
            #expect(systems == [] && server.seen().count == 3)
        }
    }

    @Test("tries have an end, and a wait that is too long is not waited")
    func boundedRetries() async throws {
        try await withStub { request, _ in
            let long = request.uri.path.hasSuffix("me")
            return try .problem(429, .tooManyRequests, "Slow down.", retryAfter: long ? "3600" : "0")
        } _: { server in
            await #expect(throws: MarketClientError.self) { try await server.client().gameSystems() }
            #expect(server.seen("/api/v1/game-systems").count == 3)
            await #expect(throws: MarketClientError.self) { try await server.client().me() }
            #expect(server.seen("/api/v1/me").count == 1)
        }
    }

    private static func httpDate(_ date: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: date)
    }

    @Test("a wait is named in seconds or as a date (RFC 9110, section 10.2.3)")
    func retryAfter() throws {
        // The RFC's own example.
        let example = "Sun, 06 Nov 1994 08:49:37 GMT"
        let moment = Date(timeIntervalSince1970: 784_111_777)
        #expect(Self.httpDate(moment) == example)
        for (value, seconds) in [("120", 120), (" 0 ", 0), (example, 30)] {
            #expect(RetryPolicy.retryAfter(value, now: moment - 30) == .seconds(seconds), "\(value)")
        }
        #expect(RetryPolicy.retryAfter(example, now: moment + 30) == .zero, "what is over is not waited for")
        for none in [nil, "", "-1", "1.5", "soon", "Sun, 06 Nov 1994", "1994-11-06T08:49:37Z"] {
            #expect(RetryPolicy.retryAfter(none, now: moment) == nil, "\(none ?? "nothing")")
        }
    }

    @Test("until a date that is named the next try waits, and one too far away is not waited for")
    func retryAtDate() async throws {
        let waits = Mutex<[(named: Date, came: Date?)]>([])
        try await withStub { request, server in
            guard server.seen(request.uri.path).count == 1 else {
                waits.withLock { $0[0].came = Date() }
                return try .json(GameSystemList(gameSystems: []))
            }
            // Whole seconds, and no more than is waited for.
            let isFar = request.uri.path.hasSuffix("me")
            let date = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + (isFar ? 3600 : 2)).rounded(.down))
            waits.withLock { $0.append((date, nil)) }
            return try .problem(503, .unavailable, "Later.", retryAfter: Self.httpDate(date))
        } _: { server in
            #expect(try await server.client().gameSystems() == [])
            #expect(server.seen().count == 2)
            let wait = try #require(waits.withLock { $0.first })
            // Clocks differ by a little.
            #expect(try #require(wait.came) > wait.named - 0.1, "\(wait)")
            await #expect(throws: MarketClientError.self) { try await server.client().me() }
            #expect(server.seen("/api/v1/me").count == 1)
        }
    }

    @Test("where no connection comes within ten seconds nobody waits for another")
    func noConnection() async throws {
        let deaf = try DeafListener()
        let counting = CountingTransport()
        let server = try #require(ServerAddress("http://127.0.0.1:\(deaf.port)"))
        let error = await #expect(throws: MarketClientError.self) {
            try await MarketClient(server: server, transport: counting).gameSystems()
        }
        #expect(error == .timedOut(server: server.description))
        #expect(error?.isOutage == true && counting.count == 1)
    }

    @Test("a change that is tried again names itself by one idempotency key")
    func changesOnce() async throws {
        try await withStub { _, server in
            // The second meets the first, which is still under way behind a connection that broke.
            switch server.seen().count {
            case 1: return try .problem(503, .unavailable, "Later.", retryAfter: "0")
            case 2: return try .problem(409, .idempotencyKeyInUse, "Under way.", retryAfter: "0")
            default: break
            }
            return try .json(NewsFeed(url: "/feeds/following.atom?key=1"))
        } _: { server in
            _ = try await server.client().makeNewsFeed()
            _ = try await server.client().makeNewsFeed()
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            let keys = server.seen().map { $0.headers[key] }
            #expect(keys.count == 4 && !keys.contains(nil))
            #expect(Set(keys.prefix(3)).count == 1 && keys.last != keys.first)
        }
    }

    @Test("a server that is not there is an outage, said in a sentence")
    func refusedConnection() async throws {
        let address = try #require(ServerAddress("http://127.0.0.1:1"))
        let client = MarketClient(server: address, retry: .none)
        let error = await #expect(throws: MarketClientError.self) { try await client.gameSystems() }
        #expect(error == .unreachable(server: "http://127.0.0.1:1", reason: "nothing listens there"))
        #expect(error?.isOutage == true)
    }

    @Test("token and user agent go to the market")
    func headers() async throws {
        try await withStub { _, _ in
            try .json(GameSystemList(gameSystems: []))
        } _: { server in
            _ = try await server.client(token: "secret").gameSystems()
            let seen = try #require(server.seen().first)
            #expect(seen.headers[.authorization] == "Bearer secret")
            #expect(seen.headers[.userAgent] == "sheets/\(MarketClient.version)")
        }
    }

    @Test("a redirect to another host is followed without the token")
    func redirectWithoutToken() async throws {
        try await withStub { _, _ in
            .bytes(Array("picture".utf8))
        } _: { other in
            let target = other.url + "/elsewhere"
            try await withStub { _, _ in
                .redirect(to: target)
            } _: { server in
                let picture = try await server.client(token: "secret").picture(at: "/picture")
                #expect(picture.data == Data("picture".utf8))
                #expect(server.seen().first?.headers[.authorization] == "Bearer secret")
                let seen = try #require(other.seen().first)
                #expect(seen.headers[.authorization] == nil)
            }
        }
    }

    @Test("a circle of redirects has an end")
    func redirectLoop() async throws {
        try await withStub { _, _ in
            .redirect(to: "/again")
        } _: { server in
            await #expect(throws: MarketClientError.badRedirect("more than 5 redirects")) {
                try await server.client().gameSystems()
            }
        }
    }

    @Test("a post is not sent to another address")
    func redirectedPost() async throws {
        try await withStub { _, _ in
            Response(status: .temporaryRedirect, headers: [.location: "http://evil.example/"])
        } _: { server in
            await #expect(throws: MarketClientError.badRedirect("a POST is not sent elsewhere")) {
                try await server.client().logIn(.init(login: "ada", password: "secret"))
            }
        }
    }

    @Test("a list is read page by page, with all filters, and a repeated cursor is an error")
    func cursors() async throws {
        let sheet = SampleSheet()
        let summary = sheet.summary(SemanticVersion(1, 0, 0))
        try await withStub { request, _ in
            let next = request.uri.queryParameters["cursor"].map { $0 == "a" ? "b" : "b" } ?? "a"
            return try .json(TemplateList(templates: [summary, summary], nextCursor: next))
        } _: { server in
            var query = TemplateQuery(words: "c++ & sheets", gameSystem: "dnd5e", sort: .rating, limit: 2)
            query.tags = ["a", "b"]
            var count = 0
            var thrown: MarketClientError?
            do {
                for try await _ in try server.client().templates(matching: query) { count += 1 }
            } catch let error as MarketClientError {
                thrown = error
            }
            #expect(count == 6 && thrown == .unreadableAnswer("a list leads back to where it was"))
            let targets = server.seen().map(\.target)
            #expect(
                targets.first
                    == "/api/v1/templates?q=c%2B%2B%20%26%20sheets&gameSystem=dnd5e&tag=a&tag=b&sort=rating&limit=2")
            #expect(targets.count == 3)
            #expect(try await server.client().templates(matching: query).collect(upTo: 3).count == 3)
        }
    }

    @Test("a whole list is there once, also when an older server answers behind the first page; a circle is an error")
    func wholeLists() async throws {
        let tokens = (0..<3).map { number in
            TokenInfo(
                id: .make(), name: "token \(number)", scopes: [.read], createdAt: Date(), expiresAt: Date(),
                lastUsedAt: nil)
        }
        try await withStub { request, _ in
            let isOlder = request.uri.queryParameters["cursor"] != nil
            return try .json(
                isOlder
                    ? TokenList(tokens: tokens) : TokenList(tokens: Array(tokens.prefix(2)), nextCursor: "a"))
        } _: { server in
            let found = try await server.client().tokens()
            #expect(found.map(\.id) == tokens.map(\.id) && server.seen().count == 2)
        }
        try await withStub { request, _ in
            let next = request.uri.queryParameters["cursor"].map { $0 == "a" ? "b" : "a" } ?? "a"
            return try .json(TokenList(tokens: tokens, nextCursor: next))
        } _: { server in
            await #expect(throws: MarketClientError.unreadableAnswer("a list leads back to where it was")) {
                try await server.client().tokens()
            }
            #expect(server.seen().count == 3)
        }
    }

    @Test("a list whose cursors are always new ends with an error, whatever is on its pages", arguments: [0, 1000])
    func endlessList(perPage: Int) async throws {
        let endless = CursorSequence<Int> { cursor in
            let page = (cursor.flatMap { Int($0) } ?? 0) + 1
            return (Array(repeating: page, count: perPage), String(page))
        }
        await #expect(throws: MarketClientError.unreadableAnswer("a list has no end")) {
            try await endless.all()
        }
    }

    @Test("what would leave its place in the path stays in it", arguments: ["../me", "a/b", "a?b", "a#b", "%2e%2e"])
    func pathSegments(key: String) async throws {
        try await withStub { _, _ in
            try .problem(404, .notFound, "Nothing.")
        } _: { server in
            await #expect(throws: MarketClientError.self) { try await server.client().template(key) }
            let target = try #require(server.seen().first?.target)
            #expect(target.hasPrefix("/api/v1/templates/"))
            #expect(!target.dropFirst("/api/v1/templates/".count).contains { "/?#".contains($0) })
        }
    }

    @Test("an answer of another shape is an error that says where")
    func unreadableAnswer() async throws {
        try await withStub { _, _ in
            Response(status: .ok, body: .init(byteBuffer: .init(string: #"{"gameSystems":[{"slug":1}]}"#)))
        } _: { server in
            let error = await #expect(throws: MarketClientError.self) { try await server.client().gameSystems() }
            #expect(error?.description.contains("gameSystems/") == true)
        }
    }

    @Test("addresses are read strictly and compared by origin")
    func addresses() throws {
        #expect(ServerAddress("https://Market.example/").map(\.description) == "https://market.example")
        #expect(ServerAddress("http://a/base/?q#f").map(\.description) == "http://a/base")
        for wrong in ["", "market.example", "ftp://a", "http://", "http://user:pw@a", "file:///etc"] {
            #expect(ServerAddress(wrong) == nil, "\(wrong)")
        }
        #expect(ServerAddress("https://a")?.isPrivate == true)
        #expect(ServerAddress("http://a")?.isPrivate == false)
        #expect(ServerAddress("http://127.0.0.1:8080")?.isPrivate == true)
    }

    @Test("a request for a token with a password goes without an older token")
    func tokenRequest() async throws {
        let info = TokenInfo(
            id: .make(), name: "t", scopes: [.read], createdAt: SampleSheet.time, expiresAt: SampleSheet.time,
            lastUsedAt: nil)
        try await withStub { _, _ in
            try .json(NewToken(token: "new", info: info), status: .created)
        } _: { server in
            let request = TokenRequest(name: "t", scopes: [.read], login: "ada", password: "secret")
            let new = try await server.client(token: "old").makeToken(request)
            #expect(new.token == "new")
            #expect(server.seen().first?.headers[.authorization] == nil)
        }
    }

    @Test("updates are asked for in portions that the server takes")
    func updatePortions() async throws {
        try await withStub { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let query = try WireJSON.decoder().decode(UpdateQuery.self, from: Data(body.readableBytesView))
            return try .json(
                UpdateReport(
                    updates: query.installed.map {
                        .init(templateId: $0.templateId, state: .published, genuine: true, newer: nil)
                    }))
        } _: { server in
            let installed = (0..<501).map { _ in
                UpdateQuery.Installed(
                    templateId: .make(), version: SemanticVersion(1, 0, 0), sha256: ContentHash(hashing: Data()))
            }
            let entries = try await server.client().updates(for: installed)
            #expect(entries.map(\.templateId) == installed.map(\.templateId))
            #expect(server.seen().count == 2)
            _ = try await server.client().updates(for: Array(installed.prefix(500)))
            #expect(server.seen().count == 3, "500 are one question")
        }
    }

    @Test("clients that failed together come back at different times, each time later, up to the longest wait")
    func spreading() throws {
        let policy = RetryPolicy(attempts: 12, firstDelay: .milliseconds(200), longestDelay: .seconds(2))
        for (attempt, middle) in [(1, 200), (2, 400), (3, 800)] {
            let waits = (0..<100).compactMap { _ in policy.delay(after: attempt, asked: nil) }
            let (least, most) = (Duration.milliseconds(middle * 3 / 4), Duration.milliseconds(middle * 5 / 4))
            #expect(waits.count == 100 && waits.allSatisfy { (least...most).contains($0) })
            #expect(Set(waits).count > 50)
        }
        #expect(policy.delay(after: 11, asked: nil) == .seconds(2))
        #expect(policy.delay(after: 12, asked: nil) == nil)
    }
}
