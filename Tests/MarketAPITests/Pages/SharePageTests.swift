// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketCatalog
import MarketCommunity
import MarketContract
import MarketHTTP
import MarketPlatform
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketPages

@Suite("Sheets told of elsewhere")
struct SharePageTests {
    @Test("A sheet's page tells other sites of it, with absolute addresses and as data that no name breaks out of")
    func structured() async throws {
        try await CatalogScene.run { scene in
            // The letters before and after are one character with the marks beside them.
            let name = "Sheet \u{0D4E}</script>\u{301}<b> & \"more\""
            let made = try await scene.addTemplate(name, rating: 4)
            let answer = try await scene.send(.get, "/sheets/\(made.slug)")
            let page = String(buffer: answer.body)
            #expect(page.contains("<link rel=\"canonical\" href=\"http://localhost/sheets/\(made.slug)\">"))
            #expect(page.contains("property=\"og:image\" content=\"http://localhost/api/v1/templates/\(made.id)"))
            let data = try #require(page.firstMatch(of: /(?s)<script type="application\/ld\+json">(.*?)<\/script>/)?.1)
            // By bytes, as browsers look for the element's end.
            #expect(!data.utf8.contains(UInt8(ascii: "<")) && !data.utf8.contains(UInt8(ascii: ">")))
            let value = try JSONDecoder().decode(JSONValue.self, from: Data(data.utf8))
            #expect(value["name"]?.text == name)
            #expect(value["url"]?.text == "http://localhost/sheets/\(made.slug)")
            #expect(page.contains("href=\"/licences#CC-BY-4.0\">Creative Commons Attribution 4.0</a>"))
            #expect(page.contains("name the author."))
            #expect(page.contains("href=\"/help#offered\""))
            #expect(page.contains("sheets install --server http://localhost \(made.slug)"))
            #expect(page.contains("href=\"/install\""))
            // In the order of the document: what is got first, the pages, then what is told of them.
            let order = ["data-download", "id=\"pages\"", "id=\"reviews\"", "id=\"details\"", "id=\"versions\""]
            let places = order.compactMap { page.firstRange(of: $0)?.lowerBound }
            #expect(places.count == order.count && places == places.sorted())
        }
    }

    @Test("The card alone may be framed by others, has no form and no script, and is told of by oEmbed")
    func card() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Lantern & Blade")
            let card = try await scene.send(.get, "/embed/\(made.slug)")
            #expect(card.status == .ok)
            let policy = card.headers[.contentSecurityPolicy] ?? ""
            #expect(policy.contains("frame-ancestors *") && policy.contains("default-src 'none'"))
            #expect(!policy.contains("script-src") && policy.contains("form-action 'none'"))
            let text = String(buffer: card.body)
            #expect(text.contains("Lantern &amp; Blade") && !text.contains("<script") && !text.contains("<form"))
            let sheet = try await scene.send(.get, "/sheets/\(made.slug)")
            #expect(sheet.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
            let link = try #require(
                String(buffer: sheet.body).firstMatch(of: /json\+oembed" title="[^"]*" href="([^"]+)"/)?.1)
            let address = String(link.dropFirst("http://localhost".count)).replacing("&amp;", with: "&")
            let told = try await scene.send(.get, address)
            #expect(told.status == .ok)
            let value = try JSONDecoder().decode(JSONValue.self, from: Data(told.body.readableBytesView))
            #expect(value["type"]?.text == "rich" && value["version"]?.text == "1.0")
            #expect(value["html"]?.text?.contains("src=\"http://localhost/embed/\(made.slug)\"") == true)
            let small = try await scene.send(.get, "\(address)&maxwidth=300&maxheight=9999")
            let sized = try JSONDecoder().decode(JSONValue.self, from: Data(small.body.readableBytesView))
            #expect(sized["width"]?.integer == 300 && sized["height"]?.integer == 200)
            let status1 = try await scene.send(.get, address.replacing("format=json", with: "format=xml")).status
            #expect(status1.code == 501)
            for foreign in [
                "https://other.example/sheets/x", "http://localhost/account", "http://localhost/sheets/none",
            ] {
                let answer = try await scene.send(.get, "/oembed?url=\(foreign)")
                #expect(answer.status == .notFound, "\(foreign)")
            }
            let badge = try await scene.send(.get, "/sheets/\(made.slug)/badge.svg")
            #expect(badge.headers[.contentType] == "image/svg+xml")
            let svg = String(buffer: badge.body)
            #expect(svg.contains("Lantern &amp; Blade, version 1.0.0") && svg.contains("no ratings"))
        }
    }

    @Test("The sitemap lists what anybody may see, in pages, and nothing that is not on offer")
    func sitemap() async throws {
        try await CatalogScene.run { scene in
            let routes = SitemapRoutes(features: scene.features, pageSize: 2)
            #expect(routes.pageSize == 2 && SitemapRoutes.pageSize <= 50_000)
            var slugs: [String] = []
            for name in ["One", "Two", "Three", "Four", "Five"] { slugs.append(try await scene.addTemplate(name).slug) }
            let gone = try await scene.addTemplate("Gone")
            try await scene.takeDown("1.0.0", of: gone)
            let database = scene.features.database
            let starts = try await SitemapStore.starts(of: .sheets, size: 2, database)
            #expect(starts.count == 3)
            var listed: [String] = []
            for start in starts {
                let part = try await SitemapStore.entries(of: .sheets, from: start, size: 2, database)
                #expect(part.count <= 2)
                listed += part.map(\.path)
            }
            #expect(Set(listed) == Set(slugs.map { "/sheets/\($0)" }) && listed.count == 5)
            let index = String(buffer: try await scene.send(.get, "/sitemap.xml").body)
            let parts = index.matches(of: /<loc>http:\/\/localhost([^<]+)<\/loc>/).map { String($0.1) }
            #expect(parts.count == 3, "\(index)")
            var pages = ""
            for part in parts { pages += String(buffer: try await scene.send(.get, part).body) }
            #expect(pages.contains("<loc>http://localhost/sheets/one</loc><lastmod>"))
            #expect(pages.contains("<loc>http://localhost/authors/nadia</loc>") && pages.contains("/guidelines</loc>"))
            #expect(!pages.contains("gone") && !pages.contains("/account") && !pages.contains("/moderation"))
            try await database.execute("UPDATE users SET disabled_at = now() WHERE handle = 'nadia'")
            let left = try await SitemapStore.starts(of: .authors, size: 2, database)
            #expect(left.isEmpty)
        }
    }
}
