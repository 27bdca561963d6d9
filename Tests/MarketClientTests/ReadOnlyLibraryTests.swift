// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Synchronization
import Testing

@Suite("Libraries that cannot be written to, and machines without a network")
struct ReadOnlyLibraryTests {
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)

    /// Starts a program with the library mounted read-only, which binds root, too.
    private static let readOnly = [
        "/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c",
        """
        mount --bind "$SHEETS_LIBRARY" "$SHEETS_LIBRARY" && mount -o remount,bind,ro "$SHEETS_LIBRARY" && exec "$0" "$@"
        """,
    ]

    /// Starts a program with a library on a disk that has little room.
    private static let small = [
        "/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c",
        #"mount -t tmpfs -o size=40m none "$SHEETS_LIBRARY" && exec "$0" "$@""#,
    ]

    private func signedMarket(_ repository: SignedRepository, offered: SemanticVersion) throws -> StubServer.Handler {
        try repository.publish(2, sheet.files.map { sheet.target($0.version) })
        let slug = sheet.slug
        return repository.market(sheet.market(offered: offered)) {
            .init(
                templateId: $0.templateId, state: .yanked, genuine: true, newer: offered, reason: "Wrong.", slug: slug)
        }
    }

    private func tree(_ scratch: Scratch) throws -> [String: Data] {
        Dictionary(
            uniqueKeysWithValues: scratch.files("").map {
                ($0, FileManager.default.contents(atPath: "\(scratch.library.root)/\($0)") ?? Data())
            })
    }

    @Test("everything that only reads works, an update check included, and what writes says why it cannot")
    func readOnly() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try await withStub(try signedMarket(repository, offered: second)) { server in
            let temporary = "\(scratch.path)/tmp"
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(
                    words, in: scratch, server: server.url, environment: ["TMPDIR": temporary],
                    through: Self.readOnly
                ).end()
            }
            let ready = try await CommandLineRun.sheets("install", "quest-sheet@1.0.0", in: scratch, server: server.url)
            #expect(ready.status == 0, "\(ready)")
            let before = try tree(scratch)
            for words in [["list"], ["show", "quest-sheet", "--offline"], ["verify"], ["trust", "status"]] {
                let run = try await CommandLineRun.start(
                    words, in: scratch, server: server.url, through: Self.readOnly
                ).end()
                #expect(run.status == 0, "\(words): \(run)")
            }
            let check = try await sheets("update", "--check")
            #expect(check.status == 0 && check.output.contains("quest-sheet 1.0.0 → 1.1.0"), "\(check)")
            #expect(check.errors.contains("was withdrawn: Wrong."))
            let sheet = try await sheets("open", "--path", "quest-sheet").output.trimmingCharacters(in: .newlines)
            #expect(FileManager.default.contents(atPath: sheet) == Data(self.sheet.bytes(first)))
            let viewer = try await sheets("open", "--html", "--offline", "--path", "quest-sheet")
            let file = viewer.output.trimmingCharacters(in: .newlines)
            #expect(viewer.status == 0 && file.hasPrefix(temporary), "\(viewer)")
            #expect(FileManager.default.contents(atPath: file)?.starts(with: Data("<!".utf8)) == true)
            let doctor = try await sheets("doctor", "--offline")
            #expect(doctor.status == 0 && doctor.output.contains("nothing can be installed"), "\(doctor)")
            for words in [
                ["update"], ["install", "quest-sheet@1.1.0"], ["pin", "quest-sheet"], ["remove", "quest-sheet"],
            ] {
                let run = try await CommandLineRun.start(
                    words, in: scratch, server: server.url, through: Self.readOnly
                ).end()
                #expect(run.status == 1 && run.errors.contains("read-only"), "\(words): \(run)")
            }
            #expect(try tree(scratch) == before)
            for (mounts, words) in [(Self.readOnly, "cannot be written"), (Self.small, "`sheets clean` frees")] {
                let doctor = try await CommandLineRun.start(
                    ["doctor", "--offline"], in: scratch, server: server.url, through: mounts
                ).end()
                let line = doctor.output.split(separator: "\n").first { $0.contains(" disk: ") }
                #expect(line?.hasPrefix("warning ") == true && line?.contains(words) == true, "\(doctor)")
            }
        }
    }

    /// The program in a network namespace without a way out, and each of its calls of the network written down.
    private static func cut(_ log: String) -> [String] {
        [
            "/usr/bin/unshare", "--map-root-user", "--net", "/usr/bin/strace", "-f", "-qq", "-e", "trace=%network",
            "-e",
            "signal=none", "-o", log,
        ]
    }

    @Test("with the network cut, list, show, open, verify and a second installation make no call at all")
    func noNetwork() async throws {
        let scratch = try Scratch()
        try await withStub(sheet.market()) { server in
            _ = try await CommandLineRun.sheets("install", "quest-sheet", in: scratch, server: server.url)
        }
        let log = "\(scratch.path)/calls"
        func sheets(_ words: [String]) async throws -> (run: CommandLineRun, calls: String) {
            let run = try await CommandLineRun.start(
                words, in: scratch, server: "https://market.example", through: Self.cut(log)
            ).end()
            return (run, try String(contentsOfFile: log, encoding: .utf8))
        }
        for words in [
            ["list"], ["list", "--all", "--json"], ["show", "quest-sheet"], ["show", "--offline", "quest-sheet"],
            ["open", "--path", "quest-sheet"], ["open", "--html", "--offline", "--path", "quest-sheet"],
            ["open", "--html", "--path", "quest-sheet"], ["verify"], ["rollback", "--help"],
            ["install", "quest-sheet"], ["install", "--offline", "quest-sheet"],
            ["install", "--mirror", "https://mirror.example", "quest-sheet"], ["remove", "quest-sheet"],
            ["install", "quest-sheet"],
        ] {
            let (run, calls) = try await sheets(words)
            #expect(run.status == 0, "\(words): \(run)")
            #expect(!calls.contains("AF_INET"), "\(words): \(calls)")
        }
        // What cannot be done without one says why.
        let (search, calls) = try await sheets(["search", "quest"])
        #expect(search.status != 0 && search.errors.contains("this machine has no network"), "\(search)")
        #expect(!calls.contains("AF_INET"), "\(calls)")
        let doctor = try await sheets(["doctor"]).run.output
        let told = "PROBLEM  server: https://market.example cannot be reached: this machine has no network.\n"
        #expect(doctor.contains(told), "\(doctor)")
    }
}
