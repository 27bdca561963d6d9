// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketIngest
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// Registering, signing in and out, and a person's own page.
struct AccountPages: Sendable {
    private static let uploadsShown = 20
    /// Tokens, and invitations, on a page.
    static let rowsShown = 50

    let features: Features
    let pages: WebPages
    let service: AccountService

    func register(on routes: APIRoutes) {
        let costly = routes.withCost(.signIn)
        routes.get("/register", access: .optionalAuthentication, registerForm)
        costly.post("/register", access: .optionalAuthentication, register)
        routes.get("/login", access: .optionalAuthentication, signInForm)
        costly.post("/login", access: .optionalAuthentication, signIn)
        routes.post("/login/second-factor", access: .optionalAuthentication, finishSignIn)
        routes.post("/logout", access: .optionalAuthentication, signOut)
        routes.get("/account", access: .user(.read), account)
        routes.post("/account/tokens", access: .user(.read), makeToken)
        routes.post("/account/tokens/{id}/revoke", access: .user(.read), revokeToken)
        routes.post("/account/invitations/{id}/accept", access: .user(.templatesWrite)) {
            try await answer($0, $1, .accept)
        }
        routes.post("/account/invitations/{id}/decline", access: .user(.templatesWrite)) {
            try await answer($0, $1, .decline)
        }
    }

    private var cookie: SessionCookie { SessionCookie(isSecure: features.platform.secureCookies) }

    private func providers(_ next: ReturnPath) -> [SignInProvider] {
        ProviderSignIn(accounts: features.accounts).providers(next: next.text)
    }

    // MARK: Registering

