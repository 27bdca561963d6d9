// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketWire
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketClient

@Suite("Pins, rollbacks, quotas and repairs of the library")
struct LibraryCareTests {
    let sheet = SampleSheet()
    let first = SemanticVersion(1, 0, 0)
    let second = SemanticVersion(1, 1, 0)
    static let nowhere = "http://127.0.0.1:1"

    private func install(_ scratch: Scratch, _ versions: [SemanticVersion]) async throws {
        try await withStub(sheet.market()) { server in
            for version in versions {
                _ = try await server.installer(scratch).install(.init(key: sheet.slug, version: version))
            }
        }
    }

    private func age(_ path: String, days: Double) throws {
        try FileManager.default.setAttributes([.modificationDate: Date() - days * 86_400], ofItemAtPath: path)
    }

    @Test("rolling back goes to what was installed before, and once more to what it was, without a network")
    func rollback() async throws {
        let scratch = try Scratch()
        try await install(scratch, [first])
        let alone = try await CommandLineRun.sheets("rollback", "quest-sheet", in: scratch, server: Self.nowhere)
        #expect(alone.status == 1 && alone.errors.contains("no version of 'quest-sheet' before 1.0.0"))
        try await install(scratch, [second])
        let back = try await CommandLineRun.sheets("rollback", "quest-sheet", in: scratch, server: Self.nowhere)
        #expect(back.output == "Went back from 1.1.0 to 1.0.0 of quest-sheet.\n")
        #expect(try scratch.library.find(sheet.slug).installed?.version == first)
        let library = scratch.library
        #expect(try await library.rollBack(try library.find(sheet.slug)).installed?.version == second)
        try FileManager.default.removeItem(atPath: library.objectPath(sheet.hash(first)))
        await #expect(throws: LibraryError.self) { try await library.rollBack(try library.find(sheet.slug)) }
        #expect(try library.find(sheet.slug).installed?.version == second)
    }

    @Test("what is pinned is listed so and passed by when updates come, until it is unpinned")
    func pins() async throws {
        let scratch = try Scratch()
        let id = sheet.id
        let newer = second
        let market = sheet.market(offered: second)
        try await withStub { request, server in
            guard request.uri.path == "/api/v1/updates" else { return try await market(request, server) }
            return try .json(
                UpdateReport(updates: [
                    .init(templateId: id, state: .published, genuine: true, newer: newer, reason: nil)
                ]))
        } _: { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            _ = try await sheets("install", "quest-sheet@1.0.0")
            #expect(try await sheets("pin", "quest-sheet").output == "Pinned quest-sheet at 1.0.0.\n")
            #expect(try await sheets("list").output.contains(", pinned"))
            let held = try await sheets("update")
            #expect(held.status == 0 && held.errors.contains("quest-sheet 1.0.0 is pinned, so 1.1.0 is not installed"))
            #expect(try scratch.library.find("quest-sheet").installed?.version == first)
            _ = try await sheets("unpin", "quest-sheet")
            #expect(try await sheets("update").output.contains("in the place of 1.0.0"))
        }
    }

    @Test("a quota takes what was used longest ago, never what is installed, pinned or withdrawn")
    func quota() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        try await install(scratch, [first, second])
        try age(library.objectPath(sheet.hash(first)), days: 3)
        try await library.setQuota(450_000)
        #expect(try library.quota() == 450_000)
        let trial = try await library.clean(isTrial: true)
        #expect(trial.evicted.map(\.version) == [first] && trial.freedBytes == 300_000 && !trial.isOverQuota)
        #expect(try library.find(sheet.slug).versions.count == 2)

