// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import Testing

/// What `Training/` asks the reader for.
@Suite("Candidates and other scores")
struct PageDumpTests {
    private struct Page: Decodable {
        struct Region: Decodable {
            var name: String
            var x, y, width, height: Double

            var rect: NormalizedRect { NormalizedRect(x: x, y: y, width: width, height: height) }
        }

        var page: Int
        var regions: [Region]
    }

    private static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let shipped = project.appendingPathComponent("Sources/SheetLayout/Data")
    private static let sheet = project.appendingPathComponent("examples/sheets/oathbound-journal.pdf").path
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    private func chosen(by folder: String) throws -> [Page] {
        let result = try Tool.inspect(["--chosen-by", folder, Self.sheet])
        try #require(result.status == 0)
        return try result.output.split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(Page.self, from: $0) }
    }

    /// A file of trees of which one says the same of everything.
    private func write(_ score: UInt16, measures: UInt8, to name: String) throws {
        let head = Array("SMF1".utf8) + [measures, 0, 1, 0, 1, 0, 0, 0]
        _ = try bench.file(name, Data(head + [0, UInt8(score & 0xFF), UInt8(score >> 8)]))
    }

    @Test("the scores that ship, read from their folder, choose what the report has")
    func shipped() throws {
        let pages = try chosen(by: Self.shipped.path)
        let report = try Tool.report(of: Self.sheet)
        #expect(pages.map(\.page) == report.pages.map(\.index))
        for (page, told) in zip(pages, report.pages) {
            #expect(!page.regions.isEmpty && page.regions.map(\.rect) == told.regions.map(\.rect))
        }
    }

    @Test("other scores choose otherwise")
    func others() throws {
        try write(9_000, measures: 157, to: "region-score.bin")
        try write(9_000, measures: 195, to: "region-choice.bin")
        let (others, shipped) = (try chosen(by: bench.folder.path), try chosen(by: Self.shipped.path))
        #expect(others.map { $0.regions.map(\.rect) } != shipped.map { $0.regions.map(\.rect) })
        try write(0, measures: 195, to: "region-choice.bin")
        #expect(try chosen(by: bench.folder.path).allSatisfy(\.regions.isEmpty))
    }

    @Test("a folder without scores, or with such of other measures, is refused")
    func without() throws {
        #expect(try Tool.inspect(["--chosen-by", bench.folder.path, Self.sheet]).status == 66)
        try write(9_000, measures: 157, to: "region-score.bin")
        try write(9_000, measures: 157, to: "region-choice.bin")
        #expect(try Tool.inspect(["--chosen-by", bench.folder.path, Self.sheet]).status == 66)
        #expect(try Tool.inspect(["--chosen-by", bench.folder.path]).status == 64)
    }
}
