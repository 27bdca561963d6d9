// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Moderation
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketCommunity
@testable import MarketPages

@Suite("Profiles")
struct ProfileTests {
    private static let own = "\(Paths.base)/me/profile"

    @Test("A profile is written, shown on the person's page with links that vouch for nothing, and taken down")
    func profile() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            #expect(try await scene.page("/authors/ada", as: scene.http).status == 404, "nothing is shown yet")
            #expect(try await scene.http.get("\(Paths.base)/users/ada").status == 404)
            let edit = ProfileEdit(
                bio: "I draw <sheets>.\r\nSlowly.", links: ["https://ada.example.org/me", " "], colour: 3)
            let put = try await ada.http.send(.PUT, Self.own, json: edit)
            #expect(put.status == 200, "\(put.text)")
            let shown = try await scene.http.get("\(Paths.base)/users/ada").json(Profile.self)
            #expect(shown.bio == "I draw <sheets>.\nSlowly." && shown.links == ["https://ada.example.org/me"])
            #expect(shown.colour == 3 && shown.handle == "ada")
            let page = try await scene.page("/authors/ada", as: scene.http)
            #expect(page.status == 200 && page.text.contains("I draw &lt;sheets&gt;."), "\(page.text)")
            #expect(page.text.contains("href=\"https://ada.example.org/me\" rel=\"nofollow ugc noopener\""))
            #expect(page.text.contains("class=\"disc c3\"") && page.text.contains("/authors/ada/report"))
            #expect(!page.text.contains("Follow ada"), "nobody follows who offers nothing")

            try await scene.takeDown(.profile(ada.id))
            #expect(try await scene.page("/authors/ada", as: scene.http).status == 404)
            let form = try await scene.page("/account/profile", as: ada.http)
            #expect(form.text.contains("A moderator took your profile down"), "\(form.text)")
            try await scene.restore(.profile(ada.id))
            #expect(try await scene.page("/authors/ada", as: scene.http).status == 200)
        }
    }

    @Test(
        "Links are plain addresses by https",
        arguments: [
            ("https://example.org", true), ("https://example.org/a?b=c#d", true), ("http://example.org", false),
            ("javascript:alert(1)", false), ("https://user@example.org", false), ("https://localhost", false),
            ("https://exa mple.org", false), ("https://example.org/ü", false), ("https://", false),
            ("https://example.org/" + String(repeating: "a", count: 300), false),
        ])
    func links(link: String, isLink: Bool) {
        #expect(ProfileService.isLink(link) == isLink)
    }

    @Test("What does not hold is refused at its place")
    func refusals() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            for (edit, pointer) in [
                (ProfileEdit(bio: String(repeating: "a", count: 1001)), "/bio"),
                (ProfileEdit(links: Array(repeating: "https://example.org", count: 6)), "/links"),
                (ProfileEdit(links: ["https://example.org", "ftp://example.org"]), "/links/1"),
                (ProfileEdit(colour: 8), "/colour"),
            ] {
                let answer = try await ada.http.send(.PUT, Self.own, json: edit)
                #expect(answer.status == 422, "\(answer.text)")
                #expect(try answer.json(ProblemDocument.self).errors?.map(\.pointer) == [pointer])
            }
        }
    }

    @Test("The form keeps what was typed, and saves name, words, links and colour")
    func form() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let bad = try await scene.form(
                "/account/profile", "displayName=Ada&bio=Me+%26+you&links=example.org&colour=5", as: ada.http)
            #expect(bad.status == 422 && bad.text.contains("id=\"links-mistake\""), "\(bad.text)")
            #expect(bad.text.contains("Me &amp; you") && bad.text.contains("value=\"5\" checked"))
            let good = try await scene.form(
                "/account/profile",
                "displayName=Ada+Lovelace&bio=Me&links=https%3A%2F%2Fa.example.org%0D%0Ahttps%3A%2F%2Fb.example.org&colour=5",
                as: ada.http)
            #expect(good.status == 303, "\(good.text)")
            let saved = try await scene.page(after: good, as: ada.http)
            #expect(saved.text.contains("Saved.") && saved.text.contains(">AL</span>"), "\(saved.text)")
            let shown = try await scene.http.get("\(Paths.base)/users/ada").json(Profile.self)
            #expect(shown.displayName == "Ada Lovelace" && shown.links.count == 2 && shown.colour == 5)
            // One field's fault keeps all others back, too.
            let name = String(repeating: "a", count: 101)
            let long = try await scene.form(
                "/account/profile", "displayName=\(name)&bio=Other&links=&colour=1", as: ada.http)
            #expect(long.status == 422)
            #expect(try await scene.http.get("\(Paths.base)/users/ada").json(Profile.self) == shown)
        }
    }

    @Test(
        "Initials are of the first and the last word",
        arguments: [("Ada Lovelace", "AL"), ("ada", "A"), ("J. R. R. Tolkien", "JT"), ("…", "H"), ("Ärzte", "Ä")])
    func initials(name: String, letters: String) {
        #expect(PersonDisc.initials(of: name, or: "handle") == letters)
    }
}
