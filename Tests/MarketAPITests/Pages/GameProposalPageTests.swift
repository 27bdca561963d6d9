// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCommunity
@testable import MarketPages
@testable import MemberPages
@testable import StaffPages

@Suite("Pages of proposed games")
struct GameProposalPageTests {
    private static let propose = "/games/propose"

    private static func letters(_ scene: EnforcementScene) async throws -> [String] {
        try await scene.features.database.all(
            "SELECT details::text FROM mail_outbox WHERE template = 'game_proposal_decided' ORDER BY created_at"
        ) { try $0.get(0) }
    }

    @Test("A game is proposed once, added by a moderator from a form that is filled in, and its proposer is told")
    func added() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            #expect(try await scene.page("/games", as: scene.http).text.contains("href=\"\(Self.propose)\""))
            #expect(try await scene.page("/upload", as: ada.http).text.contains("href=\"\(Self.propose)\""))
            #expect(try await scene.page(Self.propose, as: scene.http).status == 303)
            let bad = try await scene.form(Self.propose, "name=&link=http%3A%2F%2Fa.example", as: ada.http)
            #expect(bad.status == 422 && bad.text.contains("id=\"name-mistake\""), "\(bad.text)")
            #expect(bad.text.contains("id=\"link-mistake\""))
            let sent = try await scene.form(
                Self.propose, "name=Mouse+%26+Moss&publisher=Small&link=https%3A%2F%2Fmoss.example.org", as: ada.http)
            #expect(sent.status == 303, "\(sent.text)")
            #expect(try await scene.page(after: sent, as: ada.http).text.contains("With the moderators"))
            let again = try await scene.form(Self.propose, "name=mouse+%26+MOSS", as: bob.http)
            #expect(again.status == 422 && again.text.contains("has proposed it already"), "\(again.text)")

            let games = try await scene.page("/moderation/games", as: mod.http)
            #expect(games.text.contains("Mouse &amp; Moss") && games.text.contains("by ada"), "\(games.text)")
            let id = try #require(games.text.firstMatch(of: /proposals\/([0-9a-f-]+)\/decline/)?.output.1)
            let form = try await scene.page("/moderation/games?proposal=\(id)", as: mod.http)
            #expect(form.text.contains("name=\"name\" required maxlength=\"80\" value=\"Mouse &amp; Moss\""))
            let added = try await scene.form(
                "/moderation/games", "proposal=\(id)&name=Mouse+%26+Moss&slug=mouse-moss", as: mod.http)
            #expect(added.status == 303, "\(added.text)")
            #expect(!(try await scene.page("/moderation/games", as: mod.http).text.contains("id=\"proposals\"")))
            let own = try await scene.page(Self.propose, as: ada.http)
            #expect(own.text.contains("/upload?gameSystem=mouse-moss"), "\(own.text)")
            let known = try await scene.form(Self.propose, "name=Mouse+%26+Moss", as: bob.http)
            #expect(known.status == 422 && known.text.contains("is in the list already"), "\(known.text)")
            #expect(try await Self.letters(scene).count == 1)
        }
    }

    @Test("A moderator declines one with a reason, which the proposer is told")
    func declined() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            #expect(try await scene.form(Self.propose, "name=My+own+game", as: ada.http).status == 303)
            let games = try await scene.page("/moderation/games", as: mod.http)
            let id = try #require(games.text.firstMatch(of: /proposals\/([0-9a-f-]+)\/decline/)?.output.1)
            let address = "/moderation/games/proposals/\(id)/decline"
            #expect(try await scene.form(address, "reason=No.", as: ada.http).status == 403)
            let empty = try await scene.form(address, "reason=", as: mod.http)
            #expect(empty.status == 422 && empty.text.contains("reason-\(id)-mistake"), "\(empty.text)")
            let done = try await scene.form(address, "reason=It+is+not+out+yet.", as: mod.http)
            #expect(done.status == 303, "\(done.text)")
            #expect(try await scene.form(address, "reason=Again.", as: mod.http).status == 404)
            let own = try await scene.page(Self.propose, as: ada.http)
            #expect(own.text.contains("Not added") && own.text.contains("It is not out yet."), "\(own.text)")
            #expect(try await Self.letters(scene).count == 1)
            let audit = try await scene.page("/moderation/audit", as: mod.http)
            #expect(audit.text.contains("game_proposal.declined"))
        }
    }
}
