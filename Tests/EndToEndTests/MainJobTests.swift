// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

@Suite("The main job, through the doors that people use")
struct MainJobTests {
    @Test("A sheet goes from its author's disk to a player's table and works there without a network")
    func wholePath() async throws {
        let folder = try ScratchFolder("main")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"), isFirstStart: true)
        let author = try await market.person("nadia")
        let moderator = try await market.person("moritz", role: .moderator)
        let player = try Player(server: market.base)

        // The author publishes from the command line and watches the inspection.
        let authorsPlayer = try Player(server: market.base, token: author.token)
        let metadata = authorsPlayer.folder.url.appendingPathComponent("metadata.json")
        try WireJSON.encoder().encode(Scene.metadata("Wanderer's Ledger")).write(to: metadata)
        let file = try Scene.anySheet()
        let upload = try await authorsPlayer.sheets("publish", file.path, "--metadata", metadata.path, "--json")
        #expect(upload.status == 0, "\(upload.output)\(upload.errors)")
        let waiting = try WireJSON.decoder().decode(SubmissionStatus.self, from: Data(upload.output.utf8))
        #expect(waiting.state == .awaitingReview)
        #expect(waiting.pageCount ?? 0 >= 1)

        // Nobody sees it before a moderator has.
        let before = try await market.http.get("\(Paths.base)/templates").json(TemplateList.self)
        #expect(before.templates.isEmpty)
        #expect(try await market.http.get(Paths.template(waiting.templateSlug)).status == 404)

        let decision = try await moderator.decide(waiting)
        #expect(decision.status == 200, "\(decision.text)")

        // Anybody finds it: by game system and by words.
        for query in ["gameSystem=dnd5e", "q=wanderer", "q=ledger&gameSystem=dnd5e"] {
            let list = try await market.http.get("\(Paths.base)/templates?\(query)").json(TemplateList.self)
            #expect(list.templates.map(\.slug) == [waiting.templateSlug], "\(query)")
        }
        let search = try await player.sheets("search", "wanderer")
        #expect(search.status == 0 && search.output.contains(waiting.templateSlug), "\(search.output)\(search.errors)")
        let detail = try await market.http.get(Paths.template(waiting.templateSlug)).json(TemplateDetail.self)
        let preview = try await market.http.get(detail.summary.previewURL)
        #expect(preview.status == 200)
        #expect(preview.headers.first(name: "content-type") == "image/webp")
        #expect(preview.body.readableBytes > 500)

        // A player installs it, and the bytes are the author's.
        let install = try await player.sheets("install", waiting.templateSlug)
        #expect(install.status == 0, "\(install.output)\(install.errors)")
        let opened = try await player.sheets("open", waiting.templateSlug, "--path")
        let path = opened.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(contentsOf: file))

        // The market is gone; the library is not.
        #expect(await market.stop() == 0)
        for command in [
            ["list"], ["verify"], ["show", waiting.templateSlug], ["open", waiting.templateSlug, "--path"],
        ] {
            let outcome = try await Command.run(
                BuildProducts.executable("sheets"), command, environment: player.environment)
            #expect(outcome.status == 0, "\(command): \(outcome.output)\(outcome.errors)")
        }
        _ = try await player.sheets("remove", waiting.templateSlug)
        let again = try await player.sheets("install", waiting.templateSlug)
        #expect(again.status == 0, "\(again.output)\(again.errors)")
        #expect(try await player.sheets("list").output.contains(waiting.templateSlug))
    }

    @Test("The examples are on offer after the first start, and still there after the second")
    func examples() async throws {
        let folder = try ScratchFolder("examples")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data, examples: true, isFirstStart: true)
        let wanted = try FileManager.default.contentsOfDirectory(
            atPath: BuildProducts.root.appendingPathComponent("examples/sheets").path
        ).filter { $0.hasSuffix(".pdf") }
        #expect(wanted.count >= 6)
        var list = TemplateList(templates: [], nextCursor: nil)
        let deadline = ContinuousClock.now + .seconds(900)
        while list.templates.count < wanted.count, ContinuousClock.now < deadline {
            list = try await market.http.get("\(Paths.base)/templates?limit=100").json()
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(list.templates.count == wanted.count)
        for template in list.templates {
            #expect(try await market.http.get(template.previewURL).status == 200, "\(template.slug)")
        }
        let clients = ExampleClients(template: try #require(list.templates.first), server: market.base)
        try await clients.install(into: folder.url)
        #expect(await market.stop() == 0)
        try await clients.installBySwift(into: folder.url)
        let again = try await RunningMarket(data: data, examples: true)
        let after = try await again.http.get("\(Paths.base)/templates?limit=100").json(TemplateList.self)
        #expect(after.templates.map(\.slug).sorted() == list.templates.map(\.slug).sorted())
        #expect(again.administratorToken == market.administratorToken)
        await again.stop()
    }

    @Test("Real sheets go the whole way, or are refused with a finding that says why")
    func realSheets() async throws {
        guard let shared = BuildProducts.shared else { return }
        let folder = try ScratchFolder("real")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"))
        let author = try await market.person("nadia")
        let moderator = try await market.person("moritz", role: .moderator)
        let player = try Player(server: market.base)
        for kind in ["sheets", "more-sheets"] {
            let source = shared.appendingPathComponent("regions/\(kind)")
            for name in try FileManager.default.contentsOfDirectory(atPath: source.path).sorted() {
                let file = try Data(contentsOf: source.appendingPathComponent(name))
                let answer = try await author.upload(metadata: Scene.metadata("Real \(name)"), file: file)
                #expect(answer.status == 202, "\(name): \(answer.text)")
                let id = try answer.json(SubmissionStatus.self).id
                let read = try await author.submission(id, reaches: [.awaitingReview, .rejected])
                if read.state == .rejected {
                    #expect(read.findings.contains { $0.severity == .blocker }, "\(name)")
                    #expect(
                        Set(read.findings.filter { $0.severity == .blocker }.map(\.code)).isSubset(of: [
                            .javascript, .xfa, .embeddedFiles,
                        ]), "\(name): \(read.findings)")
                    continue
                }
                #expect(try await moderator.decide(read).status == 200, "\(name)")
                let install = try await player.sheets("install", read.templateSlug)
                #expect(install.status == 0, "\(name): \(install.errors)")
            }
        }
        let verify = try await player.sheets("verify")
        #expect(verify.status == 0, "\(verify.output)")
        await market.stop()
    }
}

extension Scene {
    /// The first of the project's own sheets.
    static func anySheet() throws -> URL {
        let folder = BuildProducts.root.appendingPathComponent("examples/sheets")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".pdf") }
        return folder.appendingPathComponent(try #require(names.sorted().first))
    }
}
