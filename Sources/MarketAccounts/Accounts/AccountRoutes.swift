// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore

/// Registering, signing in and out, tokens.
package struct AccountRoutes: Sendable {
    package let accounts: AccountDependencies
    package let service: AccountService

    /// What keeps an account from anything now, as moderation says.
    package let sanctions: @Sendable (UserID) async throws -> [SanctionInfo]

    package init(
        accounts: AccountDependencies, service: AccountService,
        sanctions: @escaping @Sendable (UserID) async throws -> [SanctionInfo] = { _ in [] }
    ) {
        self.accounts = accounts
        self.service = service
        self.sanctions = sanctions
    }

    package func register(on routes: APIRoutes) {
        let costly = routes.withCost(.signIn)
        costly.post("/auth/register", access: .optionalAuthentication, register)
        costly.post("/auth/login", access: .optionalAuthentication, signIn)
        routes.post("/auth/logout", access: .optionalAuthentication, signOut)
        costly.post("/auth/tokens", access: .optionalAuthentication, makeToken)
        routes.get("/auth/tokens", access: .user(.read), listTokens)
        routes.delete("/auth/tokens/{id}", access: .user(.read), revokeToken)
        routes.get("/me", access: .user(.read), me)
        SecurityRoutes(accounts: accounts, service: service).register(on: routes)
    }

    private var cookie: SessionCookie { SessionCookie(isSecure: accounts.platform.secureCookies) }

    private func register(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let account = try await service.register(
            try await request.json(RegisterRequest.self), language: request.emailLanguage(accounts))
        let secret = try await service.makeSession(for: account.id, from: SignInDevice(request, context))
        return try answer(account, secret, status: .created)
    }

    private func signIn(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let login = try await request.json(LoginRequest.self)
        let account = try await service.signIn(
            login: login.login, password: login.password, address: context.clientAddress)
        switch try await service.admit(account, from: SignInDevice(request, context)) {
        case .signedIn(let secret): return try answer(account, secret)
        case .secondFactor(let ticket): throw AccountError.secondFactorRequired(ticket: ticket)
        }
    }

    /// Ends the browser's session; a token lives on until it is revoked.
    private func signOut(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        if case .session(let id) = context.identity?.credential { try await service.endSession(id) }
        return .empty(headers: cookie.clearing)
    }

    private func makeToken(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let wish = try await request.json(TokenRequest.self)
        let user: UserID
        if let login = wish.login, let password = wish.password {
            let account = try await service.signIn(login: login, password: password, address: context.clientAddress)
            try await service.checkSecondFactor(
                of: account, code: wish.code, scopes: wish.scopes, address: context.clientAddress)
            user = account.id
        } else {
            user = try context.requireIdentity().userID
        }
        // Who knows the password needs no leave of the token that was sent along.
        let maker = wish.password == nil ? context.identity : nil
        let token = try await service.makeToken(
            name: wish.name, scopes: wish.scopes, expiresInDays: wish.expiresInDays, templates: wish.templates,
            for: user,
            maker: maker)
        return try .json(token, status: .created, headers: [.cacheControl: "no-store"])
    }

    private func listTokens(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.tokens(
            of: try context.requireIdentity().userID, try request.pageRequest(usually: PageRequest.longest))
        return try request.listed(list, next: list.nextCursor)
    }

    private func revokeToken(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = TokenID(try context.path("id")),
            try await service.revokeToken(id, by: try context.requireIdentity())
        else { throw APIError.notFound("This token") }
        return .empty()
    }

    private func me(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard var account = try await service.account(context.requireIdentity().userID) else {
            throw APIError.authenticationRequired
        }
        let sanctions = try await self.sanctions(account.id)
        if !sanctions.isEmpty { account.sanctions = sanctions }
        let body = try ByteBuffer.json(account)
        return request.conditionalResponse(
            body, headers: Self.ownOnly, tag: EntityTag.of(body, state: account.editState))
    }

    /// The account, with a cookie that signs the browser in.
    private func answer(
        _ account: Account, _ secret: SessionSecret, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        try .json(account, status: status, headers: cookie.setting(secret, for: accounts.limits.sessionSeconds))
    }

    private static let ownOnly: HTTPFields = [.cacheControl: "private, no-cache"]
}

extension Request {
    /// The language that e-mails to this browser's holder should have.
    package func emailLanguage(_ accounts: AccountDependencies) -> String? {
        accounts.emailTemplates?.language(for: headers[.acceptLanguage])
    }
}
