// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketCatalog
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCommunity

@Suite("Members' collections")
struct MemberCollectionTests {
    private static let base = "\(Paths.base)/member-collections"

    private static func make(
        _ edit: MemberCollectionEdit, as caller: TestHTTP
    ) async throws -> MemberCollectionDetail {
        let answer = try await caller.send(.POST, base, json: edit)
        #expect(answer.status == 201, "\(answer.text)")
        return try answer.json(MemberCollectionDetail.self)
    }

    @Test("One is made, read by everybody, put into another order, changed and deleted by its owner alone")
    func owner() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let one = try await scene.template("One", by: ada.id)
            let two = try await scene.template("Two", by: ada.id)
            let made = try await Self.make(
                MemberCollectionEdit(
                    title: " Rain\u{202E}y ", summary: "Short.",
                    items: [.init(templateId: one.id, note: "First."), .init(templateId: two.id)]), as: bob.http)
            #expect(made.collection.title == "Rainy" && made.collection.owner == "bob" && made.collection.isListed)
            #expect(made.items.map(\.template.id) == [one.id, two.id] && made.items.map(\.note) == ["First.", ""])
            let address = "\(Self.base)/\(made.collection.id)"
            let read = try await scene.http.get(address)
            #expect(try read.json(MemberCollectionDetail.self).collection.isHidden == nil)

            let own = try await bob.http.get(address)
            let tag = try #require(own.headers.first(name: "ETag"))
            let turned = MemberCollectionEdit(
                title: "Rainy", isListed: false, items: [.init(templateId: two.id), .init(templateId: one.id)])
            #expect(try await ada.http.send(.PUT, address, json: turned).status == 404, "another's is not there")
            let put = try await bob.http.send(.PUT, address, json: turned, headers: [("If-Match", tag)])
            #expect(try put.json(MemberCollectionDetail.self).items.map(\.template.id) == [two.id, one.id])
            let stale = try await bob.http.send(.PUT, address, json: turned, headers: [("If-Match", tag)])
            #expect(stale.status == 412, "\(stale.text)")

