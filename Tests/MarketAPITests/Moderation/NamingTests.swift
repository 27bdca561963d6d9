// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCommunity
import MarketPages
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI
@testable import MarketCatalog
@testable import MarketPlatform
@testable import MarketSearch

/// Games that are merged, and tags that are renamed, merged and taken off.
@Suite("Names of games and tags")
struct NamingTests {
    private static let tags = "\(Paths.base)/moderation/tags"
    private static let games = "\(Paths.base)/moderation/game-systems"

    private struct Team {
        let mod: TestHTTP
        let ada: (id: UserID, http: TestHTTP)
    }

    /// A moderator, an author with two sheets of `dnd5e` that have the tag `blue`, and a game `moss`.
    private static func team(_ scene: EnforcementScene) async throws -> Team {
        let mod = try await scene.person("mod", role: .moderator)
        let ada = try await scene.person("ada")
        _ = try await scene.template("Long Winter", by: ada.id)
        _ = try await scene.template("Short Summer", by: ada.id)
        let added = try await scene.form("/moderation/games", "name=Moss&aliases=Mossy", as: mod.http)
        #expect(added.status == 303, "\(added.text)")
        return Team(mod: mod.http, ada: ada)
    }

    /// An upload of Ada's that waits and says these names.
    private static func waiting(
        _ scene: EnforcementScene, by uploader: UserID, game: String, tags: [String]
    ) async throws -> SubmissionID {
        let id = try await scene.waiting(by: uploader, named: "Draft \(UUID())").submission
        try await scene.features.database.execute(
            """
            UPDATE submissions SET metadata = metadata
                || jsonb_build_object('gameSystem', \(game)::text, 'tags', to_jsonb(\(tags)::text[]))
            WHERE id = \(id)
            """)
        return id
    }

    private static func metadata(of id: SubmissionID, _ scene: EnforcementScene) async throws -> UploadMetadata {
        try await scene.features.database.one("SELECT metadata FROM submissions WHERE id = \(id)") {
            try $0.get(0, as: PostgresJSON<UploadMetadata>.self).value
        }
    }

    private static func found(_ query: String, _ scene: EnforcementScene) async throws -> [String] {
        // As a periodic service does.
        try await SearchIndex(database: scene.features.database).applyPending()
        scene.features.catalog.catalogChanged()
        return try await scene.http.get("\(Paths.base)/templates?\(query)").json(TemplateList.self).templates
            .map(\.name).sorted()
    }

    // MARK: - Games

    @Test("A merged game leaves its sheets, followers and uploads to the other, and its slug leads there")
    func mergedGame() async throws {
        try await EnforcementScene.run { scene in
            let team = try await Self.team(scene)
            let upload = try await Self.waiting(scene, by: team.ada.id, game: "dnd5e", tags: [])
            let follow = "\(Paths.base)/me/following/game-systems"
            #expect(try await team.ada.http.send(.PUT, "\(follow)/dnd5e").status < 300)
            #expect(try await team.ada.http.send(.PUT, "\(follow)/moss").status < 300)
            #expect(try await team.mod.send(.PUT, "\(follow)/dnd5e").status < 300)

            #expect(try await team.ada.http.get("\(Self.games)/dnd5e").status == 403)
            #expect(try await team.mod.get("\(Self.games)/there-is-none").status == 404)
            let uses = try await team.mod.get("\(Self.games)/dnd5e").json(GameSystemUses.self)
            #expect(uses.templateCount == 3 && uses.followerCount == 2 && uses.submissionCount == 1)
            let into = GameSystemMergeRequest(into: "moss")
            #expect(try await team.ada.http.send(.POST, "\(Self.games)/dnd5e/merge", json: into).status == 403)
            for wrong in ["dnd5e", "there-is-none"] {
                let refused = try await team.mod.send(
                    .POST, "\(Self.games)/dnd5e/merge", json: GameSystemMergeRequest(into: wrong))
                #expect(refused.status == 422 && refused.text.contains("/into"), "\(refused.text)")
            }

            let answer = try await team.mod.send(.POST, "\(Self.games)/dnd5e/merge", json: into)
            let merge = try answer.json(GameSystemMerge.self)
            #expect(merge.templateCount == 3 && merge.followerCount == 2 && merge.submissionCount == 1)
            #expect(try await team.mod.send(.POST, "\(Self.games)/dnd5e/merge", json: into).status == 404)
            #expect(try await Self.metadata(of: upload, scene).gameSystem == "moss")
            let following = try await team.ada.http.get("\(Paths.base)/me/following").json(Following.self)
            #expect(following.gameSystems.map(\.slug) == ["moss"])

            let systems = try await scene.http.get("\(Paths.base)/game-systems").json(GameSystemList.self).gameSystems
            let moss = try #require(systems.first { $0.slug == "moss" })
            #expect(!systems.contains { $0.slug == "dnd5e" } && moss.aliases.first == "Mossy" && moss.aliases.count > 1)
            #expect(try await Self.found("gameSystem=moss", scene).contains("Long Winter"))
            #expect(try await Self.found("q=\(moss.aliases[1].lowercased().prefix { $0.isLetter })", scene).count >= 2)
            let counted = try await scene.http.get("\(Paths.base)/game-systems").json(GameSystemList.self).gameSystems
            #expect(counted.first { $0.slug == "moss" }?.templateCount == 3)
            let audit = try await team.mod.get("\(Paths.base)/moderation/audit").text
            #expect(audit.contains("game_system.merged") && audit.contains("game_system:dnd5e"), "\(audit)")
        }
    }