        try await library.pin(try library.find(sheet.slug))
        let held = try await library.clean()
        #expect(held.evicted == [] && held.isOverQuota)
        try await library.pin(try library.find(sheet.slug), false)
        try await library.changeRecord(sheet.id) { [first] known in
            guard var changed = known, var saved = changed.saved(first) else { return known }
            saved.detail.state = .yanked
            changed.save(saved)
            return changed
        }
        #expect(try await library.clean().evicted == [])
        try await library.changeRecord(sheet.id) { [first] known in
            guard var changed = known, var saved = changed.saved(first) else { return known }
            saved.detail.state = .published
            changed.save(saved)
            return changed
        }
        // A link that `open` made would keep the bytes.
        _ = try library.openablePath(of: library.find(sheet.slug), version: first)
        let run = try await CommandLineRun.sheets("clean", in: scratch, server: Self.nowhere)
        #expect(run.output.contains("Removed quest-sheet@1.0.0 (300.0 kB)."))
        #expect(run.output.contains("of 450.0 kB."))
        #expect(try library.find(sheet.slug).versions.map(\.detail.version) == [second])
        #expect(scratch.files("open").isEmpty)
        let verified = try await library.verify()
        #expect(verified.ok && verified.leftovers == [])
    }

    @Test("of several versions the one that was opened longest ago goes first, and no more than needed")
    func leastRecentlyUsed() async throws {
        let third = SemanticVersion(1, 2, 0)
        let versions = [first, second, third]
        let sheet = SampleSheet(
            files: versions.enumerated().map { ($1, SampleSheet.bytes(100_000, seed: UInt64($0) + 20)) })
        let scratch = try Scratch()
        let library = scratch.library
        try await withStub(sheet.market()) { server in
            for version in versions {
                _ = try await server.installer(scratch).install(.init(key: sheet.slug, version: version))
            }
        }
        try age(library.objectPath(sheet.hash(first)), days: 3)
        try age(library.objectPath(sheet.hash(second)), days: 2)
        let opened = try await CommandLineRun.sheets(
            "open", "--path", "quest-sheet@1.0.0", in: scratch, server: Self.nowhere)
        #expect(opened.status == 0, "\(opened)")
        let run = try await CommandLineRun.sheets("clean", "--quota", "250k", in: scratch, server: Self.nowhere)
        #expect(run.output.contains("Removed quest-sheet@1.1.0 ("), "\(run)")
        #expect(try library.find(sheet.slug).versions.map(\.detail.version) == [third, first])
        let verified = try await library.verify()
        #expect(verified.ok && verified.leftovers == [])
    }

    @Test("cleaning removes what a killed process was writing, wherever that was, but nothing young")
    func drafts() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        try await install(scratch, [first])
        var old: [String] = []
        for folder in ["index", "open", "trust/0123456789abcdef"] {
            try AtomicFile.makeFolder("\(library.root)/\(folder)")
            for name in ["old", "young"] {
                let path = "\(library.root)/\(folder)/.\(name).json.1.draft"
                try Data("123".utf8).write(to: URL(fileURLWithPath: path))
                if name == "old" { try age(path, days: 0.5) }
                if name == "old" { old.append(path) }
            }
        }
        #expect(try await library.clean(isTrial: true).leftovers == old)
        let report = try await library.clean()
        #expect(report.leftovers == old && report.freedBytes == 9)
        #expect(try await library.clean().leftovers == [])
        #expect(scratch.files("").filter { $0.hasSuffix(".draft") }.count == 3)
    }

    @Test("a quota never takes what a character is written on or what is being exported")
    func quotaInUse() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        try await install(scratch, [first])
        func sheets(_ words: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(words, in: scratch, server: Self.nowhere).end()
        }
        #expect(try await sheets("character", "new", "Brom", "--template", "quest-sheet").status == 0)
        try await install(scratch, [second])
        try age(library.objectPath(sheet.hash(first)), days: 3)
        let held = try await sheets("clean", "--quota", "450k")
        #expect(!held.output.contains("Removed") && held.errors.contains("over the quota"), "\(held)")
        #expect(try await sheets("character", "remove", "Brom", "--yes").status == 0)
        do {
            let export = library.hold(sheet.hash(first))
            #expect(try await sheets("clean").output.contains("Removed") == false)
            withExtendedLifetime(export) {}
        }
        let taken = try await sheets("clean")
        #expect(taken.output.contains("Removed quest-sheet@1.0.0"), "\(taken)")
    }

    @Test("a quota takes nothing where nobody can tell what characters need")
    func quotaUnknown() async throws {
        let scratch = try Scratch()
        try await install(scratch, [first, second])
        let folder = "\(scratch.library.root)/characters"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(folder)/index.json"))
        let run = try await CommandLineRun.sheets("clean", "--quota", "450k", in: scratch, server: Self.nowhere)
        #expect(!run.output.contains("Removed"), "\(run)")
        #expect(try scratch.library.find(sheet.slug).versions.count == 2)
    }

    @Test("installations keep the quota by themselves and say what went")
    func quotaOfInstallations() async throws {
        let scratch = try Scratch()
        try await install(scratch, [first])
        try await scratch.library.setQuota(450_000)
        let notices = Mutex<[InstallEvent]>([])
        try await withStub(sheet.market()) { server in
            _ = try await server.installer(scratch).install(.init(key: sheet.slug, version: second)) { event in
                if case .notice = event { notices.withLock { $0.append(event) } }
            }
        }
        let name = "To keep within the library's quota, quest-sheet@1.0.0 went: not used for longest."
        // The other is that the market signs nothing.
        #expect(notices.withLock { $0.count == 2 && $0.last == .notice(name) })
        #expect(try await scratch.library.verify().ok)
    }

    @Test("cleaning removes objects that nothing names and broken downloads, but no young ones")
    func leftovers() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        try await install(scratch, [first])
        let stray = ContentHash(hashing: Data("stray".utf8))
        let young = ContentHash(hashing: Data("young".utf8))
        for hash in [stray, young] {
            let path = library.objectPath(hash)
            try AtomicFile.makeFolder(AtomicFile.folder(of: path))
            try Data("12345".utf8).write(to: URL(fileURLWithPath: path))
        }
        try age(library.objectPath(stray), days: 1)
        for (hash, days) in [(stray, 2.0), (young, 0.5)] {
            try Data("1".utf8).write(to: URL(fileURLWithPath: library.partialPath(hash)))
            try age(library.partialPath(hash), days: days)
        }
        let report = try await library.clean()
        #expect(report.leftovers == [library.partialPath(stray), library.objectPath(stray)])
        #expect(report.freedBytes == 6)
        #expect(try await library.verify().leftovers == [library.objectPath(young), library.partialPath(young)])
        // A record that cannot be read may need anything.
        try age(library.objectPath(young), days: 1)
        try Data("{".utf8).write(to: URL(fileURLWithPath: library.recordPath(sheet.id)))
        #expect(try await library.clean().leftovers == [])
    }

    @Test("verify --repair fetches again what is missing, damaged or unreadable")
    func repair() async throws {
        let scratch = try Scratch()
        let library = scratch.library
        try await withStub(sheet.market()) { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            _ = try await sheets("install", "quest-sheet@1.0.0")
            let object = library.objectPath(sheet.hash(first))
            try FileManager.default.removeItem(atPath: object)
            try Data("other".utf8).write(to: URL(fileURLWithPath: object))
            let preview = try #require(library.find(sheet.slug).current?.preview)
            try FileManager.default.removeItem(atPath: library.objectPath(preview.sha256))
            let mended = try await sheets("verify", "--repair")
            #expect(mended.status == 0, "\(mended.errors)")
            #expect(mended.errors.contains("Fetched again: quest-sheet."))
            #expect(mended.output.hasPrefix("All is well"))

            try Data("{".utf8).write(to: URL(fileURLWithPath: library.recordPath(sheet.id)))
            #expect(try await sheets("verify").status == 3)
            #expect(try await sheets("verify", "--repair").status == 0)
            #expect(try library.find(sheet.slug).installed?.version == first)
        }
        try FileManager.default.removeItem(atPath: library.objectPath(sheet.hash(first)))
        let gone = try await CommandLineRun.sheets("verify", "--repair", in: scratch, server: Self.nowhere)
        #expect(gone.status == 3 && gone.errors.contains("cannot be reached"))
    }

    @Test("the doctor tells whose signature counts, until when, and what is wrong with it")
    func doctorOfTrust() async throws {
        let scratch = try Scratch()
        let key = TrustSigningKey()
        func root(_ days: Double) throws -> String {
            let roles = Dictionary(
                uniqueKeysWithValues: RootRole.roleNames.map {
                    ($0, TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1))
                })
            let head = TrustHead(version: 1, expires: Date().addingTimeInterval(days * 86_400))
            var metadata = SignedMetadata(RootRole(head: head, keys: [key.publicKey], roles: roles).signed)
            try metadata.sign(with: key)
            let file = "\(scratch.path)/root-\(days).json"
            try metadata.file.write(to: URL(fileURLWithPath: file))
            return file
        }
        func sheets(_ words: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(words, in: scratch, server: Self.nowhere).end()
        }
        func doctor() async throws -> String {
            let output = try await sheets("doctor", "--offline").output
            return output.split(separator: "\n").first { $0.contains("trust:") }.map(String.init) ?? ""
        }
        let unpinned = try await doctor()
        #expect(unpinned.hasPrefix("ok ") && unpinned.contains("no root of \(Self.nowhere) is pinned"), "\(unpinned)")
        for (days, mark, words) in [
            (300.0, "ok ", "nothing was verified by it yet"), (10, "warning ", "the market must publish a new one"),
            (-2, "PROBLEM ", "ended on"),
        ] {
            _ = try await sheets("trust", "init", "--root", try root(days))
            let line = try await doctor()
            #expect(line.hasPrefix(mark) && line.contains(words) && line.contains("fingerprint"), "\(line)")
        }
        let folder = "\(scratch.library.root)/trust"
        let pin = try #require(FileManager.default.subpaths(atPath: folder)?.first { $0.hasSuffix("/pin") })
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(pin)"))
        let broken = try await doctor()
        #expect(broken.hasPrefix("PROBLEM ") && broken.contains("damaged"), "\(broken)")
    }

    @Test("the doctor says when the program is too old for the market")
    func doctorOfAge() async throws {
        let scratch = try Scratch()
        try await withStub { request, _ in
            switch request.uri.path {
            case "/healthz": return Response(status: .ok)
            case "/openapi.json": return .bytes(Array(#"{"info":{"version":"2.0.0"}}"#.utf8))
            default: return try .problem(404, .notFound, "There is nothing.")
            }
        } _: { server in
            let run = try await CommandLineRun.sheets("doctor", in: scratch, server: server.url)
            #expect(run.status == 1 && run.output.contains("is too old for this market"), "\(run)")
        }
    }

    @Test("the doctor tells a wrong clock, an unreachable market and an unreadable record apart")
    func doctor() async throws {
        let scratch = try Scratch()
        try await withStub { request, _ in
            request.uri.path == "/healthz"
                ? Response(status: .ok) : try Response.problem(404, .notFound, "There is nothing.")
        } _: { server in
            let run = try await CommandLineRun.sheets("doctor", "--json", in: scratch, server: server.url)
            #expect(run.status == 0)
            let checks = try #require(try run.json()["checks"] as? [[String: Any]])
            #expect(
                checks.map { $0["name"] as? String } == [
                    "program", "library", "disk", "server", "clock", "sign-in", "trust",
                ])
            #expect(checks.allSatisfy { $0["state"] as? String == "ok" })
            let late = try await server.client().probe { Date() - 3600 }
            #expect(abs((late.clockAhead ?? 0) + 3600) < 5 && late.version == nil)
        }
        // The server's own date, which the stub cannot change.
        let past = """
            from http.server import BaseHTTPRequestHandler, HTTPServer
            from time import time
            class Past(BaseHTTPRequestHandler):
                def date_time_string(self, *_): return super().date_time_string(time() - 3600)
                def log_message(self, *_): pass
                def do_GET(self):
                    self.send_response(200)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
            server = HTTPServer(("127.0.0.1", 0), Past)
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """
        let slow = try ChildProgram(URL(fileURLWithPath: "/usr/bin/python3"), ["-c", past])
        let port = try #require(await slow.line(within: 60) { _ in true })
        let ahead = try await CommandLineRun.sheets("doctor", in: scratch, server: "http://127.0.0.1:\(port)")
        slow.signal(SIGTERM)
        await slow.waitForExit()
        let clock = ahead.output.split(separator: "\n").first { $0.contains(" clock: ") } ?? ""
        #expect(ahead.status == 1, "\(ahead)")
        #expect(clock.hasPrefix("PROBLEM ") && clock.contains("s ahead of the server's"), "\(ahead)")
        let away = try await CommandLineRun.sheets("doctor", in: scratch, server: Self.nowhere)
        #expect(away.status == 1 && away.output.contains("PROBLEM  server: http://127.0.0.1:1"))
        let alone = try await CommandLineRun.sheets("doctor", "--offline", in: scratch, server: Self.nowhere)
        #expect(alone.status == 0 && alone.output.hasPrefix("ok       program: sheets 0."))
        try await install(scratch, [first])
        try Data("{".utf8).write(to: URL(fileURLWithPath: scratch.library.recordPath(sheet.id)))
        let broken = try await CommandLineRun.sheets("doctor", "--offline", in: scratch, server: Self.nowhere)
        #expect(broken.status == 1 && broken.output.contains("sheets verify --repair"))
    }
}
