// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketContract
import MarketHTTP
import MarketPlatform
import Mustache
import NIOCore
import SheetCore

/// The pages' templates and static files, read once at the start.
package struct WebPages: Sendable {
    /// The templates that there must be.
    package enum Template: String, CaseIterable {
        case home, sheet, register, login, upload, submission, account, queue, `case`, docs, problem, transparency
        case signup, identities, link, privacy
        case secondStep = "second-step"
        case security, confirm, enrol
        case recoveryCodes = "recovery-codes"
        case forgotPassword = "forgot-password"
        case resetPassword = "reset-password"
        case verifyEmail = "verify-email"
        case manage
        case sheetStatistics = "sheet-statistics"
        case author, collection, collections
        case editCollection = "edit-collection"
        case deleteCollection = "delete-collection"
        case addToCollection = "add-to-collection"
        case memberCollection = "member-collection"
        case ownCollections = "own-collections"
        case ownCollection = "own-collection"
        case collect, profile, inbox
        case gameList = "game-list"
        case proposeGame = "propose-game"
        case editRegions = "edit-regions"
        case webhooks, webhook, following
        case report, reports, appeals, appeal
        case manyCases = "many-cases"
        case newCase = "new-case"
        case editGame = "edit-game"
        case mergeGame = "merge-game"
        case tags, tag
        case changeTag = "change-tag"
        case reviewHistory = "review-history"
        case audit, rules, statistics, people, person, games, operation, emails, email
        case welcome
        case ownSheets = "own-sheets"
        case copyright
        case copyrightNotice = "copyright-notice"
        case copyrightClaims = "copyright-claims"
        case copyrightClaim = "copyright-claim"
        case text, guidelines, help, licences, install, embed, problems
        case signInLink = "sign-in-link"
        case docsGroup = "docs-group"
        case docsCall = "docs-call"
        case docsShapes = "docs-shapes"
        case docsShape = "docs-shape"
        case problemCode = "problem-code"
        case offline
    }

    /// What stands under `/static/`.
    package let files: StaticFiles
    /// What `/openapi.json` and `/docs` are made of.
    package let contract: ContractFragments
    /// What the operator says of the market.
    package let site: SiteSettings
    /// The operator's texts, or ours.
    let texts: SiteTexts
    /// What whoever is signed in is shown of themselves.
    package let marks = ViewerMarks()
    /// The players' command, where there is one to hand out.
    let client: ServedFile?
    private let libraries: PageLibraries

    /// Reads `templates/`, `static/`, `openapi/` and `texts/` in `folder`; throws `AssetError`.
    package init(folder: URL, site: SiteSettings = SiteSettings()) throws {
        self.site = site
        client = site.clientProgram.map { ServedFile($0) }
        texts = try SiteTexts(folder: folder.appendingPathComponent("texts"), own: site.texts)
        files = try StaticFiles(folder: folder.appendingPathComponent("static"))
        contract = try ContractFragments(folder: folder.appendingPathComponent("openapi"))
        libraries = try PageLibraries(
            sources: try Self.sources(folder: folder.appendingPathComponent("templates")),
            catalogs: folder.appendingPathComponent("texts"))
    }

    /// The parameters that a call's query may have, by the contract; `nil` for what is not a call of the API.
    package func queryParameters(of route: RouteDescription) -> Set<String>? { contract.queryParameters(of: route) }

    /// A page's bytes.
    package func render(_ template: Template, _ content: some Sendable, head: PageHead) throws -> ByteBuffer {
        ByteBuffer(string: try text(template, content, head: head))
    }

    private func text(_ template: Template, _ content: some Sendable, head: PageHead) throws -> String {
        let page = Page(
            frame: PageFrame(
                head: head, siteName: site.name, mark: head.viewer.map { marks.mark(of: $0.userID) }
            ) { files.address($0) },
            page: content)
        guard let text = try libraries.library(head.language).render(page, withTemplate: template.rawValue) else {
            throw AssetError(description: "web/templates/\(template.rawValue).mustache is missing")
        }
        return text
    }

    /// A page without the site's frame, in English.
    func renderBare(_ template: Template, _ content: some Sendable) throws -> ByteBuffer {
        guard let text = try libraries.library(.english).render(content, withTemplate: template.rawValue) else {
            throw AssetError(description: "web/templates/\(template.rawValue).mustache is missing")
        }
        return ByteBuffer(string: text)
    }

    /// A page as an answer, with the header fields that every page has.
    package func answer(
        _ template: Template, _ content: some Sendable, head: PageHead, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws -> Response {
        var fields = PageSecurity.headers
        fields[.cacheControl] = "private, no-store"
        for field in headers { fields[field.name] = field.value }
        var text = try text(template, content, head: head)
        if status.code >= 400 { text = FormFaults.linked(text) }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// A page that is made once for everybody who is not signed in. `isKept` says that a browser may go on showing it
    /// without a network.
    func cached(
        _ request: Request, _ context: MarketRequestContext, by responses: ResponseCache,
        variant: String? = nil, isKept: Bool = false, make: @escaping @Sendable () async throws -> ByteBuffer
    ) async throws -> Response {
        let variant = [context.language.rawValue, variant].compactMap { $0 }.joined(separator: " ")
        return try await responses.response(to: request, context: context, variant: variant) {
            var headers = PageSecurity.headers
            headers[.cacheControl] = isKept ? "no-cache" : "private, no-cache"
            return .init(body: try await make(), headers: headers)
        }
    }

    /// The templates in `folder`, those that other templates include among them; throws when a page's is missing.
    private static func names(in folder: URL) throws -> [String] {
        let suffix = ".mustache"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let names = files.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(suffix.count)) }
        for missing in Template.allCases where !names.contains(missing.rawValue) {
            throw AssetError(
                description: "web/templates/\(missing.rawValue).mustache cannot be read in \(folder.path)")
        }
        return names.sorted()
    }

    private static func sources(folder: URL) throws -> [String: String] {
        var sources: [String: String] = [:]
        for name in try names(in: folder) {
            let place = "web/templates/\(name).mustache"
            let file = folder.appendingPathComponent("\(name).mustache")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else {
                throw AssetError(description: "\(place) cannot be read in \(folder.path)")
            }
            guard !text.contains("{{{"), !text.contains("{{&") else {
                throw AssetError(description: "\(place) puts something in unescaped; pages never do")
            }
            sources[name] = text
        }
        return sources
    }
}

