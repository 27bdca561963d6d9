// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import TemplateIngest
import Testing

@Suite("What changed between two versions, as the real reader sees them")
struct ComparisonTests {
    /// A page of labels with fields beside them, in a grid.
    struct Sheet {
        var box = (width: 595.0, height: 842.0)
        var scale = 1.0
        /// From the left and from the top, in points.
        var move = (x: 0.0, y: 0.0)
        var labels = Sheet.words
        var hasFields = true
        /// Fields that are left out, and that stand elsewhere.
        var without: Set<String> = []
        var elsewhere: Set<String> = []

        static let words = [
            "Strength", "Dexterity", "Constitution", "Intelligence", "Wisdom", "Charisma", "Acrobatics", "Arcana",
            "Athletics", "Deception", "History", "Insight", "Intimidation", "Medicine", "Nature", "Perception",
            "Performance", "Persuasion", "Religion", "Stealth", "Survival", "Initiative", "Armor", "Speed",
        ]
        static let others = [
            "Sanity", "Luck", "Magic", "Occult", "Library", "Spot", "Hidden", "Listen", "Dodge", "Credit", "Rating",
            "Psychology", "Firearms", "Climb", "Swim", "Throw", "Ride", "Pilot", "Drive", "Locksmith", "Disguise",
            "Appraise", "Anthropology", "Archaeology",
        ]

        func add(to builder: inout PDFBuilder, _ fields: inout [Int]) {
            var content = ""
            var widgets: [Int] = []
            func x(_ value: Double) -> Double { move.x + scale * value }
            func y(_ value: Double) -> Double { box.height - move.y - scale * value }
            for (place, label) in labels.enumerated() {
                let left = 60 + Double(place % 3) * 160
                let top = 80 + Double(place / 3) * 80
                content += PDFBuilder.text(label, x: x(left), y: y(top + 12), size: 12 * scale)
                content += PDFBuilder.frame(x: x(left), y: y(top + 60), width: 130 * scale, height: 40 * scale)
                guard hasFields, !without.contains(label) else { continue }
                let jump = elsewhere.contains(label) ? 25.0 : 0
                let rect = [x(left + jump), y(top + 60), x(left + jump + 100), y(top + 30)]
                let text = rect.map { "\($0)" }.joined(separator: " ")
                widgets.append(
                    builder.add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (\(label)) /Rect [\(text)] /F 4 >>"))
            }
            fields += widgets
            builder.addPage(
                content, box: "0 0 \(box.width) \(box.height)",
                entries: "/Annots [\(widgets.map { "\($0) 0 R" }.joined(separator: " "))]")
        }
    }

    private func pages(_ sheets: [Sheet], _ name: String) async throws -> [ComparedPage] {
        var builder = PDFBuilder()
        var fields: [Int] = []
        for sheet in sheets { sheet.add(to: &builder, &fields) }
        builder.catalog = "/AcroForm << /Fields [\(fields.map { "\($0) 0 R" }.joined(separator: " "))] >>"
        let workbench = try Workbench()
        let file = try workbench.file(name, builder.data())
        let request = ReaderRequest(limits: .calm, previewWidths: [])
        let report = try await Workbench.reader.read(file, request: request).value
        #expect(report.verdict == .accepted, "\(report.findings)")
        return report.pages.map { ComparedPage($0) }
    }

    private func changes(_ old: [Sheet], _ new: [Sheet]) async throws -> VersionChanges {
        VersionComparison(from: try await pages(old, "old.pdf"), to: try await pages(new, "new.pdf"))
            .changes(since: SemanticVersion(1, 0, 0))
    }

    /// Whether the transform takes a point of the old page, in points, to where it is on the new one.
    private func expect(
        _ transform: PageTransform?, from old: Sheet, to new: Sheet, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let transform = try #require(transform, sourceLocation: sourceLocation)
        for (x, y) in [(60.0, 80.0), (510, 80), (60, 700), (300, 400)] {
            func place(_ sheet: Sheet) -> (x: Double, y: Double) {
                (
                    (sheet.move.x + sheet.scale * x) / sheet.box.width,
                    (sheet.move.y + sheet.scale * y) / sheet.box.height
                )
            }
            let moved = transform.point(x: place(old).x, y: place(old).y)
            #expect(abs(moved.x - place(new).x) * new.box.width < 1, sourceLocation: sourceLocation)
            #expect(abs(moved.y - place(new).y) * new.box.height < 1, sourceLocation: sourceLocation)
        }
    }

