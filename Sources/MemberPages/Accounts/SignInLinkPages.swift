// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform

/// Where the link leads that `up` prints. Opening it changes nothing, the button on the page does.
struct SignInLinkPages: Sendable {
    let features: Features
    let pages: WebPages
    let service: AccountService

    func register(on routes: APIRoutes) {
        routes.get(PagePaths.signInLink, access: .optionalAuthentication, show)
        routes.withCost(.signIn).post(PagePaths.signInLink, access: .optionalAuthentication, signIn)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let code = request.query("code") ?? ""
        return try page(SignInLinkView(code: code, holder: try await service.signInLinkHolder(code)), context)
    }

    private func signIn(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try CSRFProtection.checkIfFromBrowser(request)
        let code = try await request.form()["code"] ?? ""
        do {
            switch try await service.signIn(link: code, from: SignInDevice(request, context)) {
            case .signedIn(let secret):
                return .seeOther(
                    "/",
                    headers: SessionCookie(isSecure: features.platform.secureCookies).setting(
                        secret, for: features.accounts.limits.sessionSeconds))
            case .secondFactor(let ticket):
                return try pages.answer(
                    .secondStep, SecondStepView(ticket: ticket, problem: nil, next: ReturnPath("/")),
                    head: PageHead(title: "Sign in", place: .signIn, language: context.language))
            }
        } catch AccountError.invalidLink {
            return try page(SignInLinkView(code: code, holder: nil), context)
        }
    }

    private func page(_ view: SignInLinkView, _ context: MarketRequestContext) throws -> Response {
        try pages.answer(
            .signInLink, view, head: PageHead(title: "Sign in", place: .signIn, language: context.language),
            status: view.holds ? .ok : .gone,
            headers: [.referrerPolicy: "no-referrer"])
    }
}

/// Signing in by a link.
struct SignInLinkView: Sendable {
    let code: String
    let holder: String?
    let holds: Bool

    init(code: String, holder: String?) {
        self.code = code
        self.holder = holder
        holds = holder != nil
    }
}
