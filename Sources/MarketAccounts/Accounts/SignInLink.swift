// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import Postgres
import SheetCore

// A link that signs its holder in once: how the operator's first account, which has no password, gets into a browser.
// It is a session in waiting, stored under a hash that no cookie has: its secret becomes another one when it is used.
extension AccountService {
    /// How long such a link holds, in seconds.
    private static let signInLinkSeconds = 86_400.0
    /// How a link is listed among the account's sessions until it is used.
    static let signInLinkDevice = "Sign-in-link"

    /// What is stored of a link. Not `SessionSecret.hash`: a link that was sent as a cookie would be one, and a cookie a link.
    private static func hash(_ secret: SessionSecret) -> ContentHash {
        ContentHash(hashing: Data("sign-in-link:\(secret.text)".utf8))
    }

    /// Makes a link's secret for an account that nobody can sign in to otherwise; `nil` for one that has a password.
    /// Links that were made before hold no more.
    package func makeSignInLink(for handle: String) async throws -> String? {
        let now = accounts.now()
        return try await database.withTransaction { connection in
            guard let user = try await AccountStore.user(handle: handle, in: connection), user.disabledAt == nil,
                user.passwordHash == nil, try await SignInStore.identities(of: user.id, in: connection).isEmpty
            else { return nil }
            try await SessionStore.deleteAll(of: user.id, device: Self.signInLinkDevice, in: connection)
            let secret = SessionSecret()
            try await SessionStore.insert(
                .make(at: now), of: user.id, hash: Self.hash(secret),
                device: SignInDevice(userAgent: Self.signInLinkDevice, address: nil), at: now,
                until: now.addingTimeInterval(Self.signInLinkSeconds), in: connection)
            return secret.text
        }
    }

    /// Whose link it is; `nil` when it holds no more. Looking uses nothing up.
    package func signInLinkHolder(_ code: String) async throws -> String? {
        guard let secret = SessionSecret(code),
            let user = try await SessionStore.waiting(Self.hash(secret), at: accounts.now(), in: database)
        else { return nil }
        return try await AccountStore.user(id: user, in: database)?.handle
    }

    /// Uses a link up and signs the browser in; throws `AccountError.invalidLink`.
    package func signIn(link code: String, from device: SignInDevice) async throws -> SignInOutcome {
        guard let secret = SessionSecret(code),
            let id = try await SessionStore.consume(Self.hash(secret), at: accounts.now(), in: database),
            let user = try await AccountStore.user(id: id, in: database)
        else { throw AccountError.invalidLink }
        guard user.disabledAt == nil else { throw AccountError.disabled }
        return try await admit(user.account, from: device)
    }
}
