// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres

/// Tokens that are in the wrong hands.
struct LeakedTokens: Sendable {
    let platform: Platform

    /// Revokes the token at once and tells its owner; does nothing for what is none.
    func revoke(_ text: String) async throws {
        guard let secret = TokenSecret(text) else { return }
        try await platform.database.withTransaction { connection in
            let now = platform.now()
            guard let revoked = try await CredentialStore.revokeToken(secret.hash, at: now, in: connection) else {
                return
            }
            try await Mail.enqueue(
                EmailMessage(template: .tokenRevoked, to: revoked.user, values: ["token": revoked.name]),
                in: connection)
        }
    }
}
