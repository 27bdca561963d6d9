// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import SheetCore
import Synchronization
import Testing

/// What a library keeps of a market's signed metadata, and what it does about another clock or an older state. The attacks
/// on metadata itself are in `TrustAttackTests`, and against the program in Tests/Trust.
@Suite struct TrustSessionTests {
    private func error(_ body: () async throws -> Void) async -> LibraryError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? LibraryError
        }
    }

    @Test("what was seen once is remembered: an older state is refused by a later run")
    func rollback() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository()
        #expect(try await repository.session(scratch).root == nil)
        let pinned = try #require(try await repository.session(scratch).pinFirst())
        #expect(pinned.version == 1)
        let old = repository.files.withLock { $0 }
        try repository.publish(2)
        let target = try await repository.session(scratch).find(SignedRepository.path)
        #expect(target.info.length == 3)
        repository.files.withLock { $0 = old }
        #expect(
            await error { _ = try await repository.session(scratch).find(SignedRepository.path) }
                == .untrusted(.rollback(role: "timestamp", trusted: 2, found: 1)))
    }

    @Test("expired metadata and a clock that went back are refused, each with what to do")
    func clocks() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository()
        try await repository.session(scratch).pinFirst()
        _ = try await repository.session(scratch, daysLater: 3).find(SignedRepository.path)
        let late = await error { _ = try await repository.session(scratch, daysLater: 8).find(SignedRepository.path) }
        #expect(late?.description.contains("was good until") == true)
        #expect(late?.description.contains("what is installed goes on opening") == true)
        let early = await error { _ = try await repository.session(scratch, daysLater: 1).find(SignedRepository.path) }
        #expect(early?.description.contains("Set the clock") == true)
    }

    @Test("another fingerprint pins nothing, and without a root nothing is believed")
    func fingerprints() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository()
        let session = repository.session(scratch)
        let wrong = String(repeating: "0", count: 64)
        guard case .wrongFingerprint? = await error({ try await session.pinFirst(fingerprint: wrong) }) else {
            Issue.record("a wrong fingerprint was taken")
            return
        }
        #expect(try await session.root == nil)
        #expect(
            await error { _ = try await session.find(SignedRepository.path) }
                == .noRoot(server: "http://market.example"))
        let bytes = try #require(repository.files.withLock { $0["1.root.json"] })
        try await session.pinFirst(fingerprint: ContentHash(hashing: bytes).hex)
        _ = try await session.find(SignedRepository.path)
    }

    @Test("a pin that is damaged or half gone is no first use: nothing is trusted until somebody pins again")
    func damagedPin() async throws {
        for (file, damage) in [("pin", "{"), ("pin", ""), ("pin", nil), ("root.json", "{}"), ("root.json", nil)] {
            let scratch = try Scratch()
            let repository = try SignedRepository()
            try await repository.session(scratch).pinFirst()
            let path = try #require(scratch.files("trust").first { $0.hasSuffix("/\(file)") })
            let whole = "\(scratch.library.root)/trust/\(path)"
            try damage.map { try Data($0.utf8).write(to: URL(fileURLWithPath: whole)) }
                ?? FileManager.default.removeItem(atPath: whole)
            let damaged = LibraryError.damagedPin(path: URL(fileURLWithPath: whole).deletingLastPathComponent().path)
            #expect(await error { _ = try await repository.session(scratch).root } == damaged)
            #expect(await error { _ = try await repository.session(scratch).find(SignedRepository.path) } == damaged)
            #expect(damaged.description.contains("`sheets trust init --fingerprint`"))
            try await repository.session(scratch).pinFirst()
            _ = try await repository.session(scratch).find(SignedRepository.path)
        }
    }

    @Test("metadata that is gone is no reason to believe without")
    func missing() async throws {
        let scratch = try Scratch()
        let repository = try SignedRepository()
        try await repository.session(scratch).pinFirst()
        repository.files.withLock { $0["timestamp.json"] = nil }
        #expect(
            await error { _ = try await repository.session(scratch).find(SignedRepository.path) }
                == .metadataMissing(role: "timestamp", source: "a mirror"))
    }
}
