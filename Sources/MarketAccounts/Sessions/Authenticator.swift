// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketHTTP
import MarketPlatform
import Postgres
import SheetCore
import Synchronization

/// Tells who is calling. A bearer token or a cookie costs one indexed query, an anonymous call none. Nothing is kept in
/// between here; how long a read may rely on an earlier answer is for `CredentialCache` to say.
package struct Authenticator: Sendable {
    let accounts: AccountDependencies
    private let uses: CredentialUseRecorder<TokenID>
    private let visits: CredentialUseRecorder<SessionID>

    package init(accounts: AccountDependencies) {
        self.accounts = accounts
        uses = CredentialUseRecorder(every: 60, logger: accounts.logger) { id, now in
            try await CredentialStore.recordTokenUse(id, at: now, in: accounts.database)
        }
        visits = CredentialUseRecorder(every: SessionStore.visitSeconds, logger: accounts.logger) { id, now in
            try await SessionStore.touch(id, at: now, in: accounts.database)
        }
    }

    /// The caller that shows a token; throws `TokenError`. `subject` is what the call is about: it limits a token for
    /// named templates.
    func identity(token text: Substring, for subject: TokenSubject) async throws -> Identity {
        guard let secret = TokenSecret(text),
            let record = try await CredentialStore.token(secret.hash, in: accounts.database), !record.isRevoked
        else { throw TokenError.unknown }
        let now = accounts.now()
        guard record.expiresAt > now else { throw TokenError.expired }
        guard !record.isDisabled else { throw TokenError.accountDisabled }
        if case .token(let id) = record.identity.credential { uses.record(id, last: record.lastUsedAt, at: now) }
        let identity = lacksSecondFactor(record) ? record.identity.lackingSecondFactor : record.identity
        return identity.isLimited
            ? try await TemplateTokenPolicy(identity, in: accounts.database).restricted(for: subject) : identity
    }

    /// The caller whose browser shows a session's secret; `nil` for one that holds no more.
    func identity(session secret: SessionSecret) async throws -> Identity? {
        let now = accounts.now()
        guard let session = try await SessionStore.session(secret.hash, in: accounts.database),
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
}

/// Why a token lets nobody in.
enum TokenError: Error, Equatable, Sendable {
    /// It was never one of ours, or was revoked.
    case unknown
    case expired
    case accountDisabled
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
        // Unowned, since no request waits for it. At most `maximum` run; one that a closing pool refuses ends here.
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
