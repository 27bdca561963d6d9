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
        case author, collection, collections
        case editCollection = "edit-collection"
        case deleteCollection = "delete-collection"
        case addToCollection = "add-to-collection"
        case webhooks, webhook
        case report, reports, appeals, appeal
        case copyright
        case copyrightNotice = "copyright-notice"
    }

    /// What stands under `/static/`.
    package let files: StaticFiles
    /// What `/openapi.json` and `/docs` are made of.
    package let contract: ContractFragments
    private let library: MustacheLibrary

    /// Reads `templates/`, `static/` and `openapi/` in `folder`; throws `AssetError`.
    package init(folder: URL) throws {
        files = try StaticFiles(folder: folder.appendingPathComponent("static"))
        contract = try ContractFragments(folder: folder.appendingPathComponent("openapi"))
        library = try Self.library(folder: folder.appendingPathComponent("templates"))
    }

    /// A page's bytes.
    package func render(_ template: Template, _ content: some Sendable, head: PageHead) throws -> ByteBuffer {
        let page = Page(
            frame: PageFrame(head: head, style: files.address("market.css"), icon: files.address("icon.svg")) {
                files.address($0)
            },
            page: content)
        guard let text = library.render(page, withTemplate: template.rawValue) else {
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
        return Response(
            status: status, headers: fields, body: .init(byteBuffer: try render(template, content, head: head)))
    }

    /// A page that is made once for everybody who is not signed in.
    func cached(
        _ request: Request, _ context: MarketRequestContext, by responses: ResponseCache,
        make: @escaping @Sendable () async throws -> ByteBuffer
    ) async throws -> Response {
        try await responses.response(to: request, context: context) {
            var headers = PageSecurity.headers
            headers[.cacheControl] = "private, no-cache"
            return .init(body: try await make(), headers: headers)
        }
    }

    private static func library(folder: URL) throws -> MustacheLibrary {
        MustacheContentTypes.register(EscapedHTML(), named: EscapedHTML.name)
        var library = MustacheLibrary()
        let parts = [
            "layout", "card", "changes", "differences", "fields", "figure", "findings", "kind", "case-context", "once",
            "outline", "prose", "recourse", "reviews", "risk", "sides", "spans", "thread",
        ]
        for name in parts + Template.allCases.map(\.rawValue) {
            let place = "web/templates/\(name).mustache"
            let file = folder.appendingPathComponent("\(name).mustache")
            guard let text = try? String(contentsOf: file, encoding: .utf8) else {
                throw AssetError(description: "\(place) cannot be read in \(folder.path)")
            }
            guard !text.contains("{{{"), !text.contains("{{&") else {
                throw AssetError(description: "\(place) puts something in unescaped; pages never do")
            }
            do {
                library.register(try MustacheTemplate(string: EscapedHTML.pragma + text), named: name)
            } catch let error as MustacheTemplate.ParserError {
                throw AssetError(
                    description: "\(place):\(error.context.lineNumber): \(error.error): \(error.context.line)")
            }
        }
        return library
    }
}

/// Escapes by bytes. Mustache's own escaping goes by characters, and passes a quotation mark over that carries a
/// combining accent: to a browser that mark still ends the attribute.
struct EscapedHTML: MustacheContentType {
    static let name = "MARKET"
    /// Stands at the head of each template.
    static let pragma = "{{% CONTENT_TYPE:\(name)}}"

    func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: { Self.entity($0) != nil }) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let entity = Self.entity(byte) { bytes.append(contentsOf: entity.utf8) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func entity(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
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

    package var title: String
    package var place = Place.elsewhere
    package var viewer: Identity?
    /// Files under `static/`.
    package var scripts: [String] = []
    /// Said to search engines and in links that people share.
    package var summary: String?
    /// What readers of feeds can subscribe to.
    package var feeds: [Feed] = []

    package init(
        title: String, place: Place = Place.elsewhere, viewer: Identity? = nil, scripts: [String] = [],
        summary: String? = nil, feeds: [Feed] = []
    ) {
        self.title = title
        self.place = place
        self.viewer = viewer
        self.scripts = scripts
        self.summary = summary
        self.feeds = feeds
    }

    /// A feed that belongs to the page.
    package struct Feed: Sendable {
        let title: String
        let address: String
    }
}

private struct PageFrame: Sendable {
    struct Viewer: Sendable {
        let handle: String
        let isModerator: Bool
    }

    let title: String
    let summary: String
    /// Tells this showing of a form from all others. Not for pages that are kept for everybody.
    let once = UUID().uuidString
    let style: String
    let icon: String
    let scripts: [String]
    let feeds: [PageHead.Feed]
    let viewer: Viewer?
    let atBrowse: Bool
    let atCollections: Bool
    let atUpload: Bool
    let atModeration: Bool
    let atAccount: Bool
    let atSignIn: Bool
    let atRegister: Bool

    init(head: PageHead, style: String, icon: String, address: (String) -> String) {
        title = head.title
        summary = head.summary ?? "Character sheets for every game table: checked by people, yours offline."
        self.style = style
        self.icon = icon
        scripts = head.scripts.map(address)
        feeds = head.feeds
        viewer = head.viewer.map { Viewer(handle: $0.handle, isModerator: $0.role >= .moderator) }
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
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// `same-origin` keeps addresses from other sites, and lets browsers say to us where a form comes from.
    package static let headers: HTTPFields = [
        .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy, .referrerPolicy: "same-origin",
        .crossOriginOpenerPolicy: "same-origin", .vary: "Cookie",
    ]
}

extension HTTPField.Name {
    /// W3C Referrer Policy.
    static let referrerPolicy = Self("Referrer-Policy") ?? .referer
    /// WHATWG HTML: windows of other sites get no handle on ours.
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy") ?? .server
}
