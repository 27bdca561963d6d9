// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketPages

@Suite("The page of an upload")
struct SubmissionPageTests {
    @Test("taking an upload back is asked for twice, and the page promises no news where no script brings any")
    func withdrawing() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let upload = try await scene.waiting(by: ada.id)
            let page = try await scene.page("/submissions/\(upload.submission)", as: ada.http).text
            let form = try #require(page.firstRange(of: "/submissions/\(upload.submission)/withdraw"))
            let confirm = try #require(page.firstRange(of: "<details id=\"withdraw\"><summary>"))
            #expect(confirm.lowerBound < form.lowerBound && page.contains("Yes, withdraw it</button>"))
            let promise = "<span class=\"with-scripts\" data-follows>This page follows along by itself.</span>"
            #expect(page.contains(promise))
        }
    }

    @Test("a refused upload's page leads to its appeal, and says when there is one")
    func refused() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let mod = try await scene.person("mod", role: .moderator)
            let upload = try await scene.waiting(by: ada.id)
            try await scene.decide(upload.caseID, .reject, "It is no sheet.", as: mod.http)
            let address = "/submissions/\(upload.submission)"
            let page = try await scene.page(address, as: ada.http).text
            #expect(page.contains("href=\"/account/appeals/new?case=\(upload.caseID)\""), "\(page)")
            let other = try await scene.page(address, as: mod.http).text
            #expect(!other.contains("/account/appeals/new"), "a moderator appeals nothing for others")
            let lodged = try await scene.form("/account/appeals", "case=\(upload.caseID)&text=It+is.", as: ada.http)
            #expect(lodged.status == 303, "\(lodged.text)")
            #expect(try await scene.page(address, as: ada.http).text.contains("You appealed this."))
        }
    }

    @Test("what became of corrected zoom regions is told as notes, below what is worse, beside the way to correct them")
    func corrections() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let upload = try await scene.waiting(by: ada.id).submission
            let notes: [(code: FindingCode, message: String)] = [
                (.correctionKept, "Regions were kept: 1."), (.correctionMoved, "Regions were moved & cut: 2."),
                (.correctionLost, "Regions found no place: 3."),
            ]
            let findings =
                notes.map { Finding($0.code, .info, message: $0.message) }
                + [Finding(.noText, .warning, page: 0, message: "No text.")]
            try await scene.features.database.execute(
                """
                UPDATE submissions SET findings = \(PostgresJSON(findings)), page_count = 3 WHERE id = \(upload)
                """)
            let page = try await scene.page("/submissions/\(upload)", as: ada.http).text
            var rest = page[...]
            let warning = "<p>No text.</p><p class=\"hint\">page 1 · <code>no_text</code>"
            let worse = try #require(rest.firstRange(of: warning), "\(page)")
            rest = rest[worse.upperBound...]
            for (code, message) in notes {
                let text = message.replacing("&", with: "&amp;")
                let line =
                    "<span class=\"state quiet\">Note</span><div><p>\(text)</p>"
                    + "<p class=\"hint\">whole file · <code>\(code.rawValue)</code>"
                let place = try #require(rest.firstRange(of: line), "\(page)")
                rest = rest[place.upperBound...]
            }
            #expect(page.contains("href=\"/submissions/\(upload)/regions\">Correct the zoom regions</a>"))
        }
    }
}
