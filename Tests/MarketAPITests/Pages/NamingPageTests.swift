// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketPages
@testable import StaffPages

/// The pages on which moderators merge games, and rename, merge and take off tags.
@Suite("Pages of games and tags that change their names")
struct NamingPageTests {
    @Test("A game is merged after its page said how much moves, in either language")
    func mergedGame() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let ada = try await scene.person("ada")
            _ = try await scene.template("Long Winter", by: ada.id)
            #expect(try await scene.form("/moderation/games", "name=Moss", as: mod.http).status == 303)
            let form = try await scene.page("/moderation/games/dnd5e", as: mod.http).text
            #expect(form.contains("action=\"/moderation/games/dnd5e/merge\"") && form.contains("value=\"moss\""))
            #expect(!form.contains("<option value=\"dnd5e\""), "it is not merged into itself")
            #expect(form.contains("name=\"into\" required><option value=\"\">Choose a game</option>"), "none is preset")
            let address = "/moderation/games/dnd5e/merge"
            #expect(try await scene.page("\(address)?into=moss", as: ada.http).status == 403)
            #expect(try await scene.form(address, "into=moss", as: ada.http).status == 403)
            #expect(try await scene.page("\(address)?into=none", as: mod.http).status == 404)
            let open = try await scene.page("\(address)?into=", as: mod.http)
            #expect(open.status == 303 && open.location == "/moderation/games/dnd5e?merge=unchosen#merge")
            let unchosen = try await scene.page("/moderation/games/dnd5e?merge=unchosen", as: mod.http).text
            #expect(unchosen.contains("id=\"into-mistake\">Choose a game.</p>"), "\(unchosen)")
            let asked = try await scene.page("\(address)?into=moss", as: mod.http).text
            #expect(asked.contains("Moss takes over <strong>1 sheet</strong>, 0 followers"), "\(asked)")
            let german = try await mod.http.get(
                "\(address)?into=moss", headers: [("Accept", "text/html"), ("Accept-Language", "de")])
            #expect(german.text.contains("Moss übernimmt <strong>1 Bogen</strong>"), "\(german.text)")
            let itself = try await scene.form(address, "into=dnd5e", as: mod.http)
            #expect(itself.status == 422 && itself.text.contains("Choose another game."), "\(itself.text)")
            let merged = try await scene.form(address, "into=moss", as: mod.http)
            #expect(merged.status == 303 && merged.headers.first(name: "location") == "/moderation/games/moss")
            #expect(try await scene.page("/sheets/long-winter", as: scene.http).text.contains("Moss"))
            #expect(try await scene.page("/?gameSystem=dnd5e", as: scene.http).status == 308)
        }
    }

    @Test("Tags are found, renamed and taken off after their page said how much changes; mistakes stand at the field")
    func tags() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            let ada = try await scene.person("ada")
            _ = try await scene.template("Long Winter", by: ada.id)
            _ = try await scene.template("Short Summer", by: ada.id)
            try await scene.features.database.execute(
                "UPDATE templates SET tags = '{sea}' WHERE slug = 'short-summer'")
            let home = "/moderation/tags"
            #expect(try await scene.page(home, as: ada.http).status == 403)
            let list = try await scene.page(home, as: mod.http).text
            #expect(list.contains("href=\"/moderation/tags/blue\"") && list.contains("href=\"/moderation/tags/sea\""))
            #expect(list.contains("aria-current=\"page\">Tags"), "\(list)")
            let sifted = try await scene.page("\(home)?q=lu", as: mod.http).text
            #expect(sifted.contains("tags/blue") && !sifted.contains("tags/sea"), "\(sifted)")
            let none = try await scene.page("\(home)?q=zzz", as: mod.http).text
            #expect(none.contains("has “zzz” in it"), "\(none)")

            #expect(try await scene.page("\(home)/there-is-none", as: mod.http).status == 404)
            let page = try await scene.page("\(home)/blue", as: mod.http).text
            #expect(page.contains("1 sheet") && page.contains("action=\"/moderation/tags/blue/rename\""), "\(page)")
            let wrong = try await scene.page("\(home)/blue/rename?to=No+Tag!", as: mod.http)
            #expect(wrong.status == 422 && wrong.text.contains("id=\"to-mistake\""), "\(wrong.text)")
            #expect(wrong.text.contains("value=\"No Tag!\""), "what was typed is kept")
            let asked = try await scene.page("\(home)/blue/rename?to=sea", as: mod.http).text
            #expect(asked.contains("sea takes its place on <strong>1 sheet</strong>"), "\(asked)")
            #expect(asked.contains("sea is a tag already, on 1 sheet"), "\(asked)")
            let fresh = try await scene.page("\(home)/blue/rename?to=ocean", as: mod.http).text
            #expect(!fresh.contains("is a tag already"), "\(fresh)")
            #expect(try await scene.form("\(home)/blue/rename", "to=sea", as: ada.http).status == 403)
            let renamed = try await scene.form("\(home)/blue/rename", "to=sea", as: mod.http)
            #expect(renamed.status == 303 && renamed.headers.first(name: "location") == "\(home)/sea")
            let after = try await scene.page(after: renamed, as: mod.http).text
            #expect(after.contains("2 sheets") && after.contains("formerly blue"), "\(after)")
            #expect(try await scene.page("\(home)/blue", as: mod.http).status == 308)
            #expect(try await scene.page("/?tag=blue", as: scene.http).status == 308)

            let sure = try await scene.page("\(home)/sea/remove", as: mod.http).text
            #expect(sure.contains("It goes from <strong>2 sheets</strong>"), "\(sure)")
            #expect(try await scene.form("\(home)/sea/remove", "", as: ada.http).status == 403)
            #expect(try await scene.form("\(home)/sea/remove", "", as: mod.http).status == 303)
            #expect(try await scene.page("\(home)/sea", as: mod.http).status == 404)
            #expect(try await scene.page("/moderation/audit", as: mod.http).text.contains("tag.removed"))
        }
    }
}