    @Test("Addresses and uploads with the slug of a merged game come to the other, after several merges, too")
    func formerSlug() async throws {
        try await EnforcementScene.run { scene in
            let team = try await Self.team(scene)
            #expect(try await scene.form("/moderation/games", "name=Fern", as: team.mod).status == 303)
            let late = try await Self.waiting(scene, by: team.ada.id, game: "dnd5e", tags: ["blue"])
            for (from, into) in [("dnd5e", "moss"), ("moss", "fern")] {
                let merged = try await team.mod.send(
                    .POST, "\(Self.games)/\(from)/merge", json: GameSystemMergeRequest(into: into))
                #expect(merged.status == 200, "\(merged.text)")
            }
            func location(_ path: String, as caller: TestHTTP? = nil) async throws -> String? {
                let answer = try await (caller ?? scene.http).get(path, headers: [("Accept", "text/html")])
                #expect(answer.status == 308, "\(path): \(answer.status)")
                return answer.headers.first(name: "location")
            }
            let list = "\(Paths.base)/templates"
            #expect(
                try await location("\(list)?sort=name&gameSystem=dnd5e&limit=3")
                    == "\(list)?sort=name&gameSystem=fern&limit=3")
            #expect(try await location("/?gameSystem=moss&q=a%20b") == "/?gameSystem=fern&q=a%20b")
            #expect(try await location("/feeds/systems/dnd5e.atom") == "/feeds/systems/fern.atom")
            #expect(try await location("/moderation/games/dnd5e", as: team.mod) == "/moderation/games/fern")
            #expect(try await team.ada.http.send(.PUT, "\(Paths.base)/me/following/game-systems/dnd5e").status < 300)
            let following = try await team.ada.http.get("\(Paths.base)/me/following").json(Following.self)
            #expect(following.gameSystems.map(\.slug) == ["fern"])
            let form = try await scene.page("/upload?gameSystem=dnd5e", as: team.ada.http).text
            #expect(form.contains("<option value=\"fern\" selected"), "\(form)")

            let again = try await scene.form("/moderation/games", "name=Dragons&slug=dnd5e", as: team.mod)
            #expect(again.status == 422, "a slug that leads to a game is not another's")
            #expect(
                try await !GameSystemStore.insert(
                    "dnd5e", name: "Seeded", publisher: nil, aliases: [], in: scene.features.database))
            // One that came between, as an older node would have entered it.
            try await scene.features.database.execute(
                """
                UPDATE submissions SET metadata = metadata || '{"gameSystem": "dnd5e"}' WHERE id = \(late)
                """)
            try await Self.publish(late, scene)
            #expect(try await Self.found("gameSystem=fern", scene).count == 3)
        }
    }

    private static func publish(_ id: SubmissionID, _ scene: EnforcementScene) async throws {
        let now = scene.clock.now
        try await scene.features.database.withTransaction { connection in
            let template: TemplateID = try await connection.scalar(
                "SELECT template_id FROM submissions WHERE id = \(id)")
            try await Publishing.publish(connection, submission: id, template: template, at: now)
        }
    }

    // MARK: - Tags

    @Test("Tags are listed with how many sheets have them, the most used first, page by page")
    func tagList() async throws {
        try await EnforcementScene.run { scene in
            let team = try await Self.team(scene)
            try await scene.features.database.execute(
                "UPDATE templates SET tags = '{blue,large-print}' WHERE slug = 'long-winter'")
            #expect(try await team.ada.http.get(Self.tags).status == 403)
            let first = try await team.mod.get("\(Self.tags)?limit=1").json(TagList.self)
            #expect(first.tags == [TagCount(tag: "blue", templateCount: 2)])
            let next = try #require(first.nextCursor)
            let second = try await team.mod.get("\(Self.tags)?limit=1&cursor=\(next)").json(TagList.self)
            #expect(second.tags == [TagCount(tag: "large-print", templateCount: 1)] && second.nextCursor == nil)
            let found = try await team.mod.get("\(Self.tags)?q=Print").json(TagList.self)
            #expect(found.tags.map(\.tag) == ["large-print"])
            #expect(try await team.mod.get("\(Self.tags)?cursor=x").status == 400)
        }
    }

    @Test("A renamed tag changes on every sheet and upload; its old name finds the new one, also in later uploads")
    func renamedTag() async throws {
        try await EnforcementScene.run { scene in
            let team = try await Self.team(scene)
            try await scene.features.database.execute(
                "UPDATE templates SET tags = '{sea,blue,night}' WHERE slug = 'long-winter'")
            let upload = try await Self.waiting(scene, by: team.ada.id, game: "dnd5e", tags: ["blue", "new"])
            let detail = try await team.mod.get("\(Self.tags)/blue").json(TagDetail.self)
            #expect(detail.templateCount == 3 && detail.submissionCount == 1 && detail.formerNames == [])
            let rename = "\(Self.tags)/blue/rename"
            #expect(try await team.ada.http.send(.POST, rename, json: TagRenameRequest(to: "sea")).status == 403)
            for wrong in ["blue", "No Tag!", String(repeating: "a", count: 33), ""] {
                let refused = try await team.mod.send(.POST, rename, json: TagRenameRequest(to: wrong))
                #expect(refused.status == 422 && refused.text.contains("/to"), "\(wrong): \(refused.text)")
            }
            let none = try await team.mod.send(
                .POST, "\(Self.tags)/there-is-none/rename", json: TagRenameRequest(to: "sea"))
            #expect(none.status == 404, "\(none.text)")

            let change = try await team.mod.send(.POST, rename, json: TagRenameRequest(to: "Sea")).json(TagChange.self)
            #expect(change == TagChange(tag: "blue", to: "sea", templateCount: 3, submissionCount: 1))
            let tags = try await scene.http.get(Paths.template("long-winter")).json(TemplateDetail.self).summary.tags
            #expect(tags == ["sea", "night"], "both are one, where the first of them stood")
            #expect(try await Self.metadata(of: upload, scene).tags == ["sea", "new"])
            #expect(try await Self.found("tag=sea", scene).count == 3)
            let old = try await scene.http.get("\(Paths.base)/templates?tag=blue&tag=night")
            #expect(old.status == 308)
            #expect(old.headers.first(name: "location") == "\(Paths.base)/templates?tag=sea&tag=night")
            #expect(try await team.mod.get("\(Self.tags)/sea").json(TagDetail.self).formerNames == ["blue"])
            let taken = try await team.mod.send(
                .POST, "\(Self.tags)/night/rename", json: TagRenameRequest(to: "blue"))
            #expect(taken.status == 422, "a former name of another's: \(taken.text)")

            // What the author says by the old name, and what an older node would enter.
            let patched = try await team.ada.http.send(
                .PATCH, Paths.template("short-summer"), json: TemplatePatch(tags: ["new", "Blue"]))
            #expect(try patched.json(TemplateDetail.self).summary.tags == ["new", "sea"])
            let late = try await Self.waiting(scene, by: team.ada.id, game: "dnd5e", tags: ["blue", "late"])
            try await Self.publish(late, scene)
            #expect(try await Self.found("tag=late&tag=sea", scene).count == 1)
            let audit = try await team.mod.get("\(Paths.base)/moderation/audit").text
            #expect(audit.contains("tag.renamed") && audit.contains("tag:blue"), "\(audit)")

            let back = try await team.mod.send(.POST, "\(Self.tags)/sea/rename", json: TagRenameRequest(to: "blue"))
            #expect(back.status == 200, "a tag takes its own former name again: \(back.text)")
            #expect(try await Self.found("tag=blue", scene).count == 4)
            #expect(try await scene.http.get("\(Paths.base)/templates?tag=sea").status == 308)
        }
    }

    @Test("A tag is taken off every sheet and upload, and can be used again")
    func removedTag() async throws {
        try await EnforcementScene.run { scene in
            let team = try await Self.team(scene)
            let upload = try await Self.waiting(scene, by: team.ada.id, game: "dnd5e", tags: ["blue", "new"])
            #expect(try await team.ada.http.send(.DELETE, "\(Self.tags)/blue").status == 403)
            let change = try await team.mod.send(.DELETE, "\(Self.tags)/blue").json(TagChange.self)
            #expect(change == TagChange(tag: "blue", templateCount: 3, submissionCount: 1))
            #expect(try await team.mod.send(.DELETE, "\(Self.tags)/blue").status == 404)
            #expect(try await Self.metadata(of: upload, scene).tags == ["new"])
            #expect(try await Self.found("tag=blue", scene) == [])
            let patched = try await team.ada.http.send(
                .PATCH, Paths.template("short-summer"), json: TemplatePatch(tags: ["blue"]))
            #expect(patched.status == 200)
            #expect(try await Self.found("tag=blue", scene) == ["Short Summer"])
            let audit = try await team.mod.get("\(Paths.base)/moderation/audit").text
            #expect(audit.contains("tag.removed"), "\(audit)")
        }
    }
}
