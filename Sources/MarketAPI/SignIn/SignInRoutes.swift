// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketWire
import SheetCore

/// Signing in with providers, for programs: which there are, where it begins, what is linked.
struct SignInRoutes: Sendable {
    let market: Market

    private var service: ProviderSignIn { ProviderSignIn(market: market) }

    func register(on routes: APIRoutes) {
        routes.get("/auth/providers", access: .everybody, providers)
        // A departure is entered, for what comes back to be held against it.
        routes.costing(.write).get(
            "/auth/oidc/{provider}", access: .everybody, SignInDeparture(market: market).depart)
        routes.get("/me/identities", access: .user(.read), identities)
        routes.delete("/me/identities/{id}", access: .session, unlink)
    }

    private func providers(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        request.revalidated(try .json(SignInProviderList(providers: service.providers())))
    }

    private func identities(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.identities(of: try context.requireIdentity().userID)
        return request.revalidated(
            try .json(LinkedIdentityList(identities: list)), headers: [.cacheControl: "private, no-cache"])
    }

    private func unlink(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = IdentityID(try context.path("id")) else { throw APIError.notFound("This identity") }
        try await service.unlink(id, by: try context.requireIdentity())
        return .empty()
    }
}

/// Sends a browser to a provider.
struct SignInDeparture: Sendable {
    let market: Market

    /// `GET …/auth/oidc/{provider}?next=`.
    @Sendable func depart(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await depart(request, context, linkTo: nil, next: ReturnPath(request.query("next")))
    }

    /// The same for linking to an account.
    func depart(
        _ request: Request, _ context: MarketRequestContext, linkTo: UserID?, next: ReturnPath
    ) async throws -> Response {
        let cookie = SignInCookie(limits: market.limits)
        let departure = try await ProviderSignIn(market: market).begin(
            at: try context.path("provider"), next: next.text, linkTo: linkTo, browser: cookie.secret(in: request),
            base: Self.base(market, request))
        return .seeOther(
            departure.address, headers: [.cacheControl: "no-store", .setCookie: cookie.setting(departure.browser)])
    }

    /// Where people reach this market. Without the setting it is what the browser asked for: the provider sends people
    /// to registered addresses alone, so that a false `Host` leads nowhere.
    private static func base(_ market: Market, _ request: Request) -> String {
        market.publicURL ?? "http://\(request.head.authority ?? "localhost")"
    }
}
