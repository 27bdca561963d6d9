// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Foundation
import HTTPTypes
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketAccounts
@testable import MarketContract
@testable import MarketHTTP

/// Who may call what: every route of a running market, called as each kind of caller, against the table in
/// web/openapi/access.md. With `SHEETMARKET_WRITE_TABLES=1` in the environment the table is written anew from what the
/// market answers, for its changes to be reviewed.
@Suite("Who may call what")
struct AccessTests {
    private static let document = BuildProducts.root.appendingPathComponent("web/openapi/access.md")
    private static let mark = "<!-- Written by AccessTests from what a running market answers. -->"

    /// Columns of the table, in order.
    enum Caller: String, CaseIterable {
        case nobody, user, moderator, administrator
        case tokenWithout = "token without the scope"
        case tokenWith = "token with the scope"
        case limitedToken = "token for another template"
    }

    /// A line of the table: the call, its scope, and a word for each caller.
    struct Line: Equatable, CustomStringConvertible {
        var call: String
        var scope: String
        var words: [String]

        var description: String { "|`\(call)`|\(scope)|\(words.joined(separator: "|"))|" }

        init(call: String, scope: String, words: [String]) {
            self.call = call
            self.scope = scope
            self.words = words
        }

        init?(_ text: Substring) {
            let cells = text.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard text.hasPrefix("|`"), cells.count == 2 + Caller.allCases.count else { return nil }
            self.init(
                call: cells[0].trimmingCharacters(in: ["`"]), scope: cells[1], words: Array(cells.dropFirst(2)))
        }
    }

