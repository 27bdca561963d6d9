// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire

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
