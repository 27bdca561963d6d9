// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketHTTP
import MarketPages
import MarketWire
import NIOCore
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketPlatform

@Suite("The filter for form fields")
struct FillableTests {
    @Test("Sheets with form fields are told from those for print: in lists, in searches, in counts and on the pages")
    func fillable() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Lantern one")
            try await scene.addTemplate("Lantern two")
            let print = try await scene.addTemplate("Lantern three", gameSystem: "call-of-cthulhu")
            try await scene.features.database.execute(
                "UPDATE submission_pages SET form_fields = 0 WHERE submission_id = \(print.submission)")
            try await scene.features.database.execute(
                "SELECT refresh_listing(\(print.id)), refresh_listing_words(\(print.id))")
            scene.features.catalog.catalogChanged()
            for words in ["", "q=lantern&"] {
                #expect(try await scene.names("\(words)sort=name&fillable=true") == ["Lantern one", "Lantern two"])
                #expect(try await scene.names("\(words)sort=name&fillable=false") == ["Lantern three"])
            }
            #expect(try await scene.names("gameSystem=dnd5e&fillable=false") == [])
            #expect(try await scene.get("/templates?fillable=perhaps").status == .unprocessableContent)
            for query in ["facets=true", "facets=true&q=lantern", "facets=true&minPages=1"] {
                let list = try await scene.get("/templates?\(query)").json(TemplateList.self)
                #expect(
                    list.facets?.fillable == [.init(value: "true", count: 2), .init(value: "false", count: 1)],
                    "\(query)")
            }
            let page = try await ManagePageTests.page("/", as: nil, in: scene).text
            #expect(
                page.contains(
                    "href=\"/?fillable=true\" rel=\"nofollow\"><span>Can be filled in</span><span class=\"number\">2<"))
            let chosen = try await ManagePageTests.page("/?fillable=true", as: nil, in: scene).text
            #expect(chosen.contains("Lantern one") && !chosen.contains("Lantern three"))
            #expect(chosen.contains("class=\"on\" href=\"/\" rel=\"nofollow\"><span>Can be filled in"))
        }
    }
}