    @Test("Every route answers every kind of caller as its table says, which names all of them")
    func walk() async throws {
        try await withMarket { market in
            let people = try await People(market)
            var found: [Line] = []
            for route in market.routes {
                var line = Line(call: "\(route.method.rawValue) \(route.path)", scope: Self.scope(route), words: [])
                for caller in Caller.allCases {
                    line.words.append(try await people.word(for: caller, on: route, in: market))
                }
                found.append(line)
            }
            found.sort { Self.order($0) < Self.order($1) }
            if ProcessInfo.processInfo.environment["SHEETMARKET_WRITE_TABLES"] != nil { try Self.write(found) }
            let text = try String(contentsOf: Self.document, encoding: .utf8)
            let told = text.split(separator: "\n").compactMap { Line($0) }
            #expect(told.count > 100)
            let named = Set(told.map(\.call))
            let served = Set(found.map(\.call))
            #expect(named.count == told.count, "a call stands in the table twice")
            #expect(served.subtracting(named).sorted() == [], "served, but not in the table")
            #expect(named.subtracting(served).sorted() == [], "in the table, but not served")
            let wanted = Dictionary(told.map { ($0.call, $0) }, uniquingKeysWith: { first, _ in first })
            for line in found { #expect(wanted[line.call] == line) }
        }
    }

    /// Which credentials the contract must name for a call that is answered with these words.
    private static func security(_ words: [Caller: String], _ route: RouteDescription) -> JSONValue {
        // There nobody looks at them.
        if route.access == .withoutAuthentication || route.access == .signedAddress { return [] }
        var ways: [JSONValue] = []
        if words[.nobody] == "yes" { ways.append([:]) }
        if words[.tokenWith] == "yes" {
            ways.append(["bearer": .array(route.access.scope.map { [JSONValue.string($0.rawValue)] } ?? [])])
        }
        if words[.administrator] == "yes" { ways.append(["session": []]) }
        return .array(ways)
    }

    @Test("Whoever is refused for who they are is refused as the route declares, and the contract says")
    func declared() async throws {
        try await withMarket { market in
            let contract = try await market.http.get("/openapi.json").json(JSONValue.self)
            let text = try String(contentsOf: Self.document, encoding: .utf8)
            let lines = Dictionary(
                text.split(separator: "\n").compactMap { Line($0) }.map { ($0.call, $0) },
                uniquingKeysWith: { first, _ in first })
            for route in market.routes {
                let line = try #require(lines["\(route.method.rawValue) \(route.path)"])
                // These forms ask for a password or a code, and the walk sends none.
                if ["POST /login", "POST /account/confirm", "POST /account/second-factor/activate"].contains(line.call)
                {
                    continue
                }
                let words = Dictionary(uniqueKeysWithValues: zip(Caller.allCases, line.words))
                if !route.isWebPage {
                    let told = contract["paths"]?[route.path]?[route.method.rawValue.lowercased()]?["security"]
                    #expect(told == Self.security(words, route), "\(line)")
                }
                if route.access == .session || route.access == .enrolling {
                    #expect(line.words == ["401", "yes", "yes", "yes", "403", "403", "403"], "\(line)")
                    continue
                }
                guard route.access.scope != nil else {
                    #expect(Set(line.words) == ["yes"], "\(line)")
                    continue
                }
                #expect(words[.nobody] == "401" && words[.tokenWithout] == "403", "\(line)")
                #expect(words[.user] == (route.access.role == .user ? "yes" : "403"), "\(line)")
                #expect(words[.moderator] == (route.access.role <= .moderator ? "yes" : "403"), "\(line)")
                #expect(words[.administrator] == "yes", "\(line)")
            }
        }
    }

    @Test("Nothing is reachable beside the routes of the table but refusals of other methods")
    func nothingElse() async throws {
        try await withMarket { market in
            let application = MarketApplication(
                features: market.features, pages: try TestPages.shared.get(), listen: .init(host: "127.0.0.1", port: 0))
            let named = Set(market.routes.map { "\($0.method.rawValue) \($0.path)" })
            #expect(named.isSubset(of: application.endpoints))
            for endpoint in application.endpoints where !named.contains(endpoint) {
                let parts = endpoint.split(separator: " ")
                let (method, path) = (String(parts[0]), String(parts.last ?? ""))
                if method == "HEAD", named.contains("GET \(path)") { continue }
                let answer = try await market.http.execute(.init(rawValue: method), People.filled(path))
                let status = Int(answer.status.code)
                // The router sees a made-up name with a suffix as no address at all.
                let isNoAddress = status == 404 && path.contains("}.")
                let isRefused = status == 405 || isNoAddress || method == "OPTIONS" && status == 204
                #expect(isRefused, "\(endpoint) answers \(status)")
            }
        }
    }

    @Test("A user's token with every scope may do no more than the user")
    func scopesLiftNoRole() async throws {
        try await withMarket { market in
            let token = try await market.person("una")
            let browsers = try await People(market)
            for route in market.routes where route.access.role > .user {
                let answer = try await token.execute(
                    .init(rawValue: route.method.rawValue), People.filled(route.path))
                #expect(answer.status.code == 403, "\(route)")
                #expect(try await browsers.word(for: .user, on: route, in: market) == "403", "\(route)")
            }
        }
    }

    // MARK: - The table

    private static func scope(_ route: RouteDescription) -> String {
        if route.access == .session || route.access == .enrolling { return "session" }
        return route.access.scope.map { "`\($0.rawValue)`" } ?? "–"
    }

    /// Calls of the API first, each path's methods together.
    private static func order(_ line: Line) -> (Int, String, String) {
        let parts = line.call.split(separator: " ").map(String.init)
        return (parts[1].hasPrefix("/api/") ? 0 : 1, parts[1], parts[0])
    }

    private static func write(_ lines: [Line]) throws {
        let text = try String(contentsOf: document, encoding: .utf8)
        let prose = text.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)[0]
        let head = "| call|scope|" + Caller.allCases.map(\.rawValue).joined(separator: "|") + "|"
        let rule = "|" + String(repeating: "---|", count: 2 + Caller.allCases.count)
        let table = ([mark, "", head, rule] + lines.map(\.description)).joined(separator: "\n")
        try Data("\(prose)\(table)\n".utf8).write(to: document)
    }
}

/// One of each kind, and how they are answered.
private struct People: Sendable {
    let accounts: AccountService
    let cookieName: String
    let handles: [UserRole: UserID]
    let tokens: [Key: String]
    /// Of the user, for a template that is called nowhere.
    let limited: String

    /// Whose a token is, and which of all scopes it lacks.
    struct Key: Hashable {
        var role: UserRole
        var without: TokenScope?
    }

