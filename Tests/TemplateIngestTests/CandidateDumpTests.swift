// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import Testing

/// What `Training/` asks the reader for.
@Suite("Candidates and other scores")
struct CandidateDumpTests {
    private struct Page: Decodable {
        struct Region: Decodable, Equatable {
            var name: String
            var x, y, width, height: Double
        }

        var page: Int
        var regions: [Region]
    }

    @Test("the scores that ship, read from their folder, choose what the report has")
    func shipped() throws {
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let scores = project.appendingPathComponent("Sources/SheetLayout/Data").path
        let sheets = try FileManager.default.contentsOfDirectory(
            at: project.appendingPathComponent("examples/sheets"), includingPropertiesForKeys: nil)
        let sheet = try #require(sheets.filter { $0.pathExtension == "pdf" }.min { $0.path < $1.path })
        let chosen = try Tool.inspect(["--chosen-by", scores, sheet.path])
        #expect(chosen.status == 0)
        let pages = try chosen.output.split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(Page.self, from: $0) }
        let report = try Tool.report(of: sheet.path)
        #expect(pages.map(\.page) == report.pages.map(\.index))
        for (page, told) in zip(pages, report.pages) {
            #expect(!page.regions.isEmpty && page.regions.count == told.regions.count)
            for (region, wanted) in zip(page.regions, told.regions) {
                #expect(region.x == wanted.rect.x && region.width == wanted.rect.width)
                #expect(region.y == wanted.rect.y && region.height == wanted.rect.height)
            }
        }
    }

    @Test("a folder without scores is refused")
    func without() throws {
        let bench = try Workbench()
        let sheet = try bench.file("sheet.pdf", PDFBuilder.sheet().data())
        #expect(try Tool.inspect(["--chosen-by", bench.folder.path, sheet.string]).status == 66)
        #expect(try Tool.inspect(["--chosen-by", bench.folder.path]).status == 64)
    }
}
