// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore

/// What search engines may list (sitemaps.org): an index, and pages of addresses below it.
struct SitemapRoutes: Sendable {
    /// Addresses on a page. The protocol takes 50,000 and 50 MB; smaller pages are made and read sooner.
    static let pageSize = 10_000

    let features: Features
    var pageSize = Self.pageSize

    func register(on routes: APIRoutes) {
        let routes = routes.withCost(.search)
        routes.get("/sitemap.xml", access: .optionalAuthentication, index)
        routes.get("/sitemaps/pages.xml", access: .optionalAuthentication) { request, context in
            let site = context.site.text
            return try await answer(request, context) { _ in
                Self.set(Self.fixed.map { .init(path: $0, changed: nil) }, site: site)
            }
        }
        for kind in SitemapStore.Kind.allCases {
            routes.get("/sitemaps/\(kind.rawValue).xml", access: .optionalAuthentication) { request, context in
                let site = context.site.text
                let start = request.query("from") ?? ""
                return try await answer(request, context) { features in
                    let entries = try await SitemapStore.entries(
                        of: kind, from: start, size: pageSize, features.database)
                    guard !entries.isEmpty || start.isEmpty else { throw APIError.notFound("This part of the sitemap") }
                    return Self.set(entries, site: site)
                }
            }
        }
    }

    /// Pages that are there in every market.
    private static let fixed = [
        "/", "/collections", "/about", "/guidelines", "/help", "/install", "/licences", "/privacy", "/terms",
        "/transparency", "/docs", "/problems",
    ]

    private func index(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let site = context.site.text
        return try await answer(request, context) { features in
            var parts = ["/sitemaps/pages.xml"]
            for kind in SitemapStore.Kind.allCases {
                for start in try await SitemapStore.starts(of: kind, size: pageSize, features.database) {
                    parts.append(PageAddress("/sitemaps/\(kind.rawValue).xml").with("from", start).text)
                }
            }
            let lines = parts.map { "<sitemap><loc>\(AtomFeed.escaped(site + $0))</loc></sitemap>\n" }
            return Self.document("sitemapindex", lines)
        }
    }

    private static func set(_ entries: [SitemapStore.Entry], site: String) -> ByteBuffer {
        let lines = entries.map { entry in
            let changed = entry.changed.map { "<lastmod>\($0.formatted(.iso8601))</lastmod>" } ?? ""
            return "<url><loc>\(AtomFeed.escaped(site + entry.path))</loc>\(changed)</url>\n"
        }
        return document("urlset", lines)
    }

    private static func document(_ element: String, _ lines: [String]) -> ByteBuffer {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<\(element) xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        for line in lines { text += line }
        return ByteBuffer(string: text + "</\(element)>\n")
    }

    private func answer(
        _ request: Request, _ context: MarketRequestContext,
        _ make: @escaping @Sendable (Features) async throws -> ByteBuffer
    ) async throws -> Response {
        try await features.catalog.responses.response(
            to: request, context: context, variant: context.site.variant
        ) { [features] in
            .init(body: try await make(features), headers: [.contentType: "application/xml; charset=utf-8"])
        }
    }
}
