// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketIngest

@Suite("The form of an upload")
struct UploadPageTests {
    private static func send(
        _ market: TestMarket, _ fields: [(String, String)], as user: [(String, String)], to path: String = "/upload"
    ) async throws -> TestHTTP.Answer {
        var form = MultipartForm()
        for (name, value) in fields { form.add(name, value.utf8) }
        form.add("file", fileName: "sheet.pdf", "%PDF-1.4 x".utf8)
        return try await market.http.send(
            .POST, path, headers: user + [("Content-Type", form.contentType)], body: form.finished)
    }

    @Test("Languages and licences are chosen from what there is, each explained; a name and another licence are taken")
    func choices() async throws {
        try await withMarket { market in
            let user = try await WebTests.register("tess", in: market).filter { $0.0 != "Content-Type" }
            let page = try await market.http.get("/upload", headers: user).text
            #expect(page.contains("<option value=\"German\" label=\"Deutsch, de\">"))
            #expect(page.contains("name=\"language\" required value=\"English\""))
            let fitting = page.components(separatedBy: "type=\"radio\" name=\"license\" value=\"CC").count - 1
            #expect(fitting == 5)
            #expect(
                page.contains("value=\"CC-BY-4.0\" checked") && page.contains("Share and change it, also to sell; name")
            )
            #expect(page.contains("<option value=\"MIT\">MIT: Share and change it"))
            #expect(page.contains("<optgroup label=\"For the rules of games\">"))

            let fields = [
                ("name", "Lantern"), ("summary", "A sheet."), ("gameSystem", "dnd5e"), ("version", "1.2.3"),
                ("language", "Deutsch"), ("license", ""), ("otherLicense", "MIT"),
            ]
            let wrong = try await Self.send(
                market, fields.map { ($0.0, $0.0 == "version" ? "one" : $0.1) }, as: user)
            #expect(wrong.status == 422 && wrong.text.contains("name=\"language\" required value=\"Deutsch\""))
            #expect(wrong.text.contains("data-other-licence checked"))
            #expect(wrong.text.contains("<option value=\"MIT\" selected>"))
            let taken = try await Self.send(market, fields, as: user)
            #expect(taken.status == 303, "\(taken.text)")
            let chosen = try await Self.send(
                market, fields.map { ($0.0, $0.0 == "license" ? "CC0-1.0" : $0.0 == "name" ? "Other" : $0.1) }, as: user
            )
            #expect(chosen.status == 303, "\(chosen.text)")
            let stored = try await market.features.database.all(
                "SELECT language || ' ' || license FROM templates WHERE name IN ('Lantern', 'Other') ORDER BY name"
            ) { try $0.get(0, as: String.self) }
            #expect(stored == ["de MIT", "de CC0-1.0"])
        }
    }

    @Test("The next version's number is counted on from what is published or on its way")
    func nextNumber() async throws {
        try await withMarket { market in
            let user = try await WebTests.register("tess", in: market).filter { $0.0 != "Content-Type" }
            let fields = [
                ("name", "Lantern"), ("summary", "A sheet."), ("gameSystem", "dnd5e"), ("version", "1.2.3"),
                ("language", "en"), ("license", "CC-BY-4.0"),
            ]
            #expect(try await Self.send(market, fields, as: user).status == 303)
            let id = try await market.features.database.scalar("SELECT id FROM templates", as: TemplateID.self)
            let page = try await market.http.get("/upload?template=\(id)", headers: user).text
            #expect(page.contains("name=\"version\" required value=\"1.2.4\"") && page.contains("After 1.2.3."))
            for number in ["1.2.4", "1.3.0", "2.0.0"] { #expect(page.contains("data-version=\"\(number)\"")) }
            #expect(page.contains("data-single") && !page.contains("<template data-row>"))
            let again = try await Self.send(market, fields, as: user, to: "/upload?template=\(id)")
            #expect(
                again.status == 409 && again.text.contains("value=\"1.2.3\"") && again.text.contains("After 1.2.3."))
        }
    }

    @Test("What moderators want changed can be sent again under its number")
    func asked() {
        let published = SemanticVersion(1, 0, 0)
        let next = NextVersions(after: [(published, true), (SemanticVersion(1, 1, 0), false)])
        #expect(next.asked == SemanticVersion(1, 1, 0) && next.latest == published)
        #expect(NextVersions(after: [(published, true), (SemanticVersion(0, 9, 0), false)]).asked == nil)
        let preview = SemanticVersion("2.0.0-beta.1").map { NextVersions(after: [($0, true)]) }
        #expect(preview?.patch == SemanticVersion(2, 0, 0) && preview?.minor == SemanticVersion(2, 1, 0))
        #expect(NextVersions(after: []).patch == nil)
    }
}