            #expect(try await bob.http.send(.DELETE, "\(address)/templates/two").status == 204)
            #expect(try await bob.http.send(.PUT, "\(address)/templates/two").status == 204)
            #expect(try await bob.http.send(.PUT, "\(address)/templates/two").status == 204, "twice is once")
            #expect(try await bob.http.send(.PUT, "\(address)/templates/none").status == 404)
            let shown = try await scene.http.get(address).json(MemberCollectionDetail.self)
            #expect(shown.items.map(\.template.id) == [one.id, two.id])
            #expect(try await ada.http.send(.DELETE, address).status == 404)
            #expect(try await bob.http.send(.DELETE, address).status == 204)
            #expect(try await scene.http.get(address).status == 404)
        }
    }

    @Test("Lists show the listed ones alone: a person's, and those that a sheet is in beside the moderators'")
    func lists() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let one = try await scene.template("One", by: ada.id)
            let items = [CollectionEdit.Item(templateId: one.id)]
            let open = try await Self.make(MemberCollectionEdit(title: "Open", items: items), as: bob.http)
            let quiet = try await Self.make(
                MemberCollectionEdit(title: "Quiet", isListed: false, items: items), as: bob.http)
            let picks = CollectionEdit(title: "Picks", items: items)
            #expect(try await mod.http.send(.PUT, "\(Paths.base)/collections/picks", json: picks).status == 201)

            let listed = try await scene.http.get("\(Paths.base)/users/bob/collections")
                .json(MemberCollectionList.self)
            #expect(listed.collections.map(\.title) == ["Open"] && listed.collections[0].templateCount == 1)
            let own = try await bob.http.get("\(Paths.base)/me/collections").json(MemberCollectionList.self)
            #expect(own.collections.map(\.title) == ["Open", "Quiet"])
            #expect(own.collections.map(\.isHidden) == [false, false])
            #expect(try await scene.http.get("\(Paths.base)/users/nobody/collections").status == 404)
            let with = try await scene.http.get("\(Paths.base)/templates/one/collections")
                .json(TemplateCollections.self)
            #expect(with.curated.map(\.slug) == ["picks"] && with.ofMembers.map(\.id) == [open.collection.id])
            let direct = try await scene.http.get("\(Self.base)/\(quiet.collection.id)")
            #expect(direct.status == 200, "whoever has the address may see it")
        }
    }

    @Test("What does not hold is refused at its place, and there is an end to how many there can be")
    func refusals() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let one = try await scene.template("One", by: ada.id)
            for (edit, pointer) in [
                (MemberCollectionEdit(title: " "), "/title"),
                (MemberCollectionEdit(title: "A", summary: String(repeating: "a", count: 501)), "/summary"),
                (MemberCollectionEdit(title: "A", items: [.init(templateId: .make())]), "/items/0/templateId"),
                (
                    MemberCollectionEdit(title: "A", items: [.init(templateId: one.id), .init(templateId: one.id)]),
                    "/items/1/templateId"
                ),
            ] {
                let answer = try await ada.http.send(.POST, Self.base, json: edit)
                #expect(answer.status == 422, "\(answer.text)")
                #expect(try answer.json(ProblemDocument.self).errors?.map(\.pointer) == [pointer])
            }
            for number in 1...MemberCollectionService.maximum {
                _ = try await Self.make(MemberCollectionEdit(title: "Number \(number)"), as: ada.http)
            }
            let more = try await ada.http.send(.POST, Self.base, json: MemberCollectionEdit(title: "More"))
            #expect(more.status == 409, "\(more.text)")
            #expect(try await scene.http.send(.POST, Self.base, json: MemberCollectionEdit(title: "A")).status == 401)
        }
    }

    @Test("One that is reported can be taken down, so that only its owner sees it, and put back")
    func takenDown() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let one = try await scene.template("One", by: ada.id)
            let made = try await Self.make(
                MemberCollectionEdit(title: "Rude", items: [.init(templateId: one.id)]), as: bob.http
            ).collection
            let report = ReportRequest(
                subject: .init(kind: .user, id: "bob", part: .collection, collection: made.id), reason: .offensive,
                text: "Rude.")
            let filed = try await ada.http.send(.POST, "\(Paths.base)/reports", json: report)
            #expect(filed.status == 201, "\(filed.text)")
            let queue = try await mod.http.get("\(Paths.base)/moderation/queue").json(CaseList.self)
            let found = try #require(queue.cases.first { $0.part == .collection })
            #expect(found.collectionId == made.id && found.uploader == "bob" && found.templateName == "Rude")
            let byTitle = try await scene.page("/moderation?q=RUD", as: mod.http).text
            #expect(byTitle.contains("data-line>Rude ") && byTitle.contains("Reported collection</span>"), "\(byTitle)")
            let shown = try await scene.page("/moderation/cases/\(found.id)", as: mod.http).text
            #expect(shown.contains("<h1>Rude ") && shown.contains("collection of bob"), "\(shown)")
            let path = "\(Paths.base)/moderation/cases/\(found.id)"
            #expect(try await mod.http.send(.POST, "\(path)/claim").status == 200)
            let detail = try await mod.http.get(path).json(CaseDetail.self)
            #expect(detail.memberText?.title == "Rude" && detail.memberText?.isHidden == false)
            let decided = try await mod.http.send(
                .POST, "\(path)/decision",
                json: DecisionRequest(decision: .takeDown, reasonCode: "offensive", message: "It is rude."))
            #expect(decided.status == 200, "\(decided.text)")

            let address = "\(Self.base)/\(made.id)"
            #expect(try await scene.http.get(address).status == 404)
            #expect(try await bob.http.get(address).json(MemberCollectionDetail.self).collection.isHidden == true)
            let lists = try await scene.http.get("\(Paths.base)/templates/one/collections")
            #expect(try lists.json(TemplateCollections.self).ofMembers.isEmpty)
            try await scene.restore(.collection(made.id))
            #expect(try await scene.http.get(address).status == 200)

            // With the person all goes, and comes back with them.
            try await scene.takeDown(.user(bob.id))
            #expect(try await scene.http.get(address).status == 404)
            try await scene.restore(.user(bob.id))
            #expect(try await scene.http.get(address).status == 200)
            let ban = try await scene.impose(.ban, on: bob.id)
            scene.features.catalog.catalogChanged()
            #expect(try await scene.http.get(address).status == 404)
            _ = ban
        }
    }

    @Test("A suspended person makes none")
    func suspended() async throws {
        try await EnforcementScene.run { scene in
            let bob = try await scene.person("bob")
            _ = try await scene.impose(
                .suspension([.reviews], until: scene.clock.now.addingTimeInterval(3600)), on: bob.id)
            let answer = try await bob.http.send(.POST, Self.base, json: MemberCollectionEdit(title: "A"))
            #expect(answer.status == 403 && answer.problemCode == .suspended, "\(answer.text)")
            let profile = try await bob.http.send(.PUT, "\(Paths.base)/me/profile", json: ProfileEdit(bio: "I."))
            #expect(profile.status == 403 && profile.problemCode == .suspended, "\(profile.text)")
        }
    }
}
