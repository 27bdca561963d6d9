// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Synchronization
import Testing

@Suite("Mirrors, and by whose root they are verified")
struct MirrorTrustTests {
    private static let nowhere = "http://127.0.0.1:1"
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)

    /// Somebody's metadata in which the sheet is signed.
    private func signed() throws -> SignedRepository {
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first)])
        return repository
    }

    private func fingerprint(_ repository: SignedRepository) throws -> String {
        ContentHash(hashing: try #require(repository.files.withLock { $0["1.root.json"] })).hex
    }

    /// A market that has this metadata and is well, and nothing else.
    private func market(_ repository: SignedRepository) -> StubServer.Handler {
        repository.market({ request, _ in
            request.uri.path == "/healthz" ? Response(status: .ok) : try .problem(404, .notFound, "There is nothing.")
        }) { .init(templateId: $0.templateId, state: .published, genuine: true, newer: nil) }
    }

    private func trustLine(_ run: CommandLineRun) -> String {
        run.output.split(separator: "\n").first { $0.contains(" trust: ") }.map(String.init) ?? ""
    }

    @Test(
        "of a market of which no root is pinned, and that gives none itself, nothing is taken from a mirror",
        arguments: ["unreachable", "unsigned", "refusing"])
    func noRoot(_ kind: String) async throws {
        let scratch = try Scratch()
        let mirror = try StubMirror(in: scratch, of: sheet, signedBy: try signed())
        let isRefusing = kind == "refusing"
        try await withStub { _, _ in
            try .problem(isRefusing ? 403 : 404, isRefusing ? .forbidden : .notFound, "Nothing for you.")
        } _: { server in
            let market = kind == "unreachable" ? Self.nowhere : server.url
            let run = try await CommandLineRun.sheets(
                "install", "quest-sheet", "--mirror", mirror.path, in: scratch, server: market)
            #expect(run.status == 3, "\(run)")
            for words in [
                "cannot be verified, so nothing is taken from it", "no root of \(market) is pinned",
                "`sheets trust init --server \(market) --root FILE`", "--fingerprint HEX and --mirror \(mirror.path)",
            ] { #expect(run.errors.contains(words), "\(words): \(run)") }
            let client = mirror.client(of: try #require(ServerAddress(market)))
            let installer = Installer(client: client, library: scratch.library)
            for _ in 0..<2 {
                let error = await #expect(throws: LibraryError.self) { try await installer.install(.quest) }
                guard case .unverifiableMirror(mirror.path, server: market, reason: _)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            #expect(try scratch.library.contents().records == [])
            #expect(scratch.files("objects") == [] && scratch.files("trust") == [])
            // One question of each that wants to know, however much it installs.
            #expect(
                kind == "unreachable" || server.seen().map(\.path) == Array(repeating: "/trust/1.root.json", count: 2))
        }
    }

    @Test("the first root is the market's own: a mirror signed by another's is refused, one signed by that is not")
    func firstRoot() async throws {
        let scratch = try Scratch()
        let own = try signed()
        let forged = try StubMirror(in: scratch, of: sheet, signedBy: try signed())
        let honest = try StubMirror(in: scratch, of: sheet, signedBy: own)
        try await withStub(market(own)) { server in
            let lie = try await CommandLineRun.sheets(
                "install", "quest-sheet", "--mirror", forged.path, in: scratch, server: server.url)
            #expect(lie.status == 3 && lie.errors.contains("valid signatures"), "\(lie)")
            #expect(try scratch.library.contents().records == [])
            let pinned = try await CommandLineRun.sheets("trust", "status", in: scratch, server: server.url)
            #expect(pinned.output.contains(try fingerprint(own)), "\(pinned)")
            let right = try await CommandLineRun.sheets(
                "install", "quest-sheet", "--mirror", honest.path, in: scratch, server: server.url)
            #expect(right.status == 0 && right.output == "Installed quest-sheet 1.0.0 and verified.\n", "\(right)")
            #expect(server.seen().map(\.path) == ["/trust/1.root.json"])
        }
    }

    @Test("a mirror may have the root whose fingerprint is told, and no other")
    func fingerprint() async throws {
        let scratch = try Scratch()
        let repository = try signed()
        let mirror = try StubMirror(in: scratch, of: sheet, signedBy: repository)
        func sheets(_ words: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(words + ["--mirror", mirror.path], in: scratch, server: Self.nowhere).end()
        }
        let found = try fingerprint(repository)
        let untold = try await sheets("trust", "init")
        #expect(untold.status == 3 && untold.errors.contains("market itself gives none"), "\(untold)")
        let wrong = try await sheets("trust", "init", "--fingerprint", String(repeating: "0", count: 64))
        #expect(wrong.status == 3 && wrong.errors.contains(found), "\(wrong)")
        #expect(scratch.files("trust") == [])
        let right = try await sheets("trust", "init", "--fingerprint", found)
        #expect(right.status == 0 && right.output.contains(found), "\(right)")
        #expect(try await sheets("install", "quest-sheet").output == "Installed quest-sheet 1.0.0 and verified.\n")
    }

    @Test("the doctor goes by the mirror that is named where the market is down")
    func doctor() async throws {
        let scratch = try Scratch()
        let repository = try signed()
        let mirror = try StubMirror(in: scratch, of: sheet, signedBy: repository)
        func sheets(_ words: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(words + ["--mirror", mirror.path], in: scratch, server: Self.nowhere).end()
        }
        #expect(try await sheets("trust", "init", "--fingerprint", try fingerprint(repository)).status == 0)
        let good = try await sheets("doctor")
        #expect(good.status == 1 && good.output.contains("PROBLEM  server: "), "\(good)")
        #expect(trustLine(good).hasPrefix("ok ") && trustLine(good).contains("verified today"), "\(good)")
        try repository.publish(3, [sheet.target(first)], since: Date() - 8 * 86_400)
        try mirror.take(repository)
        let frozen = try await sheets("doctor")
        #expect(trustLine(frozen).hasPrefix("PROBLEM "), "\(frozen)")
        #expect(trustLine(frozen).contains("was good until"), "\(frozen)")
    }

    /// A root of the repository's key that is good for so many days from now.
    private func root(_ version: Int64, days: Double, of repository: SignedRepository) throws -> Data {
        let key = repository.key
        let keys = TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1)
        let roles = Dictionary(uniqueKeysWithValues: RootRole.roleNames.map { ($0, keys) })
        let head = TrustHead(version: version, expires: Date() + days * 86_400)
        var metadata = SignedMetadata(RootRole(head: head, keys: [key.publicKey], roles: roles).signed)
        try metadata.sign(with: key)
        return metadata.file
    }

    @Test("a root whose time is over but that has a successor is good to the doctor, who looks for that first")
    func successor() async throws {
        let scratch = try Scratch()
        let repository = try signed()
        let (old, new) = (try root(1, days: -2, of: repository), try root(2, days: 300, of: repository))
        repository.files.withLock { $0["1.root.json"] = old }
        try await withStub(market(repository)) { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            #expect(try await sheets("trust", "init").status == 0)
            let over = try await sheets("doctor")
            #expect(over.status == 1 && trustLine(over).contains("root version 1 ended on"), "\(over)")
            repository.files.withLock { $0["2.root.json"] = new }
            let good = try await sheets("doctor")
            #expect(good.status == 0 && trustLine(good).hasPrefix("ok "), "\(good)")
            #expect(trustLine(good).contains("root version 2, good until"), "\(good)")
        }
    }

    @Test("a pin stays when nothing else is named, whatever root the market has now")
    func pinStays() async throws {
        let scratch = try Scratch()
        let (own, other) = (try signed(), try signed())
        let (first, second) = (try fingerprint(own), try fingerprint(other))
        try await withStub(market(own)) { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            #expect(try await sheets("trust", "init").output.contains("Pinned the root of "))
            let taken = other.files.withLock { $0 }
            own.files.withLock { $0 = taken }
            let again = try await sheets("trust", "init")
            #expect(again.status == 0 && again.output.contains("It stays"), "\(again)")
            #expect(again.output.contains(first) && !again.output.contains(second), "\(again)")
            #expect(try await sheets("trust", "init", "--json").json()["fingerprint"] as? String == first)
            let named = try await sheets("trust", "init", "--fingerprint", second)
            #expect(named.status == 0 && named.output.contains(second), "\(named)")
            #expect(try await sheets("trust", "status").output.contains(second))
        }
    }
}
