// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore
import Synchronization
import Testing

@testable import MarketClient

@Suite("Trust from the command line")
struct TrustCommandTests {
    @Test("a root from a file is pinned only if its fingerprint is the one that was told")
    func rootFile() async throws {
        let scratch = try Scratch()
        let key = TrustSigningKey()
        let roles = Dictionary(
            uniqueKeysWithValues: RootRole.roleNames.map {
                ($0, TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1))
            })
        let head = TrustHead(version: 1, expires: Date().addingTimeInterval(86_400))
        var metadata = SignedMetadata(RootRole(head: head, keys: [key.publicKey], roles: roles).signed)
        try metadata.sign(with: key)
        let file = "\(scratch.path)/root.json"
        try metadata.file.write(to: URL(fileURLWithPath: file))
        func trust(_ arguments: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(["trust"] + arguments, in: scratch, server: "http://127.0.0.1:1").end()
        }
        let fingerprint = ContentHash(hashing: metadata.file).hex
        let wrong = try await trust(
            "init", "--root", file, "--fingerprint", String(fingerprint.reversed()))
        #expect(wrong.status == 3 && wrong.errors.contains(fingerprint), "\(wrong.errors)")
        #expect(try await trust("status").status == 1)
        let right = try await trust("init", "--root", file, "--fingerprint", fingerprint.uppercased(), "--json")
        #expect(right.status == 0 && right.output.contains(fingerprint), "\(right.errors)")
        #expect(try await trust("status", "--json").output.contains(fingerprint))
    }

    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)

    /// What a market does to clients that have seen an honest state of it.
    enum Trouble: String, CaseIterable { case expired, rollback, clock, pin, gone }

    private func makeTrouble(
        _ trouble: Trouble, _ repository: SignedRepository, _ before: [String: Data], _ scratch: Scratch
    ) throws {
        let files = sheet.files.map { sheet.target($0.version) }
        let pin = try #require(scratch.files("trust").first { $0.hasSuffix("/pin") })
        let path = "\(scratch.library.root)/trust/\(pin)"
        switch trouble {
        case .expired: try repository.publish(4, files, since: Date() - 8 * 86_400)
        case .rollback: repository.files.withLock { $0 = before }
        case .gone: repository.files.withLock { $0["timestamp.json"] = nil }
        case .clock:
            let old = try #require(FileManager.default.contents(atPath: path))
            var members = try #require(try JSONSerialization.jsonObject(with: old) as? [String: Any])
            members["lastVerifiedAt"] = Date().timeIntervalSinceReferenceDate + 86_400
            try JSONSerialization.data(withJSONObject: members).write(to: URL(fileURLWithPath: path))
        case .pin: try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test(
        "what is expired, older, gone or damaged, and a wrong clock, is refused with what to do; what is installed opens",
        arguments: [
            (.expired, "If this machine's clock is right"), (.rollback, "older state than was here before"),
            (.clock, "`sheets trust init --fingerprint HEX`"), (.pin, "`sheets trust init --fingerprint`"),
            (.gone, "try again later"),
        ] as [(Trouble, String)])
    func refusals(_ trouble: Trouble, _ advice: String) async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        let files = sheet.files.map { sheet.target($0.version) }
        try repository.publish(2, files)
        let before = repository.files.withLock { $0 }
        let newer = second
        let market = repository.market(sheet.market(offered: second)) {
            .init(templateId: $0.templateId, state: .published, genuine: true, newer: newer, slug: "quest-sheet")
        }
        try await withStub(market) { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            let installed = try await sheets("install", "quest-sheet@1.0.0")
            let fingerprint = ContentHash(hashing: try #require(before["1.root.json"])).hex
            let told = "Its root is trusted from now on, by the fingerprint \(fingerprint)"
            #expect(installed.status == 0 && installed.errors.contains(told), "\(installed)")
            try repository.publish(3, files)
            #expect(try await sheets("update", "--check").output.contains("quest-sheet 1.0.0 → 1.1.0"))
            try makeTrouble(trouble, repository, before, scratch)
            for words in [["update"], ["update", "--check"], ["install", "quest-sheet"]] {
                let run = try await CommandLineRun.start(words, in: scratch, server: server.url).end()
                #expect(run.status == 3 && run.errors.contains(advice), "\(words): \(run)")
            }
            let path = try await sheets("open", "--path", "quest-sheet").output.trimmingCharacters(in: .newlines)
            #expect(FileManager.default.contents(atPath: path) == Data(sheet.bytes(first)))
            #expect(try await sheets("install", "--offline", "quest-sheet").status == 0)
            #expect(try scratch.library.find("quest-sheet").installed?.version == first)
            guard trouble != .pin else { return }
            #expect(try await sheets("trust", "status").output.contains(fingerprint))
            guard trouble == .clock else { return }
            #expect(try await sheets("trust", "init", "--fingerprint", fingerprint).status == 0)
            #expect(try await sheets("update").status == 0, "it was the clock then that was wrong")
        }
    }

    @Test("the root of the market itself is pinned only under the fingerprint that was told")
    func fingerprint() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        let market = repository.market(sheet.market()) {
            .init(templateId: $0.templateId, state: .published, genuine: true, newer: nil)
        }
        let found = ContentHash(hashing: try #require(repository.files.withLock { $0["1.root.json"] })).hex
        try await withStub(market) { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            let other = String(repeating: "0", count: 64)
            let wrong = try await sheets("trust", "init", "--fingerprint", other)
            #expect(wrong.status == 3 && wrong.errors.contains(found), "\(wrong)")
            #expect(try await sheets("trust", "status").status == 1)
            let right = try await sheets("trust", "init", "--fingerprint", found, "--json")
            #expect(right.status == 0 && right.output.contains(found), "\(right)")
        }
    }

    @Test("a backup brings back whom a library trusts, and what it has seen; a pin that is missing brings nothing")
    func backup() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first)])
        let old = repository.files.withLock { $0 }
        try repository.publish(3, [sheet.target(first)])
        let market = repository.market(sheet.market()) {
            .init(templateId: $0.templateId, state: .published, genuine: true, newer: nil)
        }
        try await withStub(market) { server in
            func sheets(_ words: String...) async throws -> CommandLineRun {
                try await CommandLineRun.start(words, in: scratch, server: server.url).end()
            }
            #expect(try await sheets("install", "quest-sheet").status == 0)
            let trusted = try await sheets("trust", "status", "--json").output
            #expect(try await sheets("backup").status == 0)
            try FileManager.default.removeItem(atPath: scratch.library.root)
            #expect(try await sheets("backup", "restore").status == 0)
            #expect(try await sheets("trust", "status", "--json").output == trusted)
            let again = try await sheets("install", "quest-sheet")
            #expect(again.status == 0 && !again.errors.contains("from now on"), "\(again)")
            repository.files.withLock { $0 = old }
            let rollback = try await sheets("install", "quest-sheet")
            #expect(rollback.status == 3 && rollback.errors.contains("older state"), "\(rollback)")
        }
        let other = try Scratch()
        let put = try await other.library.putBack(["trust/0123456789abcdef/root.json"], replacing: false) { _ in Data()
        }
        #expect(put.isEmpty && other.files("trust").isEmpty)
    }

    @Test("a market that signs nothing is told of, not passed over")
    func unsigned() async throws {
        let scratch = try Scratch()
        try await withStub(SampleSheet().market()) { server in
            let run = try await CommandLineRun.start(["trust", "init"], in: scratch, server: server.url).end()
            #expect(run.status == 1 && run.errors.contains("does not sign its catalog"), "\(run.errors)")
        }
    }
}
