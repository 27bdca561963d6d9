// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Testing

@Suite("Pages in the terminal")
struct TerminalPageTests {
    static let nowhere = "http://127.0.0.1:1"

    /// A library with a sheet whose page has a picture of 40 by 60 pixels, white.
    private func filled(_ scratch: Scratch) async throws {
        let plain = URL(fileURLWithPath: "\(scratch.path)/page.ppm")
        try (Data("P6\n40 60\n255\n".utf8) + Data(repeating: 255, count: 40 * 60 * 3)).write(to: plain)
        let packed = "\(scratch.path)/page.webp"
        let packing = Process()
        packing.executableURL = URL(fileURLWithPath: "/usr/bin/cwebp")
        packing.arguments = ["-quiet", "-lossless", plain.path, "-o", packed]
        try packing.run()
        packing.waitUntilExit()
        var sheet = SampleSheet()
        sheet.picture = [UInt8](try #require(FileManager.default.contents(atPath: packed)))
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.quest)
        }
    }

    private func open(
        _ scratch: Scratch, _ words: [String], answering answer: String, after delay: Duration = .zero,
        until end: String
    ) async throws -> String {
        let terminal = try TestTerminal(answer: .init(question: "\u{1B}[c", text: answer, delay: delay))
        let run = try CommandLineRun.start(
            ["open", "quest-sheet", "--offline"] + words, in: scratch, server: Self.nowhere, terminal: terminal,
            isShownThere: true, environment: ["TERM": "xterm-256color"])
        let shown = try await terminal.wait(for: end)
        #expect(try await run.end().status == 0)
        return shown
    }

    @Test("a terminal that answers as kitty gets the page with a frame around its zoom region")
    func kitty() async throws {
        let scratch = try Scratch()
        try await filled(scratch)
        let answer = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;22c"
        let shown = try await open(scratch, [], answering: answer, until: "m=0;")
        #expect(shown.contains("Quest Sheet, page 1 of 1: Skills"), "\(shown.prefix(200))")
        #expect(shown.contains("\u{1B}_Ga=T,q=2,f=24,s=40,v=60,m=1;"))
        // The frame's colour, and paper: both as base64 of whole pixels.
        #expect(shown.contains(Data([204, 51, 0, 204, 51, 0]).base64EncodedString()) && shown.contains("////////"))
        let region = try await open(scratch, ["--region", "skills"], answering: answer, until: "m=0;")
        #expect(region.contains("s=13,v=16,"), "\(region.prefix(200))")
    }

    @Test("a terminal that says that it takes sixel gets that")
    func sixel() async throws {
        let scratch = try Scratch()
        try await filled(scratch)
        // It may stand at the other end of a long line.
        let shown = try await open(
            scratch, ["--terminal"], answering: "\u{1B}[?62;4;22c", after: .milliseconds(1200), until: "-\u{1B}\\")
        #expect(shown.contains("\u{1B}Pq\"1;1;40;60#0;2;0;0;0"))
        // Ten bands of six rows, paper being the last colour.
        #expect(shown.contains("#215"))
    }

    @Test("a terminal without pictures, and no desktop: the viewer is written, or it is said what is missing")
    func neither() async throws {
        let scratch = try Scratch()
        try await filled(scratch)
        let run = try await CommandLineRun.sheets("open", "quest-sheet", "--offline", in: scratch, server: Self.nowhere)
        #expect(run.status == 0 && run.output.contains("There is no desktop here"), "\(run)")
        let path = try #require(run.output.split(separator: " ").last).trimmingCharacters(in: .newlines)
        #expect(path.hasSuffix(".html") && FileManager.default.fileExists(atPath: path))
        let asked = try await CommandLineRun.sheets(
            "open", "quest-sheet", "--offline", "--terminal", in: scratch, server: Self.nowhere)
        #expect(asked.status == 1 && asked.errors.contains("kitty"), "\(asked)")
    }
}

@Suite("What is shown while something comes")
struct ProgressTests {
    @Test("a terminal sees how far it is, how fast, and how long it takes yet; elsewhere a few plain lines are written")
    func bar() async throws {
        let sheet = SampleSheet()
        let slow = sheet.market { _, _, bytes in
            Response(
                status: .ok,
                body: .init(contentLength: bytes.count) { writer in
                    for start in stride(from: 0, to: bytes.count, by: 30_000) {
                        try await writer.write(ByteBuffer(bytes: bytes[start..<min(start + 30_000, bytes.count)]))
                        try await Task.sleep(for: .milliseconds(200))
                    }
                    try await writer.finish(nil)
                })
        }
        try await withStub(slow) { server in
            let (watched, scratch) = (try Scratch(), try Scratch())
            let terminal = try TestTerminal()
            let run = try CommandLineRun.start(
                ["install", "quest-sheet"], in: watched, server: server.url, terminal: terminal,
                environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"])
            let shown = try await terminal.wait(for: "100%")
            #expect(try await run.end().status == 0)
            #expect(shown.contains("/s, ") && shown.contains(" left") && shown.contains("\u{1B}[K"), "\(shown)")
            let plain = try await CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
            #expect(plain.status == 0 && !plain.errors.contains("\u{1B}"), "\(plain)")
            // Besides that the market signs nothing.
            let lines = plain.errors.split(separator: "\n").filter { !$0.contains("does not sign its catalog") }
            #expect(1...5 ~= lines.count, "\(plain)")
        }
    }
}
