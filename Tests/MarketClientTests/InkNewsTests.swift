// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Testing

@Suite("Whether ink still fits after an update")
struct InkNewsTests {
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)
    private let third = SemanticVersion(1, 2, 0)

    private func page(_ from: Int, _ to: Int, _ ink: InkVerdict, moved: Double = 0) -> PageChange {
        let way = PageTransform(scaleX: 1, scaleY: 1, offsetX: moved, offsetY: 0)
        return PageChange(from: from, to: to, ink: ink, transform: ink == .incompatible ? nil : way)
    }

    /// Four pages; the last is gone in the second version, one came in front in the third.
    private var sheet: SampleSheet {
        var sheet = SampleSheet()
        sheet.files.append((third, SampleSheet.bytes(1000, seed: 3)))
        sheet.changes = [
            second: VersionChanges(
                since: first, ink: .incompatible, pagesAdded: [], pagesRemoved: [3],
                pages: [page(0, 0, .compatible), page(1, 1, .shifted, moved: 0.25), page(2, 2, .incompatible)]),
            third: VersionChanges(
                since: second, ink: .shifted, pagesAdded: [1], pagesRemoved: [],
                pages: [page(0, 0, .compatible), page(1, 2, .shifted, moved: 0.5), page(2, 3, .compatible)]),
        ]
        return sheet
    }

    @Test("changes over several versions come to one, page by page")
    func composed() throws {
        let changes = try #require(sheet.changes[third]).following(try #require(sheet.changes[second]))
        #expect(changes.since == first && changes.ink == .incompatible)
        #expect(changes.pagesAdded == [1] && changes.pagesRemoved == [3])
        #expect(changes.pages.map(\.ink) == [.compatible, .shifted, .incompatible])
        #expect(changes.pages.map(\.to) == [0, 2, 3] && changes.pages[1].transform?.offsetX == 0.75)
        let back = PageTransform(scaleX: 2, scaleY: 1, offsetX: 0.1, offsetY: 0)
        let ahead = PageTransform(scaleX: 0.5, scaleY: 1, offsetX: 0.2, offsetY: 0.3)
        func only(_ way: PageTransform) -> VersionChanges {
            VersionChanges(
                since: first, ink: .shifted, pagesAdded: [], pagesRemoved: [],
                pages: [PageChange(from: 0, to: 0, ink: .shifted, transform: way)])
        }
        let both = try #require(only(ahead).following(only(back)).pages.first?.transform)
        let (once, halfway) = (both.point(x: 0.3, y: 0.4), back.point(x: 0.3, y: 0.4))
        let expected = ahead.point(x: halfway.x, y: halfway.y)
        #expect(abs(once.x - expected.x) < 1e-12 && abs(once.y - expected.y) < 1e-12)
    }

    @Test("an update tells what is new and where ink fits, before and after, also over a version that was left out")
    func update() async throws {
        let scratch = try Scratch()
        let (sheet, third) = (self.sheet, self.third)
        let plain = sheet.market(offered: third)
        let told = """
            Ink drawn on 1.0.0:
              page 1 fits
              page 2 is new
              page 2, now page 3, fits when moved
              page 3, now page 4, does not fit
              page 4 of 1.0.0 is gone, with what was drawn on it

            """
        try await withStub { request, server in
            guard request.uri.path == "\(Paths.base)/updates" else { return try await plain(request, server) }
            return try .json(
                UpdateReport(updates: [
                    .init(templateId: sheet.id, state: .published, genuine: true, newer: third, slug: sheet.slug)
                ]))
        } _: { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            _ = try await sheets("install", "quest-sheet@1.0.0")
            let check = try await sheets("update", "--check")
            #expect(check.output == "quest-sheet 1.0.0 → 1.2.0\nWhat is new:\n  News.\n" + told, "\(check)")
            let json = try await sheets("update", "--check", "--json").json()
            let lines = try #require(json["updates"] as? [[String: Any]])
            let changes = try #require(lines.first?["changes"] as? [String: Any])
            #expect(
                (changes["pages"] as? [[String: Any]])?.map { $0["ink"] as? String }
                    == ["compatible", "shifted", "incompatible"])
            #expect(lines.first?["changelog"] as? String == "News.")
            let run = try await sheets("update")
            let sentence = "Installed quest-sheet 1.2.0 in the place of 1.0.0.\nWhat is new:\n  News.\n"
            #expect(run.status == 0 && run.output == sentence + told, "\(run)")
        }
    }

    @Test("a market that does not know says so; pages that all stayed are one sentence")
    func sentences() async throws {
        let scratch = try Scratch()
        var sheet = SampleSheet()
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.init(key: "quest-sheet", version: first))
            let run = try await CommandLineRun.sheets("install", "quest-sheet@1.1.0", in: scratch, server: server.url)
            #expect(run.output.contains("Whether ink drawn on 1.0.0 still fits is not known"), "\(run)")
        }
        sheet.changes = [
            second: VersionChanges(
                since: first, ink: .compatible, pagesAdded: [], pagesRemoved: [], pages: [page(0, 0, .compatible)])
        ]
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.init(key: "quest-sheet", version: first))
            let run = try await CommandLineRun.sheets("install", "quest-sheet@1.1.0", in: scratch, server: server.url)
            #expect(run.output.contains("Ink drawn on 1.0.0 fits on every page."), "\(run)")
        }
    }
}
