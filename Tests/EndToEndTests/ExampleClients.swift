// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import TestSupport
import Testing

/// The programs of `examples/clients`, run as their readers would.
struct ExampleClients {
    let template: TemplateSummary
    let server: String

    /// Installs the sheet by each of them, and expects the very bytes that are on offer.
    func install(into folder: URL) async throws {
        let address = Paths.version(template.slug, template.version.description)
        let offered = try await TestHTTP(base: server).get(address).json(VersionDetail.self)

        let script = BuildProducts.root.appendingPathComponent("examples/clients/install.sh")
        let shell = try await Command.run(script, [server, template.slug, folder.path])
        #expect(shell.status == 0, "\(shell.output)\(shell.errors)")
        let words = shell.output.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.last == template.version.description)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: try #require(words.first)))
        #expect(ContentHash(hashing: bytes) == offered.sha256)
        let nothing = try await Command.run(script, [server, "nothing-of-this-name", folder.path])
        #expect(nothing.status == 1 && nothing.errors.contains("does not exist"), "\(nothing.output)\(nothing.errors)")
        try await installBySwift(into: folder)
    }

    /// Works the second time without the server, too; with `options` from a mirror, or with another root.
    func installBySwift(into folder: URL, _ options: String...) async throws {
        let library = folder.appendingPathComponent("library").path
        let swift = try await Command.run(
            BuildProducts.executable("install-sheet"), [server, template.slug, library] + options)
        #expect(swift.status == 0, "\(swift.output)\(swift.errors)")
        #expect(swift.output.contains("\(template.name) lies in \(library)"), "\(swift.output)")
        #expect(swift.output.contains("page 1: "), "\(swift.output)")
    }

    /// From a mirror by the market's root; by another one, or from a mirror with other files, nothing is installed.
    func installBySwift(fromMirror mirror: String, into folder: URL) async throws {
        let root = "\(mirror)/trust/1.root.json"
        let fingerprint = ContentHash(hashing: try Data(contentsOf: URL(fileURLWithPath: root))).hex
        try await installBySwift(into: folder.appendingPathComponent("by-root"), "--mirror", mirror, "--root", root)
        try await installBySwift(
            into: folder.appendingPathComponent("by-fingerprint"), "--mirror", mirror, "--fingerprint", fingerprint)
        let forged = folder.appendingPathComponent("forged")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: mirror), to: forged)
        let targets = forged.appendingPathComponent("trust/targets/\(template.id)")
        for name in try FileManager.default.contentsOfDirectory(atPath: targets.path) {
            let file = targets.appendingPathComponent(name)
            var bytes = try Data(contentsOf: file)
            bytes[100] ^= 1
            try bytes.write(to: file)
        }
        let refusals = [
            (["--mirror", mirror, "--fingerprint", String(repeating: "0", count: 64)], "fingerprint"),
            (["--mirror", forged.path, "--root", root], "not what the server announced"),
        ]
        for (number, (options, reason)) in refusals.enumerated() {
            let library = folder.appendingPathComponent("refused-\(number)").path
            let swift = try await Command.run(
                BuildProducts.executable("install-sheet"), [server, template.slug, library] + options)
            #expect(swift.status == 1 && swift.output.contains(reason), "\(swift.output)\(swift.errors)")
        }
    }

    /// The code of the tutorial is that of the example, and so compiles.
    static func checkTutorial() throws {
        let root = BuildProducts.root
        let article = try String(
            contentsOf: root.appendingPathComponent("Sources/MarketClient/MarketClient.docc/InstallAndOpen.md"),
            encoding: .utf8)
        let code = try String(
            contentsOf: root.appendingPathComponent(
                "examples/clients/swift/Sources/install-sheet/InstallAndOpen.swift"),
            encoding: .utf8)
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        #expect(article.contains("```swift\n\(lines.joined(separator: "\n"))```"))
        #expect(lines.count <= 30)
    }

    /// Installs and verifies the sheet from a market or from a mirror of it, and again; another root, or a file with other
    /// bytes, is refused.
    func installByPython(from source: String, into folder: URL) async throws {
        let python = BuildProducts.root.appendingPathComponent(".venv/bin/python")
        let script = BuildProducts.root.appendingPathComponent("examples/clients/python/install_sheet.py").path
        let first = try await Command.run(python, [script, source, template.slug, folder.path])
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        let file = URL(fileURLWithPath: try #require(first.output.split(separator: " ").first.map(String.init)))
        let bytes = try Data(contentsOf: file)
        let offered = try await TestHTTP(base: server)
            .get(Paths.version(template.slug, template.version.description)).json(VersionDetail.self)
        #expect(ContentHash(hashing: bytes) == offered.sha256)
        try Data("other bytes".utf8).write(to: file)
        let again = try await Command.run(python, [script, source, template.id.description, folder.path])
        #expect(again.status == 0 && again.errors.isEmpty, "\(again.output)\(again.errors)")
        #expect(try Data(contentsOf: file) == bytes)
        let other = folder.appendingPathComponent("other").path
        let wrong = try await Command.run(
            python, [script, source, template.slug, other, "--fingerprint", String(repeating: "0", count: 64)])
        #expect(wrong.status == 1 && wrong.errors.contains("fingerprint"), "\(wrong.output)\(wrong.errors)")
        let nothing = try await Command.run(python, [script, source, "nothing-of-this-name", folder.path])
        #expect(nothing.status == 1 && nothing.errors.contains("there is no sheet"), "\(nothing.errors)")
    }
}
