// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import Testing

/// The zoom regions that are found on the example sheets, as they are today. Whoever changes them on purpose writes the file
/// anew: `SHEETMARKET_WRITE_REGIONS=1 make test ONLY=ExampleRegionsTests`, and looks at what changed.
@Suite("Zoom regions of the examples")
struct ExampleRegionsTests {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let file = tests.appendingPathComponent("Fixtures/example-regions.txt")
    private static let sheets = tests.deletingLastPathComponent().appendingPathComponent("examples/sheets")

    /// A line for each region: sheet, page, edges in thousandths, kind and name.
    private static func found() throws -> [String] {
        let sheets = try FileManager.default.contentsOfDirectory(at: sheets, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "pdf" }.sorted { $0.path < $1.path }
        return try sheets.flatMap { sheet in
            try Tool.report(of: sheet.path).pages.flatMap(\.regions).map { region in
                let rect = region.rect
                let edges = [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height]
                    .map { "\(Int(($0 * 1_000).rounded()))" }.joined(separator: " ")
                let (page, kind) = (region.pageIndex + 1, region.kind ?? "-")
                return "\(sheet.deletingPathExtension().lastPathComponent) \(page): \(edges) \(kind) \(region.name)"
            }
        }
    }

    @Test("are the ones that were looked at")
    func golden() throws {
        let found = try Self.found()
        if ProcessInfo.processInfo.environment["SHEETMARKET_WRITE_REGIONS"] == "1" {
            try Data((found.joined(separator: "\n") + "\n").utf8).write(to: Self.file)
        }
        let wanted = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(Set(found.map { $0.prefix { $0 != " " } }).count == 10)
        #expect(found.filter { !wanted.contains($0) } == [], "found now and not before")
        #expect(wanted.filter { !found.contains($0) } == [], "found before and not now")
        #expect(found.count == wanted.count)
    }
}
