// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@testable import MarketPages

@Suite("Hints for who is here for the first time")
struct VisitHintTests {
    private static let form = [
        ("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded"),
    ]

    @Test("a hint stands there until it is closed in this browser, and comes back when that is asked for")
    func hints() async throws {
        try await EnforcementScene.run { scene in
            let mod = try await scene.person("mod", role: .moderator)
            func page(_ path: String, cookie: String = "") async throws -> String {
                try await mod.http.get(path, headers: [("Cookie", cookie), ("Accept", "text/html")]).text
            }
            func send(_ fields: String, cookie: String = "") async throws -> TestHTTP.Answer {
                let referrer = ("Referer", "\(mod.http.base)/moderation?kind=report")
                return try await mod.http.send(
                    .POST, "/hints", headers: Self.form + [("Cookie", cookie), referrer],
                    body: ByteBuffer(string: fields))
            }
            #expect(try await page("/moderation").contains("name=\"close\" value=\"queue\""))
            #expect(try await page("/upload").contains("name=\"close\" value=\"upload\""))
            let closed = try await send("close=queue")
            #expect(closed.status == 303 && closed.location == "/moderation?kind=report", "\(closed.text)")
            let line = try #require(closed.headers.first(name: "Set-Cookie"))
            #expect(line.hasPrefix("sheetmarket_hints=queue;") && line.contains("HttpOnly"), "\(line)")
            let cookie = String(line.prefix { $0 != ";" })
            #expect(!(try await page("/moderation", cookie: cookie).contains("visit-hint")))
            #expect(try await page("/upload", cookie: cookie).contains("visit-hint"), "each is closed by itself")
            let both = try #require(try await send("close=upload", cookie: cookie).headers.first(name: "Set-Cookie"))
            #expect(both.hasPrefix("sheetmarket_hints=queue.upload;"), "\(both)")
            let again = try #require(try await send("again=true", cookie: cookie).headers.first(name: "Set-Cookie"))
            #expect(again.hasPrefix("sheetmarket_hints=;") && again.contains("Max-Age=0"), "\(again)")
            #expect(try await page("/help").contains("Show the hints again"))
            #expect(try await send("close=else").status == 422)
        }
    }
}
