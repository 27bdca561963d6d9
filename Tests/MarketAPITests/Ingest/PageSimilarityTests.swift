// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketPages
import MarketPlatform
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TemplateIngest
import TestSupport
import Testing

@testable import MarketIngest

@Suite("Pages that look alike, with the real reader")
struct PageSimilarityTests {
    static let headings = [
        "Abilities", "Skills", "Combat", "Equipment", "Spells known", "Allies and foes", "Languages", "Notes",
    ]

    static func sheet(_ pages: [[String]], ballast: Int = 0) -> Data {
        var builder = PDFDocumentBuilder()
        for headings in pages { builder.addPage(headings: headings) }
        builder.addBallast(bytes: ballast)
        return builder.build()
    }

    static func metadata(_ name: String, version: String = "1.0.0", game: String = "dnd5e") -> UploadMetadata {
        UploadMetadata(
            name: name, summary: "For tests.", gameSystem: game, license: "CC-BY-4.0", language: "en",
            version: version)
    }

    /// Uploads a file and waits until it was read.
    static func read(
        _ file: Data, as author: TestHTTP, name: String = "Ledger", version: String = "1.0.0",
        of template: String? = nil, game: String = "dnd5e", fileName: String = "sheet.pdf"
    ) async throws -> SubmissionStatus {
        let path = template.map { "\(Paths.template($0))/versions" } ?? "\(Paths.base)/templates"
        let answer = try await author.upload(
            path, metadata: metadata(name, version: version, game: game), file: file, fileName: fileName)
        #expect(answer.status == 202, "\(answer.text)")
        let read = try await author.submission(
            answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        #expect(read.state == .awaitingReview, "\(read.findings)")
        return read
    }

    static func regions(_ sheet: SubmissionStatus, of market: TestMarket) async throws -> [[ZoomRegion]] {
        try await market.http.get(
            Paths.version(sheet.templateSlug, sheet.version.description) + "/regions"
        ).json(RegionList.self).pages.map(\.regions)
    }

    static func region(_ id: String, page: Int) -> ZoomRegion {
        ZoomRegion(
            id: id, name: "By hand", rect: .init(x: 0.1, y: 0.1, width: 0.5, height: 0.5), pageIndex: page,
            source: .corrected)
    }

    static func bundle(_ sheet: Data, regions: [ZoomRegion]) throws -> Data {
        let manifest = BundleManifest(
            kind: .sheet, metadata: DraftMetadata(), author: nil, origin: nil,
            artifact: .init(
                path: "artifact/a.pdf", mediaType: "application/pdf", sizeBytes: sheet.count,
                sha256: ContentHash(hashing: sheet)), fileName: "a.pdf", pictures: [])
        var zip = ZipWriter()
        try zip.add("manifest.json", JSONEncoder().encode(manifest))
        try zip.add("regions.json", JSONEncoder().encode(BundleRegions(pages: [.init(index: 0, regions: regions)])))
        try zip.add("artifact/a.pdf", sheet)
        return zip.finish()
    }

    static func correct(_ sheet: SubmissionStatus, _ pages: [[ZoomRegion]], as author: TestHTTP) async throws {
        let answer = try await author.send(
            .PUT, Paths.version(sheet.templateSlug, sheet.version.description) + "/regions",
            json: RegionList(pages: pages.enumerated().map { .init(index: $0.offset, regions: $0.element) }))
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Which pages of an upload count as corrected.
    static func marks(_ upload: SubmissionStatus, of market: TestMarket) async throws -> [Bool] {
        try await market.features.database.all(
            "SELECT is_corrected FROM submission_pages WHERE submission_id = \(upload.id) ORDER BY page_index"
        ) { try $0.get(0) }
    }

    /// Where the zoom regions of an upload's page are corrected, as a browser gets it.
    static func editor(_ upload: SubmissionStatus, page: Int = 1, as author: TestHTTP) async throws -> String {
        let answer = try await author.get(
            "/submissions/\(upload.id)/regions?page=\(page)", headers: [("Accept", "text/html")])
        #expect(answer.status == 200, "\(answer.text)")
        return answer.text
    }

    /// The sheet with one word of its first page changed, wherever it stands.
    static var reworded: [String] { headings.map { $0 == "Combat" ? "Fights" : $0 } }

    @Test("a re-upload by somebody else is remarked with the template that it looks like, and nobody's own is")
    func nearDuplicates() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let first = try await Self.read(Self.sheet([Self.headings, ["Spells"]]), as: author)
            #expect(first.findings.allSatisfy { $0.code != .nearDuplicate })
            let other = try await market.person("bob")
            // Not on offer yet, so nobody is told of it.
            let early = try await Self.read(Self.sheet([Self.reworded]), as: other, name: "Early")
            #expect(early.findings.allSatisfy { $0.code != .nearDuplicate })
            #expect(try await moderator.decide(first).status == 200)

            let again = try await Self.read(Self.sheet([["Cover"], Self.reworded]), as: other, name: "Mine")
            let finding = try #require(again.findings.first { $0.code == .nearDuplicate }, "\(again.findings)")
            #expect(finding.severity == .warning && finding.page == 1)
            #expect(finding.message.contains("page 1 of 'Ledger' 1.0.0"), "\(finding.message)")
            let own = try await Self.read(Self.sheet([Self.reworded]), as: author, name: "Own")
            #expect(own.findings.allSatisfy { $0.code != .nearDuplicate })
            let redesigned = try await Self.read(
                Self.sheet([Array(Self.headings.prefix(3))]), as: other, name: "Another")
            #expect(redesigned.findings.allSatisfy { $0.code != .nearDuplicate })
            let same = try await Self.read(Self.sheet([Self.headings, ["Spells"]]), as: other, name: "Same")
            #expect(same.findings.contains { $0.code == .duplicate })
            #expect(same.findings.allSatisfy { $0.code != .nearDuplicate }, "once is enough")
        }
    }

