// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

/// Real sheets that are not part of the project: beside it, or where SHEETMARKET_SHARED says.
private let sharedSheets: [URL] = {
    let environment = ProcessInfo.processInfo.environment["SHEETMARKET_SHARED"]
    let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared")
    let shared = environment.map { URL(fileURLWithPath: $0) } ?? beside
    return ["regions/sheets", "regions/more-sheets"].flatMap { folder in
        let files = try? FileManager.default.contentsOfDirectory(
            at: shared.appendingPathComponent(folder),
            includingPropertiesForKeys: nil
        )
        return (files ?? []).filter { $0.pathExtension == "pdf" }.sorted { $0.path < $1.path }
    }
}()

@Suite("Real sheets", .enabled(if: !sharedSheets.isEmpty, "no shared sheets beside the project"))
struct SharedSheetTests {
    @Test("each gets a verdict, its pages and its pictures", arguments: sharedSheets)
    func sheet(url: URL) async throws {
        let pictures = Collected<PagePreview>()
        let report = try await Workbench.reader.read(
            FilePath(url.path), request: ReaderRequest(limits: .calm), onPreview: { await pictures.add($0) }
        ).value
        #expect(report.pageCount == report.pages.count && report.pageCount > 0)
        #expect(await pictures.values.count == 2 * report.pageCount)
        let removable: Set<FindingCode> = [.javascript, .launchAction, .externalAction, .embeddedFiles, .xfa]
        #expect(report.blockers.allSatisfy(removable.contains))
        #expect(report.pages.contains { !$0.regions.isEmpty })
    }
}
