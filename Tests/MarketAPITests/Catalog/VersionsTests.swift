// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketAccounts

@Suite("Templates and their versions")
struct VersionsTests {
    @Test("A template in full, by id and by slug")
    func detail() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Wanderer's Ledger", pages: 11)
            for key in [made.id.description, made.slug] {
                let detail = try await scene.get("/templates/\(key)").json(TemplateDetail.self)
                #expect(detail.summary.id == made.id && detail.description == "Words.")
                #expect(detail.latest.version == SemanticVersion(1, 0, 0) && detail.latest.state == .published)
                #expect(detail.latest.changelog == "News." && detail.latest.fileName == "Sheet ü.pdf")
                #expect(detail.latest.sha256 == ContentHash(hashing: Array("%PDF-1.7 a sheet".utf8)))
                #expect(detail.latest.pages.map(\.index) == Array(0..<11))
                #expect(detail.latest.pages.map(\.regionCount) == [1] + Array(repeating: 0, count: 10))
                #expect(detail.latest.pages[10].width == 595 && detail.latest.pages[10].formFields == 3)
                #expect(detail.latest.pages[1].previewURL.hasSuffix("/versions/1.0.0/pages/1/preview"))
            }
            for key in ["nobody", TemplateID.make().description, "No%20Slug", "a%00b"] {
                let answer = try await scene.get("/templates/\(key)")
                #expect(answer.status == .notFound && answer.problem == .notFound, "\(key)")
            }
        }
    }

    @Test("What was never published does not exist")
    func unpublished() async throws {
        try await CatalogScene.run { scene in
            let id = TemplateID.make()
            try await scene.features.database.execute(
                """
                INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language)
                VALUES (\(id), 'draft', \(scene.owner), 'dnd5e', 'Draft', 'Not yet.', 'CC0-1.0', 'en')
                """)
            for path in [
                "", "?offered=false", "/versions", "/versions/latest", "/versions/1.0.0", "/versions/latest/regions",
                "/versions/latest/download",
            ] {
                #expect(try await scene.get("/templates/draft\(path)").status == .notFound, "\(path)")
            }
            let patch = TemplatePatch(name: "Published")
            #expect(try await scene.send(.patch, "/templates/draft", as: scene.owner, json: patch).status == .notFound)
        }
    }

    @Test("Versions come newest first by precedence; a pre-release is not on offer beside a release")
    func order() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.9.0")
            for number in ["1.10.0", "2.0.0-beta.1", "1.2.0"] { try await scene.addVersion(number, of: made) }
            let list = try await scene.get("/templates/sheet/versions").json(VersionList.self)
            #expect(list.versions.map(\.version.description) == ["2.0.0-beta.1", "1.10.0", "1.9.0", "1.2.0"])
            let latest = try await scene.get("/templates/sheet/versions/latest").json(VersionDetail.self)
            #expect(latest.version.description == "1.10.0")
            let beta = try await scene.get("/templates/sheet/versions/2.0.0-beta.1").json(VersionDetail.self)
            #expect(beta.version.description == "2.0.0-beta.1")
            for number in ["3.0.0", "1.9", "newest"] {
                #expect(try await scene.get("/templates/sheet/versions/\(number)").status == .notFound, "\(number)")
            }
        }
    }

    @Test("A yanked version can be had by its number, is never on offer, and can come back")
    func yanking() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            let path = "/templates/sheet/versions/1.1.0"
            let request = YankRequest(reason: " A wrong\u{202E} table.\n")
            for _ in 0..<2 {
                let yanked = try await scene.send(.post, "\(path)/yank", as: scene.owner, json: request).json(
                    VersionDetail.self)
                #expect(yanked.state == .yanked && yanked.yankReason == "A wrong table.")
            }
            #expect(try await scene.list("").templates.map(\.version.description) == ["1.0.0"])
            #expect(
                try await scene.get("/templates/sheet/versions/latest").json(VersionDetail.self).version.description
                    == "1.0.0")
            #expect(try await scene.get(path).json(VersionDetail.self).state == .yanked)
            #expect(try await scene.get("\(path)/download").status == .found)
            #expect(try await scene.get("/templates/sheet/versions").json(VersionList.self).versions.count == 2)

            // The last one: nothing is on offer, yet nothing is gone.
            #expect(
                try await scene.send(.post, "\(Paths.base)/templates/sheet/versions/latest/yank", as: scene.owner)
                    .status == .ok)
            #expect(try await scene.names().isEmpty)
            let detail = try await scene.get("/templates/sheet")
            #expect(detail.status == .notFound)
            for channel in ReleaseChannel.allCases {
                let withdrawn = try await scene.get("/templates/sheet?offered=false&channel=\(channel.rawValue)")
                    .json(TemplateDetail.self)
                #expect(withdrawn.latest.version.description == "1.1.0" && withdrawn.latest.state == .yanked)
            }
            #expect(try await scene.get("\(path)/download").status == .found)

            let back = try await scene.send(.post, "\(Paths.base)\(path)/unyank", as: scene.owner).json(
                VersionDetail.self)
            #expect(back.state == .published && back.yankReason == nil)
            #expect(try await scene.list("").templates.map(\.version.description) == ["1.1.0"])
            let long = YankRequest(reason: String(repeating: "x", count: 501))
            #expect(try await scene.send(.post, "\(path)/yank", as: scene.owner, json: long).pointers == ["/reason"])
        }
    }

    @Test("What a moderator took down is gone, and says so")
    func takenDown() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            _ = try await scene.addPreview(made.submission, width: 100)
            try await scene.takeDown("1.0.0", of: made)
            for path in ["", "/regions", "/download", "/pages/0/preview"] {
                let answer = try await scene.get("/templates/sheet/versions/1.0.0\(path)")
                #expect(answer.status == .gone && answer.problem == .takenDown, "\(path)")
            }
            #expect(try await scene.get("/templates/sheet/versions").json(VersionList.self).versions.count == 1)
            let yank = try await scene.send(.post, "\(Paths.base)/templates/sheet/versions/1.0.0/yank", as: scene.owner)
            #expect(yank.status == .gone)
            // What is yanked beside it can be had, what was taken down is not told by it.
            _ = try await scene.send(.post, "\(Paths.base)/templates/sheet/versions/1.1.0/yank", as: scene.owner)
            let left = try await scene.get("/templates/sheet?offered=false").json(TemplateDetail.self)
            #expect(left.latest.version == SemanticVersion(1, 1, 0) && left.latest.state == .yanked)
            try await scene.takeDown("1.1.0", of: made)
            for path in ["", "?offered=false", "/versions", "/versions/latest", "/versions/latest/download"] {
                let answer = try await scene.get("/templates/sheet\(path)")
                #expect(answer.status == .gone && answer.problem == .takenDown, "\(path)")
                #expect(String(buffer: answer.body).contains("It was stolen."), "\(path)")
            }
        }
    }

    @Test("Owners change what the entry says; the same rules hold as for uploads")
    func patching() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", tags: ["old"])
            let patch = TemplatePatch(summary: " Better. ", tags: ["new", "NEW"], language: "pt-br")
            let detail = try await scene.send(.patch, "/templates/sheet", as: scene.owner, json: patch).json(
                TemplateDetail.self)
            #expect(
                detail.summary.summary == "Better." && detail.summary.tags == ["new"]
                    && detail.summary.language == "pt-BR")
            #expect(
                detail.summary.name == "Sheet" && detail.summary.license == "CC-BY-4.0"
                    && detail.description == "Words.")
            #expect(try await scene.names("q=better") == ["Sheet"])
            let bad = TemplatePatch(name: "", tags: ["no tag!"], license: "mine")
            let answer = try await scene.send(.patch, "/templates/sheet", as: scene.owner, json: bad)
            #expect(answer.status == .unprocessableContent)
            #expect(Set(answer.pointers) == ["/name", "/tags/0", "/license"])
        }
    }

    @Test(
        "Nobody but the owner changes a template; moderators mend regions, administrators yank, and both are recorded")
    func rights() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let stranger = UserID.make()
            let moderator = UserID.make()
            let administrator = UserID.make()
            try await scene.addUser(stranger, "stranger")
            try await scene.addUser(moderator, "moritz", role: .moderator)
            try await scene.addUser(administrator, "ada", role: .administrator)
            let version = "/templates/sheet/versions/1.0.0"
            func statuses(_ caller: UserID?) async throws -> [Int] {
                let patch = try await scene.send(
                    .patch, "/templates/sheet", as: caller, json: TemplatePatch(summary: "Mine."))
                let regions = try await scene.send(.put, "\(version)/regions", as: caller, json: RegionList(pages: []))
                let yank = try await scene.send(.post, "\(version)/yank", as: caller, json: YankRequest(reason: nil))
                let unyank = try await scene.send(.post, Paths.base + "\(version)/unyank", as: caller)
                return [patch, regions, yank, unyank].map(\.status.code)
            }
            #expect(try await statuses(nil) == [401, 401, 401, 401])
            #expect(try await statuses(stranger) == [403, 403, 403, 403])
            #expect(try await statuses(moderator) == [403, 200, 403, 403])
            #expect(try await statuses(administrator) == [403, 200, 200, 200])
            #expect(try await statuses(scene.owner) == [200, 200, 200, 200])
            let actions = try await scene.features.database.all(
                "SELECT actor, action FROM audit_entries ORDER BY sequence"
            ) {
                "\(try $0.get(0, as: String.self)) \(try $0.get(1, as: String.self))"
            }
            #expect(
                actions == [
                    "moritz regions.replaced", "ada regions.replaced", "ada version.yanked", "ada version.unyanked",
                ])
            _ = try await AuditLog.verify(scene.features.database)
        }
    }

    @Test("Zoom regions are read, and corrected ones take their place")
    func regions() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let path = "/templates/sheet/versions/latest/regions"
            let found = try await scene.get(path).json(RegionList.self)
            #expect(found.pages.map(\.regions.count) == [1, 0])
            #expect(found.pages[0].regions[0].source == .detected)
            let mine = ZoomRegion(
                id: "spells", name: "Spells", rect: .init(x: 0, y: 0.5, width: 1, height: 0.5), pageIndex: 1)
            let list = RegionList(pages: [.init(index: 1, regions: [mine])])
            let stored = try await scene.send(.put, path, as: scene.owner, json: list).json(RegionList.self)
            #expect(try await scene.get(path).json(RegionList.self) == stored)
            #expect(stored.pages.map(\.regions.count) == [0, 1])
            #expect(stored.pages[1].regions[0].source == .corrected)
            let detail = try await scene.get("/templates/sheet").json(TemplateDetail.self)
            #expect(detail.latest.pages.map(\.regionCount) == [0, 1])
            let off = RegionList(pages: [.init(index: 2, regions: [])])
            #expect(try await scene.send(.put, path, as: scene.owner, json: off).pointers == ["/pages/0/index"])
        }
    }

    @Test("One question tells what is newer, yanked, taken down, forged or unknown")
    func updates() async throws {
        try await CatalogScene.run { scene in
            let one = try await scene.addTemplate("One")
            try await scene.addVersion("1.1.0", of: one)
            try await scene.addVersion("2.0.0-rc.1", of: one)
            let two = try await scene.addTemplate("Two")
            try await scene.takeDown("1.0.0", of: two, reason: "Stolen.")
            let hash = ContentHash(hashing: Array("%PDF-1.7 a sheet".utf8))
            func installed(_ id: TemplateID, _ version: String, _ hash: ContentHash) throws -> UpdateQuery.Installed {
                .init(templateId: id, version: try #require(SemanticVersion(version)), sha256: hash)
            }
            let unknown = TemplateID.make()
            let query = UpdateQuery(installed: [
                try installed(two.id, "1.0.0", hash), try installed(one.id, "1.0.0", hash),
                try installed(one.id, "1.1.0", ContentHash(hashing: [UInt8(1)])), try installed(unknown, "1.0.0", hash),
                try installed(one.id, "2.0.0-rc.1", hash), try installed(one.id, "0.9.0", hash),
            ])
            let report = try await scene.send(.post, "/updates", as: nil, json: query).json(UpdateReport.self)
            #expect(
                report.updates == [
                    .init(
                        templateId: two.id, state: .takenDown, genuine: true, newer: nil, reason: "Stolen.", slug: "two"
                    ),
                    .init(
                        templateId: one.id, state: .published, genuine: true, newer: SemanticVersion(1, 1, 0),
                        slug: "one"),
                    .init(templateId: one.id, state: .published, genuine: false, newer: nil, slug: "one"),
                    .init(templateId: unknown, state: nil, genuine: false, newer: nil),
                    .init(templateId: one.id, state: .published, genuine: true, newer: nil, slug: "one"),
                    .init(templateId: one.id, state: nil, genuine: false, newer: SemanticVersion(1, 1, 0), slug: "one"),
                ])
            #expect(
                try await scene.send(.post, "/updates", as: nil, json: UpdateQuery(installed: [])).json(
                    UpdateReport.self
                ).updates.isEmpty)
            let many = UpdateQuery(installed: Array(repeating: try installed(one.id, "1.0.0", hash), count: 500))
            #expect(
                try await scene.send(.post, "/updates", as: nil, json: many).json(UpdateReport.self).updates.count
                    == 500)
            let more = UpdateQuery(installed: Array(repeating: try installed(one.id, "1.0.0", hash), count: 501))
            #expect(try await scene.send(.post, "/updates", as: nil, json: more).pointers == ["/installed"])
        }
    }
}