    @Test("a correction survives a page that moves, is saved again or reworded; a new design is detected afresh")
    func corrections() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let second = ["Backpack", "Coins", "Horses", "Carts", "Land"]
            let third = ["Secrets", "Debts"]
            let first = try await Self.read(Self.sheet([Self.headings, second, third]), as: author)
            #expect(try await moderator.decide(first).status == 200)
            let corrected = ["one", "two", "three"].enumerated().map { [Self.region($0.element, page: $0.offset)] }
            try await Self.correct(first, corrected, as: author)

            let redesigned = ["Secrets", "Debts", "Rumours", "Letters", "Maps", "Keys"]
            let next = try await Self.read(
                Self.sheet([second, Self.reworded, redesigned], ballast: 5000), as: author, version: "1.1.0",
                of: first.templateSlug)
            let finding = try #require(next.findings.first { $0.code == .correctionKept }, "\(next.findings)")
            #expect(finding.message.hasSuffix(": 1, 2."), "\(finding.message)")
            #expect(try await moderator.decide(next).status == 200)
            let regions = try await Self.regions(next, of: market)
            #expect(regions[0].map(\.id) == ["two"] && regions[1].map(\.id) == ["one"])
            #expect(regions[0].map(\.pageIndex) == [0] && regions[1].map(\.pageIndex) == [1])
            #expect(regions[0].map(\.source) == [.corrected] && regions[1].map(\.source) == [.corrected])
            #expect(!regions[2].isEmpty && regions[2].allSatisfy { $0.source == .detected })

