// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import ModerationService

/// The pages for everybody with a browser. They work without scripts; scripts add progress, live news and zooming.
package struct WebRoutes: Sendable {
    private let features: Features
    private let pages: WebPages

    package init(features: Features, pages: WebPages) {
        self.features = features
        self.pages = pages
    }

    /// Enters the pages at the root; the API keeps its own prefix.
    package func register(on routes: APIRoutes) {
        let routes = routes.webPages.wrapping(pages.marks.refreshing(features))
        pages.files.register(on: routes)
        LanguageRoutes(features: features).register(on: routes)
        HintRoutes(features: features).register(on: routes)
        CatalogPages(features: features, pages: pages).register(on: routes)
        EmbedPages(features: features, pages: pages).register(on: routes)
        CollectionPages(features: features, pages: pages).register(on: routes)
        AuthorPages(features: features, pages: pages).register(on: routes)
        GamePages(features: features, pages: pages).register(on: routes)
        MemberCollectionPages(features: features, pages: pages).register(on: routes)
        ReviewPages(features: features).register(on: routes)
        GuidelinePages(features: features, pages: pages).register(on: routes)
        InfoPages(features: features, pages: pages).register(on: routes)
        InstallPages(pages: pages).register(on: routes)
        DiscoveryRoutes(features: features, pages: pages).register(on: routes)
        ServiceWorkerRoutes(pages: pages).register(on: routes)
        SitemapRoutes(features: features).register(on: routes)
        TransparencyPages(features: features, pages: pages).register(on: routes)
    }
}

/// Failures as pages, for browsers outside the API.
package struct ProblemPages: Sendable {
    package let pages: WebPages
    package let authenticate: APIRoutes.Authenticate
    private let languageCookie: LanguageCookie

    package init(pages: WebPages, authenticate: @escaping APIRoutes.Authenticate, languageCookie: LanguageCookie) {
        self.languageCookie = languageCookie
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
            let next = request.method.isSafe ? request.uri.string : PagePaths.security
            return .seeOther(
                PageAddress("/account/confirm").with("next", next).text, headers: [.cacheControl: "no-store"])
        }
        if error.code == .secondFactorEnrolmentRequired {
            return .seeOther("/account/second-factor", headers: [.cacheControl: "no-store"])
        }
        // While the service itself is in trouble, nothing more is asked of it.
        var viewer = error.status.code < 500 ? try? await authenticate(request) : nil
        let language = languageCookie.language(for: request, viewer)
        viewer?.language = language
        // A credential that fails counts as none here: the page is about the failure that came first.
        let view = ProblemView(error, requestID: context.requestID)
        // A page that cannot be made is answered by a problem document, as the caller's `nil` says.
        return try? pages.answer(
            .problem, view, head: PageHead(title: view.heading, viewer: viewer, language: language),
            status: error.status,
            headers: error.headers)
    }

    private static func isWebPage(_ request: Request) -> Bool {
        let path = request.uri.path
        return path != "/api" && !path.hasPrefix("/api/") && request.headers[.accept]?.contains("text/html") == true
    }
}

/// A failure in words.
struct ProblemView: Sendable {
    let heading: Phrase
    let detail: Phrase
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
        let faults = error.errors.map { Phrase(verbatim: "\($0.pointer): ") + Phrase(told: $0.detail) }
        let told = error.detail.map { [Phrase(told: $0)] } ?? []
        detail = (told + faults).joined(separator: " ")
    }
}
