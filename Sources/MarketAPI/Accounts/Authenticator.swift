// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MarketWire
import Postgres
import SheetCore
import Synchronization

/// Tells who is calling. A bearer token or a cookie costs one indexed query, nobody's call none; what is revoked or
/// disabled stops with the next request, since nothing is kept in between.
struct Authenticator: Sendable {
    private let market: Market
    private let cookie: SessionCookie
    private let uses: TokenUses

    init(market: Market) {
        self.market = market
        cookie = SessionCookie(limits: market.limits)
        uses = TokenUses(market: market)
    }

    /// The caller, or `nil` when no credential is shown. A bad token is refused, as its sender can mend that; a bad
    /// cookie counts as none, as a browser sends it along whether anybody wants it or not.
    func identity(of request: Request) async throws -> Identity? {
        if let field = request.headers[.authorization], let token = Self.bearer(field) {
            return try await identity(token: token)
        }
        guard request.headers[.cookie] != nil, let secret = cookie.secret(in: request),
            let session = try await CredentialStore.session(secret.hash, in: market.database),
            session.expiresAt > market.now(), !session.isDisabled
        else { return nil }
        return session.identity
    }

    private func identity(token text: Substring) async throws -> Identity {
        guard let secret = TokenSecret(text),
            let record = try await CredentialStore.token(secret.hash, in: market.database), !record.isRevoked
        else { throw Self.refusal(.invalidToken, "This token is not one of ours, or was revoked.") }
        let now = market.now()
        guard record.expiresAt > now else {
            throw Self.refusal(.expiredToken, "This token's time is over. Make a new one.")
        }
        guard !record.isDisabled else { throw Self.refusal(.invalidToken, "This token's account is disabled.") }
        if case .token(let id) = record.identity.credential { uses.note(id, last: record.lastUsedAt, at: now) }
        return record.identity
    }

    /// The token of `Authorization: Bearer TOKEN`; other schemes are not ours.
    private static func bearer(_ field: String) -> Substring? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
        return parts.count == 2 ? parts[1].drop { $0 == " " } : ""
    }

    /// `401` as RFC 6750 wants it.
    private static func refusal(_ code: ErrorCode, _ detail: String) -> APIError {
        APIError(
            .unauthorized, code, detail,
            headers: [.wwwAuthenticate: "Bearer realm=\"sheetmarket\", error=\"invalid_token\""])
    }
}

/// Notes when tokens were last used: once a minute for each, and never while a request waits for it.
private final class TokenUses: Sendable {
    /// Most notes under way at once; past that they are left out.
    private static let maximum = 64

    private let market: Market
    private let underWay = Mutex<Set<TokenID>>([])

    init(market: Market) {
        self.market = market
    }

    func note(_ id: TokenID, last: Date?, at now: Date) {
        if let last, now.timeIntervalSince(last) < 60 { return }
        let isNew = underWay.withLock { $0.count < Self.maximum && $0.insert(id).inserted }
        guard isNew else { return }
        Task {
            do {
                try await CredentialStore.touchToken(id, at: now, in: market.database)
            } catch {
                market.logger.debug("token use not noted", metadata: ["error": "\(error)"])
            }
            _ = underWay.withLock { $0.remove(id) }
        }
    }
}
