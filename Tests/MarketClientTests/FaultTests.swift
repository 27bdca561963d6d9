// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketClient

@Suite("A library whose program is killed at each step")
struct FaultTests {
    // Its second version comes as what differs from the first.
    private let sheet = SampleSheet.edited()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)

    /// Steps at which programs are killed at one time, in all tests of the suite together.
    private static let steps = TransferSlots(4)

    private func market(_ repository: SignedRepository) throws -> StubServer.Handler {
        try repository.publish(2, sheet.files.map { sheet.target($0.version) })
        let (slug, newer) = (sheet.slug, second)
        return repository.market(sheet.marketOfDifferences(offered: second)) { installed in
            .init(
                templateId: installed.templateId, state: .published, genuine: true,
                newer: installed.version < newer ? newer : nil, slug: slug)
        }
    }

    /// A market of several sheets that tells by one question what installing them needs, with a picture of each.
    private func market(of several: SampleMarket) throws -> StubServer.Handler {
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, several.sheets.map { $0.target($0.files[0].version) })
        let plain = several.market()
        let answering: StubServer.Handler = { request, server in
            guard request.uri.path == "\(Paths.base)/installs" else { return try await plain(request, server) }
            let body = try await request.body.collect(upTo: 1 << 20)
            let query = try WireJSON.decoder().decode(InstallQuery.self, from: Data(body.readableBytesView))
            return try .json(
                InstallReport(
                    installs: query.templates.map { key in
                        var offer = several.sheets.first { $0.slug == key }.map { $0.offer($0.files[0].version) }
                        offer?.picture = .init(mediaType: "image/webp", data: Data("a picture of \(key)".utf8))
                        return .init(offer: offer)
                    }))
        }
        return repository.market(answering) {
            .init(templateId: $0.templateId, state: .published, genuine: true, newer: nil)
        }
    }

    /// Kills `words` at each of its steps, each time in a copy of the library as `before` left it. Afterwards nothing
    /// that was whole may be damaged, and the same command, run again, must do its work.
    private func killEverywhere(
        _ words: [String], after before: [[String]], atLeast: Int = 4,
        spoiling spoil: @escaping @Sendable (Library) throws -> Void = { _ in },
        leaving isDone: @escaping @Sendable (Scratch) throws -> Bool = { _ in true },
        at handler: StubServer.Handler? = nil
    ) async throws {
        let market: StubServer.Handler = try handler ?? self.market(SignedRepository(start: Date()))
        try await withStub(market) { server in
            let start = try Scratch()
            for words in before {
                let run = try await Self.steps.use {
                    try await CommandLineRun.start(words, in: start, server: server.url).end()
                }
                #expect(run.status == 0, "\(words): \(run)")
            }
            try spoil(start.library)
            let known =
                FileManager.default.fileExists(atPath: start.library.root)
                ? Set(try await start.library.verify().problems.map(\.message)) : []

            @Sendable func copy() throws -> Scratch {
                let scratch = try Scratch()
                guard FileManager.default.fileExists(atPath: start.library.root) else { return scratch }
                try FileManager.default.copyItem(atPath: start.library.root, toPath: scratch.library.root)
                // What were two names of one file are two files in a copy.
                for name in scratch.files("open") {
                    let path = "\(scratch.library.root)/open/\(name)"
                    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                    let object = scratch.library.objectPath(ContentHash(hashing: bytes))
                    guard FileManager.default.fileExists(atPath: object) else { continue }
                    try FileManager.default.removeItem(atPath: path)
                    try FileManager.default.linkItem(atPath: object, toPath: path)
                }
                return scratch
            }
            let counted = try copy()
            let log = "\(counted.path)/steps"
            let whole = try await Self.steps.use {
                try await CommandLineRun.start(
                    words, in: counted, server: server.url, environment: [FaultPoint.logVariable: log]
                ).end()
            }
            #expect(whole.status == 0, "\(words): \(whole)")
            let steps = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            #expect(steps.count >= atLeast, "\(steps)")
            _ = try await inParallel(Array(steps.indices), atMost: 4) { at in
                try await Self.steps.use {
                    let step = steps[at]
                    let scratch = try copy()
                    let killed = try await CommandLineRun.start(
                        words, in: scratch, server: server.url,
                        environment: [
                            FaultPoint.variable: "\(at + 1)", FaultPoint.logVariable: "\(scratch.path)/steps",
                        ]
                    ).end()
                    // A download comes in as many pieces as the network makes of it: there may be fewer steps now.
                    let passed = try String(contentsOfFile: "\(scratch.path)/steps", encoding: .utf8)
                        .split(separator: "\n").count
                    #expect(
                        killed.status == SIGKILL || (killed.status == 0 && passed <= at),
                        "\(words) at \(step): \(killed)")
                    let report = try await scratch.library.verify()
                    #expect(
                        Set(report.problems.map(\.message)).isSubset(of: known),
                        "\(words) at \(step): \(report.problems)")
                    let again = try await CommandLineRun.start(words, in: scratch, server: server.url).end()
                    #expect(again.status == 0, "\(words) at \(step), again: \(again)")
                    let after = try await scratch.library.verify()
                    #expect(after.ok, "\(words) at \(step), again: \(after.problems)")
                    #expect(try isDone(scratch), "\(words) at \(step), again: \(scratch.files(""))")
                    #expect(try !scratch.library.contents().records.isEmpty || before.isEmpty)
                }
            }
        }
    }

    @Test("installing, from the first folder to the record, the pinning of the root included")
    func install() async throws {
        try await killEverywhere(["install", "quest-sheet@1.0.0"], after: [])
    }

    @Test("updating, which keeps the version before") func update() async throws {
        try await killEverywhere(["update"], after: [["install", "quest-sheet@1.0.0"]])
    }

    @Test("installing several at once, whose files and records are written together")
    func several() async throws {
        try await killEverywhere(
            ["install", "sheet-1", "sheet-2"], after: [["install", "sheet-0"]], atLeast: 20,
            leaving: { try $0.library.contents().installed.count == 3 }, at: try market(of: SampleMarket(3)))
    }

    @Test("installing from a mirror in a folder") func mirror() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        let market = try self.market(repository)
        let mirror = try StubMirror(in: scratch, of: sheet, signedBy: repository)
        let version = first
        try await killEverywhere(
            ["install", "quest-sheet", "--mirror", mirror.path], after: [["trust", "init"]], atLeast: 20,
            leaving: { try $0.library.find("quest-sheet").installed?.version == version }, at: market)
        withExtendedLifetime(scratch) {}
    }

    @Test("installing what takes the place of the older version in the quota, which had been opened")
    func quota() async throws {
        let before = [
            ["install", "quest-sheet@1.0.0"], ["open", "--path", "quest-sheet"], ["clean", "--quota", "450k"],
        ]
        let newer = second
        try await killEverywhere(
            ["install", "quest-sheet@1.1.0"], after: before, atLeast: 20,
            leaving: { scratch in
                let versions = try scratch.library.find("quest-sheet").versions.map(\.detail.version)
                // Nobody would find the name again that opening made, and it would keep the bytes on the disk.
                return versions == [newer] && scratch.files("open").isEmpty
            })
    }

    @Test("a download that is killed while its file grows goes on from there, under its entity tag, and is verified")
    func growing() async throws {
        let sheet = Self.large()
        let steps: [String] = try await withStub(sheet.market()) { server in
            let scratch = try Scratch()
            let log = "\(scratch.path)/steps"
            let run = try await Self.steps.use {
                try await CommandLineRun.start(
                    ["install", "quest-sheet"], in: scratch, server: server.url,
                    environment: [FaultPoint.logVariable: log]
                ).end()
            }
            #expect(run.status == 0, "\(run)")
            return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        let part = "\(sheet.hash(first)).part"
        let writes = steps.indices.filter { steps[$0].hasPrefix("write to ") && steps[$0].hasSuffix(part) }
        try #require(writes.count >= 8)
        // It is written in as many pieces as the network makes of it, of which some are enough. Small files have no tag.
        let tags = steps.indices.filter { steps[$0].hasSuffix(".etag") }
        let chosen = (0..<8).map { writes[writes.count * $0 / 8] } + writes.suffix(1) + tags
        let tagged = try await inParallel(chosen, atMost: 4) { step in
            try await Self.steps.use { try await Self.resume(sheet, killedAt: step + 1) }
        }
        #expect(tagged.contains(true))
    }

    /// So large that its tag is kept while it comes.
    private static func large() -> SampleSheet {
        var sheet = SampleSheet()
        let block = sheet.files[0].bytes
        for _ in 0..<13 { sheet.files[0].bytes += block }
        return sheet
    }

    /// Kills an installation at that step and repeats it, and says whether its file was resumed under a tag.
    private static func resume(_ sheet: SampleSheet, killedAt step: Int) async throws -> Bool {
        let scratch = try Scratch()
        let version = sheet.files[0].version
        let (library, hash, total) = (scratch.library, sheet.hash(version), sheet.bytes(version).count)
        return try await withStub(sheet.market()) { server in
            let words = ["install", "quest-sheet"]
            let killed = try await CommandLineRun.start(
                words, in: scratch, server: server.url, environment: [FaultPoint.variable: "\(step)"]
            ).end()
            #expect([SIGKILL, 0].contains(killed.status), "\(killed)")
            let report = try await library.verify()
            #expect(report.ok, "\(report)")
            let part = FileBytes.facts(library.partialPath(hash))?.bytes ?? 0
            let tag = FileManager.default.contents(atPath: library.entityTagPath(hash))
                .map { String(decoding: $0, as: UTF8.self) }
            let isWhole = part == total || library.hasObject(hash, bytes: total)
            let asked = server.seen("/files/\(version)").count
            let again = try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            #expect(again.status == 0, "\(again)")
            let stored = FileManager.default.contents(atPath: library.objectPath(hash))
            #expect(stored == Data(sheet.bytes(version)), "\(part) bytes were there")
            #expect(try library.find("quest-sheet").installed?.version == version)
            let more = server.seen("/files/\(version)").dropFirst(asked)
            guard !isWhole else {
                #expect(more.isEmpty, "\(more)")
                return false
            }
            let request = try #require(more.last)
            #expect(request.headers[.range] == (part > 0 ? "bytes=\(part)-" : nil))
            #expect(request.headers[.ifRange] == (part > 0 ? tag : nil))
            #expect(part < 2 * ArtifactDownload.tagBytes || tag == "\"\(hash)\"")
            return part > 0 && tag != nil
        }
    }

    @Test("opening, which makes a name for the file, and a viewer with pictures that are kept")
    func open() async throws {
        let before = [["install", "quest-sheet@1.0.0"]]
        let open = ["open", "--path", "quest-sheet"]
        try await killEverywhere(open, after: before, atLeast: 3)
        // The name that is there is of something else.
        try await killEverywhere(open, after: before + [open]) {
            let folder = "\($0.root)/open"
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name.hasSuffix(".pdf") {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
                try Data("other".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
        }
        try await killEverywhere(["open", "--html", "--path", "quest-sheet"], after: before, atLeast: 10)
    }

    @Test("checking for updates, which notes what the market says") func check() async throws {
        try await killEverywhere(["update", "--check"], after: [["install", "quest-sheet@1.1.0"]])
    }

    /// What could change a file behind the back of those that a test can stop.
    private static let changes = [
        "removeItem", "moveItem", "copyItem", "linkItem", "replaceItem", "createFile", "createDirectory",
        "createSymbolicLink", "setAttributes", ".write(to: URL", "unlink(", "truncate(", "chmod(", "O_CREAT", "mkdir(",
        "utime",
    ]

    @Test(
        "nothing else changes files of a library than what can be stopped at each step",
        arguments: ["Library", "Mirror"])
    func everywhere(_ folder: String) throws {
        let stoppable = ["AtomicFile.swift", "FileChanges.swift", "PartialFile.swift", "FileLock.swift"]
        let sources = BuildProducts.root.appendingPathComponent("Sources/MarketClient/\(folder)")
        for name in try FileManager.default.contentsOfDirectory(atPath: sources.path) where !stoppable.contains(name) {
            let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
            for change in Self.changes { #expect(!text.contains(change), "\(name): \(change)") }
        }
    }

    @Test("rolling back") func rollback() async throws {
        // Twice is back again: that it works is all that is asked of the second one.
        try await killEverywhere(
            ["rollback", "quest-sheet"], after: [["install", "quest-sheet@1.0.0"], ["install", "quest-sheet@1.1.0"]])
    }

    @Test("pinning, unpinning and removing", arguments: [["pin"], ["unpin"], ["remove"], ["remove", "--purge"]])
    func pin(_ words: [String]) async throws {
        guard words[0] != "remove" else {
            return try await killRemoval(words + ["quest-sheet"])
        }
        try await killEverywhere(words + ["quest-sheet"], after: [["install", "quest-sheet@1.0.0"]])
    }

    /// What is removed already cannot be removed again: the library must be whole, and no more.
    private func killRemoval(_ words: [String]) async throws {
        try await withStub(sheet.market()) { server in
            let start = try Scratch()
            _ = try await server.installer(start).install(.quest)
            _ = try start.library.openablePath(of: start.library.find(sheet.slug))
            var at = 1
            while true {
                let scratch = try Scratch()
                try FileManager.default.copyItem(atPath: start.library.root, toPath: scratch.library.root)
                let run = try await CommandLineRun.start(
                    words, in: scratch, server: server.url, environment: [FaultPoint.variable: "\(at)"]
                ).end()
                #expect(try await scratch.library.verify().ok, "\(words) at \(at)")
                guard run.status == SIGKILL else {
                    #expect(run.status == 0 && at > 2, "\(run)")
                    return
                }
                let back = try await CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
                #expect(back.status == 0, "\(words) at \(at): \(back)")
                at += 1
            }
        }
    }

    @Test("cleaning, with a quota that takes the older version") func clean() async throws {
        try await killEverywhere(
            ["clean", "--quota", "450k"], after: [["install", "quest-sheet@1.0.0"], ["install", "quest-sheet@1.1.0"]])
    }

    @Test("repairing a lost file") func repair() async throws {
        let hash = sheet.hash(first)
        try await killEverywhere(["verify", "--repair"], after: [["install", "quest-sheet@1.0.0"]]) { library in
            try FileManager.default.removeItem(atPath: library.objectPath(hash))
        }
    }

    @Test("pinning a root, the first time and in the place of another") func trust() async throws {
        try await killEverywhere(["trust", "init"], after: [])
        // One that is there stays unless it is named which is to take its place.
        let repository = try SignedRepository(start: Date())
        let root = try #require(repository.files.withLock { $0["1.root.json"] })
        try await killEverywhere(
            ["trust", "init", "--fingerprint", ContentHash(hashing: root).hex],
            after: [["install", "quest-sheet@1.0.0"]], at: try market(repository))
    }
}
