// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// Signing in with providers, for programs: which there are, where it begins, what is linked.
package struct SignInRoutes: Sendable {
    package let accounts: AccountDependencies

    package init(accounts: AccountDependencies) {
        self.accounts = accounts
    }

    private var service: ProviderSignIn { ProviderSignIn(accounts: accounts) }

    package func register(on routes: APIRoutes) {
        routes.get("/auth/providers", access: .withoutAuthentication, providers)
        // A departure is entered, for what comes back to be held against it.
        routes.withCost(.write).get(
            "/auth/oidc/{provider}", access: .withoutAuthentication,
            ProviderRedirect(accounts: accounts).redirectToProvider)
        routes.get("/me/identities", access: .user(.read), identities)
        routes.delete("/me/identities/{id}", access: .session, unlink)
    }

    private func providers(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        request.conditionalResponse(try .json(SignInProviderList(providers: service.providers())))
    }

    private func identities(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.identities(of: try context.requireIdentity().userID)
        return request.conditionalResponse(
            try .json(LinkedIdentityList(identities: list)), headers: [.cacheControl: "private, no-cache"])
    }

    private func unlink(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = IdentityID(try context.path("id")) else { throw ProviderSignInError.noSuchIdentity }
        try await service.unlink(id, by: try context.requireIdentity())
        return .empty()
    }
}

/// Sends a browser to a provider.
package struct ProviderRedirect: Sendable {
    package let accounts: AccountDependencies

    package init(accounts: AccountDependencies) {
        self.accounts = accounts
    }

    /// `GET …/auth/oidc/{provider}?next=`.
    @Sendable package func redirectToProvider(_ request: Request, _ context: MarketRequestContext) async throws
        -> Response
    {
        try await redirectToProvider(request, context, linkTo: nil, next: ReturnPath(request.query("next")))
    }

    /// The same for linking to an account.
    package func redirectToProvider(
        _ request: Request, _ context: MarketRequestContext, linkTo: UserID?, next: ReturnPath
    ) async throws -> Response {
        let cookie = SignInCookie(isSecure: accounts.platform.secureCookies)
        let departure = try await ProviderSignIn(accounts: accounts).begin(
            at: try context.path("provider"), next: next.text, linkTo: linkTo, browser: cookie.secret(in: request),
            base: Self.base(accounts, request))
        return .seeOther(
            departure.address, headers: [.cacheControl: "no-store", .setCookie: cookie.setting(departure.browser)])
    }

    /// Where people reach this market. Without the setting it is what the browser asked for: the provider sends people
    /// to registered addresses alone, so that a false `Host` leads nowhere.
    private static func base(_ accounts: AccountDependencies, _ request: Request) -> String {
        accounts.publicURL ?? "http://\(request.head.authority ?? "localhost")"
    }
}
