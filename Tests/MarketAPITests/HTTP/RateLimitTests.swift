// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketHTTP
@testable import MarketPlatform

@Suite("Limits of calls")
struct RateLimitTests {
    /// Buckets that fill in a day: nothing worth a point comes back while a test of a busy machine is stopped.
    static func settings(
        address: Int = 1_000_000, caller: Int = 1_000_000, token: Int? = nil, guesses: Int = 1_000_000,
        seconds: Int = 86_400
    ) -> MiddlewareSettings {
        var settings = MiddlewareSettings()
        settings.addressQuota = RateLimitQuota(points: address, seconds: seconds)
        settings.callerQuota = RateLimitQuota(points: caller, seconds: seconds)
        settings.tokenQuota = token.map { RateLimitQuota(points: $0, seconds: seconds) }
        settings.invalidCredentialQuota = RateLimitQuota(points: guesses, seconds: seconds)
        return settings
    }

    static func withLimiters(
        _ count: Int, _ settings: MiddlewareSettings, trust: Duration = .milliseconds(100),
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ body: (_ limiters: [RateLimiter], _ database: PostgresClient) async throws -> Void
    ) async throws {
        let own = try await TestCluster.shared.makeOwnedDatabase()
        let database = PostgresClient(
            configuration: .calm(connectionString: own.connection), logger: TestLog.logger)
        let limiters = (0..<count).map { _ in
            RateLimiter(settings: settings, database: database, logger: TestLog.logger, trust: trust, clock: clock)
        }
        do {
            try await body(limiters, database)
        } catch {
            await database.shutdown()
            throw error
        }
        await database.shutdown()
        withExtendedLifetime(own) {}
    }

    /// How often a call is let through, at most `most` times.
    static func calls(_ most: Int, _ cost: RouteCost, _ subject: RateLimitSubject, _ limiter: RateLimiter) async -> Int
    {
        await calls(most, cost, [subject], limiter)
    }

    static func calls(
        _ most: Int, _ cost: RouteCost, _ subjects: [RateLimitSubject], _ limiter: RateLimiter
    ) async -> Int {
        for number in 0..<most {
            do { _ = try await limiter.consume(cost, from: subjects) } catch { return number }
        }
        return most
    }

    @Test("Calls without a credential are counted by address, say what is left, and end in 429 with Retry-After")
    func byAddress() async throws {
        try await GateScene.run(settings: Self.settings(address: 20)) { routes, _ in
            routes.get("/thing", access: .optionalAuthentication) { _, _ in .empty() }
            routes.withCost(.search).get("/search", access: .optionalAuthentication) { _, _ in .empty() }
            routes.withCost(.free).get("/life", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            let first = try await scene.send(.get, "/thing")
            #expect(first.headers[.rateLimitPolicy] == "\"address\";q=20;w=86400")
            #expect(first.headers[.rateLimit] == "\"address\";r=19;t=4320")
            let search = try await scene.send(.get, "/search")
            #expect(search.headers[.rateLimit]?.hasPrefix("\"address\";r=17;") == true)
            for _ in 0..<17 { #expect(try await scene.send(.get, "/thing").status == .noContent) }
            let refused = try await scene.send(.get, "/thing")
            #expect(refused.status == .tooManyRequests && refused.problem == .tooManyRequests)
            #expect(refused.headers[.rateLimit]?.hasPrefix("\"address\";r=0;") == true)
            let seconds = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...4320).contains(seconds))
            // Others have their own, and so has who is known; what costs nothing goes on.
            #expect(try await scene.send(.get, "/thing", from: "203.0.113.8").status == .noContent)
            #expect(try await scene.send(.get, "/thing", as: .make()).status == .noContent)
            #expect(try await scene.send(.get, "/life").status == .noContent)
        }
    }

