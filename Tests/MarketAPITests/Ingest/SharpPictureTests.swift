// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketIngest
@testable import MarketPlatform

@Suite("Sharper pictures of pages, with the real reader")
struct SharpPictureTests {
    private static func publish(_ name: String, in market: TestMarket) async throws -> SubmissionStatus {
        let author = try await market.person("ada")
        let moderator = try await market.person("moritz", role: .moderator)
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: ["Attributes", "Skills"])
        builder.addPage(headings: ["Notes"])
        let metadata = UploadMetadata(
            name: name, summary: "A sheet for tests.", description: "", gameSystem: "dnd5e", tags: [],
            license: "CC-BY-4.0", language: "en", version: "1.0.0", changelog: "")
        let answer = try await author.upload(
            "\(Paths.base)/templates", metadata: metadata, file: builder.build())
        let status = try await author.submission(
            answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        try await moderator.decide(status)
        return status
    }

    /// Width and height of a WebP picture that was made without transparency.
    private static func size(_ picture: [UInt8]) -> [Int] {
        guard picture.count > 30, Array(picture[12..<16]) == Array("VP8 ".utf8) else { return [] }
        return [26, 28].map { (Int(picture[$0]) | Int(picture[$0 + 1]) << 8) & 0x3fff }
    }

    @Test("they are drawn after the inspection, once, and the API and the page name them then")
    func drawn() async throws {
        try await withMarket(workers: 1) { market in
            let sheet = try await Self.publish("Ledger", in: market)
            let path = Paths.template(sheet.templateSlug)
            let before = try await market.http.get(path).json(TemplateDetail.self).latest.pages
            #expect(before.map(\.previewWidth) == [nil, nil])
            let early = try await market.http.get("/sheets/\(sheet.templateSlug)", headers: [("Accept", "text/html")])
            #expect(!early.text.contains("data-sharp"))

            let platform = market.features.platform
            #expect(try await DrawSharpPictures.enqueueDue(platform) == 1)
            #expect(try await DrawSharpPictures.enqueueDue(platform) == 0, "once is enough")
            let author = try await market.person("ada")
            _ = try await eventually {
                try await author.get(path).json(TemplateDetail.self).latest.pages
                    .allSatisfy { $0.previewWidth == DrawSharpPictures.width }
            }
            let pages = try await author.get(path).json(TemplateDetail.self).latest.pages
            #expect(pages.map(\.previewWidth) == [2400, 2400])
            let picture = try await market.http.get("\(pages[0].previewURL)?width=2400")
            #expect(picture.status == 200 && picture.headers["Content-Type"] == ["image/webp"])
            #expect(picture.headers["Cache-Control"].first?.contains("immutable") == true)
            #expect(Self.size(Array(buffer: picture.body)).first == 2400)
            let usual = try await market.http.get("\(pages[0].previewURL)?width=1200")
            #expect(Self.size(Array(buffer: usual.body)).first == 1200, "who asks for less gets no more")
            let page = try await author.get("/sheets/\(sheet.templateSlug)", headers: [("Accept", "text/html")])
            #expect(page.text.contains("data-sharp=\"\(pages[0].previewURL)?width=2400\""))
            let own = try await author.get("/submissions/\(sheet.id)", headers: [("Accept", "text/html")])
            #expect(own.text.contains("/preview?width=2400"))
        }
    }

    @Test("pictures of differences go on being made of the inspection's, and another drawing changes nothing")
    func besideOthers() async throws {
        try await withMarket(workers: 1) { market in
            let sheet = try await Self.publish("Ledger", in: market)
            let database = market.features.database
            let before = try await DifferenceStore.pages(of: sheet.id, in: database)[0]?.picture
            for _ in 0..<2 {
                try await database.execute("UPDATE submissions SET sharpened_at = NULL")
                try await DrawSharpPictures.enqueueDue(market.features.platform)
                _ = try await eventually {
                    try await database.scalar("SELECT count(*) FROM jobs WHERE state <> 'done'", as: Int.self) == 0
                }
            }
            #expect(try await database.scalar("SELECT count(*) FROM previews", as: Int.self) == 6)
            #expect(try await DifferenceStore.pages(of: sheet.id, in: database)[0]?.picture == before)
        }
    }
}
