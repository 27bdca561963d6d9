// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres

/// What anybody does with a token that they hold, be it theirs or one that leaked.
package struct TokenRoutes: Sendable {
    package let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    package func register(on routes: APIRoutes) {
        // Whoever finds a token shows it in the body. A credential beside it is not looked at: it may be the same.
        routes.post("/auth/tokens/revoke", access: .withoutAuthentication, revoke)
    }

    /// Revokes a token; whether it was one, its answer does not tell (as RFC 7009, section 2.2, has it).
    private func revoke(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let revocation = try await request.json(TokenRevocation.self)
        try await LeakedTokens(platform: platform).revoke(revocation.token)
        return .empty(headers: [.cacheControl: "no-store"])
    }
}

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
                in: connection, at: now)
        }
    }
}