    @Test("the same sheet is compatible, page by page, with nothing to tell")
    func same() async throws {
        let found = try await changes([Sheet()], [Sheet()])
        #expect(
            found
                == VersionChanges(
                    since: SemanticVersion(1, 0, 0), ink: .compatible, pagesAdded: [], pagesRemoved: [],
                    pages: [PageChange(from: 0, to: 0, ink: .compatible, transform: .identity, lookDistance: 0)]))
    }

    @Test("a changed word or a further field leaves ink where it is")
    func smallChange() async throws {
        var new = Sheet()
        new.labels[4] = "Wits"
        let found = try await changes([Sheet()], [new])
        #expect(found.ink == .compatible)
        let fields = try #require(found.pages.first?.fields)
        #expect(fields.added == ["Wits"] && fields.removed == ["Wisdom"] && fields.moved.isEmpty)
    }

    @Test("other margins: shifted, by just that", arguments: [(18.0, 0.0), (0, 25), (-12, 31)])
    func margins(x: Double, y: Double) async throws {
        var new = Sheet()
        new.move = (x, y)
        let found = try await changes([Sheet()], [new])
        #expect(found.ink == .shifted && found.pages.count == 1)
        let transform = try #require(found.pages.first?.transform)
        #expect(transform.scaleX == 1 && transform.scaleY == 1)
        try expect(transform, from: Sheet(), to: new)
        #expect(found.pages.first?.fields == nil)
    }

    @Test("A4 to Letter and back, as printers fit pages: scaled and centred")
    func paper() async throws {
        var letter = Sheet()
        letter.box = (612, 792)
        letter.scale = 792.0 / 842
        letter.move = ((612 - 595 * 792.0 / 842) / 2, 0)
        for (old, new) in [(Sheet(), letter), (letter, Sheet())] {
            let found = try await changes([old], [new])
            #expect(found.ink == .shifted)
            let page = try #require(found.pages.first)
            #expect(page.sizeBefore == .init(width: old.box.width, height: old.box.height))
            #expect(page.size == .init(width: new.box.width, height: new.box.height))
            try expect(page.transform, from: old, to: new)
            #expect(page.fields == nil)
        }
    }

    @Test("the same content on other paper without scaling: shifted, though every point is where it was")
    func crop() async throws {
        var new = Sheet()
        new.box = (595, 900)
        let found = try await changes([Sheet()], [new])
        #expect(found.ink == .shifted)
        try expect(found.pages.first?.transform, from: Sheet(), to: new)
    }

    @Test("a page without fields is told by its words alone")
    func words() async throws {
        var old = Sheet()
        old.hasFields = false
        var new = old
        new.scale = 0.9
        new.move = (20, 30)
        let found = try await changes([old], [new])
        #expect(found.ink == .shifted)
        try expect(found.pages.first?.transform, from: old, to: new)
    }

