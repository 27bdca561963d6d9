// SPDX-License-Identifier: Apache-2.0
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@Suite("A market in the test's process")
struct SmokeTests {
    @Test("Every part of the way works together: upload, reading, decision, catalog, download")
    func way() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("nadia")
            let moderator = try await market.person("moritz", role: .moderator)
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: ["Skills", "Combat", "Equipment"])
            let answer = try await author.upload(
                metadata: UploadMetadata(
                    name: "Smoke sheet", summary: "For a test.", gameSystem: "dnd5e", license: "CC0-1.0",
                    language: "en", version: "1.0.0"),
                file: builder.build())
            #expect(answer.status == 202, "\(answer.text)")
            let read = try await author.submission(
                try answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
            #expect(read.state == .awaitingReview, "\(read.findings)")
            let decision = try await moderator.decide(read)
            #expect(decision.status == 200, "\(decision.text)")
            let list = try await market.http.get("\(Paths.base)/templates?q=smoke")
            #expect(try list.json(TemplateList.self).templates.map(\.slug) == ["smoke-sheet"], "\(list.text)")
            let detail = try await market.http.get(Paths.template("smoke-sheet"))
            #expect(try detail.json(TemplateDetail.self).latest.pageCount == 1, "\(detail.text)")
            let download = try await market.http.get(Paths.download("smoke-sheet", "latest"))
            #expect(download.status == 302)
            let file = try await market.http.get(download.headers.first(name: "location") ?? "")
            #expect(file.body.readableBytes == builder.build().count)
        }
    }
}