            // And from there to the next, whose page is there twice: ids stay a version's own.
            let third3 = try await Self.read(
                Self.sheet([Self.headings, Self.headings]), as: author, version: "1.2.0", of: first.templateSlug)
            #expect(try await moderator.decide(third3).status == 200)
            let twice = try await Self.regions(third3, of: market)
            #expect(twice[0].map(\.id) == ["one"] && twice[1].map(\.id) == ["one-2"])
        }
    }

    static let words = [
        "Strength", "Dexterity", "Constitution", "Wisdom", "Charisma", "Acrobatics", "Arcana", "Athletics", "Deception",
        "History", "Insight", "Medicine",
    ]

    static func wordySheet(_ words: [String], right: Int = 0, down: Int = 0, headings: [String] = headings) -> Data {
        var builder = PDFDocumentBuilder()
        builder.addPage(headings: headings, words: words, right: right, down: down)
        return builder.build()
    }

    @Test("a correction moves with what stands on a page that was shifted, and whoever is to look at it is told")
    func movedCorrections() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let first = try await Self.read(Self.wordySheet(Self.words), as: author)
            #expect(try await moderator.decide(first).status == 200)
            try await Self.correct(first, [[Self.region("mine", page: 0)]], as: author)

            let next = try await Self.read(
                Self.wordySheet(Self.words, right: 20, down: 30), as: author, version: "1.1.0", of: first.templateSlug)
            let finding = try #require(next.findings.first { $0.code == .correctionMoved }, "\(next.findings)")
            #expect(finding.message.hasSuffix(": 1."), "\(finding.message)")
            #expect(next.findings.allSatisfy { $0.code != .correctionKept && $0.code != .correctionLost })
            #expect(try await moderator.decide(next).status == 200)
            let moved = try await Self.regions(next, of: market)
            let rect = try #require(moved[0].first).rect
            #expect(moved[0].map(\.id) == ["mine"] && moved[0].map(\.source) == [.corrected])
            #expect(abs(rect.x - 0.1 - 20 / 595) < 0.004 && abs(rect.y - 0.1 - 30 / 842) < 0.004, "\(rect)")
            #expect(abs(rect.width - 0.5) < 0.01 && abs(rect.height - 0.5) < 0.01, "\(rect)")
            // What the reader found is not lost.
            let proposed = try await SubmissionStore.proposedRegions(next.id, in: market.features.database)
            #expect(proposed.pages.map(\.index) == [0] && !proposed.pages[0].regions.isEmpty)

            let mixed = try await Self.read(
                Self.wordySheet(Self.words.reversed(), headings: Self.headings.reversed()), as: author,
                version: "1.2.0", of: first.templateSlug)
            let lost = try #require(mixed.findings.first { $0.code == .correctionLost }, "\(mixed.findings)")
            #expect(lost.message.hasSuffix(": 1."), "\(lost.message)")
            let page = try await author.get("/submissions/\(mixed.id)", headers: [("Accept", "text/html")]).text
            #expect(page.contains(lost.message) && page.contains("<code>correction_lost</code>"), "\(page)")
            let editor = try await Self.editor(mixed, as: author)
            #expect(editor.contains("<svg class=\"regions\"") && !editor.contains("What was proposed first"))
            #expect(try await moderator.decide(mixed).status == 200)
            #expect(try await Self.regions(mixed, of: market)[0].allSatisfy { $0.source == .detected })
        }
    }

    private static let otherHeadings = ["Backpack", "Coins", "Horses", "Carts", "Land"]

    @Test("corrections shrink with what stands on pages that were scaled, and the upload's pages show how")
    func scaledCorrections() async throws {
        let things = [
            "Lantern", "Bedroll", "Tinderbox", "Waterskin", "Crowbar", "Grapnel", "Whetstone", "Parchment", "Candles",
            "Chalk", "Mirror", "Needles",
        ]
        func sheet(scale: Double = 1) -> Data {
            var builder = PDFDocumentBuilder()
            builder.addPage(headings: Self.headings, words: Self.words, scale: scale)
            builder.addPage(headings: Self.otherHeadings, words: things, scale: scale)
            return builder.build()
        }
        let (before, after) = (sheet(), sheet(scale: 0.8))
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let first = try await Self.read(before, as: author)
            #expect(try await moderator.decide(first).status == 200)
            try await Self.correct(first, [[Self.region("mine", page: 0)], []], as: author)

            let next = try await Self.read(after, as: author, version: "1.1.0", of: first.templateSlug)
            let moved = try #require(next.findings.first { $0.code == .correctionMoved }, "\(next.findings)")
            #expect(moved.message.hasSuffix(": 1, 2."), "\(moved.message)")
            #expect(next.findings.allSatisfy { $0.code != .correctionKept && $0.code != .correctionLost })
            #expect(try await Self.marks(next, of: market) == [true, true])
            let page = try await author.get("/submissions/\(next.id)", headers: [("Accept", "text/html")]).text
            #expect(page.contains(moved.message) && page.contains("<code>correction_moved</code>"), "\(page)")
            let editor = try await Self.editor(next, as: author)
            #expect(editor.contains("value=\"By hand\"") && editor.contains("What was proposed first"), "\(editor)")
            // Nothing is drawn on the page that has no regions, though the reader found some.
            let empty = try await Self.editor(next, page: 2, as: author)
            #expect(!empty.contains("<svg class=\"regions\"") && empty.contains("What was proposed first"), "\(empty)")

            #expect(try await moderator.decide(next).status == 200)
            let regions = try await Self.regions(next, of: market)
            #expect(regions[0].map(\.id) == ["mine"] && regions[0].map(\.source) == [.corrected])
            #expect(regions[1].isEmpty)
            let rect = try #require(regions[0].first).rect
            for (value, wanted) in [(rect.x, 0.08), (rect.y, 0.08), (rect.width, 0.4), (rect.height, 0.4)] {
                #expect(abs(value - wanted) < 0.005, "\(rect)")
            }
        }
    }

    @Test("a page without its regions is corrected: it stays without them, look-alikes keep theirs, and it is exported")
    func emptiedPages() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let first = try await Self.read(Self.sheet([Self.headings, Self.otherHeadings]), as: author)
            #expect(try await moderator.decide(first).status == 200)
            let found = try await Self.regions(first, of: market)
            #expect(found.count == 2 && found.allSatisfy { !$0.isEmpty })
            #expect(try await Self.marks(first, of: market) == [false, false])
            try await Self.correct(first, [[], found[1]], as: author)
            let consent = try await author.send(
                .PUT, Paths.template(first.templateSlug) + "/training", json: TrainingConsent(isGiven: true))
            #expect(consent.status == 204, "\(consent.text)")
            try await Self.checkExport(of: first, found: found[0].count, from: market)

            let next = try await Self.read(
                Self.sheet([Self.headings, Self.otherHeadings], ballast: 5000), as: author, version: "1.1.0",
                of: first.templateSlug)
            let kept = try #require(next.findings.first { $0.code == .correctionKept }, "\(next.findings)")
            #expect(kept.message.hasSuffix(": 1, 2."), "\(kept.message)")
            #expect(next.findings.allSatisfy { $0.code != .correctionMoved && $0.code != .correctionLost })
            #expect(try await Self.marks(next, of: market) == [true, true])
            #expect(try await moderator.decide(next).status == 200)
            let regions = try await Self.regions(next, of: market)
            #expect(regions[0].isEmpty && regions[1].map(\.name) == found[1].map(\.name))
            try await Self.checkExport(of: next, found: found[0].count, from: market)

            let other = try await market.person("bob")
            let alike = try await Self.read(Self.sheet([Self.reworded]), as: other, name: "Alike")
            #expect(alike.findings.allSatisfy { $0.code != .correctionShared }, "\(alike.findings)")
            #expect(try await Self.marks(alike, of: market) == [false], "nobody corrected this one")
            #expect(try await moderator.decide(alike).status == 200)
            #expect(try await Self.regions(alike, of: market).allSatisfy { !$0.isEmpty })
        }
    }

    /// Only the first page of a sheet is exported, without regions but those that were found.
    static func checkExport(of sheet: SubmissionStatus, found count: Int, from market: TestMarket) async throws {
        let pages = try await CorrectionExport(platform: market.features.platform).result().pages
        #expect(pages.map(\.page) == [0] && pages.map(\.version) == [sheet.version])
        let page = try #require(pages.first)
        #expect(page.regions.isEmpty && page.detected?.count == count)
    }

    @Test("of sheets that look the same to the bit one for the same game gives its corrections, though it is newer")
    func sameGame() async throws {
        try await withMarket(workers: 1) { market in
            try await market.addGameSystem("gurps", name: "GURPS")
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let sheets = [("Elsewhere", "gurps", "far", 0), ("Here", "dnd5e", "near", 5000)]
            for (name, game, id, ballast) in sheets {
                let sheet = try await Self.read(
                    Self.sheet([Self.headings], ballast: ballast), as: author, name: name, game: game)
                #expect(try await moderator.decide(sheet).status == 200)
                try await Self.correct(sheet, [[Self.region(id, page: 0)]], as: author)
            }
            let other = try await market.person("bob")
            for (name, game, id, ballast) in sheets {
                let alike = try await Self.read(
                    Self.sheet([Self.reworded], ballast: ballast), as: other, name: "Like \(name)", game: game)
                let shared = try #require(alike.findings.first { $0.code == .correctionShared }, "\(alike.findings)")
                #expect(shared.message.contains("'\(name)' 1.0.0"), "\(shared.message)")
                #expect(try await moderator.decide(alike).status == 200)
                #expect(try await Self.regions(alike, of: market).map { $0.map(\.id) } == [[id]])
            }
        }
    }

    @Test("who uploads what looks like a sheet whose regions were corrected gets these, and is told from where")
    func sharedCorrections() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let first = try await Self.read(Self.sheet([["Cover"], Self.headings]), as: author)
            #expect(try await moderator.decide(first).status == 200)
            let other = try await market.person("bob")
            let before = try await Self.read(Self.sheet([Self.reworded]), as: other, name: "Before")
            #expect(before.findings.allSatisfy { $0.code != .correctionShared }, "nobody corrected it yet")
            try await Self.correct(first, [[], [Self.region("mine", page: 1)]], as: author)

            let again = try await Self.read(Self.sheet([Self.reworded]), as: other, name: "Again")
            let finding = try #require(again.findings.first { $0.code == .correctionShared }, "\(again.findings)")
            #expect(finding.message.contains("'Ledger' 1.0.0") && finding.message.hasSuffix(": 1."))
            #expect(try await moderator.decide(again).status == 200)
            let taken = try await Self.regions(again, of: market)
            #expect(taken[0].map(\.id) == ["mine"] && taken[0].map(\.source) == [.preset])
            #expect(taken[0].map(\.pageIndex) == [0])
        }
    }

    @Test("a published preset gives its regions to sheets that look like its pages; the author's correction wins")
    func publishedPreset() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let original = try await Self.read(Self.sheet([["Cover"], Self.headings]), as: author)
            #expect(try await moderator.decide(original).status == 200)
            let export = PresetExport(platform: market.features.platform)
            await #expect(throws: PresetExport.Failure.self) { try await export.preset(of: original.templateSlug) }
            await #expect(throws: PresetExport.Failure.self) { try await export.preset(of: "no-such-sheet") }
            try await Self.correct(original, [[], [Self.region("layout", page: 1)]], as: author)
            let preset = try await export.preset(of: original.templateSlug)
            #expect(preset.regions.map(\.source) == [.preset] && preset.pages?.map(\.pageIndex) == [1])
            #expect(preset.templateID == original.templateSlug && preset.version == "1.0.0")

            let json = try JSONEncoder().encode(preset)
            let shared = try await Self.read(json, as: author, name: "Quest layout", fileName: "quest.json")
            #expect(shared.kind == .regionPreset)
            let other = try await market.person("bob")
            let sheet = Self.sheet([Self.reworded])
            let before = try await Self.read(sheet, as: other, name: "Before")
            #expect(before.findings.allSatisfy { $0.code != .presetUsed }, "the preset is not on offer yet")
            #expect(try await moderator.decide(shared).status == 200)

            let after = try await Self.read(sheet, as: other, name: "After")
            let finding = try #require(after.findings.first { $0.code == .presetUsed }, "\(after.findings)")
            #expect(finding.severity == .info)
            #expect(finding.message.contains("'Quest layout' 1.0.0") && finding.message.hasSuffix(": 1."))
            #expect(try await moderator.decide(after).status == 200)
            let regions = try await Self.regions(after, of: market)
            #expect(regions.map { $0.map(\.id) } == [["layout"]])
            #expect(regions[0].map(\.source) == [.preset] && regions[0].map(\.pageIndex) == [0])

            // What comes with the file is its author's word.
            let bundle = try Self.bundle(sheet, regions: [Self.region("brought", page: 0)])
            let brought = try await Self.read(bundle, as: other, name: "Brought", fileName: "b.sheetbundle")
            #expect(brought.findings.allSatisfy { $0.code != .presetUsed })
            #expect(try await moderator.decide(brought).status == 200)
            #expect(try await Self.regions(brought, of: market).map { $0.map(\.id) } == [["brought"]])

            try await Self.correct(after, [[Self.region("mine", page: 0)]], as: other)
            let corrected = try await Self.read(
                Self.sheet([Self.headings, Self.headings.reversed()]), as: other, version: "1.1.0",
                of: after.templateSlug)
            #expect(corrected.findings.contains { $0.code == .correctionKept })
            #expect(corrected.findings.allSatisfy { $0.code != .presetUsed })
            #expect(try await moderator.decide(corrected).status == 200)
            #expect(try await Self.regions(corrected, of: market)[0].map(\.id) == ["mine"])
        }
    }

    @Test("presets of the operator's folder are matched by look; files that will not do are named")
    func presetFolder() async throws {
        let folder = try ScratchFolder("presets")
        let sheet = Self.sheet([Self.headings, ["Spells", "Rites"]])
        let made = Exported()
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let original = try await Self.read(sheet, as: author)
            #expect(try await moderator.decide(original).status == 200)
            var preset = try await PresetExport(platform: market.features.platform).preset(
                of: original.templateSlug, detected: true)
            preset.name = "Official"
            preset.regions = [Self.region("by heart", page: 0), Self.region("by heart!", page: 0)]
            preset.pages = preset.pages?.filter { $0.pageIndex == 0 }
            await made.set(try JSONEncoder().encode(preset))
        }
        try await made.bytes.write(to: folder.url.appendingPathComponent("official.json"))
        try Data("{}".utf8).write(to: folder.url.appendingPathComponent("broken.json"))
        let plain = """
            {"templateID":"x","name":"For people","version":"1","regions":[{"id":"a","name":"A","pageIndex":0,"scale":2,
             "rect":{"x":0,"y":0,"width":1,"height":0.5}}]}
            """
        try Data(plain.utf8).write(to: folder.url.appendingPathComponent("looks.json"))
        let (presets, problems) = PresetFolder.read(folder.url)
        #expect(presets.count == 1)
        #expect(problems.count == 2 && problems[0].hasPrefix("broken.json") && problems[1].hasPrefix("looks.json"))
        #expect(PresetFolder.read(folder.url.appendingPathComponent("none")).problems.isEmpty)

        try await withMarket(workers: 1, presets: presets) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let read = try await Self.read(sheet, as: author)
            #expect(read.findings.contains { $0.code == .presetUsed && $0.message.contains("'Official' 1.0.0") })
            #expect(try await moderator.decide(read).status == 200)
            let regions = try await Self.regions(read, of: market)
            #expect(regions[0].map(\.id) == ["by-heart", "by-heart-2"])
            #expect(!regions[1].isEmpty && regions[1].allSatisfy { $0.source == .detected })
        }
    }

    private actor Exported {
        var bytes = Data()
        func set(_ bytes: Data) { self.bytes = bytes }
    }

    @Test("fingerprints of earlier versions are filled in by reading the files again")
    func filling() async throws {
        try await withMarket(workers: 1) { market in
            let author = try await market.person("ada")
            let moderator = try await market.person("mo", role: .moderator)
            let read = try await Self.read(Self.sheet([Self.headings, ["Spells", "Rites"]]), as: author)
            #expect(try await moderator.decide(read).status == 200)
            let database = market.features.database
            let query: PostgresQuery = """
                SELECT page_index, width, height, perceptual_hash, text_hash FROM submission_pages ORDER BY page_index
                """
            let before = try await database.all(query) { try PageSimilarityStore.signature($0) }
            #expect(before.count == 2 && before.allSatisfy { $0?.isEmpty == false && $0?.text != nil })
            try await database.execute("UPDATE submission_pages SET perceptual_hash = NULL, text_hash = NULL")
            await #expect(throws: PresetExport.Failure.self) {
                try await PresetExport(platform: market.features.platform).preset(of: read.templateSlug, detected: true)
            }
            let reader = testReader()
            let filling = FingerprintBackfill(platform: market.features.platform) { file in
                try await reader.read(file.path, sha256: file.sha256, request: .init(previewWidths: [])).value
            }
            #expect(try await filling.run { _, _ in } == 2)
            #expect(try await database.all(query) { try PageSimilarityStore.signature($0) } == before)
            #expect(try await filling.run { _, _ in } == 0)
        }
    }
}

