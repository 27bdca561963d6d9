// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketPages
@testable import MemberPages

@Suite("Pages of members' collections")
struct OwnCollectionPageTests {
    private static func state(_ text: String) throws -> String {
        String(try #require(text.firstMatch(of: /name="state" value="([0-9a-f]+)"/)?.output.1))
    }

    private static func places(of words: [String], in text: String) -> [String] {
        words.compactMap { word in text.firstRange(of: word).map { (word, $0.lowerBound) } }
            .sorted { $0.1 < $1.1 }.map(\.0)
    }

    @Test("A sheet goes into a new collection from its page, is sorted by its arrows, and taken out, without a script")
    func story() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let one = try await scene.template("First Sheet", by: ada.id)
            let two = try await scene.template("Second Sheet", by: ada.id)
            let sheet = try await scene.page("/sheets/\(one.slug)", as: bob.http)
            #expect(
                sheet.text.contains("href=\"/sheets/\(one.slug)/collect\"") && !sheet.text.contains("In collections"))
            #expect(try await scene.page("/sheets/\(one.slug)/collect", as: scene.http).status == 303)
            let empty = try await scene.form("/sheets/\(one.slug)/collect", "collection=new&title=", as: bob.http)
            #expect(empty.status == 422 && empty.text.contains("id=\"title-mistake\""), "\(empty.text)")
            let made = try await scene.form(
                "/sheets/\(one.slug)/collect", "collection=new&title=Rainy+%3Cdays%3E", as: bob.http)
            let address = made.location
            #expect(made.status == 303 && address.hasPrefix("/authors/bob/collections/"), "\(made.text)")
            let id = String(address.split(separator: "/").last ?? "")
            let chosen = try await scene.page("/sheets/\(one.slug)/collect", as: bob.http)
            #expect(chosen.text.contains("value=\"\(id)\" disabled"), "it is in this one")
            #expect(try await scene.form("/sheets/\(two.slug)/collect", "collection=\(id)", as: bob.http).status == 303)

            let shown = try await scene.page(address, as: scene.http)
            #expect(shown.text.contains("<h1>Rainy &lt;days&gt;</h1>") && shown.text.contains("\(address)/report"))
            #expect(
                Self.places(of: ["First Sheet", "Second Sheet"], in: shown.text) == ["First Sheet", "Second Sheet"])
            #expect(!shown.text.contains(">Edit</a>"))
            let elsewhere = try await scene.page("/authors/ada/collections/\(id)", as: scene.http)
            #expect(elsewhere.status == 404, "it is not hers")
            let person = try await scene.page("/authors/bob", as: scene.http)
            #expect(person.text.contains(address) && person.text.contains("2 sheets"), "\(person.text)")
            let after = try await scene.page("/sheets/\(one.slug)", as: scene.http)
            #expect(after.text.contains("In collections") && after.text.contains("by bob"), "\(after.text)")

            let edit = "/account/collections/\(id)"
            let form = try await scene.page(edit, as: bob.http)
            #expect(try await scene.page(edit, as: ada.http).status == 404)
            let fields =
                "title=Rainy&listed=no&sheet=\(one.id)&note-\(one.id)=Why%3F&sheet=\(two.id)&note-\(two.id)="
            let moved = try await scene.form(
                edit, "state=\(try Self.state(form.text))&\(fields)&down=\(one.id)", as: bob.http)
            #expect(moved.status == 303 && moved.location == "\(edit)#sheet-\(one.id)", "\(moved.text)")
            let detail = try await scene.http.get("\(Paths.base)/member-collections/\(id)")
                .json(MemberCollectionDetail.self)
            #expect(detail.items.map(\.template.id) == [two.id, one.id] && detail.items.map(\.note) == ["", "Why?"])
            #expect(!detail.collection.isListed && detail.collection.title == "Rainy")
            let stale = try await scene.form(
                edit, "state=\(try Self.state(form.text))&\(fields)", as: bob.http)
            #expect(stale.status == 412 && stale.text.contains("changed since you opened it"), "\(stale.text)")
            let quiet = try await scene.page(address, as: scene.http)
            #expect(quiet.status == 200 && quiet.headers.first(name: "X-Robots-Tag") == "noindex")
            #expect(try await scene.page("/authors/bob", as: scene.http).status == 404)

            let state = try Self.state(try await scene.page(edit, as: bob.http).text)
            let removed = try await scene.form(edit, "state=\(state)&\(fields)&remove=\(two.id)", as: bob.http)
            #expect(removed.status == 303, "\(removed.text)")
            let list = try await scene.page("/account/collections", as: bob.http)
            #expect(list.text.contains("1 sheet") && list.text.contains("not listed"), "\(list.text)")
            let question = try await scene.page("\(edit)/delete", as: bob.http)
            let gone = try await scene.form(
                "\(edit)/delete", "state=\(try Self.state(question.text))", as: bob.http)
            #expect(gone.status == 303 && gone.location == "/account/collections", "\(gone.text)")
            #expect(try await scene.page(address, as: bob.http).status == 404)
        }
    }

    @Test("A collection and a profile are reported with the form of sheets")
    func reports() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bob = try await scene.person("bob")
            let mod = try await scene.person("mod", role: .moderator)
            let edit = MemberCollectionEdit(title: "Rude", summary: "Very.")
            let made = try await bob.http.send(.POST, "\(Paths.base)/member-collections", json: edit)
                .json(MemberCollectionDetail.self).collection
            #expect(
                try await bob.http.send(.PUT, "\(Paths.base)/me/profile", json: ProfileEdit(bio: "Buy dice!")).status
                    == 200)
            for (address, words) in [
                ("/authors/bob/collections/\(made.id)/report", "Very."), ("/authors/bob/report", "Buy dice!"),
            ] {
                let form = try await scene.page(address, as: ada.http)
                #expect(form.status == 200 && form.text.contains(words), "\(form.text)")
                let filed = try await scene.form(address, "reason=spam&text=", as: ada.http)
                #expect(filed.status == 303, "\(filed.text)")
            }
            let mine = try await scene.page("/account/reports", as: ada.http)
            #expect(mine.text.contains("The collection “Rude”") && mine.text.contains("The profile of bob"))
            let queue = try await mod.http.get("\(Paths.base)/moderation/queue").json(CaseList.self)
            #expect(Set(queue.cases.compactMap(\.part)) == [.collection, .profile])
            for found in queue.cases {
                let page = try await scene.page("/moderation/cases/\(found.id)", as: mod.http)
                #expect(page.text.contains(found.part == .profile ? "Buy dice!" : "Very."), "\(page.text)")
            }
        }
    }
}
