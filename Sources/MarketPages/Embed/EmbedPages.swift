// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import NIOCore
import SheetCore

/// What other sites show of a sheet: a card in a frame, told of by oEmbed, and a badge.
struct EmbedPages: Sendable {
    let features: Features
    let pages: WebPages

    /// The only page that other sites may frame. It has no form, no script and no cookie.
    static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors *; base-uri 'none'"

    func register(on routes: APIRoutes) {
        routes.get("/embed/{id}", access: .optionalAuthentication, card)
        routes.get("/sheets/{id}/badge.svg", access: .optionalAuthentication, badge)
        routes.get("/oembed", access: .optionalAuthentication, oEmbed)
    }

    private func card(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        var context = context
        // It is the same for everybody, whoever looks at it.
        context.identity = nil
        return try await features.catalog.responses.response(
            to: request, context: context, variant: context.site.variant
        ) { [features, pages, site = context.site.text] in
            async let systems = CatalogStore.gameSystems(features.database)
            let detail = try await VersionReader(database: features.database).detail(key)
            let system = try await systems.first { $0.slug == detail.summary.gameSystem }?.name
            let view = CardView(
                detail.summary, systemName: system, site: site, siteName: pages.site.name,
                style: pages.files.address("embed.css"))
            return .init(
                body: try pages.renderBare(.embed, view),
                headers: [
                    .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: Self.policy,
                    .referrerPolicy: "no-referrer",
                ])
        }
    }

    private func badge(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        var context = context
        context.identity = nil
        return try await features.catalog.responses.response(to: request, context: context) { [features] in
            let template = try await VersionReader(database: features.database).detail(key).summary
            return .init(
                body: ByteBuffer(string: SheetBadge.svg(template)),
                headers: [
                    .contentType: "image/svg+xml", .cacheControl: "public, max-age=300",
                    .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                ])
        }
    }

    private func oEmbed(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard request.query("format") ?? "json" == "json" else {
            throw APIError(.notImplemented, .badRequest, "Only format=json is there.")
        }
        let site = context.site.text
        guard let address = request.query("url"), address.hasPrefix("\(site)/sheets/"),
            let slug = Slug(String(address.dropFirst("\(site)/sheets/".count).prefix { $0 != "?" && $0 != "#" }))
        else { throw APIError(.notFound, .notFound, "'url' is the address of a sheet's page here.") }
        let width = try Self.most("maxwidth", SheetSharing.cardWidth, of: request)
        let height = try Self.most("maxheight", SheetSharing.cardHeight, of: request)
        var context = context
        context.identity = nil
        return try await features.catalog.responses.response(
            to: request, context: context, variant: context.site.variant
        ) { [features, pages] in
            let template = try await VersionReader(database: features.database).detail(.slug(slug)).summary
            return .init(
                body: try .json(
                    OEmbedAnswer(
                        template, site: site, siteName: pages.site.name, width: width, height: height)))
        }
    }

    /// The card's size, or less where less is wanted.
    private static func most(_ name: String, _ usual: Int, of request: Request) throws -> Int {
        guard let text = request.query(name) else { return usual }
        guard let most = Int(text), most >= 100 else {
            throw APIError.validation([.init(pointer: name, detail: "A whole number of 100 or more.")])
        }
        return min(most, usual)
    }
}

/// A sheet in a card.
struct CardView: Sendable {
    let style: String
    let site: String
    let siteName: String
    let address: String
    let name: String
    let summary: String
    let picture: String?
    let gameSystem: String
    let author: String
    let version: String
    let score: Phrase?
    let scoreLabel: Phrase

    init(_ template: TemplateSummary, systemName: String?, site: String, siteName: String, style: String) {
        self.style = style
        self.site = site
        self.siteName = siteName
        address = "\(site)/sheets/\(template.slug)"
        name = template.name
        summary = template.summary
        picture = template.previewURL.isEmpty ? nil : template.previewURL
        gameSystem = systemName ?? template.gameSystem
        author = template.author
        version = template.version.description
        score = template.ratingCount > 0 ? DisplayText.tenths(template.rating) : nil
        scoreLabel = "of 5 stars in \(DisplayText.count(template.ratingCount, "review"))"
    }
}

/// The answer of oEmbed 1.0 (oembed.com), as a `rich` thing.
struct OEmbedAnswer: Encodable, Sendable {
    enum CodingKeys: String, CodingKey {
        case version, type, title, html, width, height
        case authorName = "author_name"
        case authorURL = "author_url"
        case providerName = "provider_name"
        case providerURL = "provider_url"
        case cacheAge = "cache_age"
    }

    let version = "1.0"
    let type = "rich"
    let title: String
    let authorName: String
    let authorURL: String
    let providerName: String
    let providerURL: String
    let cacheAge = 3600
    let html: String
    let width: Int
    let height: Int

    init(_ template: TemplateSummary, site: String, siteName: String, width: Int, height: Int) {
        title = template.name
        authorName = template.author
        authorURL = site + PagePaths.author(template.author)
        providerName = siteName
        providerURL = site
        html = SheetSharing.frame(template, site: site, width: width, height: height)
        self.width = width
        self.height = height
    }
}
