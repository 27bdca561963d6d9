// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import TestSupport
import Testing

@Suite("Clients that need to trust nobody")
struct TrustStoryTests {
    /// Runs a script of `Tests/Trust` and expects it to end well.
    private func run(_ name: String, _ arguments: [String]) async throws {
        let python = BuildProducts.root.appendingPathComponent(".venv/bin/python")
        let script = BuildProducts.root.appendingPathComponent("Tests/Trust/\(name).py").path
        let outcome = try await Command.run(python, [script] + arguments)
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
    }

    @Test(
        "python-tuf verifies each example and follows new roots; it and sheets refuse every attack; a mirror has it all",
        .timeLimit(.minutes(30)))
    func story() async throws {
        let folder = try ScratchFolder("trust")
        let data = folder.url.appendingPathComponent("data")
        let market = try await RunningMarket(data: data, examples: true)
        let server = BuildProducts.executable("sheetmarket")
        try await run("judge", [market.base, data.path, server.path])
        try await run("attacks", [market.base, BuildProducts.executable("sheets").path])
        let mirror = folder.url.appendingPathComponent("mirror").path
        let arguments = ["mirror", "--to", mirror, "--data", data.path]
        let first = try await Command.run(server, arguments)
        #expect(first.status == 0, "\(first.errors)")
        // What the market did meanwhile may be new once, and not again and again.
        var again = try await Command.run(server, arguments)
        for _ in 0..<5 where !again.output.contains("(0 bytes)") { again = try await Command.run(server, arguments) }
        #expect(again.output.contains("(0 bytes)"), "there is always something to write: \(again.output)")
        try await run("mirrors", [market.base, mirror, BuildProducts.executable("sheets").path])
        let list = try await TestHTTP(base: market.base).get("\(Paths.base)/templates?limit=1").json(TemplateList.self)
        let example = ExampleClients(template: try #require(list.templates.first), server: market.base)
        for (name, source) in [("market", market.base), ("mirror", mirror)] {
            try await example.installByPython(from: source, into: folder.url.appendingPathComponent("python-\(name)"))
        }
        try ExampleClients.checkTutorial()
        try await example.installBySwift(fromMirror: mirror, into: folder.url.appendingPathComponent("swift"))
        try await lookAtSheet(example.template, mirror: mirror, market, in: folder.url)
        try await withdraw(example.template, market, mirror: mirror) {
            let updated = try await Command.run(server, arguments)
            #expect(updated.status == 0, "\(updated.errors)")
        }
        #expect(await market.stop() == 0)
    }

    @Test(
        "What the page tells to type when a server, a mirror or a root key is lost works as written",
        .timeLimit(.minutes(30)))
    func runbook() async throws {
        let folder = try ScratchFolder("runbook")
        let market = try await RunningMarket(data: folder.url.appendingPathComponent("data"), examples: true)
        #expect(await market.stop() == 0)
        try await run(
            "runbook",
            [
                BuildProducts.executable("sheetmarket").path, BuildProducts.executable("sheets").path, market.data.path,
            ])
    }

    @Test("The TUF project's own tests of a client's workflow pass with ours", .timeLimit(.minutes(30)))
    func conformance() async throws {
        let sources = BuildProducts.root.appendingPathComponent(".venv/sources")
        let archive = try #require(
            FileManager.default.contentsOfDirectory(atPath: sources.path).first { $0.hasPrefix("tuf-") })
        try await run(
            "conformance",
            [BuildProducts.executable("trust-conformance").path, sources.appendingPathComponent(archive).path])
    }

    @Test(
        "The cases of the TUF project's tuf-conformance pass with ours, where TUF_CONFORMANCE names a copy of it",
        .enabled(if: ProcessInfo.processInfo.environment["TUF_CONFORMANCE"] != nil), .timeLimit(.minutes(30)))
    func suite() async throws {
        let folder = try #require(ProcessInfo.processInfo.environment["TUF_CONFORMANCE"])
        try await run("suite", [BuildProducts.executable("trust-conformance").path, folder])
    }

    /// A version whose template offers nothing any more can be had by its number from a mirror, too, and is not found there
    /// otherwise. `update` brings the mirror up to date.
    private func withdraw(
        _ template: TemplateSummary, _ market: RunningMarket, mirror: String, update: () async throws -> Void
    ) async throws {
        let http = TestHTTP(base: market.base).signedIn(market.administratorToken)
        let versions = "/templates/\(template.id)/versions"
        for version in try await http.get(Paths.base + versions).json(VersionList.self).versions {
            let path = "\(versions)/\(version.version)/yank"
            let answer = try await http.send(json: YankRequest(reason: "Ink runs."), to: path)
            #expect(answer.status == 200, "\(answer.text)")
        }
        try await update()
        let player = try Player(server: market.base)
        for asked in [template.slug, "\(template.id)"] {
            let refused = try await player.sheets("install", "--no-progress", "--mirror", mirror, asked)
            #expect(refused.status == 1 && refused.errors.contains("on offer"), "\(refused.errors)")
        }
        let found = try await player.sheets("search", "--mirror", mirror, "--json")
        #expect(found.status == 0 && !found.output.contains("\"\(template.slug)\""), "\(found.output)")
        let name = "\(template.slug)@\(template.version)"
        var installed = try await player.sheets("install", "--no-progress", "--mirror", mirror, name)
        // The withdrawal is signed some seconds later.
        for _ in 0..<60 where installed.status != 0 {
            try await Task.sleep(for: .seconds(1))
            try await update()
            installed = try await player.sheets("install", "--no-progress", "--mirror", mirror, name)
        }
        #expect(installed.status == 0 && installed.output.contains("verified"), "\(installed)")
    }

    /// The viewer works from disk: once with pictures from the mirror, and then with those that are kept.
    private func lookAtSheet(
        _ template: TemplateSummary, mirror: String, _ market: RunningMarket, in folder: URL
    ) async throws {
        let player = try Player(server: market.base)
        let slug = template.slug
        let installed = try await player.sheets("install", "--no-progress", "--mirror", mirror, slug)
        #expect(installed.status == 0, "\(installed.errors)")
        let file = folder.appendingPathComponent("viewer.html")
        let written = try await player.sheets("open", slug, "--html", "--mirror", mirror, "--to", file.path)
        #expect(written.status == 0 && written.errors.isEmpty, "\(written.output)\(written.errors)")
        try await BrowserScript.run("viewer", at: market, ["--file", file.path])
        let again = folder.appendingPathComponent("again.html")
        let kept = try await player.sheets("open", slug, "--html", "--offline", "--to", again.path)
        #expect(kept.status == 0, "\(kept.errors)")
        #expect(try Data(contentsOf: again) == Data(contentsOf: file), "the library keeps the pictures")
        let verified = try await player.sheets("verify", "--json")
        #expect(
            verified.output.contains(#""leftovers":[]"#) || !verified.output.contains("objects"), "\(verified.output)")
    }
}