    @Test("a redesigned page takes no ink over")
    func redesigned() async throws {
        var shuffled = Sheet()
        shuffled.labels = Array(Sheet.words.reversed())
        let found = try await changes([Sheet()], [shuffled])
        #expect(found.ink == .incompatible && found.pages.first?.transform == nil)
        var other = Sheet()
        other.labels = Sheet.others
        let replaced = try await changes([Sheet()], [other])
        #expect(replaced.ink == .incompatible)
        #expect(
            replaced.pagesAdded == [0] && replaced.pagesRemoved == [0] || replaced.pages.first?.ink == .incompatible)
    }

    @Test("fields that are gone or elsewhere make ink unfit, also when all words are in place")
    func fields() async throws {
        var gone = Sheet()
        gone.without = Set(Sheet.words.prefix(6))
        let without = try await changes([Sheet()], [gone])
        #expect(without.ink == .incompatible)
        #expect(without.pages.first?.fields?.removed == Sheet.words.prefix(6).sorted())
        var elsewhere = Sheet()
        elsewhere.elsewhere = Set(Sheet.words.prefix(6))
        let moved = try await changes([Sheet()], [elsewhere])
        #expect(moved.ink == .incompatible)
        #expect(moved.pages.first?.fields?.moved == Sheet.words.prefix(6).sorted())
    }

    @Test("a page that comes in between, one at the end, one that goes")
    func inserted() async throws {
        var second = Sheet()
        second.labels = Sheet.others
        let between = try await changes([Sheet(), second], [Sheet(), Self.third, second])
        #expect(between.pagesAdded == [1] && between.pagesRemoved.isEmpty && between.ink == .shifted)
        #expect(between.pages.map(\.from) == [0, 1] && between.pages.map(\.to) == [0, 2])
        #expect(between.pages.allSatisfy { $0.ink == .compatible })
        let atEnd = try await changes([Sheet(), second], [Sheet(), second, Self.third])
        #expect(atEnd.pagesAdded == [2] && atEnd.ink == .compatible)
        let gone = try await changes([Sheet(), Self.third, second], [Sheet(), second])
        #expect(gone.pagesRemoved == [1] && gone.ink == .incompatible)
        let swapped = try await changes([Sheet(), second], [second, Sheet()])
        #expect(swapped.pagesAdded.isEmpty && swapped.ink == .shifted)
        #expect(swapped.pages.map(\.from) == [1, 0])
    }

    private static var third: Sheet {
        var sheet = Sheet()
        sheet.labels = [
            "Weapons", "Armour", "Shield", "Coins", "Treasure", "Rations", "Rope", "Torches", "Potions", "Scrolls",
            "Bedroll", "Backpack",
        ]
        return sheet
    }

    @Test("versions from before there was comparing are told by their regions")
    func oldVersions() throws {
        func page(_ move: Double) -> ComparedPage {
            let regions = (0..<4).map { place in
                ZoomRegion(
                    id: "r\(place)", name: "Part \(place)",
                    rect: .init(
                        x: 0.1 + 0.4 * Double(place % 2), y: 0.1 + move + 0.4 * Double(place / 2), width: 0.3,
                        height: 0.3),
                    pageIndex: 0)
            }
            return ComparedPage(index: 0, width: 600, height: 800, look: nil, layout: PageLayout(), regions: regions)
        }
        let since = SemanticVersion(1, 0, 0)
        #expect(VersionComparison(from: [page(0)], to: [page(0)]).changes(since: since).ink == .compatible)
        let moved = VersionComparison(from: [page(0)], to: [page(0.05)]).changes(since: since)
        #expect(moved.ink == .shifted && abs((moved.pages.first?.transform?.offsetY ?? 0) - 0.05) < 0.001)
    }

    @Test("what nothing is known of is not called compatible")
    func unknown() {
        let page = ComparedPage(index: 0, width: 600, height: 800, look: nil, layout: PageLayout(), regions: [])
        let found = VersionComparison(from: [page], to: [page]).changes(since: SemanticVersion(1, 0, 0))
        #expect(found.ink == .incompatible && found.pages.count == 1)
    }

    @Test("a transform in JSON, and what it does to a region")
    func transforms() throws {
        let transform = PageTransform(scaleX: 0.5, scaleY: 2, offsetX: 0.25, offsetY: -0.1)
        #expect(
            transform.rect(.init(x: 0.5, y: 0.1, width: 0.5, height: 0.2))
                == .init(x: 0.5, y: 0.1, width: 0.25, height: 0.4))
        let json = try JSONEncoder().encode(transform)
        #expect(try JSONDecoder().decode(PageTransform.self, from: json) == transform)
    }

    @Test("a reader that is not asked for the layout tells none")
    func notAsked() async throws {
        var request = ReaderRequest(limits: .calm, previewWidths: [])
        request.wantsLayout = false
        var builder = PDFBuilder()
        var fields: [Int] = []
        Sheet().add(to: &builder, &fields)
        let workbench = try Workbench()
        let file = try workbench.file("plain.pdf", builder.data())
        let report = try await Workbench.reader.read(file, request: request).value
        #expect(report.pages.first?.anchors == nil && report.pages.first?.fields == nil)
    }
}