@Suite("The index of fingerprints")
struct LookIndexTests {
    @Test("every fingerprint that differs in up to 7 bits shares a key with what is looked up")
    func pigeons() async throws {
        try await withMarket { market in
            var random = SystemRandomNumberGenerator()
            let pairs = (0..<3000).map { _ -> (Fingerprint, Fingerprint) in
                let one = UInt64.random(in: 0...UInt64.max, using: &random)
                let flips = (0..<64).shuffled(using: &random).prefix(.random(in: 0...7))
                return (Fingerprint(bits: one), Fingerprint(bits: flips.reduce(one) { $0 ^ 1 << UInt64($1) }))
            }
            let missed: Int = try await market.features.database.scalar(
                """
                SELECT count(*) FROM unnest(\(pairs.map(\.0))::bigint[], \(pairs.map(\.1))::bigint[]) AS pair (one, other)
                WHERE NOT perceptual_hash_bands(one::bit(64)) && perceptual_hash_probes(other::bit(64))
                    OR bit_count(one::bit(64) # other::bit(64)) > 7
                """)
            #expect(missed == 0)
            let bands: [Int] = try await market.features.database.scalar(
                "SELECT perceptual_hash_bands(\(Fingerprint(bits: 0x0001_0002_ffff_8000))::bigint::bit(64))")
            #expect(bands == [1, 65536 + 2, 131_072 + 65535, 196_608 + 32768])
            let back: Fingerprint = try await market.features.database.scalar(
                "SELECT \(Fingerprint(bits: 0xffff_0000_0000_0001))::bigint::bit(64)")
            #expect(back == Fingerprint(bits: 0xffff_0000_0000_0001))
        }
    }