    private func registerForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let next = ReturnPath(request.query("next"))
        if context.identity != nil { return .seeOther(next.text) }
        return try answer(
            RegisterView(
                fields: QueryParameters(nil), problem: nil, next: next,
                emailRequired: features.accounts.limits.emailRequired,
                providers: providers(next)), context)
    }

    private func register(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let form = try await request.form()
        let next = ReturnPath(form["next"])
        let kept = KeptPassword(secrets: features.platform.secrets)
        let password = form["password"] ?? kept.opened(form["keptPassword"], at: features.now()) ?? ""
        let wish = RegisterRequest(
            handle: form["handle"] ?? "", email: form["email"], password: password,
            displayName: form["displayName"])
        do {
            let account = try await service.register(wish, language: context.language.rawValue)
            let secret = try await service.makeSession(for: account.id, from: SignInDevice(request, context))
            return signedIn(secret, to: WelcomePages.address(then: next))
        } catch {
            let problem = try FormProblem(error)
            return try answer(
                RegisterView(
                    fields: form, problem: problem, next: next,
                    keptPassword: problem.mistakes["password"] == nil
                        ? kept.sealed(password, at: features.now()) : nil,
                    emailRequired: features.accounts.limits.emailRequired,
                    providers: providers(next)), context)
        }
    }

    private func answer(_ view: RegisterView, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .register, view, head: PageHead(title: "Register", place: .register, language: context.language),
            status: view.status,
            headers: view.headers)
    }

    // MARK: Signing in and out

    private func signInForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let next = ReturnPath(request.query("next"))
        if context.identity != nil { return .seeOther(next.text) }
        return try answer(SignInView(login: "", problem: nil, next: next, providers: providers(next)), context)
    }

    private func signIn(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let form = try await request.form()
        let next = ReturnPath(form["next"])
        let login = form["login"] ?? ""
        do {
            let account = try await service.signIn(
                login: login, password: form["password"] ?? "", address: context.clientAddress)
            switch try await service.admit(account, from: SignInDevice(request, context)) {
            case .signedIn(let secret): return signedIn(secret, next)
            case .secondFactor(let ticket):
                return try answer(SecondStepView(ticket: ticket, problem: nil, next: next), context)
            }
        } catch {
            return try answer(
                SignInView(login: login, problem: FormProblem(error), next: next, providers: providers(next)), context)
        }
    }

    private func answer(_ view: SignInView, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .login, view, head: PageHead(title: "Sign in", place: .signIn, language: context.language),
            status: view.status, headers: view.headers)
    }

    /// The second step. A ticket that holds no more leads back to the first.
    private func finishSignIn(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let form = try await request.form()
        let next = ReturnPath(form["next"])
        let ticket = form["ticket"] ?? ""
        do {
            let (_, secret) = try await service.finishSignIn(
                ticket: ticket, code: form["code"] ?? "", from: SignInDevice(request, context),
                address: context.clientAddress)
            return signedIn(secret, next)
        } catch AccountError.invalidLink {
            let problem = try FormProblem(
                APIError(.gone, .invalidLink, "This took too long, or there were too many wrong codes. Begin again."))
            return try answer(SignInView(login: "", problem: problem, next: next, providers: providers(next)), context)
        } catch {
            return try answer(SecondStepView(ticket: ticket, problem: FormProblem(error), next: next), context)
        }
    }

    private func answer(_ view: SecondStepView, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .secondStep, view, head: PageHead(title: "Sign in", place: .signIn, language: context.language),
            status: view.status,
            headers: view.headers)
    }

    private func signedIn(_ secret: SessionSecret, _ next: ReturnPath) -> Response {
        signedIn(secret, to: next.text)
    }

    private func signedIn(_ secret: SessionSecret, to address: String) -> Response {
        .seeOther(address, headers: cookie.setting(secret, for: features.accounts.limits.sessionSeconds))
    }

    private func signOut(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        if case .session(let id) = context.identity?.credential { try await service.endSession(id) }
        return .seeOther("/", headers: cookie.clearing)
    }

    // MARK: The account's page

    private func account(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await accountPage(request, context)
    }

    private func makeToken(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let form = try await request.form()
        let scopes = form.all("scope").map { TokenScope(rawValue: $0) }
        do {
            // A number that is none is refused like one that is out of range.
            let days = form["expiresInDays"].map { Int($0) ?? 0 }
            let templates = form.all("template")
            let token = try await service.makeToken(
                name: form["name"] ?? "", scopes: scopes, expiresInDays: days,
                templates: templates.isEmpty ? nil : templates, for: identity.userID, maker: identity)
            // Not by a redirect: this answer is the only place where the secret ever stands.
            return try await accountPage(request, context, newToken: token)
        } catch  where APIError.mapping(error).error.code == .confirmationRequired {
            return .seeOther(PageAddress("/account/confirm").with("next", "/account#tokens").text)
        } catch {
            return try await accountPage(request, context, problem: try FormProblem(error), form: form)
        }
    }

    private func revokeToken(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = TokenID(try context.path("id")),
            try await service.revokeToken(id, by: try context.requireIdentity())
        else { throw APIError.notFound("This token") }
        return .seeOther("/account#tokens")
    }

    private func answer(
        _ request: Request, _ context: MarketRequestContext, _ answer: AuthorService.Answer
    ) async throws -> Response {
        guard let id = InvitationID(try context.path("id")) else { throw APIError.notFound("This invitation") }
        let invitation = try await AuthorService(catalog: features.catalog).answer(
            id, answer, by: try context.requireIdentity(), requestID: context.requestID)
        return .seeOther(answer == .accept ? PagePaths.sheet(invitation.templateSlug) : "/account#invitations")
    }

    private func accountPage(
        _ request: Request, _ context: MarketRequestContext, newToken: NewToken? = nil, problem: FormProblem? = nil,
        form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let tokenPart = PageRequest(cursor: request.query("tokens"), limit: Self.rowsShown)
        let invitationPart = PageRequest(cursor: request.query("invitations"), limit: Self.rowsShown)
        async let tokens = service.tokens(of: identity.userID, tokenPart)
        async let invitations = AuthorService(catalog: features.catalog).invitations(
            for: identity.userID, invitationPart)
        async let news = FollowingService(platform: features.platform).news(of: identity.userID)
        async let templates = CredentialStore.templates(by: identity.userID, in: features.database)
        var uploads = try await SubmissionStore.list(
            uploader: identity.userID, before: request.query("before").flatMap { SubmissionID($0) },
            limit: Self.uploadsShown + 1, in: features.database)
        let hasMore = uploads.count > Self.uploadsShown
        if hasMore { uploads.removeLast() }
        guard let account = try await service.account(identity.userID) else { throw APIError.authenticationRequired }
        var view = AccountView(
            account: account, uploads: uploads,
            fates: try await SubmissionStore.withdrawnVersions(of: uploads.map(\.id), in: features.database),
            hasMore: hasMore, invitations: try await invitations, tokens: try await tokens,
            templates: try await templates, newToken: newToken, problem: problem, form: form, now: features.now())
        let unread = try await news.unreadCount
        view.unreadNews = unread > 0 ? DisplayText.number(unread) : nil
        return try pages.answer(
            .account, view, head: PageHead(title: "Your account", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}
