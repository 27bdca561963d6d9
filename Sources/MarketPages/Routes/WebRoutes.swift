// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketWire
import ModerationService

/// The pages for people with a browser. They work without scripts; scripts add progress, live news and zooming.
package struct WebRoutes: Sendable {
    private let features: Features
    private let pages: WebPages
    private let accounts: AccountService
    private let caseService: CaseService

    /// `accounts` is the process's one: its hasher bounds what sign-ins cost.
    package init(features: Features, pages: WebPages, accounts: AccountService, caseService: CaseService) {
        self.features = features
        self.pages = pages
        self.accounts = accounts
        self.caseService = caseService
    }

    /// Enters the pages at the root; the API keeps its own prefix.
    package func register(on routes: APIRoutes) {
        let routes = routes.webPages
        pages.files.register(on: routes)
        CatalogPages(features: features, pages: pages).register(on: routes)
        CollectionPages(features: features, pages: pages).register(on: routes)
        CollectionForms(features: features, pages: pages).register(on: routes)
        AuthorPages(features: features, pages: pages).register(on: routes)
        ReviewPages(features: features).register(on: routes)
        ReportPages(features: features, pages: pages).register(on: routes)
        AppealPages(features: features, pages: pages).register(on: routes)
        CopyrightPages(features: features, pages: pages).register(on: routes)
        AccountPages(features: features, pages: pages, service: accounts).register(on: routes)
        SignInPages(features: features, pages: pages, accounts: accounts).register(on: routes)
        PrivacyPages(features: features, pages: pages).register(on: routes)
        WebhookPages(features: features, pages: pages).register(on: routes)
        SecurityPages(features: features, pages: pages, service: accounts).register(on: routes)
        EmailLinkPages(features: features, pages: pages, service: accounts).register(on: routes)
        UploadPages(features: features, pages: pages).register(on: routes)
        ManagePages(features: features, pages: pages).register(on: routes)
        SubmissionPages(features: features, pages: pages, caseService: caseService).register(on: routes)
        TransparencyPages(features: features, pages: pages).register(on: routes)
        CasePages(features: features, pages: pages, service: caseService).register(on: routes)
    }
}

/// Failures as pages, for browsers outside the API.
package struct ProblemPages: Sendable {
    package let pages: WebPages
    package let authenticate: APIRoutes.Authenticate

    package init(pages: WebPages, authenticate: @escaping APIRoutes.Authenticate) {
        self.pages = pages
        self.authenticate = authenticate
    }

    /// The page of `error`; `nil` when the caller is better served with a problem document.
    package func answer(_ error: APIError, _ request: Request, _ context: MarketRequestContext) async -> Response? {
        guard Self.isWebPage(request) else { return nil }
        if error.code == .authenticationRequired {
            let next = request.method.isSafe ? request.uri.string : nil
            return .seeOther(PageAddress("/login").with("next", next).text, headers: [.cacheControl: "no-store"])
        }
        if error.code == .confirmationRequired {
            let next = request.method.isSafe ? request.uri.string : SecurityPages.home
            return .seeOther(
                PageAddress("/account/confirm").with("next", next).text, headers: [.cacheControl: "no-store"])
        }
        if error.code == .secondFactorEnrolmentRequired {
            return .seeOther("/account/second-factor", headers: [.cacheControl: "no-store"])
        }
        // While the service itself is in trouble, nothing more is asked of it.
        let viewer = error.status.code < 500 ? try? await authenticate(request) : nil
        // A credential that fails counts as none here: the page is about the failure that came first.
        let view = ProblemView(error, requestID: context.requestID)
        // A page that cannot be made is answered by a problem document, as the caller's `nil` says.
        return try? pages.answer(
            .problem, view, head: PageHead(title: view.heading, viewer: viewer), status: error.status,
            headers: error.headers)
    }

    private static func isWebPage(_ request: Request) -> Bool {
        let path = request.uri.path
        return path != "/api" && !path.hasPrefix("/api/") && request.headers[.accept]?.contains("text/html") == true
    }
}

/// A failure in words.
struct ProblemView: Sendable {
    let heading: String
    let detail: String
    let status: Int
    let code: String
    let requestID: String
    let isGone: Bool
    /// Whether a sanction is in the way, which can be read and appealed.
    let isSuspended: Bool
    /// Whether a decision is, which its author can read and object to.
    let isTakenDown: Bool
    /// The page to go back to.
    let back: String?

    init(_ error: APIError, requestID: String) {
        status = error.status.code
        code = error.code.rawValue
        self.requestID = requestID
        isGone = status == 404 || status == 410
        isSuspended = error.code == .suspended
        isTakenDown = error.code == .takenDown
        back = error.page
        heading =
            switch status {
            case 409 where error.code == .idempotencyAnswerNotKept: "This was made already"
            case 409 where error.code == .idempotencyKeyInUse: "One moment"
            case 410 where error.code == .takenDown: "This was taken down"
            case 404: "Nothing here"
            case 410: "This is gone"
            case 403: "Not allowed"
            case 405: "That does not work here"
            case 413: "Too large"
            case 429: "Too fast"
            case 503, 507: "Back in a moment"
            case 500...: "Something broke"
            default: "That did not work"
            }
        let faults = error.errors.map { "\($0.pointer): \($0.detail)" }
        detail = ([error.detail] + faults).compactMap { $0 }.joined(separator: " ")
    }
}
