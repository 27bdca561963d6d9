// SPDX-License-Identifier: Apache-2.0
import MarketWire
import NIOHTTP1
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
}
