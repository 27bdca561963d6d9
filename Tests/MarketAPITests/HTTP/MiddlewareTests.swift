// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketContract
@testable import MarketHTTP

@Suite("The gate of the API")
struct MiddlewareTests {
    // MARK: - Other sites

    @Test("Pages of other sites may read the API without a cookie, and learn by a preflight what they may send")
    func crossOrigin() async throws {
        try await withMarket { market in
            let read = try await market.http.get(
                "\(Paths.base)/game-systems", headers: [("Origin", "https://app.example.org")])
            #expect(read.headers.first(name: "Access-Control-Allow-Origin") == "*")
            #expect(read.headers.first(name: "Access-Control-Allow-Credentials") == nil)
            let exposed = read.headers.first(name: "Access-Control-Expose-Headers") ?? ""
            for name in [
                "ETag", "Link", "Location", "X-Request-Id", "Retry-After", "RateLimit", "Idempotency-Replayed",
            ] { #expect(exposed.contains(name), "\(name)") }
            let preflight = try await market.http.send(
                .OPTIONS, "\(Paths.base)/templates/some-sheet",
                headers: [
                    ("Origin", "https://app.example.org"), ("Access-Control-Request-Method", "PATCH"),
                    ("Access-Control-Request-Headers", "authorization,content-type,if-match"),
                ])
            #expect(preflight.status == 204)
            let methods = preflight.headers.first(name: "Access-Control-Allow-Methods") ?? ""
            #expect(methods.contains("PATCH") && methods.contains("GET") && !methods.contains("PUT"))
            let fields = preflight.headers.first(name: "Access-Control-Allow-Headers") ?? ""
            for name in ["Authorization", "Content-Type", "Idempotency-Key", "If-Match"] {
                #expect(fields.contains(name), "\(name)")
            }
            #expect(preflight.headers.first(name: "Access-Control-Allow-Origin") == "*")
            let refused = try await market.http.get("\(Paths.base)/me")
            #expect(refused.status == 401)
            #expect(refused.headers.first(name: "Access-Control-Allow-Origin") == "*", "errors must be readable, too")
        }
    }

    @Test("Pages for people say nothing to other sites, and a cookie from another site changes nothing")
    func pagesStayOurs() async throws {
        try await withMarket { market in
            let page = try await market.http.get("/", headers: [("Origin", "https://app.example.org")])
            #expect(page.status == 200)
            #expect(page.headers.first(name: "Access-Control-Allow-Origin") == nil)
            let other = try await market.http.send(.OPTIONS, "/login", headers: [("Origin", "https://a.example")])
            #expect(other.status == 405)
            let accounts = AccountService(accounts: market.features.accounts)
            let user = try await accounts.ensureSystemUser(handle: "nadia", role: .user)
            let secret = try await accounts.makeSession(
                for: user.id, from: SignInDevice(userAgent: nil, address: nil))
            let answer = try await market.http.send(
                .POST, "\(Paths.base)/reports",
                json: ReportRequest(subject: .init(kind: .user, id: "nadia"), reason: .spam),
                headers: [
                    ("Cookie", "sheetmarket_session=\(secret.text)"), ("Origin", "https://app.example.org"),
                    ("Sec-Fetch-Site", "cross-site"),
                ])
            #expect(answer.status == 403 && answer.problemCode == .crossSite)
        }
    }

    @Test("Who is remembered by a cookie is nobody else behind the same proxy's password")
    func remembered() async throws {
        var middleware = MiddlewareSettings.generous
        middleware.credentialSeconds = 3600
        try await withMarket(middleware: middleware) { market in
            let accounts = AccountService(accounts: market.features.accounts)
            let user = try await accounts.ensureSystemUser(handle: "nadia", role: .user)
            let secret = try await accounts.makeSession(
                for: user.id, from: SignInDevice(userAgent: nil, address: nil))
            let proxy = ("Authorization", "Basic c2hhcmVk")
            let cookie = ("Cookie", "sheetmarket_session=\(secret.text)")
            let me = "\(Paths.base)/me"
            for _ in 0..<2 { #expect(try await market.http.get(me, headers: [proxy, cookie]).status == 200) }
            #expect(try await market.http.get(me, headers: [proxy]).status == 401)
        }
    }

    @Test("Where origins are listed, only those may read, and caches are told that it differs")
    func listedOrigins() async throws {
        var middleware = MiddlewareSettings.generous
        middleware.origins = .listed(["https://app.example.org"])
        try await withMarket(middleware: middleware) { market in
            func allowed(_ origin: String?) async throws -> (String?, String?) {
                let answer = try await market.http.get(
                    "\(Paths.base)/game-systems", headers: origin.map { [("Origin", $0)] } ?? [])
                let vary = answer.headers["Vary"].joined(separator: ", ")
                return (answer.headers.first(name: "Access-Control-Allow-Origin"), vary)
            }
            let ours = try await allowed("https://app.example.org")
            #expect(ours.0 == "https://app.example.org" && ours.1?.contains("Origin") == true)
            let others = try await allowed("https://evil.example")
            #expect(others.0 == nil && others.1?.contains("Origin") == true)
            let nobody = try await allowed(nil)
            #expect(nobody.0 == nil && nobody.1?.contains("Origin") == true)
        }
    }

    // MARK: - Deprecation

    @Test("A route that should no longer be called says so in every answer, also in refusals, and in the contract")
    func deprecation() async throws {
        let since = Date(timeIntervalSince1970: 1_790_000_000)
        let sunset = Date(timeIntervalSince1970: 1_800_000_000)
        try await GateScene.run { routes, _ in
            let old = routes.deprecated(since: since, sunset: sunset, link: "/docs#old")
            old.get("/old", access: .optionalAuthentication) { _, _ in .empty(headers: [.link: "</next>; rel=\"next\""])
            }
            old.get("/broken", access: .optionalAuthentication) { _, _ in throw APIError.notFound("This") }
            old.get("/mine", access: .user(.read)) { _, _ in .empty() }
            routes.get("/new", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            for path in ["/old", "/broken", "/mine"] {
                let answer = try await scene.send(.get, path)
                #expect(answer.headers[.deprecation] == "@1790000000", "\(path)")
                #expect(answer.headers[.sunset] == "Fri, 15 Jan 2027 08:00:00 GMT", "\(path)")
                #expect(answer.headers[.link]?.contains("</docs#old>; rel=\"deprecation\"") == true, "\(path)")
            }
            #expect(try await scene.send(.get, "/old").headers[.link]?.contains("rel=\"next\"") == true)
            #expect(try await scene.send(.get, "/broken").status == .notFound)
            #expect(try await scene.send(.get, "/new").headers[.deprecation] == nil)
        }
        let route = RouteDescription(
            method: .get, path: "/old", access: .optionalAuthentication, isWebPage: false, cost: .read,
            acceptsIdempotencyKey: false,
            isConditional: false, deprecation: RouteDeprecation(since: since, sunset: sunset, link: "/docs#old"))
        let piece: JSONValue = ["operationId": "old", "summary": "Old", "answers": ["204": ["description": "Done."]]]
        let pieces = try ContractFragments(folder: BuildProducts.root.appendingPathComponent("web/openapi"))
        let made = OperationBuilder(
            operation: .init(path: "/old", method: "get", tag: "Catalog", piece: piece), route: route,
            schemas: pieces.schemas, problems: ProblemFragments(pieces.problems)
        ).made
        #expect(made.object["deprecated"] == true)
        let fields = made.object["responses"]?["204"]?["headers"]?.members.keys.sorted() ?? []
        #expect(fields.contains("Deprecation") && fields.contains("Sunset"))
    }

    // MARK: - Compression

    @Test("Every longer JSON answer comes in gzip to who takes it, under a tag of its own, but for secrets")
    func compression() async throws {
        let long = String(repeating: "long ", count: 1000)
        try await GateScene.run { routes, _ in
            routes.get("/tagged", access: .optionalAuthentication) { request, _ in
                request.conditionalResponse(try .json(["text": long]))
            }
            routes.post("/made", access: .optionalAuthentication) { _, _ in try .json(["text": long], status: .created)
            }
            routes.get("/secret", access: .optionalAuthentication) { _, _ in
                try .json(["text": long], headers: [.cacheControl: "no-store"])
            }
            routes.get("/short", access: .optionalAuthentication) { request, _ in
                request.conditionalResponse(try .json(["text": "short"]))
            }
        } _: { scene in
            let gzip: HTTPFields = [.acceptEncoding: "gzip"]
            let plain = try await scene.send(.get, "/tagged")
            let smaller = try await scene.send(.get, "/tagged", headers: gzip)
            #expect(plain.headers[.contentEncoding] == nil && smaller.headers[.contentEncoding] == "gzip")
            #expect(smaller.body.readableBytes < plain.body.readableBytes / 10)
            #expect(smaller.headers[.contentLength] == String(smaller.body.readableBytes))
            #expect(plain.headers[.vary]?.contains("Accept-Encoding") == true)
            let tags = (plain.headers[.eTag] ?? "", smaller.headers[.eTag] ?? "")
            #expect(tags.0 != tags.1 && !tags.1.isEmpty)
            for (headers, tag) in [(HTTPFields(), tags.0), (gzip, tags.1)] {
                var headers = headers
                headers[.ifNoneMatch] = tag
                let known = try await scene.send(.get, "/tagged", headers: headers)
                #expect(known.status == .notModified && known.headers[.eTag] == tag)
            }
            let made = try await scene.send(.post, "/made", headers: gzip)
            #expect(made.status == .created && made.headers[.contentEncoding] == "gzip")
            #expect(made.headers[.vary]?.contains("Accept-Encoding") == true)
            #expect(try await scene.send(.get, "/secret", headers: gzip).headers[.contentEncoding] == nil)
            #expect(try await scene.send(.get, "/short", headers: gzip).headers[.contentEncoding] == nil)
        }
    }

    // MARK: - Credentials

    @Test("Who reads on is not looked up again; what is revoked or disabled, here or elsewhere, is over all the same")
    func credentials() async throws {
        var middleware = MiddlewareSettings.generous
        middleware.credentialSeconds = 3600
        try await withMarket(middleware: middleware) { market in
            let database = market.features.database
            let user = try await market.person("nadia")
            let path = "\(Paths.base)/me"
            // A node that has just begun to listen forgets once.
            let isRemembered = try await eventually {
                let first = try await user.get(path).status
                try await database.execute("ALTER TABLE api_tokens RENAME TO api_tokens_away")
                let second = try? await user.get(path).status
                try await database.execute("ALTER TABLE api_tokens_away RENAME TO api_tokens")
                return first == 200 && second == 200
            }
            #expect(isRemembered, "it was looked up again and again")
            // Here: the next call knows.
            let tokens = try await user.get("\(Paths.base)/auth/tokens").json(TokenList.self).tokens
            let id = try #require(tokens.first).id
            #expect(try await user.send(.DELETE, "\(Paths.base)/auth/tokens/\(id)").status == 204)
            #expect(try await user.get(path).status == 401)
            // Elsewhere: this node is told.
            for change in ["UPDATE api_tokens SET revoked_at = now()", "UPDATE users SET disabled_at = now()"] {
                try await database.execute("UPDATE users SET disabled_at = NULL")
                let other = try await market.person("mona")
                #expect(try await other.get(path).status == 200)
                try await database.execute(PostgresQuery(unsafeSQL: change))
                let isRefused = try await eventually { try await other.get(path).status == 401 }
                #expect(isRefused, "\(change)")
            }
        }
    }

    @Test("Changes of templates and reviews, and refused ones, leave everybody remembered; others nobody")
    func changesOfTemplates() async throws {
        var middleware = MiddlewareSettings.generous
        middleware.credentialSeconds = 3600
        try await withMarket(middleware: middleware) { market in
            let (nadia, mona) = (try await market.person("nadia"), try await market.person("mona"))
            let path = "\(Paths.base)/me"
            // Who is still known while nobody can be looked up.
            func known() async throws -> [Bool] {
                try await market.features.database.execute("ALTER TABLE api_tokens RENAME TO api_tokens_away")
                let answers = (try? await nadia.get(path).status, try? await mona.get(path).status)
                try await market.features.database.execute("ALTER TABLE api_tokens_away RENAME TO api_tokens")
                return [answers.0 == 200, answers.1 == 200]
            }
            func remember() async throws {
                // A node that has just begun to listen forgets once.
                let isRemembered = try await eventually {
                    for person in [nadia, mona] { #expect(try await person.get(path).status == 200) }
                    return try await known() == [true, true]
                }
                #expect(isRemembered)
            }
            try await remember()
            let refused = try await market.http.send(.POST, "\(Paths.base)/appeals", json: ["id": "x"])
            #expect(refused.status == 401)
            let report = ReportRequest(subject: .init(kind: .user, id: "mona"), reason: .spam)
            #expect(try await nadia.send(.POST, "\(Paths.base)/reports", json: report).status == 201)
            #expect(try await known() == [true, true])
            // It need not come to anything: perhaps part of it did.
            #expect(try await nadia.send(.DELETE, "\(Paths.base)/auth/tokens/\(TokenID.make())").status == 404)
            #expect(try await known() == [false, false])
            try await remember()
            // What anybody may do without being asked who they are may concern everybody.
            let bad = try await market.http.send(.POST, "\(Paths.base)/auth/tokens", json: ["login": "x"])
            #expect((400..<500).contains(bad.status))
            #expect(try await known() == [false, false])
        }
    }

    @Test("A precondition that a call does not look at is not passed over")
    func unknownPrecondition() async throws {
        try await GateScene.run { routes, _ in
            routes.post("/change", access: .optionalAuthentication) { _, _ in .empty() }
        } _: { scene in
            let answer = try await scene.send(.post, "/change", headers: [.ifMatch: "\"a\""])
            #expect(answer.status == .badRequest)
        }
    }
}
