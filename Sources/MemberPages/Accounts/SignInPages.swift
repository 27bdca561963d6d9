// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// The pages of signing in with providers: where people come back to, choose a name, and link what they have.
struct SignInPages: Sendable {
    let features: Features
    let pages: WebPages
    let accounts: AccountService

    private var service: ProviderSignIn { ProviderSignIn(accounts: features.accounts) }
    private var cookie: SignInCookie { SignInCookie(isSecure: features.platform.secureCookies) }

    func register(on routes: APIRoutes) {
        // Departures are entered, as what comes back is held against them.
        let departing = routes.withCost(.write)
        departing.get(
            "/auth/oidc/{provider}", access: .withoutAuthentication,
            ProviderRedirect(accounts: features.accounts).redirectToProvider)
        routes.get("/auth/oidc/{provider}/callback", access: .optionalAuthentication, handleCallback)
        routes.post("/auth/oidc/{provider}/callback", access: .withoutAuthentication, handleFormPost)
        routes.get("/auth/sign-up", access: .withoutAuthentication, signUpForm)
        routes.post("/auth/sign-up", access: .withoutAuthentication, signUp)
        routes.get("/account/identities", access: .session, identities)
        routes.get("/account/identities/confirm", access: .session, linkForm)
        routes.post("/account/identities/confirm", access: .session, link)
        departing.get("/account/identities/link/{provider}", access: .session, beginLinking)
        routes.post("/account/identities/{id}/unlink", access: .session, unlink)
    }

    // MARK: - Coming back

    private func handleCallback(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let fields = request.queryParameters
        let result = try await service.finish(
            at: try context.path("provider"),
            .init(state: fields["state"], code: fields["code"], error: fields["error"], issuer: fields["iss"]),
            browser: cookie.secret(in: request), caller: context.identity?.userID, logger: context.logger)
        switch result {
        case .signedIn(let account, let next): return try await admit(account, next, request, context)
        case .newcomer(let ticket): return redirect("/auth/sign-up", ticket)
        case .toLink(let ticket): return redirect("/account/identities/confirm", ticket)
        }
    }

