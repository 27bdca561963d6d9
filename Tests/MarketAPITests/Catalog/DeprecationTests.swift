// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketAccounts
@testable import MarketCatalog

@Suite("Templates that should no longer be used, and names that change")
struct DeprecationTests {
    private func deprecate(
        _ slug: String, _ successor: String?, message: String = "Old.", as caller: UserID?, _ scene: CatalogScene
    ) async throws -> TestAnswer {
        let answer = try await scene.send(
            .put, "/templates/\(slug)/deprecation", as: caller,
            json: DeprecationRequest(message: message, successor: successor))
        return TestAnswer(
            status: answer.status.code, pointers: answer.pointers, detail: try? answer.json(TemplateDetail.self))
    }

    private struct TestAnswer: Sendable {
        var status: Int
        var pointers: [String]
        var detail: TemplateDetail?
    }

    @Test("a deprecated template says why and what to use instead, wherever it is read")
    func deprecation() async throws {
        try await CatalogScene.run { scene in
            let old = try await scene.addTemplate("Old Sheet")
            let new = try await scene.addTemplate("New Sheet")
            let stranger = UserID.make()
            try await scene.addUser(stranger, "stranger")
            #expect(try await deprecate("old-sheet", nil, as: nil, scene).status == 401)
            #expect(try await deprecate("old-sheet", nil, as: stranger, scene).status == 403)
            #expect(
                try await deprecate("old-sheet", nil, message: " \n", as: scene.owner, scene).pointers == ["/message"])
            for nothing in ["nobody", "No Slug", "", "/sheets/new-sheet"] {
                let answer = try await deprecate("old-sheet", nothing, as: scene.owner, scene)
                #expect(answer.status == 422 && answer.pointers == ["/successor"], "\(nothing)")
            }
            _ = try await scene.get("/templates/old-sheet")
            let made = try await deprecate(
                "old-sheet", "new-sheet", message: " Too\u{202E} small. ", as: scene.owner, scene)
            let expected = Deprecation.Successor(id: new.id, slug: "new-sheet", name: "New Sheet")
            #expect(made.detail?.deprecation?.successor == expected)
            let read = try await scene.get("/templates/old-sheet").json(TemplateDetail.self).deprecation
            #expect(read?.message == "Too small." && read?.successor == expected)
            let query = UpdateQuery(installed: [
                .init(templateId: old.id, version: SemanticVersion(1, 0, 0), sha256: ContentHash(hashing: [UInt8(1)]))
            ])
            let update = try await scene.send(.post, "/updates", as: nil, json: query).json(UpdateReport.self)
            #expect(update.updates.first?.deprecation == read)
            let page = String(
                buffer: try await scene.send(.get, "/sheets/old-sheet", headers: [.accept: "text/html"]).body)
            #expect(page.contains("This sheet is deprecated") && page.contains("href=\"/sheets/new-sheet\""))
            // Another word keeps the day.
            let again = try await deprecate("old-sheet", nil, message: "Really.", as: scene.owner, scene)
            #expect(again.detail?.deprecation?.since == read?.since && again.detail?.deprecation?.successor == nil)
            let back = try await scene.send(.delete, "\(Paths.base)/templates/old-sheet/deprecation", as: scene.owner)
            #expect(try back.json(TemplateDetail.self).deprecation == nil)
        }
    }

    @Test("a template of which nothing is on offer is deprecated all the same, for those who have it")
    func withdrawn() async throws {
        try await CatalogScene.run { scene in
            let old = try await scene.addTemplate("Old Sheet")
            let new = try await scene.addTemplate("New Sheet")
            let path = "\(Paths.base)/templates/old-sheet"
            let read = try await scene.get("/templates/old-sheet")
            let tag = try #require(read.headers[.eTag])
            let yank = try await scene.send(.post, "\(path)/versions/1.0.0/yank", as: scene.owner)
            #expect(yank.status == .ok)
            #expect(try await scene.get("/templates/old-sheet").status == .notFound)
            let made = try await deprecate("old-sheet", "new-sheet", as: scene.owner, scene)
            #expect(made.status == 200 && made.detail?.deprecation?.successor?.id == new.id)
            #expect(made.detail?.latest.version == SemanticVersion(1, 0, 0) && made.detail?.latest.state == .yanked)
            let query = UpdateQuery(installed: [
                .init(templateId: old.id, version: SemanticVersion(1, 0, 0), sha256: ContentHash(hashing: [UInt8(1)]))
            ])
            let update = try await scene.send(.post, "/updates", as: nil, json: query).json(UpdateReport.self)
            #expect(update.updates.first?.deprecation == made.detail?.deprecation)
            // The state before it is no longer the present one, and what is told now is no offer.
            let stale = try await scene.send(
                .delete, "\(path)/deprecation", as: scene.owner, headers: [.ifMatch: tag])
            #expect(stale.status == .preconditionFailed)
            let back = try await scene.send(.delete, "\(path)/deprecation", as: scene.owner)
            #expect(try back.json(TemplateDetail.self).deprecation == nil)
            #expect(try await scene.get("/templates/old-sheet").status == .notFound)
            let matched = try await scene.send(
                .delete, "\(path)/deprecation", as: scene.owner, headers: [.ifMatch: tag])
            #expect(matched.status == .ok)
            // Nobody can have any of it: that is said, and nothing is changed.
            try await scene.takeDown("1.0.0", of: old)
            #expect(try await deprecate("old-sheet", nil, as: scene.owner, scene).status == 410)
            let written = try await scene.features.database.scalar(
                "SELECT count(*) FROM templates WHERE deprecated_at IS NOT NULL", as: Int.self)
            #expect(written == 0)
        }
    }

    @Test("the page of managing a template of which nothing is on offer has the form, and says what is done")
    func withdrawnInBrowser() async throws {
        typealias Manage = ManagePageTests
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet")
            let path = "/sheets/sheet/deprecation"
            let yank = try await Manage.send("/sheets/sheet/versions/1.0.0/yank", as: scene.owner, in: scene)
            #expect(yank.status == 303)
            let revision = try await Manage.revision(of: "\(path)", as: scene.owner, in: scene)
            let fields = [revision, ("message", "Too small.")]
            let done = try await scene.send(
                .post, path, as: scene.owner, headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: FormText.encoded(fields)))
            let location = try #require(done.headers[.location])
            #expect(done.status == .seeOther && location == "\(Manage.home)?done=deprecated")
            // As a browser that the form has led there.
            let cookie = done.headers[.setCookie].map { String($0.prefix { $0 != ";" }) } ?? ""
            let page = try await scene.send(.get, location, as: scene.owner, headers: [.cookie: cookie])
            let shown = String(buffer: page.body)
            #expect(shown.contains("value=\"Too small.\"") && shown.contains("People who have this sheet are now told"))
            #expect(!shown.contains("The sheet's page now says") && !shown.contains("Its page, and"))
            let present = try Manage.revision(of: "\(path)/delete", in: shown)
            let back = try await Manage.post("\(path)/delete", [present], as: scene.owner, in: scene)
            #expect(back.status == 303)
        }
    }

    @Test("an administrator may deprecate too, which is recorded")
    func byAdministrator() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Old Sheet")
            let ada = UserID.make()
            try await scene.addUser(ada, "ada", role: .administrator)
            #expect(try await deprecate("old-sheet", nil, as: ada, scene).status == 200)
            let actions = try await scene.features.database.all("SELECT action FROM audit_entries") {
                try $0.get(0, as: String.self)
            }
            #expect(actions == ["template.deprecated"])
        }
    }

    @Test("successors never lead back, also when two templates name each other at once")
    func circles() async throws {
        try await CatalogScene.run { scene in
            for name in ["One", "Two", "Three"] { try await scene.addTemplate(name) }
            #expect(try await deprecate("one", "one", as: scene.owner, scene).pointers == ["/successor"])
            #expect(try await deprecate("one", "two", as: scene.owner, scene).status == 200)
            #expect(try await deprecate("two", "three", as: scene.owner, scene).status == 200)
            #expect(try await deprecate("three", "one", as: scene.owner, scene).pointers == ["/successor"])
            for round in 0..<8 {
                let names = ["a\(round)x", "b\(round)x"]
                for name in names { try await scene.addTemplate(name) }
                let owner = scene.owner
                async let first = deprecate(names[0], names[1], as: owner, scene).status
                async let second = deprecate(names[1], names[0], as: owner, scene).status
                #expect(try await [first, second].sorted() == [200, 422])
            }
        }
    }

    // MARK: - Slugs

    private func rename(_ key: String, to slug: String, as caller: UserID, _ scene: CatalogScene) async throws -> (
        status: Int, code: ErrorCode?
    ) {
        let answer = try await scene.send(.patch, "/templates/\(key)", as: caller, json: TemplatePatch(slug: slug))
        return (answer.status.code, answer.problem)
    }

    @Test("a slug survives a rename by redirect, in the API and the pages, with the rest of the address")
    func redirects() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("First Name")
            _ = try await scene.addPreview(made.submission, width: 100)
            #expect(try await rename("first-name", to: "second-name", as: scene.owner, scene).status == 200)
            #expect(try await rename("second-name", to: "third-name", as: scene.owner, scene).status == 200)
            for old in ["first-name", "second-name"] {
                for rest in [
                    "", "?channel=beta", "/versions", "/versions/latest", "/versions/1.0.0/regions",
                    "/versions/latest/download?redirect=false", "/versions/1.0.0/pages/0/preview?width=100", "/authors",
                ] {
                    let answer = try await scene.get("/templates/\(old)\(rest)")
                    #expect(answer.status == .permanentRedirect, "\(old)\(rest)")
                    #expect(answer.headers[.location] == "\(Paths.base)/templates/third-name\(rest)")
                }
                let page = try await scene.send(.get, "/sheets/\(old)")
                #expect(page.status == .permanentRedirect && page.headers[.location] == "/sheets/third-name")
                let patch = try await scene.send(
                    .patch, "/templates/\(old)", as: scene.owner, json: TemplatePatch(summary: "New."))
                #expect(patch.status == .permanentRedirect)
            }
            let detail = try await scene.get("/templates/third-name").json(TemplateDetail.self)
            #expect(detail.summary.id == made.id && detail.summary.slug == "third-name")
            // An upload streams: it is taken where it comes.
            #expect(
                try await scene.upload(.init(version: "1.1.0"), to: "first-name", as: scene.owner).status == .accepted)
            // What is missing below a present name is missing, not moved.
            #expect(try await scene.get("/templates/third-name/versions/9.9.9").status == .notFound)
            #expect(try await scene.get("/templates/first-names").status == .notFound)
            // Back to its first name: both others lead there.
            #expect(try await rename("third-name", to: "first-name", as: scene.owner, scene).status == 200)
            let third = try await scene.get("/templates/third-name")
            #expect(third.headers[.location] == "\(Paths.base)/templates/first-name")
            #expect(try await scene.get("/templates/first-name").status == .ok)
        }
    }

    @Test("nobody takes a slug that another template has or had")
    func squatting() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Famous Sheet")
            let eve = UserID.make()
            try await scene.addUser(eve, "eve")
            try await scene.addTemplate("Bait", owner: eve)
            #expect(try await rename("famous-sheet", to: "more-famous", as: scene.owner, scene).status == 200)
            for slug in ["famous-sheet", "more-famous"] {
                let answer = try await rename("bait", to: slug, as: eve, scene)
                #expect(answer.status == 409 && answer.code == .slugTaken)
            }
            #expect(try await rename("famous-sheet", to: "mine", as: eve, scene).status == 308)
            #expect(try await rename("more-famous", to: "mine", as: eve, scene).status == 403)
            // A new template of the old name gets a number, as beside a present one.
            let upload = try await scene.upload(
                UploadMetadata(
                    name: "Famous Sheet", summary: "Not that one.", gameSystem: "dnd5e", license: "CC0-1.0",
                    language: "en", version: "1.0.0"), as: eve)
            #expect(try upload.json(SubmissionStatus.self).templateSlug == "famous-sheet-2")
            // The database holds to it whoever asks.
            await #expect(throws: PostgresError.self) {
                try await scene.features.database.execute(
                    "UPDATE templates SET slug = 'famous-sheet' WHERE slug = 'bait'")
            }
            // Names of what was never published lead nowhere, and are taken all the same.
            #expect(try await scene.get("/templates/famous-sheet-2").status == .notFound)
            #expect(try await rename("bait", to: "famous-sheet-2", as: eve, scene).code == .slugTaken)
        }
    }

    @Test("a slug is a slug, and a template uses up only so many")
    func limits() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            for slug in ["", "No Slug", "a--b", "-a", made.id.description, String(repeating: "a", count: 65)] {
                #expect(try await rename("sheet", to: slug, as: scene.owner, scene).status == 422, "\(slug)")
            }
            let id = made.id.description
            for number in 1..<SlugStore.maximumPerTemplate {
                #expect(try await rename(id, to: "sheet-\(number)", as: scene.owner, scene).status == 200)
            }
            #expect(try await rename(id, to: "one-too-many", as: scene.owner, scene).status == 409)
            #expect(try await rename(id, to: "sheet-1", as: scene.owner, scene).status == 200)
            #expect(try await rename(id, to: "sheet", as: scene.owner, scene).status == 200)
        }
    }

    @Test("of many who want one name at once, one gets it")
    func racing() async throws {
        try await CatalogScene.run { scene in
            let names = (0..<6).map { "sheet-\($0)" }
            for name in names { try await scene.addTemplate(name) }
            let owner = scene.owner
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for name in names {
                    group.addTask { try await rename(name, to: "the-one", as: owner, scene).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(statuses == [200, 409, 409, 409, 409, 409])
        }
    }
}
