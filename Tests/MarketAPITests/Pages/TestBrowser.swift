// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport

@testable import MarketAccounts

/// A browser as far as signing in goes: it keeps cookies, and says where its requests come from.
final class TestBrowser {
    private let http: TestHTTP
    private var cookies: [String: String] = [:]

    init(_ market: TestMarket) {
        http = market.http
    }

    /// Whether it holds a session's cookie.
    var isSignedIn: Bool { cookies.keys.contains { $0.hasSuffix("sheetmarket_session") } }

    /// Follows a link; `site` is where the link stands.
    func get(_ path: String, from site: String = "same-origin") async throws -> TestHTTP.Answer {
        try await send(.GET, path, nil, from: site)
    }

    /// Sends a form. From another site no cookie goes along, as they are `Lax`.
    func post(
        _ path: String, _ fields: [(String, String)] = [], from site: String = "same-origin"
    ) async throws -> TestHTTP.Answer {
        try await send(.POST, path, FormText.encoded(fields), from: site)
    }

    /// Sends JSON.
    func send(_ method: HTTPMethod, _ path: String, json: some Encodable) async throws -> TestHTTP.Answer {
        try await keep(
            http.send(method, path, json: json, headers: [("Cookie", cookieField), ("Sec-Fetch-Site", "same-origin")]))
    }

    /// Signs in as that account, without a password.
    func signIn(_ user: UserID, of market: TestMarket) async throws {
        let secret = try await AccountService(accounts: market.features.accounts).makeSession(
            for: user, from: SignInDevice(userAgent: "TestBrowser", address: nil))
        cookies[SessionCookie(isSecure: market.features.platform.secureCookies).name] = secret.text
    }

    private var cookieField: String { cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

    private func send(
        _ method: HTTPMethod, _ path: String, _ form: String?, from site: String
    ) async throws -> TestHTTP.Answer {
        var headers = [("Sec-Fetch-Site", site)]
        if method == .GET || site == "same-origin" { headers.append(("Cookie", cookieField)) }
        if form != nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
        return try await keep(http.send(method, path, headers: headers, body: form.map { ByteBuffer(string: $0) }))
    }

    private func keep(_ answer: TestHTTP.Answer) -> TestHTTP.Answer {
        for line in answer.headers["set-cookie"] {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            cookies[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
        }
        return answer
    }
}

extension TestHTTP.Answer {
    /// Where it leads; empty for nowhere.
    var location: String { headers.first(name: "location") ?? "" }
}
