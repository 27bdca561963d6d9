// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Pages about the market, as people use them")
struct SitePagesTests {
    @Test("Visitors read, copy and search with scripts and without; the operator signs in by a link, and begins")
    func browser() async throws {
        let folder = try ScratchFolder("site")
        let texts = folder.url.appendingPathComponent("texts/en")
        try FileManager.default.createDirectory(at: texts, withIntermediateDirectories: true)
        for (name, text) in [("privacy", "We keep no dragons in our files."), ("terms", "No dragons on the desk.")] {
            try Data("# \(name) of {name}\n\n\(text)\n".utf8).write(to: texts.appendingPathComponent("\(name).md"))
        }
        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"), examples: true,
            environment: ["SHEETMARKET_TEXTS": folder.url.appendingPathComponent("texts").path])
        let file = folder.url.appendingPathComponent("data/sign-in-link")
        _ = try await eventually { market.output.contains(file.path) }
        let link = try String(contentsOf: file, encoding: .utf8)
        try await BrowserScript.run(
            "site", at: market,
            [
                "--link", link.trimmingCharacters(in: .whitespacesAndNewlines), "--program",
                BuildProducts.executable("sheetmarket").path, "--data", market.data.path, "--texts",
                folder.url.appendingPathComponent("texts").path,
            ])
        let letters = folder.url.appendingPathComponent("data/mail").path
        #expect(market.output.contains("E-mails are not sent: they lie in \(letters)"), "\(market.output)")
        #expect(market.output.contains("/operation/emails"))
        #expect(!market.log.contains("sign-in-link?code=") && !market.output.contains("sign-in-link?code="))
        await market.stop()
    }

    @Test(
        "The program that is handed out needs no toolchain (make test-release)",
        .enabled(if: ProcessInfo.processInfo.environment["SHEETMARKET_TEST_PROGRAMS"] != nil))
    func runtime() async throws {
        let loaded = try await Command.run(
            URL(fileURLWithPath: "/usr/bin/ldd"), [BuildProducts.executable("sheets").path])
        #expect(loaded.status == 0 && loaded.output.contains("libc.so"), "\(loaded.errors)")
        #expect(!loaded.output.contains("libswift") && !loaded.output.contains("libFoundation"), "\(loaded.output)")
    }

    @Test("The one line installs what the server hands out, nothing when other bytes arrive; a terminal shows the link")
    func install() async throws {
        let folder = try ScratchFolder("install")
        let program = folder.url.appendingPathComponent("program")
        try Data("#!/bin/sh\necho this is sheets\n".utf8).write(to: program)
        let market = try await RunningMarket(
            data: folder.url.appendingPathComponent("data"),
            environment: [
                "SHEETMARKET_CLIENT_PROGRAM": program.path, "SHEETMARKET_NAME": "The Dragon's Desk",
                "SHEETMARKET_CONTACT": "desk@example.org",
            ])
        let home = folder.url.appendingPathComponent("home").path
        func shell(_ line: String) async throws -> Command.Outcome {
            try await Command.run(URL(fileURLWithPath: "/bin/sh"), ["-c", line], environment: ["HOME": home])
        }
        let installed = URL(fileURLWithPath: "\(home)/.local/bin/sheets")
        let done = try await shell("curl -fsSL \(market.base)/install.sh | sh")
        #expect(done.status == 0 && done.output.contains("Installed \(installed.path)"), "\(done.errors)")
        #expect(try Data(contentsOf: installed) == Data(contentsOf: program))
        #expect(try await shell("\(installed.path) --help").output == "this is sheets\n")

        let script = folder.url.appendingPathComponent("kept.sh").path
        #expect(try await shell("curl -fsSL -o \(script) \(market.base)/install.sh").status == 0)
        try Data("#!/bin/sh\necho something else\n".utf8).write(to: program)
        try FileManager.default.removeItem(at: installed)
        let refused = try await shell("sh \(script)")
        #expect(refused.status == 1 && refused.errors.contains("not the promised program"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: installed.path))
        let left = try FileManager.default.contentsOfDirectory(atPath: installed.deletingLastPathComponent().path)
        #expect(left.isEmpty, "\(left)")

        // What the operator says of the market stands where people look for it.
        #expect(try await market.http.get("/").text.contains("The Dragon&#39;s Desk</a>"))
        let contact = try await market.http.get("/.well-known/security.txt")
        #expect(contact.text.hasPrefix("Contact: mailto:desk@example.org\n"))
        await market.stop()
        try await showsLink(data: market.data)
    }

    /// In a terminal `up` prints the link that signs the administrator in; elsewhere it goes into a file.
    private func showsLink(data: URL) async throws {
        let program = BuildProducts.executable("sheetmarket").path
        let up = "'\(program)' up --data '\(data.path)' --listen 127.0.0.1:0 --no-examples"
        let line = "\(up) 2>/dev/null & echo pid $!; wait $!"
        let terminal = try ChildProgram(URL(fileURLWithPath: "/usr/bin/script"), ["-qec", line, "/dev/null"])
        let first = await terminal.line(within: 60) { $0.hasPrefix("pid ") }
        let child = try #require(first.flatMap { Int32($0.filter(\.isNumber)) }, "\(terminal.output)")
        let printed = await terminal.line(within: 600) { $0.contains("/sign-in-link?code=") } ?? ""
        let parts = printed.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "/sign-in-link")
        let page =
            parts.count == 2
            ? try? await TestHTTP(base: parts[0]).get("/sign-in-link\(parts[1])").text : terminal.output
        kill(child, SIGTERM)
        await terminal.waitForExit()
        #expect(page?.contains("Sign in as admin") == true, "\(page ?? "")")
    }
}