    init(_ market: TestMarket) async throws {
        accounts = AccountService(accounts: market.features.accounts)
        cookieName = SessionCookie(isSecure: market.features.platform.secureCookies).name
        var handles: [UserRole: UserID] = [:]
        for role in UserRole.allCases {
            handles[role] = try await accounts.ensureSystemUser(handle: "the-\(role.rawValue)", role: role).id
        }
        self.handles = handles
        var tokens: [Key: String] = [:]
        for (role, owner) in handles {
            for scope in TokenScope.all.map({ Optional($0) }) + [nil] {
                let scopes = TokenScope.all.filter { $0 != scope }
                tokens[Key(role: role, without: scope)] =
                    try await accounts.makeToken(name: "t", scopes: scopes, for: owner).token
            }
        }
        self.tokens = tokens
        // Never published: all that matters is that it is the token's, and none that is called.
        let user = try #require(handles[.user])
        let another = TemplateID.make()
        try await market.features.database.execute(
            """
            INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language)
            VALUES (\(another), 'another', \(user), 'dnd5e', 'Another', 'Another.', 'CC0-1.0', 'en')
            """)
        limited = try await accounts.makeToken(
            name: "t", scopes: [.read, .templatesWrite], templates: ["another"], for: user
        ).token
    }

    /// `yes`, or the status with which they are refused for who they are.
    func word(for caller: AccessTests.Caller, on route: RouteDescription, in market: TestMarket) async throws -> String
    {
        let owner = try #require(handles[caller.role ?? route.access.role])
        var headers: [(String, String)] = []
        switch caller {
        case .nobody: break
        case .user, .moderator, .administrator:
            // One for each call: some calls end it.
            let secret = try await accounts.makeSession(
                for: owner, from: SignInDevice(userAgent: nil, address: nil))
            headers = [("Cookie", "\(cookieName)=\(secret.text)"), ("Sec-Fetch-Site", "same-origin")]
        case .tokenWithout:
            headers = try authorization(Key(role: route.access.role, without: route.access.scope))
        case .tokenWith: headers = try authorization(Key(role: route.access.role, without: nil))
        case .limitedToken: headers = [("Authorization", "Bearer \(limited)")]
        }
        let answer = try await market.http.execute(
            .init(rawValue: route.method.rawValue), Self.filled(route.path), headers: headers)
        // A stream of events has no end to wait for.
        guard answer.status.code == 401 || answer.status.code == 403 else { return "yes" }
        let body = try await answer.body.collect(upTo: 1 << 16)
        // A refusal without a problem document is one all the same.
        guard let code = try? WireJSON.decoder().decode(ProblemDocument.self, from: Data(buffer: body)).code else {
            return String(answer.status.code)
        }
        return Self.refusals.contains(code) ? String(answer.status.code) : "yes"
    }

    private func authorization(_ key: Key) throws -> [(String, String)] {
        let token = try #require(tokens[key])
        return [("Authorization", "Bearer \(token)")]
    }

    /// Codes that are about the caller alone. Others with these statuses are about what was sent, such as a password.
    private static let refusals: Set<ErrorCode> = [
        .authenticationRequired, .invalidToken, .expiredToken, .forbidden, .insufficientScope,
    ]

    /// A path with something in the place of its variable parts that fits them, and that nothing has.
    static func filled(_ path: String) -> String {
        let values = [
            "id": "00000000-0000-7000-8000-000000000000", "v": "1.0.0", "n": "0", "slug": "nothing-here",
            "handle": "nobody-here", "sha256": String(repeating: "0", count: 64),
        ]
        return path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{") else { return String(part) }
            return values[part.trimmingCharacters(in: ["{", "}"])] ?? "nothing-here"
        }.joined(separator: "/")
    }
}

extension AccessTests.Caller {
    /// The role of a browser's caller; `nil` for tokens, which are of somebody with the role that the route needs.
    fileprivate var role: UserRole? {
        switch self {
        case .user: .user
        case .moderator: .moderator
        case .administrator: .administrator
        case .nobody, .tokenWithout, .tokenWith, .limitedToken: nil
        }
    }
}
