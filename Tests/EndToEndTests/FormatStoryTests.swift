// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@Suite("Other formats, through the doors that people use")
struct FormatStoryTests {
    private static let skills = """
        {"formatVersion":"1.0","name":"Street skills","templates":[
          {"id":"hack","name":"Hacking","scope":"local","category":"Tech","description":"Doors and data."}]}
        """

    private func publish(
        _ file: URL, _ name: String, as author: Player, _ http: TestHTTP, approvedBy moderator: TestHTTP
    ) async throws -> SubmissionStatus {
        let outcome = try await author.sheets(
            "publish", file.path, "--name", name, "--summary", "A story.", "--game-system", "dnd5e", "--license",
            "CC-BY-4.0", "--language", "en", "--version", "1.0.0", "--json")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let waiting = try WireJSON.decoder().decode(SubmissionStatus.self, from: Data(outcome.output.utf8))
        #expect(waiting.state == .awaitingReview, "\(waiting.findings)")
        #expect(try await moderator.decide(waiting).status == 200)
        return try await http.submission(waiting.id, reaches: [.published])
    }

    @Test("a skill library is published, installed, verified and read without a network")
    func skillLibrary() async throws {
        let folder = try ScratchFolder("formats")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let author = try await market.person("nadia")
        let moderator = try await market.person("moritz", role: .moderator)
        let authorsPlayer = try Player(server: market.base, token: author.token)
        let file = folder.url.appendingPathComponent("street.fstemplate")
        try Data(Self.skills.utf8).write(to: file)
        let done = try await publish(file, "Street Skills", as: authorsPlayer, author, approvedBy: moderator)
        let player = try Player(server: market.base)
        let search = try await player.sheets("search", "--kind", "skill_library")
        #expect(search.output.contains(done.templateSlug), "\(search.output)\(search.errors)")
        let install = try await player.sheets("install", done.templateSlug)
        #expect(install.status == 0, "\(install.errors)")
        #expect(await market.stop() == 0)
        #expect(try await player.sheets("verify").status == 0)
        let show = try await player.sheets("show", done.templateSlug, "--offline")
        #expect(show.output.contains("Skill library") && show.output.contains("Hacking: Doors and data."))
        let opened = try await player.sheets("open", done.templateSlug, "--path")
        let path = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(path.hasSuffix("-1.0.0.fstemplate"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(Self.skills.utf8))
    }

    @Test("an archived sheet goes to another market with the same bytes, metadata and regions")
    func archive() async throws {
        let folder = try ScratchFolder("archive")
        let first = try await RunningMarket(data: folder.url.appendingPathComponent("first"))
        let author = try await first.person("nadia")
        let moderator = try await first.person("moritz", role: .moderator)
        let sheet = try Scene.anySheet()
        let authorsPlayer = try Player(server: first.base, token: author.token)
        let done = try await publish(sheet, "Traveller's Ledger", as: authorsPlayer, author, approvedBy: moderator)
        let player = try Player(server: first.base)
        #expect(try await player.sheets("install", done.templateSlug).status == 0)
        #expect(await first.stop() == 0)
        let bundles = ["one", "two"].map { folder.url.appendingPathComponent("\($0).sheetbundle") }
        for bundle in bundles {
            let archived = try await player.sheets("archive", done.templateSlug, "-o", bundle.path)
            #expect(archived.status == 0, "\(archived.errors)")
        }
        #expect(try Data(contentsOf: bundles[0]) == Data(contentsOf: bundles[1]))
        #expect(try await player.sheets("archive", done.templateSlug, "-o", bundles[0].path).status == 1)

        // Another market: with keys of its own.
        let second = try await RunningMarket(data: folder.url.appendingPathComponent("second"), isFirstStart: true)
        let other = try await second.person("otto")
        let otherModerator = try await second.person("mia", role: .moderator)
        let otherPlayer = try Player(server: second.base, token: other.token)
        let again = try await publish(
            bundles[0], "Traveller's Ledger", as: otherPlayer, other, approvedBy: otherModerator)
        #expect(again.sha256 == done.sha256 && again.sizeBytes == done.sizeBytes && again.fileName == done.fileName)
        let newPlayer = try Player(server: second.base)
        #expect(try await newPlayer.sheets("install", again.templateSlug).status == 0)
        #expect(try await newPlayer.sheets("verify").status == 0)
        let before = try await player.sheets("show", done.templateSlug, "--offline", "--json")
        let after = try await newPlayer.sheets("show", again.templateSlug, "--offline", "--json")
        struct Shown: Decodable, Equatable {
            var regions: [RegionList.Page]
        }
        let regions = try [before, after].map {
            try WireJSON.decoder().decode(Shown.self, from: Data($0.output.utf8))
        }
        #expect(regions[0] == regions[1] && !regions[0].regions.isEmpty)
        await second.stop()
    }

    @Test("an operator shares a corrected layout: exported, put into another market's folder, found by its looks")
    func presets() async throws {
        let folder = try ScratchFolder("presets")
        let program = BuildProducts.executable("sheetmarket")
        let first = try await RunningMarket(data: folder.url.appendingPathComponent("first"))
        let author = try await first.person("nadia")
        let moderator = try await first.person("moritz", role: .moderator)
        let sheet = try Data(contentsOf: Scene.anySheet())
        let done = try await Scene.publish("Traveller's Ledger", file: sheet, as: author, approvedBy: moderator)
        let path = Paths.version(done.templateSlug, "1.0.0") + "/regions"
        var regions = try await author.get(path).json(RegionList.self)
        regions.pages[0].regions = [
            ZoomRegion(id: "drawn", name: "Drawn", rect: .init(x: 0, y: 0, width: 0.5, height: 0.5), pageIndex: 0)
        ]
        #expect(try await author.send(.PUT, path, json: regions).status == 200)

        // As after an upgrade from a release without fingerprints.
        _ = try await first.withDatabase { database in
            try await database.execute("UPDATE submission_pages SET perceptual_hash = NULL, text_hash = NULL")
        }
        let presets = folder.url.appendingPathComponent("second/presets")
        try FileManager.default.createDirectory(at: presets, withIntermediateDirectories: true)
        let file = presets.appendingPathComponent("ledger.json").path
        let export = [
            "admin", "preset", "export", done.templateSlug, "-o", file, "--data", first.data.path,
        ]
        let early = try await Command.run(program, export)
        #expect(early.status == 1 && early.errors.contains("admin fingerprints"), "\(early.errors)")
        let filled = try await Command.run(program, ["admin", "fingerprints", "--data", first.data.path])
        #expect(filled.status == 0 && filled.output.hasSuffix("have their fingerprints now.\n"), "\(filled.errors)")
        let exported = try await Command.run(program, export)
        #expect(exported.status == 0, "\(exported.errors)")
        await first.stop()

        let second = try await RunningMarket(data: folder.url.appendingPathComponent("second"))
        let other = try await second.person("nora")
        let otherModerator = try await second.person("moritz", role: .moderator)
        let again = try await Scene.publish("Ledger", file: sheet, as: other, approvedBy: otherModerator)
        #expect(again.findings.contains { $0.code == .presetUsed && $0.message.contains("Traveller's Ledger") })
        let placed = try await other.get(Paths.version(again.templateSlug, "1.0.0") + "/regions").json(RegionList.self)
        #expect(placed.pages[0].regions.map(\.id) == ["drawn"] && placed.pages[0].regions[0].source == .preset)
        await second.stop()
    }

    @Test("a Roll20 sheet comes in through the importer that ships, and installs like any other")
    func roll20() async throws {
        let folder = try ScratchFolder("roll20")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let author = try await market.person("nadia")
        let moderator = try await market.person("moritz", role: .moderator)
        let sample = BuildProducts.root.appendingPathComponent("plugins/roll20/samples/lantern-keepers.zip")
        let authorsPlayer = try Player(server: market.base, token: author.token)
        let done = try await publish(sample, "Lantern Keepers", as: authorsPlayer, author, approvedBy: moderator)
        #expect(done.findings.contains { $0.code == .importerChosen && $0.message.contains("roll20") })
        let player = try Player(server: market.base)
        #expect(try await player.sheets("install", done.templateSlug).status == 0)
        let show = try await player.sheets("show", done.templateSlug, "--regions")
        #expect(show.output.contains("Abilities") && show.output.contains("preset"), "\(show.output)")
        await market.stop()
    }

    @Test("an author tries an importer before an operator does")
    func conformance() async throws {
        let folder = BuildProducts.root.appendingPathComponent("plugins/roll20")
        let good = try await Command.run(BuildProducts.executable("sheetmarket"), ["plugin", "test", folder.path])
        #expect(good.status == 0 && good.output.contains("It conforms"), "\(good.output)\(good.errors)")
        let scratch = try ScratchFolder("plugin")
        let bad = try await Command.run(BuildProducts.executable("sheetmarket"), ["plugin", "test", scratch.url.path])
        #expect(bad.status != 0 && bad.errors.contains("plugin.json"))
        let list = try await Command.run(
            BuildProducts.executable("sheetmarket"),
            ["plugin", "list", folder.deletingLastPathComponent().path])
        #expect(list.status == 0 && list.output.contains("roll20  1.0.0"))
    }
}
