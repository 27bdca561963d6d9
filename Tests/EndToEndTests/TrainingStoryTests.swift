// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@Suite("An operator learns from what people corrected")
struct TrainingStoryTests {
    /// Publishes one of the examples and corrects the regions of its first page.
    private func correct(
        _ sheet: String, license: String = "CC-BY-4.0", isAllowed: Bool, as author: TestHTTP,
        approvedBy moderator: TestHTTP
    ) async throws -> SubmissionStatus {
        var metadata = Scene.metadata("Corrected \(sheet)")
        metadata.license = license
        let answer = try await author.upload(metadata: metadata, file: try Scene.sheet(sheet))
        #expect(answer.status == 202, "\(answer.text)")
        let waiting = try await author.submission(
            answer.json(SubmissionStatus.self).id, reaches: [.awaitingReview, .rejected])
        #expect(try await moderator.decide(waiting).status == 200)
        let path = Paths.version(waiting.templateSlug, "1.0.0") + "/regions"
        var regions = try await author.get(path).json(RegionList.self)
        regions.pages[0].regions.removeLast()
        #expect(try await author.send(.PUT, path, json: regions).status == 200)
        guard isAllowed else { return waiting }
        let consent = try await author.send(
            .PUT, Paths.template(waiting.templateSlug) + "/training", json: TrainingConsent(isGiven: true))
        #expect(consent.status == 204, "\(consent.text)")
        return waiting
    }

    private func export(_ market: RunningMarket, to folder: URL, _ more: String...) async throws -> Command.Outcome {
        try await Command.run(
            BuildProducts.executable("sheetmarket"),
            ["admin", "regions", "export", "--to", folder.path, "--data", market.data.path] + more)
    }

    private func names(_ folder: URL, _ part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(part).path).sorted()
    }

    @Test("Corrected pages are exported where owners and licences allow it, and the scores are trained with them")
    func trains() async throws {
        let scratch = try ScratchFolder("training")
        let market = try await RunningMarket(data: scratch.url.appendingPathComponent("data"))
        let moderator = try await market.person("moritz", role: .moderator)
        let (ada, bob) = (try await market.person("ada"), try await market.person("bob"))
        let first = try await correct("oathbound-journal", isAllowed: true, as: ada, approvedBy: moderator)
        let second = try await correct("far-orbit-dossier", isAllowed: true, as: bob, approvedBy: moderator)
        _ = try await correct("rust-season", isAllowed: false, as: bob, approvedBy: moderator)
        _ = try await correct(
            "wayfarers-ledger", license: "CC-BY-ND-4.0", isAllowed: true, as: bob, approvedBy: moderator)

        let folder = scratch.url.appendingPathComponent("export")
        let exported = try await export(market, to: folder, "--sheets")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.output.hasPrefix("Wrote 2 corrected pages of 2 sheets to "), "\(exported.output)")
        #expect(exported.output.contains("Left out 1 page: their owners have not allowed it."))
        #expect(exported.output.contains("Left out 1 page: their licences do not allow changed copies."))
        let labels = ["\(second.templateSlug)-0.json", "\(first.templateSlug)-0.json"].sorted()
        #expect(try names(folder, "labels") == labels)
        #expect(try names(folder, "sheets").count == 2)
        let label = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder.appendingPathComponent("labels/\(first.templateSlug)-0.json")))
        let page = try #require(label as? [String: Any])
        let drawn = try #require(page["regions"] as? [[String: Any]])
        let detected = try #require(page["detected"] as? [[String: Any]])
        #expect(detected.count == drawn.count + 1 && page["repository"] as? String == "ada")
        #expect((page["picture"] as? String)?.count == 64)

        try await train(with: folder, in: scratch.url)

        // Whoever takes it back is not in the next export.
        let path = Paths.template(first.templateSlug) + "/training"
        #expect(try await ada.send(.PUT, path, json: TrainingConsent(isGiven: false)).status == 204)
        #expect(try await bob.send(.PUT, path, json: TrainingConsent(isGiven: true)).status == 403, "not bob's")
        let later = try await export(market, to: folder)
        #expect(later.status == 0 && later.output.hasPrefix("Wrote 1 corrected page of 1 sheet to "))
        #expect(try names(folder, "labels") == ["\(second.templateSlug)-0.json"])
        #expect(try names(folder, "sheets") == [])
        let elsewhere = try await export(market, to: scratch.url)
        #expect(elsewhere.status == 1 && elsewhere.errors.contains("Name an empty folder"), "\(elsewhere.errors)")
        await market.stop()
    }

    /// Learns both scores from a few made-up pages and those that were exported, as `Training/README.md` says.
    private func train(with export: URL, in folder: URL) async throws {
        let python = BuildProducts.root.appendingPathComponent(".venv/bin/python")
        let scripts = BuildProducts.root.appendingPathComponent("Training")
        let made = folder.appendingPathComponent("made").path
        let generated = try await Command.run(
            python, [scripts.appendingPathComponent("generate.py").path, made, "--pages", "6", "--seed", "51"])
        #expect(generated.status == 0, "\(generated.errors)")
        let trained = try await Command.run(
            python,
            [
                scripts.appendingPathComponent("train.py").path, BuildProducts.executable("sheet-inspect").path,
                folder.path,
                made, "--sheets", export.appendingPathComponent("sheets").path, "--labels",
                export.appendingPathComponent("labels").path,
            ])
        #expect(trained.status == 0, "\(trained.errors)")
        #expect(trained.output.contains("6 generated pages, 2 real ones"), "\(trained.output)")
        for name in ["region-score.bin", "region-choice.bin"] {
            let learned = try Data(contentsOf: folder.appendingPathComponent(name))
            let shipped = try Data(
                contentsOf: BuildProducts.root.appendingPathComponent("Sources/SheetLayout/Data/\(name)"))
            // The same format, and the same number of measures.
            #expect(learned.count > 1_000 && learned.prefix(6) == shipped.prefix(6))
        }
        let sheet = try #require(
            try FileManager.default.contentsOfDirectory(atPath: export.appendingPathComponent("sheets").path).min())
        let chosen = try await Command.run(
            BuildProducts.executable("sheet-inspect"),
            ["--chosen-by", folder.path, export.appendingPathComponent("sheets/\(sheet)").path])
        #expect(chosen.status == 0 && chosen.output.hasPrefix("{\"page\":0,\"regions\":["), "\(chosen.output)")
    }
}
