// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire

/// Where the links in e-mails lead, and where one asks for them. Opening a link changes nothing: mail programs open
/// links by themselves; the button on the page does.
struct EmailLinkPages: Sendable {
    let features: Features
    let pages: WebPages
    let service: AccountService

    func register(on routes: APIRoutes) {
        routes.get("/forgot-password", access: .optionalAuthentication) { _, context in try forgot(context) }
        routes.post("/forgot-password", access: .optionalAuthentication, askForReset)
        routes.get("/reset-password", access: .optionalAuthentication, resetForm)
        routes.withCost(.signIn).post("/reset-password", access: .optionalAuthentication, reset)
        routes.get("/verify-email", access: .optionalAuthentication) { request, context in
            try verifyPage(VerifyEmailView(token: request.query("token")), context)
        }
        routes.post("/verify-email", access: .optionalAuthentication, verify)
    }

    // MARK: A new password

    private func forgot(_ context: MarketRequestContext, _ view: ForgotPasswordView = ForgotPasswordView()) throws
        -> Response
    {
        try pages.answer(
            .forgotPassword, view,
            head: PageHead(
                title: "Forgotten password", place: .signIn, viewer: context.identity, language: context.language),
            status: view.status, headers: view.headers)
    }

    private func askForReset(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        var view = ForgotPasswordView()
        do {
            try await service.requestReset(
                login: try await request.form()["login"] ?? "", address: context.clientAddress)
            view.isAsked = true
        } catch {
            let problem = try FormProblem(error)
            view.problem = problem.summary
            view.status = problem.status
            view.headers = problem.headers
        }
        return try forgot(context, view)
    }

    private func resetForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let token = request.query("token") ?? ""
        let holds = try await service.resetHolds(token: token)
        return try resetPage(ResetPasswordView(token: token, holds: holds, status: holds ? .ok : .gone), context)
    }

    private func reset(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let form = try await request.form()
        var view = ResetPasswordView(token: form["token"] ?? "", holds: true)
        do {
            try await service.reset(token: view.token, to: form["password"] ?? "")
            view.isDone = true
        } catch AccountError.invalidLink {
            view.holds = false
            view.status = .gone
        } catch {
            let problem = try FormProblem(error)
            view.problem = problem.mistakes["password"] ?? problem.summary
            view.status = problem.status
        }
        return try resetPage(view, context)
    }

    private func resetPage(_ view: ResetPasswordView, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .resetPassword, view,
            head: PageHead(title: "New password", place: .signIn, viewer: context.identity, language: context.language),
            status: view.status, headers: [.referrerPolicy: "no-referrer"])
    }

    // MARK: An address

    private func verify(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        var view = VerifyEmailView(token: try await request.form()["token"])
        do {
            try await service.verifyEmail(token: view.token)
            view.isDone = true
        } catch {
            let problem = try FormProblem(error)
            view.problem = problem.summary
            view.status = problem.status
        }
        return try verifyPage(view, context)
    }

    private func verifyPage(_ view: VerifyEmailView, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .verifyEmail, view,
            head: PageHead(
                title: "Confirm your address", place: .account, viewer: context.identity, language: context.language),
            status: view.status, headers: [.referrerPolicy: "no-referrer"])
    }
}

/// Asking for a new password.
struct ForgotPasswordView: Sendable {
    var isAsked = false
    var problem: Phrase?
    var status = HTTPResponse.Status.ok
    var headers: HTTPFields = [:]
}

/// Setting a new password.
struct ResetPasswordView: Sendable {
    var token: String
    var holds: Bool
    var isDone = false
    var problem: Phrase?
    var status = HTTPResponse.Status.ok
}

/// Proving an address.
struct VerifyEmailView: Sendable {
    var token: String
    var isDone = false
    var problem: Phrase?
    var status = HTTPResponse.Status.ok

    init(token: String?) {
        self.token = token ?? ""
    }
}
