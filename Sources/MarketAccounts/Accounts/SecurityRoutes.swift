// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// What guards an account: the second step of signing in, sessions, password, address, second factor. What changes any
/// of it takes a browser's session and asks again; tokens cannot.
struct SecurityRoutes: Sendable {
    let accounts: AccountDependencies
    let service: AccountService

    func register(on routes: APIRoutes) {
        let costly = routes.withCost(.signIn)
        routes.post("/auth/second-factor", access: .optionalAuthentication, finishSignIn)
        costly.post("/auth/confirm", access: .enrolling, confirm)
        routes.post("/auth/verify-email", access: .optionalAuthentication, verifyEmail)
        routes.post("/auth/forgot-password", access: .optionalAuthentication, forgotPassword)
        costly.post("/auth/reset-password", access: .optionalAuthentication, resetPassword)
        routes.conditional.patch("/me", access: .session, edit)
        costly.put("/me/password", access: .session, changePassword)
        routes.put("/me/email", access: .session, changeEmail)
        routes.post("/me/email/verification", access: .session, resendVerification)
        routes.get("/me/sessions", access: .session, sessions)
        routes.delete("/me/sessions", access: .session, endOtherSessions)
        routes.delete("/me/sessions/{id}", access: .session, endSession)
        routes.get("/me/second-factor", access: .enrolling, secondFactor)
        routes.post("/me/second-factor", access: .enrolling, beginSecondFactor)
        routes.post("/me/second-factor/activate", access: .enrolling, activateSecondFactor)
        routes.post("/me/second-factor/recovery-codes", access: .session, renewCodes)
        routes.delete("/me/second-factor", access: .session, removeSecondFactor)
    }

    private static let ownOnly: HTTPFields = [.cacheControl: "private, no-store"]

    private var cookie: SessionCookie { SessionCookie(isSecure: accounts.platform.secureCookies) }

    // MARK: Signing in

    private func finishSignIn(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let step = try await request.json(SecondFactorRequest.self)
        let (account, secret) = try await service.finishSignIn(
            ticket: step.ticket, code: step.code, from: SignInDevice(request, context), address: context.clientAddress)
        return try .json(account, headers: cookie.setting(secret, for: accounts.limits.sessionSeconds))
    }

    private func confirm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.confirm(
            try context.requireIdentity(), try await request.json(ConfirmationRequest.self),
            address: context.clientAddress)
        return .empty()
    }

    // MARK: Links in e-mails

    private func verifyEmail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.verifyEmail(token: try await request.json(EmailVerification.self).token)
        return .empty()
    }

    private func forgotPassword(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.requestReset(
            login: try await request.json(PasswordResetRequest.self).login, address: context.clientAddress)
        return .empty(.accepted)
    }

    private func resetPassword(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let reset = try await request.json(PasswordReset.self)
        try await service.reset(token: reset.token, to: reset.password)
        return .empty()
    }

    // MARK: The account

    private func edit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let account = try await service.edit(
            identity, try await request.json(AccountEdit.self), if: Precondition(request))
        return try .json(account, headers: Self.ownOnly)
    }

    private func changePassword(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        try await service.changePassword(of: identity, to: try await request.json(PasswordChange.self).password)
        return .empty()
    }

    private func changeEmail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let wish = try await request.json(EmailChange.self)
        try await service.changeEmail(of: identity, to: wish.email, address: context.clientAddress)
        return .empty(.accepted)
    }

    private func resendVerification(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.resendVerification(to: try context.requireIdentity(), address: context.clientAddress)
        return .empty(.accepted)
    }

    // MARK: Sessions

    private func sessions(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.sessions(
            of: try context.requireIdentity(), try request.pageRequest(usually: PageRequest.longest))
        var headers = request.nextPageLink(list.nextCursor)
        headers.append(contentsOf: Self.ownOnly)
        return try .json(list, headers: headers)
    }

    private func endOtherSessions(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.endOtherSessions(of: try context.requireIdentity())
        return .empty()
    }

    private func endSession(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = SessionID(try context.path("id")),
            try await service.endSession(id, of: try context.requireIdentity())
        else { throw APIError.notFound("This session") }
        return .empty()
    }

    // MARK: Second factor

    private func secondFactor(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let user = try await user(context)
        return try .json(try await service.secondFactor.state(of: user), headers: Self.ownOnly)
    }

    private func beginSecondFactor(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try context.requireIdentity().requireConfirmation(at: accounts.now())
        let enrolment = try await service.secondFactor.begin(for: try await user(context))
        return try .json(enrolment, status: .created, headers: Self.ownOnly)
    }

    private func activateSecondFactor(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let session = try identity.requireConfirmation(at: accounts.now())
        let codes = try await service.secondFactor.activate(
            try await request.json(SecondFactorCode.self).code, for: identity.userID, keeping: session)
        return try .json(RecoveryCodes(recoveryCodes: codes), headers: Self.ownOnly)
    }

    private func renewCodes(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        try identity.requireConfirmation(at: accounts.now())
        let codes = try await service.secondFactor.renewCodes(of: identity.userID)
        return try .json(RecoveryCodes(recoveryCodes: codes), headers: Self.ownOnly)
    }

    private func removeSecondFactor(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        try identity.requireConfirmation(at: accounts.now())
        try await service.secondFactor.remove(of: identity.userID)
        return .empty()
    }

    private func user(_ context: MarketRequestContext) async throws -> UserRecord {
        let id = try context.requireIdentity().userID
        guard let user = try await AccountStore.user(id: id, in: accounts.database) else {
            throw APIError.authenticationRequired
        }
        return user
    }
}