    @Test("What a caller writes before the proxy's own entry of X-Forwarded-For is not their address")
    func forgedAddress() async throws {
        try await GateScene.run(
            settings: Self.settings(address: 4), trustedProxies: ["unknown", "10.0.0.2"]
        ) { routes, _ in
            routes.get("/thing", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            let fields = [
                "203.0.113.7", "198.51.100.1, 203.0.113.7", "198.51.100.2,203.0.113.7, 10.0.0.2",
                "10.0.0.2, , 203.0.113.7",
            ]
            for field in fields {
                let answer = try await scene.send(.get, "/thing", from: field)
                #expect(answer.status == .noContent, "\(field)")
            }
            for field in fields + ["198.51.100.3, 203.0.113.7"] {
                let answer = try await scene.send(.get, "/thing", from: field)
                #expect(answer.status == .tooManyRequests, "\(field)")
            }
            // The addresses that were made up have spent nothing.
            let answer = try await scene.send(.get, "/thing", from: "198.51.100.1")
            #expect(answer.status == .noContent)
        }
    }

    @Test("X-Forwarded-For of whoever is no proxy of ours says nothing")
    func untrustedSender() async throws {
        try await GateScene.run(settings: Self.settings(address: 3), trustedProxies: ["10.0.0.2"]) { routes, _ in
            routes.get("/thing", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            for place in 1...3 {
                let answer = try await scene.send(.get, "/thing", from: "203.0.113.\(place)")
                #expect(answer.status == .noContent)
            }
            let answer = try await scene.send(.get, "/thing", from: "203.0.113.9")
            #expect(answer.status == .tooManyRequests)
        }
    }

    @Test("An account has one bucket, from wherever it calls; another account has another")
    func byAccount() async throws {
        try await GateScene.run(settings: Self.settings(caller: 3)) { routes, _ in
            routes.get("/thing", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            let user = UserID.make()
            for place in 1...3 {
                let answer = try await scene.send(.get, "/thing", as: user, from: "203.0.113.\(place)")
                #expect(answer.status == .noContent)
                // Each call shows another token, and each token has half of it.
                #expect(answer.headers[.rateLimitPolicy] == "\"caller\";q=3;w=86400, \"token\";q=1;w=86400")
            }
            #expect(try await scene.send(.get, "/thing", as: user, from: "203.0.113.9").status == .tooManyRequests)
            #expect(try await scene.send(.get, "/thing", as: .make()).status == .noContent)
        }
    }

    @Test("Credentials that are none are counted by address; when there were too many, none is looked at there")
    func guesses() async throws {
        try await GateScene.run(settings: Self.settings(guesses: 3)) { routes, _ in
            routes.get("/thing", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            let guess: HTTPFields = [.authorization: "Bearer smk_guess"]
            for _ in 0..<3 { #expect(try await scene.send(.get, "/thing", headers: guess).status == .unauthorized) }
            let refused = try await scene.send(.get, "/thing", headers: guess)
            #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] != nil)
            #expect(try await scene.send(.get, "/thing").status == .noContent)
            let elsewhere = try await scene.send(.get, "/thing", from: "203.0.113.8", headers: guess)
            #expect(elsewhere.status == .unauthorized)
        }
    }

    @Test("Changes near the end of a bucket are counted exactly on all nodes together")
    func sharedChanges() async throws {
        try await Self.withLimiters(3, Self.settings(caller: 100)) { limiters, _ in
            let subject = RateLimitSubject.caller(.make())
            let passed = await withTaskGroup(of: Int.self) { group in
                for limiter in limiters {
                    for _ in 0..<4 { group.addTask { await Self.calls(5, .write, subject, limiter) } }
                }
                return await group.reduce(0, +)
            }
            #expect(passed == 10)
        }
    }

    @Test("Reads are reported in the background, and every node learns what was spent on the others")
    func sharedReads() async throws {
        try await Self.withLimiters(2, Self.settings(address: 128)) { limiters, _ in
            let subject = RateLimitSubject.address("203.0.113.7")
            #expect(await Self.calls(96, .read, subject, limiters[0]) == 96)
            try await limiters[0].report()
            // The other node knows nothing yet, and reports what a 64th is.
            #expect(await Self.calls(2, .read, subject, limiters[1]) == 2)
            try await limiters[1].report()
            let passed = await Self.calls(128, .read, subject, limiters[1])
            #expect((30...31).contains(passed), "\(passed)")
            try await limiters[1].report()
            let change = await Self.calls(1, .write, subject, limiters[0])
            #expect(change == 0)
        }
    }

    @Test("While the common store fails, changes are refused and reads go on; then all is as before")
    func storeFails() async throws {
        try await withMarket(middleware: Self.settings()) { market in
            let moderator = try await market.person("moritz", role: .moderator)
            let edit = CollectionEdit(title: "First", items: [])
            let path = "\(Paths.base)/collections/first"
            try await market.features.database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
            let refused = try await moderator.send(.PUT, path, json: edit)
            #expect(refused.status == 503 && refused.problemCode == .limitsUnavailable)
            #expect(refused.headers.first(name: "Retry-After") == "1")
            #expect(try await moderator.get("\(Paths.base)/me").status == 200)
            #expect(try await market.http.get("\(Paths.base)/game-systems").status == 200)
            try await market.features.database.execute("ALTER TABLE rate_limits_away RENAME TO rate_limits")
            #expect(try await moderator.send(.PUT, path, json: edit).status == 201)
            let metrics = try await market.http.get("/metrics").text
            #expect(metrics.contains("sheetmarket_rate_limit_rejections_total{bucket=\"store\"} 1"))
        }
    }

    @Test("A change asks the common store unless it answered just now and an eighth is not spent; uploads always do")
    func calmChanges() async throws {
        try await Self.withLimiters(2, Self.settings(caller: 800), trust: .seconds(86_400)) { limiters, database in
            let (known, other) = (RateLimitSubject.caller(.make()), RateLimitSubject.caller(.make()))
            #expect(await Self.calls(1, .write, known, limiters[0]) == 1)
            try await database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
            #expect(await Self.calls(1, .upload, other, limiters[0]) == 0)
            // A store that has failed is asked by everybody until it answers.
            #expect(await Self.calls(1, .write, other, limiters[0]) == 0)
            #expect(await Self.calls(1, .write, other, limiters[1]) == 0)
            try await database.execute("ALTER TABLE rate_limits_away RENAME TO rate_limits")
            #expect(await Self.calls(1, .write, known, limiters[0]) == 1)
            try await database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
            // An eighth is 100 points, of which 20 are spent.
            #expect(await Self.calls(100, .write, known, limiters[0]) == 8)
            try await database.execute("ALTER TABLE rate_limits_away RENAME TO rate_limits")
        }
        try await Self.withLimiters(1, Self.settings(caller: 800), trust: .zero) { limiters, database in
            let subject = RateLimitSubject.caller(.make())
            #expect(await Self.calls(1, .write, subject, limiters[0]) == 1)
            try await database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
            #expect(await Self.calls(1, .write, subject, limiters[0]) == 0)
        }
        let clock = StandingClock()
        try await Self.withLimiters(1, Self.settings(caller: 8000), clock: { clock.instant }) { limiters, database in
            let subject = RateLimitSubject.caller(.make())
            #expect(await Self.calls(1, .write, subject, limiters[0]) == 1)
            try await database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
            clock.advance(by: 0.049)
            #expect(await Self.calls(1, .write, subject, limiters[0]) == 1)
            clock.advance(by: 0.052)
            #expect(await Self.calls(1, .write, subject, limiters[0]) == 0)
        }
    }

    @Test("When the common store was trusted for half its time, one change asks it and the others go on meanwhile")
    func oneAsksForAll() async throws {
        let clock = StandingClock()
        try await Self.withLimiters(1, Self.settings(caller: 8000), clock: { clock.instant }) { limiters, database in
            let subject = RateLimitSubject.caller(.make())
            #expect(await Self.calls(1, .write, subject, limiters[0]) == 1)
            clock.advance(by: 0.051)
            let limiter = limiters[0]
            let asking = try await database.withTransaction { locking in
                try await locking.execute("LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE")
                let asking = Task { await Self.calls(1, .write, subject, limiter) }
                let isWaiting = try await eventually {
                    try await locking.scalar(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'rate_limits'::regclass",
                        as: Int.self) > 0
                }
                #expect(isWaiting)
                // These would wait for the lock, and so for themselves.
                #expect(await Self.calls(5, .write, subject, limiter) == 5)
                return asking
            }
            #expect(await asking.value == 1)
        }
    }

    @Test("Changes that ask nobody are shared as reads are: a limit is passed by a 64th for each node at most")
    func calmChangesAreShared() async throws {
        try await Self.withLimiters(3, Self.settings(caller: 6400), trust: .seconds(86_400)) { limiters, _ in
            let subject = RateLimitSubject.caller(.make())
            var passed = 0
            for turn in 0..<300 {
                let limiter = limiters[turn % 3]
                passed += await Self.calls(5, .write, subject, limiter)
                try await limiter.report()
            }
            #expect((640...670).contains(passed), "\(passed)")
        }
    }

    @Test("Who spends so slowly on each node that it refills is stopped by what all of them report")
    func pacedChanges() async throws {
        let settings = Self.settings(caller: 1000, seconds: 1)
        try await Self.withLimiters(4, settings, trust: .seconds(86_400)) { limiters, _ in
            let subject = RateLimitSubject.caller(.make())
            let began = ContinuousClock.now
            let passed = await withTaskGroup(of: Int.self) { group in
                for limiter in limiters {
                    group.addTask {
                        var passed = 0
                        while began.duration(to: .now) < .seconds(3) {
                            passed += await Self.calls(1, .write, subject, limiter)
                            try? await limiter.report()
                            try? await Task.sleep(for: .milliseconds(12))
                        }
                        return passed
                    }
                }
                return await group.reduce(0, +)
            }
            // The bucket, what it fills while this lasts, and two reports of each node.
            let seconds = began.duration(to: .now) / .seconds(1)
            #expect(Double(passed * 10) <= 1000 * (1 + seconds) + 4 * 2 * 20, "\(passed) in \(seconds) s")
        }
    }

    @Test("What hashes, takes files, or comes from nobody known asks the common store each time")
    func neverCalm() async throws {
        try await Self.withLimiters(1, Self.settings(), trust: .seconds(86_400)) { limiters, database in
            let known = RateLimitSubject.caller(.make())
            #expect(await Self.calls(1, .write, known, limiters[0]) == 1)
            try await database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
            #expect(await Self.calls(3, .write, known, limiters[0]) == 3)
            #expect(await Self.calls(1, .write, .address("203.0.113.9"), limiters[0]) == 0)
            try await database.execute("ALTER TABLE rate_limits_away RENAME TO rate_limits")
            for cost in [RouteCost.upload, .signIn] {
                #expect(await Self.calls(1, .write, known, limiters[0]) == 1)
                try await database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
                #expect(await Self.calls(1, cost, known, limiters[0]) == 0, "\(cost)")
                try await database.execute("ALTER TABLE rate_limits_away RENAME TO rate_limits")
            }
        }
    }

    @Test("What could not be reported is not forgotten")
    func reportFails() async throws {
        try await Self.withLimiters(2, Self.settings(address: 64)) { limiters, database in
            let subject = RateLimitSubject.address("203.0.113.7")
            #expect(await Self.calls(40, .read, subject, limiters[0]) == 40)
            try await database.execute("ALTER TABLE rate_limits RENAME TO rate_limits_away")
            await #expect(throws: PostgresError.self) { try await limiters[0].report() }
            try await database.execute("ALTER TABLE rate_limits_away RENAME TO rate_limits")
            try await limiters[0].report()
            #expect(await Self.calls(1, .read, subject, limiters[1]) == 1)
            try await limiters[1].report()
            let passed = await Self.calls(64, .read, subject, limiters[1])
            #expect((22...24).contains(passed), "\(passed)")
        }
    }

    @Test("Hashing a password and taking a file cost what such calls do, a departure to a provider what a change does")
    func costs() async throws {
        try await withMarket { market in
            let costs = Dictionary(
                market.routes.map { ("\($0.method.rawValue) \($0.path)", $0.cost) }, uniquingKeysWith: { $1 })
            for call in [
                "POST /auth/register", "POST /auth/login", "POST /auth/tokens", "POST /auth/confirm",
                "POST /auth/reset-password", "PUT /me/password",
            ] {
                let parts = call.split(separator: " ")
                #expect(costs["\(parts[0]) \(Paths.base)\(parts[1])"] == .signIn, "\(call)")
            }
            for call in [
                "POST /register", "POST /login", "POST /reset-password", "POST /account/confirm",
                "POST /account/security/password",
            ] {
                #expect(costs[call] == .signIn, "\(call)")
            }
            for call in [
                "GET \(Paths.base)/auth/oidc/{provider}", "GET /auth/oidc/{provider}",
                "GET /account/identities/link/{provider}",
            ] {
                #expect(costs[call] == .write, "\(call)")
            }
            for call in [
                "POST \(Paths.base)/templates", "POST \(Paths.base)/templates/{id}/versions", "POST /upload",
                "POST \(Paths.base)/copyright/notices", "POST /sheets/{id}/copyright",
            ] {
                #expect(costs[call] == .upload, "\(call)")
            }
        }
    }

    @Test("Accounts are made, and passwords tried, so often from one address, whoever is signed in there")
    func signedInElsewhere() async throws {
        try await withMarket(middleware: Self.settings(address: 60)) { market in
            let nadia = try await market.person("nadia")
            let karl = try await market.person("karl")
            func register(_ handle: String, by caller: TestHTTP) async throws -> TestHTTP.Answer {
                try await caller.send(
                    json: RegisterRequest(handle: handle, email: nil, password: "several plain words"),
                    to: "/auth/register")
            }
            for (handle, caller) in [("mia", market.http), ("kim", nadia), ("lena", karl)] {
                let answer = try await register(handle, by: caller)
                #expect(answer.status == 201, "\(answer.text)")
            }
            for caller in [nadia, karl, market.http] {
                let answer = try await register("nobody-more", by: caller)
                #expect(answer.status == 429 && answer.problemCode == .tooManyRequests, "\(answer.text)")
                #expect(answer.headers.contains(name: "Retry-After"))
            }
            // What else they do at the same table is their own.
            for caller in [nadia, karl] {
                let answer = try await caller.get("\(Paths.base)/me")
                #expect(answer.status == 200 && answer.headers.first(name: "RateLimit")?.contains("caller") == true)
            }
        }
    }

    @Test("Departures to a provider are limited by address")
    func departures() async throws {
        try await withMarket(middleware: Self.settings(address: 25)) { market in
            let paths = ["\(Paths.base)/auth/oidc/nobody", "/auth/oidc/nobody"]
            for (path, status) in paths.map({ ($0, 404) }) + paths.map({ ($0, 429) }) {
                let answer = try await market.http.get(path)
                #expect(answer.status == status, "\(path)")
            }
        }
    }

    @Test("Memory for strangers is bounded, however many come")
    func bounded() async throws {
        try await Self.withLimiters(1, Self.settings(seconds: 600)) { limiters, _ in
            for number in 0..<100_000 {
                let address = "2001:db8:\(String(number >> 16, radix: 16)):\(String(number & 0xFFFF, radix: 16))::1"
                _ = try? await limiters[0].consume(.read, from: [.address(address)])
            }
            #expect(limiters[0].count <= RateLimiter.capacity)
        }
    }

    @Test("An IPv6 network of 64 bits is one, as are an IPv4 address and the same in IPv6; others are apart")
    func subjects() {
        #expect(RateLimitSubject.address("2001:db8:1:2::1") == .address("2001:db8:1:2:ffff::9"))
        #expect(RateLimitSubject.address("2001:db8:1:2::1") != .address("2001:db8:1:3::1"))
        #expect(RateLimitSubject.address("::ffff:192.0.2.1") == .address("192.0.2.1"))
        #expect(RateLimitSubject.address("192.0.2.1") != .address("192.0.2.2"))
        #expect(RateLimitSubject.address("fe80::1%eth0") == .address("fe80::2"))
        #expect(RateLimitSubject.address("192.0.2.1") != .address("192.0.2.1", kind: .guesses))
        let user = UserID.make()
        #expect(RateLimitSubject.caller(user) == .caller(user) && RateLimitSubject.caller(user) != .caller(.make()))
    }

    @Test("Settings say how much; what makes no sense is refused at the start")
    func settingsAreRead() throws {
        let configuration = try ServerConfiguration.load(environment: [
            "SHEETMARKET_LIMIT_ADDRESS": "600/1m", "SHEETMARKET_LIMIT_ACCOUNT": "off",
            "SHEETMARKET_LIMIT_TOKEN": "300/1m", "SHEETMARKET_LIMIT_COSTS": "search=4, sign-in=100",
            "SHEETMARKET_CORS_ORIGINS": "https://App.example.org,http://localhost:3000",
        ])
        #expect(configuration.middleware.addressQuota == RateLimitQuota(points: 600, seconds: 60))
        #expect(configuration.middleware.callerQuota.isOff)
        #expect(configuration.middleware.tokenQuota == RateLimitQuota(points: 300, seconds: 60))
        #expect(configuration.middleware.costs[.search] == 4 && configuration.middleware.costs[.signIn] == 100)
        #expect(configuration.middleware.costs[.write] == 10)
        #expect(configuration.middleware.origins == .listed(["https://app.example.org", "http://localhost:3000"]))
        for (name, value) in [
            ("SHEETMARKET_LIMIT_ADDRESS", "many"), ("SHEETMARKET_LIMIT_ADDRESS", "10"),
            ("SHEETMARKET_LIMIT_COSTS", "reading=1"), ("SHEETMARKET_CORS_ORIGINS", "https://a.example/path"),
        ] {
            #expect(throws: ConfigurationError.self, "\(value)") {
                try ServerConfiguration.load(environment: [name: value])
            }
        }
    }
}
