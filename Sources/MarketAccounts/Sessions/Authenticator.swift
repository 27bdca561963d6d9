// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import Synchronization

/// Tells who is calling. A bearer token or a cookie costs one indexed query, nobody's call none. Nothing is kept in
/// between here; for how long reads may go by an answer of before is `CredentialCache`'s.
package struct Authenticator: Sendable {
    private let accounts: AccountDependencies
    private let cookie: SessionCookie
    private let uses: CredentialUseRecorder<TokenID>
    private let visits: CredentialUseRecorder<SessionID>

    package init(accounts: AccountDependencies) {
        self.accounts = accounts
        cookie = SessionCookie(isSecure: accounts.platform.secureCookies)
        uses = CredentialUseRecorder(every: 60, logger: accounts.logger) { id, now in
            try await CredentialStore.recordTokenUse(id, at: now, in: accounts.database)
        }
        visits = CredentialUseRecorder(every: SessionStore.visitSeconds, logger: accounts.logger) { id, now in
            try await SessionStore.touch(id, at: now, in: accounts.database)
        }
    }

    /// The caller, or `nil` when no credential is shown. A bad token is refused, as its sender can mend that; a bad
    /// cookie counts as none, as a browser sends it along whether anybody wants it or not.
    package func identity(of request: Request) async throws -> Identity? {
        if let field = request.headers[.authorization], let token = Self.bearer(field) {
            let identity = try await identity(token: token)
            return identity.isLimited
                ? try await TemplateTokenPolicy(identity, in: accounts.database).restricted(for: request) : identity
        }
        let now = accounts.now()
        guard request.headers[.cookie] != nil, let secret = cookie.secret(in: request),
            let session = try await SessionStore.session(secret.hash, in: accounts.database),
            session.expiresAt > now, !session.isDisabled
        else { return nil }
        let identity = session.identity
        if case .session(let id) = identity.credential { visits.record(id, last: session.lastUsedAt, at: now) }
        return lacksSecondFactor(session) ? identity.lackingSecondFactor : identity
    }

    /// Whether the account's role demands a second factor that it has not.
    private func lacksSecondFactor(_ record: CredentialRecord) -> Bool {
        accounts.limits.staffSecondFactor && record.identity.role >= .moderator && !record.hasSecondFactor
    }

    private func identity(token text: Substring) async throws -> Identity {
        guard let secret = TokenSecret(text),
            let record = try await CredentialStore.token(secret.hash, in: accounts.database), !record.isRevoked
        else { throw Self.refusal(.invalidToken, "This token is not one of ours, or was revoked.") }
        let now = accounts.now()
        guard record.expiresAt > now else {
            throw Self.refusal(.expiredToken, "This token's time is over. Make a new one.")
        }
        guard !record.isDisabled else { throw Self.refusal(.invalidToken, "This token's account is disabled.") }
        if case .token(let id) = record.identity.credential { uses.record(id, last: record.lastUsedAt, at: now) }
        return lacksSecondFactor(record) ? record.identity.lackingSecondFactor : record.identity
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

/// Notes when credentials were last used: now and then for each, and never while a request waits for it.
private final class CredentialUseRecorder<ID: Hashable & Sendable>: Sendable {
    /// Most notes under way at once; past that they are left out.
    private let maximum = 64
    private let seconds: Double
    private let logger: Logger
    private let write: @Sendable (ID, Date) async throws -> Void
    private let underWay = Mutex<Set<ID>>([])

    /// Writes at most one note for each in `seconds`.
    init(every seconds: Double, logger: Logger, _ write: @escaping @Sendable (ID, Date) async throws -> Void) {
        self.seconds = seconds
        self.logger = logger
        self.write = write
    }

    func record(_ id: ID, last: Date?, at now: Date) {
        if let last, now.timeIntervalSince(last) < seconds { return }
        let isNew = underWay.withLock { $0.count < maximum && $0.insert(id).inserted }
        guard isNew else { return }
        Task {
            do {
                try await write(id, now)
            } catch {
                logger.debug("the use of a credential is not noted", metadata: ["error": "\(error)"])
            }
            _ = underWay.withLock { $0.remove(id) }
        }
    }
}
