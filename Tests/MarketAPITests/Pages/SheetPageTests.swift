// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCommunity
@testable import MarketPages

@Suite("What a sheet's page says of it")
struct SheetPageTests {
    @Test("one of a thing is told in the singular, and a deprecated sheet is called so")
    func words() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.features.database.execute("UPDATE templates SET downloads = 1 WHERE id = \(sheet.id)")
            let page = try await scene.page("/sheets/\(sheet.slug)", as: scene.http).text
            #expect(page.contains("· 1 download</p>"), "\(page)")
            let list = try await scene.page("/", as: scene.http).text
            #expect(list.contains("<span class=\"skip\">1 download</span>"), "\(list)")
            let manage = try await scene.page("/sheets/\(sheet.slug)/manage", as: ada.http).text
            #expect(manage.contains(">Deprecate</button>") && !manage.contains("longer be used"))
        }
    }

    @Test("reviews show the plain mean and explain the weighed one, name a person once, and can be sorted by stars")
    func reviews() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let rita = try await scene.person("rita")
            let carl = try await scene.person("carl")
            let sheet = try await scene.template("Sheet", by: ada.id)
            try await scene.features.database.execute("UPDATE users SET display_name = handle WHERE id = \(rita.id)")
            try await scene.features.database.execute("UPDATE users SET display_name = 'Carl C.' WHERE id = \(carl.id)")
            let good = try await scene.review(sheet, by: rita.id, stars: 5)
            let bad = try await scene.review(sheet, by: carl.id, stars: 4)
            func page(_ sort: String) async throws -> String {
                try await scene.page("/sheets/\(sheet.slug)?reviewSort=\(sort)", as: scene.http).text
            }
            let best = try await page("highest")
            #expect(best.contains("<strong>4.5</strong>") && best.contains("Counts as "), "\(best)")
            #expect(best.contains("<strong>rita</strong> <span class=\"hint\">version"), "\(best)")
            #expect(best.contains("<strong>Carl C.</strong> <span class=\"hint\">carl · version"))
            func order(_ page: String) -> [String] {
                page.matches(of: /<li id="review-([0-9a-f-]+)"/).map { String($0.output.1) }
            }
            #expect(order(best) == [good.description, bad.description])
            #expect(order(try await page("lowest")) == [bad.description, good.description])
        }
    }
}