/// What the layout is given: itself under `frame`, the page's own values under `page`.
private struct Page<Content: Sendable>: Sendable {
    let frame: PageFrame
    let page: Content
}

/// What a page says of itself to the layout.
package struct PageHead: Sendable {
    /// Parts of the site that the navigation marks as being here.
    package enum Place: Sendable {
        case browse, collections, upload, moderation, account, signIn, register, elsewhere
    }

    package var title: Phrase
    package var place = Place.elsewhere
    package var viewer: Identity?
    /// Files under `static/`.
    package var scripts: [String] = []
    /// Files there that come after the style of all pages.
    package var styles: [String] = []
    /// Said to search engines and in links that people share.
    package var summary: Phrase?
    /// In which the page is.
    package var language: PageLanguage
    /// For whoever is here for the first time.
    package var hint: VisitHint?
    /// What readers of feeds can subscribe to.
    package var feeds: [Feed] = []
    /// The page's one address, where the same is to be had at others.
    var canonical: String?
    /// What others show of the page where its address is shared.
    var share: ShareCard?

    package init(
        title: Phrase, place: Place = Place.elsewhere, viewer: Identity? = nil, scripts: [String] = [],
        styles: [String] = [], summary: Phrase? = nil, feeds: [Feed] = [], language: PageLanguage? = nil
    ) {
        self.language = language ?? viewer?.language ?? .english
        self.title = title
        self.place = place
        self.viewer = viewer
        self.scripts = scripts
        self.styles = styles
        self.summary = summary
        self.feeds = feeds
    }

    /// A feed that belongs to the page.
    package struct Feed: Sendable {
        let title: Phrase
        let address: String
    }
}

