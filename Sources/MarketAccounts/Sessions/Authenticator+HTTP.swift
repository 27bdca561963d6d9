// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

extension Authenticator {
    /// The caller, or `nil` when no credential is shown. A bad token is refused, as its sender can mend that; a bad
    /// cookie counts as none, as a browser sends it along whether anybody wants it or not.
    package func identity(of request: Request) async throws -> Identity? {
        if let field = request.headers[.authorization], let token = Self.bearer(field) {
            return try await identity(
                token: token, for: TokenSubject(method: request.method, path: request.uri.path))
        }
        let cookie = SessionCookie(isSecure: accounts.platform.secureCookies)
        guard request.headers[.cookie] != nil, let secret = cookie.secret(in: request) else { return nil }
        return try await identity(session: secret)
    }

    /// The token of `Authorization: Bearer TOKEN`; other schemes are not ours.
    private static func bearer(_ field: String) -> Substring? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        return parts.count == 2 ? parts[1].drop { $0 == " " } : ""
    }
}

extension TokenError: APIErrorConvertible {
    /// `401` as RFC 6750 wants it.
    var apiError: APIError {
        switch self {
        case .unknown: Self.refusal(.invalidToken, "This token is not one of ours, or was revoked.")
        case .expired: Self.refusal(.expiredToken, "This token's time is over. Make a new one.")
        case .accountDisabled: Self.refusal(.invalidToken, "This token's account is disabled.")
        }
    }

    private static func refusal(_ code: ErrorCode, _ detail: String) -> APIError {
        APIError(
            .unauthorized, code, detail,
            headers: [.wwwAuthenticate: "Bearer realm=\"sheetmarket\", error=\"invalid_token\""])
    }
}

extension TokenSubject {
    /// What a request's address says it is about. Whatever is not known here is `other`.
    init(method: HTTPRequest.Method, path: String) {
        var parts = path.split(separator: "/").map(String.init)[...]
        guard parts.starts(with: ["api", "v1"]) else {
            self = .other
            return
        }
        parts = parts.dropFirst(2)
        switch (parts.first, parts.count) {
        case ("templates", 2...): self = .template(parts[parts.startIndex + 1].removingPercentEncoding ?? "")
        case ("submissions", 2...):
            self = SubmissionID(parts[parts.startIndex + 1]).map { .submission($0) } ?? .other
        case ("me", 1) where method == .get || method == .head: self = .account
        // The account service lets such a token revoke itself alone.
        case ("auth", 3) where method == .delete && parts[parts.startIndex + 1] == "tokens": self = .account
        default: self = .other
        }
    }
}

extension SignInDevice {
    package init(_ request: Request, _ context: MarketRequestContext) {
        self.init(userAgent: request.headers[.userAgent], address: context.clientAddress)
    }
}