    @Test("a page is looked up through the index, also among many")
    func plan() async throws {
        try await withMarket { market in
            let database = market.features.database
            try await database.execute(
                """
                INSERT INTO users (id, handle, display_name, email)
                VALUES ('00000000-0000-7000-8000-000000000001', 'a', 'a', 'a@example.org')
                """)
            try await database.execute(
                """
                INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (sha256('x'), 1, 'application/pdf')
                """)
            try await database.execute(
                """
                INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language)
                VALUES ('00000000-0000-7000-8000-000000000002', 's', '00000000-0000-7000-8000-000000000001', 'dnd5e',
                    'S', 'S', 'MIT', 'en')
                """)
            try await database.execute(
                """
                WITH made AS (
                    INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                        size_bytes, state)
                    SELECT gen_random_uuid(), '00000000-0000-7000-8000-000000000002',
                        '00000000-0000-7000-8000-000000000001', '1.0.' || n, '{}', sha256('x'), 'x', 1, 'rejected'
                    FROM generate_series(1, 2000) AS n RETURNING id)
                INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters,
                    form_fields, regions, perceptual_hash)
                SELECT id, page, 595, 842, 0, 0, 0, '[]', (random() * 9e18)::bigint::bit(64)
                FROM made, generate_series(0, 9) AS page
                """)
            try await database.execute("ANALYZE submission_pages")
            let wanted = PageSignature(width: 595, height: 842, look: Fingerprint(bits: 12345), text: nil)
            let query = PageSimilarityStore.similarityQuery(
                of: [.init(index: 0, signature: wanted, characters: 0)],
                to: .offered(besides: TemplateID.make(), ownedBy: UserID.make()))
            let plan = try await database.all("EXPLAIN \(fragment: query)") { try $0.get(0, as: String.self) }
                .joined(separator: "\n")
            #expect(plan.contains("submission_pages_perceptual_hash"), "\(plan)")
        }
    }
}
