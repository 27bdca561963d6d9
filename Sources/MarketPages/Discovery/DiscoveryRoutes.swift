// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore

/// What programs ask a site for by its well-known names: robots, the security contact, icons, the app's manifest.
struct DiscoveryRoutes: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/robots.txt", access: .withoutAuthentication) { _, context in
            Self.text(Self.robots(site: context.site.text))
        }
        routes.get("/.well-known/security.txt", access: .withoutAuthentication) { _, context in
            guard let contact = pages.site.contactAddress else {
                throw APIError(.notFound, .notFound, "The operator has named no contact.")
            }
            return Self.text(SecurityContact.text(contact, site: context.site.text, now: features.now()))
        }
        routes.get("/favicon.ico", access: .withoutAuthentication) { request, _ in
            try pages.files.response("favicon.ico", to: request)
        }
        routes.get("/manifest.webmanifest", access: .withoutAuthentication) { request, _ in
            request.conditionalResponse(
                try .json(AppManifest(pages)),
                headers: [.contentType: "application/manifest+json", .cacheControl: "public, max-age=3600"])
        }
    }

    private static func text(_ text: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "public, max-age=3600"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// What may be looked at stands there by name, everything else is closed (RFC 9309: the longest match wins).
    static func robots(site: String) -> String {
        let open = [
            "/$", "/?cursor=", "/sheets/", "/authors/", "/collections", "/games$", "/about$", "/guidelines$", "/help$",
            "/install$",
            "/licences$", "/privacy$", "/terms$", "/transparency$", "/docs", "/problems", "/openapi.json", "/feeds/",
            "/static/", "/favicon.ico", "/manifest.webmanifest", "/sitemap.xml", "/sitemaps/",
            "/api/v1/templates/*/preview",
        ]
        // Forms about a sheet, and the same page in other orders.
        let closed = ["/sheets/*/", "/sheets/*?", "/authors/*/report", "/collections/*/", "/docs?"]
        return """
            User-agent: *
            \(open.map { "Allow: \($0)\n" }.joined())\(closed.map { "Disallow: \($0)\n" }.joined())Disallow: /

            Sitemap: \(site)/sitemap.xml

            """
    }
}

/// Whom to tell of a hole in the software (RFC 9116).
enum SecurityContact {
    /// Half a year to a whole one: it changes on the first of a month, so that it never runs out.
    static func text(_ contact: String, site: String, now: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let month = calendar.dateInterval(of: .month, for: now)?.start ?? now
        let end = calendar.date(byAdding: .month, value: 7, to: month) ?? now.addingTimeInterval(180 * 86_400)
        return """
            Contact: \(contact)
            Expires: \(end.formatted(.iso8601))
            Preferred-Languages: en
            Canonical: \(site)/.well-known/security.txt
            Policy: \(site)/help#contact

            """
    }
}

/// What a browser needs to install the pages as an app (W3C Web Application Manifest).
struct AppManifest: Encodable, Sendable {
    struct Icon: Encodable, Sendable {
        let src: String
        let sizes: String
        let type: String
        let purpose: String
    }

    struct Shortcut: Encodable, Sendable {
        let name: String
        let url: String
    }

    enum CodingKeys: String, CodingKey {
        case id, name, description, display, lang, icons, shortcuts
        case shortName = "short_name"
        case startURL = "start_url"
        case backgroundColor = "background_color"
        case themeColor = "theme_color"
    }

    let id = "/"
    let name: String
    let shortName: String
    let description = "Character sheets for every game table: reviewed by people, yours offline."
    let startURL = "/"
    let display = "minimal-ui"
    let lang = "en"
    let backgroundColor = "#f8f5ef"
    let themeColor = "#7a2e2e"
    let icons: [Icon]
    let shortcuts = [
        Shortcut(name: "Collections", url: "/collections"), Shortcut(name: "Upload a sheet", url: "/upload"),
        Shortcut(name: "Your account", url: "/account"),
    ]

    init(_ pages: WebPages) {
        name = pages.site.name
        shortName = String(pages.site.name.prefix(24))
        icons = [
            Icon(src: pages.files.address("icon.svg"), sizes: "any", type: "image/svg+xml", purpose: "any"),
            Icon(src: pages.files.address("icon-192.png"), sizes: "192x192", type: "image/png", purpose: "any"),
            Icon(src: pages.files.address("icon-512.png"), sizes: "512x512", type: "image/png", purpose: "any"),
            Icon(
                src: pages.files.address("icon-maskable.png"), sizes: "512x512", type: "image/png", purpose: "maskable"),
        ]
    }
}
