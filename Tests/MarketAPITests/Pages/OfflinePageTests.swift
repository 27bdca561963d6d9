// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import TestSupport
import Testing

@testable import MarketPages

@Suite("What is kept for times without a network")
struct OfflinePageTests {
    private static let browser = [("Accept", "text/html")]

    @Test("the worker may stand before every page, ask this market alone, and is asked for anew each time")
    func worker() async throws {
        try await withMarket { market in
            let answer = try await market.http.get("/service-worker.js")
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "content-type") == "text/javascript; charset=utf-8")
            #expect(answer.headers.first(name: "cache-control") == "no-cache")
            let policy = answer.headers.first(name: "content-security-policy")
            #expect(policy == "default-src 'none'; connect-src 'self'")
            let again = try await market.http.get("/service-worker.js")
            #expect(again.text == answer.text, "it changes with the files alone")
            let list = try #require(answer.text.firstMatch(of: /const files = (\[.*\]);/)?.1)
            for address in try JSONDecoder().decode([String].self, from: Data(list.utf8)) {
                let file = try await market.http.get(address, headers: Self.browser)
                #expect(file.status == 200, "\(address)")
                let caching = file.headers.first(name: "cache-control") ?? "private"
                #expect(!caching.contains("private") && !caching.contains("no-store"), "\(address)")
            }
            let home = try await market.http.get("/", headers: Self.browser)
            #expect(home.headers.first(name: "content-security-policy")?.contains("worker-src 'self'") == true)
            #expect(home.text.contains("src=\"/static/app.js?v="))
        }
    }

    @Test("its version follows every static file")
    func version() throws {
        let web = BuildProducts.root.appendingPathComponent("web")
        let folder = try ScratchFolder("static")
        let copy = folder.url.appendingPathComponent("static")
        try FileManager.default.copyItem(at: web.appendingPathComponent("static"), to: copy)
        let before = try StaticFiles(folder: copy).mark
        #expect(try StaticFiles(folder: copy).mark == before)
        try Data("// new\n".utf8).write(to: copy.appendingPathComponent("zoom-stage.js"))
        #expect(try StaticFiles(folder: copy).mark != before)
    }

    @Test("a browser may keep a sheet's page as everybody sees it, and no page of a person")
    func caching() async throws {
        try await EnforcementScene.run { scene in
            let ada = try await scene.person("ada")
            let sheet = try await scene.template("Sheet", by: ada.id)
            let open = try await scene.page("/sheets/\(sheet.slug)", as: scene.http)
            #expect(open.headers.first(name: "cache-control") == "no-cache")
            #expect(open.headers["Vary"].joined(separator: ", ").contains("Cookie"))
            #expect(open.text.contains("data-offline hidden"))
            for path in ["/sheets/\(sheet.slug)", "/account", "/"] {
                let own = try await scene.page(path, as: ada.http)
                #expect(own.headers.first(name: "cache-control")?.contains("private") == true, "\(path)")
            }
        }
    }
}