private struct PageFrame: Sendable {
    struct Viewer: Sendable {
        let handle: String
        let isModerator: Bool
        /// How much waits in the inbox, where anything does.
        let unread: String?
        let inboxLabel: Phrase
        let disc: PersonDisc?

        init(_ identity: Identity, _ mark: ViewerMarks.Mark) {
            handle = identity.handle
            isModerator = identity.role >= .moderator
            unread = mark.unread == 0 ? nil : mark.unread > 99 ? "99+" : String(mark.unread)
            inboxLabel = unread.map { "Inbox, \($0) unread" } ?? "Inbox"
            disc = mark.disc
        }
    }

    struct Language: Sendable {
        let languageTag: String
        let languageName: String
    }

    struct Hint: Sendable {
        let hintName: String
        let words: Phrase
    }

    let title: Phrase
    let summary: Phrase
    let language: String
    let otherLanguages: [Language]
    /// Tells this showing of a form from all others. Not for pages that are kept for everybody.
    let once = UUID().uuidString
    let siteName: String
    let style: String
    let icon: String
    let touchIcon: String
    /// The script of all pages.
    let app: String
    let canonical: String?
    let share: ShareCard?
    let hint: Hint?
    /// The same where it stands beside what it is about, not above the page.
    let placedHint: Hint?
    let scripts: [String]
    let styles: [String]
    let feeds: [PageHead.Feed]
    let viewer: Viewer?
    let atBrowse: Bool
    let atCollections: Bool
    let atUpload: Bool
    let atModeration: Bool
    let atAccount: Bool
    let atSignIn: Bool
    let atRegister: Bool

    init(head: PageHead, siteName: String, mark: ViewerMarks.Mark?, address: (String) -> String) {
        title = head.title
        self.siteName = siteName
        language = head.language.rawValue
        otherLanguages = PageLanguage.allCases.filter { $0 != head.language }
            .map { Language(languageTag: $0.rawValue, languageName: $0.ownName) }
        summary = head.summary ?? "Character sheets for every game table: reviewed by people, yours offline."
        style = address("market.css")
        icon = address("icon.svg")
        touchIcon = address("icon-180.png")
        app = address("app.js")
        canonical = head.canonical
        share = head.share
        let hint = head.hint.map { Hint(hintName: $0.rawValue, words: $0.words) }
        let isPlaced = head.hint?.isPlaced == true
        self.hint = isPlaced ? nil : hint
        placedHint = isPlaced ? hint : nil
        scripts = head.scripts.map(address)
        styles = head.styles.map(address)
        feeds = head.feeds
        viewer = head.viewer.map { Viewer($0, mark ?? ViewerMarks.Mark()) }
        atBrowse = head.place == .browse
        atCollections = head.place == .collections
        atUpload = head.place == .upload
        atModeration = head.place == .moderation
        atAccount = head.place == .account
        atSignIn = head.place == .signIn
        atRegister = head.place == .register
    }
}

/// Header fields of every page.
package enum PageSecurity {
    package static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; "
        + "manifest-src 'self'; worker-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// `same-origin` keeps addresses from other sites, and lets browsers say to us where a form comes from.
    package static let headers: HTTPFields = [
        .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy, .referrerPolicy: "same-origin",
        .crossOriginOpenerPolicy: "same-origin", .vary: "Cookie, Accept-Language",
    ]
}

extension HTTPField.Name {
    /// W3C Referrer Policy.
    package static let referrerPolicy = Self("Referrer-Policy") ?? .referer
    /// WHATWG HTML: windows of other sites get no handle on ours.
    package static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy") ?? .server
}