    /// A provider's page sent a form: from there a browser brings none of this site's cookies. It is led to the address
    /// that takes the same as a query, and brings them on that way.
    private func handleFormPost(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let provider = try features.accounts.signIn.connection(try context.path("provider")).provider
        var address = PageAddress("/auth/oidc/\(provider.id)/callback")
        for name in ["state", "code", "error", "iss"] { address = address.with(name, form[name]) }
        return .seeOther(address.text, headers: [.cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }

    private func redirect(_ path: String, _ ticket: SessionSecret) -> Response {
        .seeOther(path, headers: [.cacheControl: "no-store", .setCookie: cookie.setting(ticket)])
    }

    /// The provider said who it is; whoever has a second factor is asked for it here as after a password.
    private func admit(
        _ account: Account, _ next: String, _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        let next = ReturnPath(next)
        var answer =
            switch try await accounts.admit(account, from: SignInDevice(request, context)) {
            case .signedIn(let secret):
                Response.seeOther(
                    next.text,
                    headers: SessionCookie(isSecure: features.platform.secureCookies).setting(
                        secret, for: features.accounts.limits.sessionSeconds))
            case .secondFactor(let ticket):
                try pages.answer(
                    .secondStep, SecondStepView(ticket: ticket, problem: nil, next: next),
                    head: PageHead(title: "Sign in", place: .signIn, language: context.language))
            }
        answer.headers.append(HTTPField(name: .setCookie, value: cookie.clearing))
        return answer
    }

    // MARK: - A new account

    private func signUpForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try await service.pendingIdentity(cookie.secret(in: request))
        return try answer(identity, form: nil, problem: nil, context)
    }

    private func signUp(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.check(request)
        let ticket = cookie.secret(in: request)
        let identity = try await service.pendingIdentity(ticket)
        let form = try await request.form()
        do {
            let (account, next) = try await service.register(
                ticket, handle: form["handle"] ?? "", email: form["email"], displayName: form["displayName"],
                language: context.language.rawValue)
            return try await admit(
                account, WelcomePages.address(then: ReturnPath(next)), request, context)
        } catch {
            return try answer(identity, form: form, problem: try FormProblem(error), context)
        }
    }

    private func answer(
        _ identity: PendingIdentity, form: QueryParameters?, problem: FormProblem?, _ context: MarketRequestContext
    ) throws -> Response {
        let view = SignUpView(
            identity, provider: features.accounts.signIn.name(ofIssuer: identity.issuer), form: form, problem: problem)
        return try pages.answer(
            .signup, view, head: PageHead(title: "Choose your name", place: .register, language: context.language),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: - Linking

    private func identities(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let linked = try await service.identities(of: identity.userID)
        let view = IdentitiesView(linked, providers: service.providers(), now: features.now())
        return try pages.answer(
            .identities, view, head: PageHead(title: "Ways to sign in", place: .account, viewer: identity))
    }

    /// A link of our own page leads here. From anywhere else it must not: what it begins ends with another's identity
    /// at this account, when that other is signed in at the provider.
    private func beginLinking(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.check(request)
        let identity = try context.requireIdentity()
        try identity.requireConfirmation(at: features.now())
        return try await ProviderRedirect(accounts: features.accounts).redirectToProvider(
            request, context, linkTo: identity.userID, next: ReturnPath("/account/identities"))
    }

    private func linkForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let pendingIdentity = try await service.pendingIdentity(cookie.secret(in: request))
        guard pendingIdentity.linkTo == identity.userID else { throw ProviderSignInError.otherPerson }
        let view = LinkView(
            provider: features.accounts.signIn.name(ofIssuer: pendingIdentity.issuer),
            name: pendingIdentity.email ?? pendingIdentity.suggestedName,
            handle: identity.handle)
        return try pages.answer(
            .link, view, head: PageHead(title: "Link an identity", place: .account, viewer: identity))
    }

    private func link(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.link(cookie.secret(in: request), to: try context.requireIdentity().userID)
        return .seeOther("/account/identities", headers: [.cacheControl: "no-store", .setCookie: cookie.clearing])
    }

    private func unlink(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = IdentityID(try context.path("id")) else { throw APIError.notFound("This identity") }
        try await service.unlink(id, by: try context.requireIdentity())
        return .seeOther("/account/identities")
    }
}

/// The form in which a newcomer chooses a name.
struct SignUpView: Sendable {
    struct Field: Sendable {
        let name: String
        let label: Phrase
        let type: String
        let autocomplete: String
        let hint: Phrase
        let isRequired: Bool
        let value: String
        let mistake: Phrase?
    }

    let provider: String
    let fields: [Field]
    let problem: Phrase?

    init(_ identity: PendingIdentity, provider: String, form: QueryParameters?, problem: FormProblem?) {
        self.provider = provider
        self.problem = problem?.summary
        func field(
            _ name: String, _ label: Phrase, _ type: String, _ autocomplete: String, _ hint: Phrase, _ first: String?,
            isRequired: Bool = true
        ) -> Field {
            Field(
                name: name, label: label, type: type, autocomplete: autocomplete, hint: hint, isRequired: isRequired,
                value: form.map { $0[name] ?? "" } ?? first ?? "", mistake: problem?.mistakes[name])
        }
        let handle = identity.suggestedName?.lowercased().replacing(" ", with: "-") ?? ""
        fields = [
            field(
                "handle", "User name", "text", "username", "Your public name: lower-case letters, digits, hyphens.",
                AccountRules.isHandle(handle) ? handle : nil),
            field("email", "E-mail address", "email", "email", "Never shown to others.", identity.email),
            field("displayName", "Display name", "text", "name", "Optional.", nil, isRequired: false),
        ]
    }
}

/// What an account can be entered with, and what could be added.
struct IdentitiesView: Sendable {
    struct Linked: Sendable {
        let id: String
        let provider: String
        let email: String?
        let linked: DisplayTime
        let lastUsed: Phrase
    }

    struct Offer: Sendable {
        let provider: String
        let address: String
    }

    let identities: [Linked]
    let hasIdentities: Bool
    let offers: [Offer]
    let hasOffers: Bool

    init(_ linked: [LinkedIdentity], providers: [SignInProvider], now: Date) {
        identities = linked.map { identity in
            Linked(
                id: identity.id.description, provider: identity.provider, email: identity.email,
                linked: DisplayTime(identity.linkedAt, now: now),
                lastUsed: identity.lastUsedAt.map { DisplayTime($0, now: now).ago } ?? "never")
        }
        hasIdentities = !identities.isEmpty
        // What is linked already needs no second offer.
        let linkedNames = Set(linked.map(\.provider))
        offers = providers.filter { !linkedNames.contains($0.name) }.map {
            Offer(provider: $0.name, address: "/account/identities/link/\($0.id)")
        }
        hasOffers = !offers.isEmpty
    }
}

/// The question before an identity is linked.
struct LinkView: Sendable {
    let provider: String
    let name: String?
    let handle: String
}
