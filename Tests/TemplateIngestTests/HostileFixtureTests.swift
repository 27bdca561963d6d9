// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

/// What `Tests/Fixtures/make_hostile.py` writes, and what it expects of each file.
private struct HostileFixtures {
    let folder: URL
    let expected: [String: String]

    /// All of them, or one.
    init(in folder: URL, only name: String? = nil) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let script = tests.appendingPathComponent("Fixtures/make_hostile.py").path
        self.folder = folder.appendingPathComponent("hostile")
        let made = try Tool.run("/usr/bin/python3", [script, self.folder.path] + [name].compactMap { $0 })
        guard made.status == 0 else { throw CocoaError(.executableLoad) }
        let list = try Data(contentsOf: self.folder.appendingPathComponent("expected.json"))
        expected = try JSONDecoder().decode([String: String].self, from: list)
    }
}

@Suite("Generated hostile files")
struct HostileFixtureTests {
    /// What a clean copy does without.
    private static let removable: Set = [
        "javascript", "external_action", "embedded_files", "embedded_media", "launch_action",
    ]
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    @Test("each gets its verdict, and what can be taken out is taken out")
    func verdicts() throws {
        let fixtures = try HostileFixtures(in: bench.folder)
        #expect(fixtures.expected.count > 70)
        let hungry = ["decompression_bomb", "too_complex"]
        for (name, code) in fixtures.expected.sorted(by: { $0.key < $1.key }) {
            let path = fixtures.folder.appendingPathComponent(name).path
            let report = try Tool.report(of: path)
            let blockers = report.blockers.map(\.rawValue)
            if code == "accepted" {
                #expect(report.verdict == .accepted, "\(name): \(blockers)")
            } else {
                let allowed = hungry.contains(code) ? hungry + ["time_limit", "memory_limit"] : [code]
                #expect(blockers.contains { allowed.contains($0) }, "\(name): \(blockers), not \(code)")
            }
            let told = report.findings.filter { $0.code.rawValue == code }
            #expect(!Self.removable.contains(code) || told.allSatisfy(\.removable), "\(name): it can be taken out")
            try checkCleaning(of: path, name, report)
        }
    }

    @Test(
        "what takes far too long is given up as too complex, and not at the time limit",
        arguments: [
            "thirty-thousand-annotations.pdf", "chain-of-fifty-thousand-forms.pdf", "millions-of-tiny-paths.pdf",
            "nine-forms-in-each-of-nine.pdf",
        ])
    func patience(_ name: String) throws {
        let fixtures = try HostileFixtures(in: bench.folder, only: name)
        let report = try Tool.report(of: fixtures.folder.appendingPathComponent(name).path)
        let blockers = report.blockers.map(\.rawValue)
        #expect(blockers.contains("too_complex") && !blockers.contains("time_limit"), "\(name): \(blockers)")
        #expect(report.pageCount == 1)
    }

    @Test(
        "pictures and shadings without end are given up as too complex, and what was read before is kept",
        arguments: [
            "picture-drawn-a-thousand-times.pdf", "mask-drawn-a-thousand-times.pdf", "shading-by-a-long-program.pdf",
        ])
    func pictures(_ name: String) throws {
        let fixtures = try HostileFixtures(in: bench.folder, only: name)
        let report = try Tool.report(of: fixtures.folder.appendingPathComponent(name).path)
        #expect(report.blockers == [.tooComplex], "\(name)")
        #expect(report.pages.map(\.index) == [0], "\(name)")
        #expect(report.pages.allSatisfy { $0.textCharacters > 0 }, "\(name)")
    }

    @Test(
        "a step within which nothing asks for the time ends as too complex, whether it opens the file or draws a page",
        arguments: ["object-stream-of-a-gibibyte.pdf", "picture-coloured-by-a-long-program.pdf"])
    func longSteps(_ name: String) throws {
        let fixtures = try HostileFixtures(in: bench.folder, only: name)
        let report = try Tool.report(of: fixtures.folder.appendingPathComponent(name).path)
        #expect(report.blockers == [.tooComplex])
        #expect(report.pageCount == 0)
    }

    @Test("pages and findings from before a step that takes too long are kept")
    func kept() async throws {
        let name = "script-and-long-second-page.pdf"
        let fixtures = try HostileFixtures(in: bench.folder, only: name)
        let report = try Tool.report(of: fixtures.folder.appendingPathComponent(name).path)
        #expect(Set(report.blockers) == [.javascript, .tooComplex])
        #expect(report.pageCount == 2 && report.pages.map(\.index) == [0])
        // A reader that stands ready, as the service has files read, ends with it and says the same.
        let path = FilePath(fixtures.folder.appendingPathComponent(name).path)
        let request = ReaderRequest(limits: .calm, previewWidths: [])
        let served = try await Workbench.reader.read(path, request: request).value
        #expect(served.blockers == report.blockers && served.pages.map(\.index) == [0])
    }

    @Test("many pages that take long together are given up, and those before are kept")
    func together() throws {
        let name = "five-hundred-long-pages.pdf"
        let fixtures = try HostileFixtures(in: bench.folder, only: name)
        let report = try Tool.report(of: fixtures.folder.appendingPathComponent(name).path)
        #expect(report.blockers == [.tooComplex])
        #expect(report.pageCount == 500 && report.pages.count > 1 && report.pages.count < 500)
    }

    private func checkCleaning(of path: String, _ name: String, _ report: ReaderReport) throws {
        let blockers = report.findings.filter { $0.severity == .blocker }
        guard !blockers.isEmpty, blockers.allSatisfy(\.removable) else { return }
        #expect(report.pageCount == report.pages.count && report.pageCount > 0, "\(name) keeps its pages")
        let copy = bench.folder.appendingPathComponent("clean-\(name)")
        let (status, outcome) = try Tool.clean(path, to: copy.path)
        #expect(status == 0 && outcome.isClean, "\(name): \(outcome.differences)")
        #expect(Set(outcome.removed.map(\.code)).isSuperset(of: blockers.map(\.code)), "\(name)")
        #expect(outcome.report?.verdict == .accepted, "\(name)")
    }
}

@Suite("Overlays")
struct OverlayTests {
    @Test("are PNG pictures of the page that was asked for, and of none that is not there")
    func picture() throws {
        let bench = try Workbench()
        var builder = PDFBuilder.sheet()
        builder.addPage(PDFBuilder.text("Second", x: 50, y: 50), box: "0 0 400 200")
        let file = try bench.file("two.pdf", builder.data())
        let picture = bench.folder.appendingPathComponent("page.png")
        let first = try Tool.inspect(["--overlay", picture.path, file.string])
        #expect(first.status == 0)
        #expect(try JSONDecoder().decode(ReaderReport.self, from: first.output).pageCount == 2)
        let png = try Data(contentsOf: picture)
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(png[16..<24].elementsEqual([0, 0, 4, 0x39, 0, 0, 5, 0x78]))
        #expect(try Tool.inspect(["--overlay", picture.path, "--page", "2", file.string]).status == 0)
        #expect(try Data(contentsOf: picture) != png)
        let none = bench.folder.appendingPathComponent("none.png")
        #expect(try Tool.inspect(["--overlay", none.path, "--page", "3", file.string]).status != 0)
        #expect(!FileManager.default.fileExists(atPath: none.path))
    }
}
