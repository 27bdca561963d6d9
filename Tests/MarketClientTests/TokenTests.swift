// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Testing

@Suite("Whom a token is told")
struct TokenTests {
    private let sheet = SampleSheet()

    @Test(
        "SHEETS_TOKEN goes to the market that is named, and not to another that a sheet came from",
        arguments: [["verify", "--repair"], ["open", "--html", "--path", "quest-sheet"]])
    func onlyTheNamed(_ words: [String]) async throws {
        let sheet = self.sheet
        try await withStub(sheet.market()) { origin in
            try await withStub(sheet.market()) { other in
                for (named, expected) in [(other, nil), (origin, "Bearer secret")] as [(StubServer, String?)] {
                    let scratch = try Scratch()
                    let ready = try await CommandLineRun.sheets(
                        "install", "quest-sheet", in: scratch, server: origin.url)
                    #expect(ready.status == 0, "\(ready)")
                    if words[0] == "verify" {
                        let hash = sheet.hash(sheet.files[0].version)
                        try FileManager.default.removeItem(atPath: scratch.library.objectPath(hash))
                    }
                    let before = origin.seen().count
                    let run = try await CommandLineRun.start(
                        words, in: scratch, server: named.url, environment: ["SHEETS_TOKEN": "secret"]
                    ).end()
                    #expect(run.status == 0, "\(run)")
                    let asked = origin.seen().dropFirst(before).filter { $0.path.hasPrefix(Paths.base) }
                    #expect(!asked.isEmpty, "\(run)")
                    #expect(asked.map { $0.headers[.authorization] } == asked.map { _ in expected })
                }
            }
        }
    }
}
