// SPDX-License-Identifier: Apache-2.0
import Foundation
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

    /// Kills `words` at each of its steps, each time in a copy of the library as `before` left it. Afterwards nothing
    /// that was whole may be damaged, and the same command, run again, must do its work.
    private func killEverywhere(
        _ words: [String], after before: [[String]], of repository: SignedRepository? = nil, atLeast: Int = 4,
        spoiling spoil: @escaping @Sendable (Library) throws -> Void = { _ in }
    ) async throws {
        let repository = try repository ?? SignedRepository(start: Date())
        try await withStub(try market(repository)) { server in
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
                if FileManager.default.fileExists(atPath: start.library.root) {
                    try FileManager.default.copyItem(atPath: start.library.root, toPath: scratch.library.root)
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
            after: [["install", "quest-sheet@1.0.0"]], of: repository)
    }
}
