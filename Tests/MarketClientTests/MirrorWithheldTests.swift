// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore
import Synchronization
import Testing

@Suite("Mirrors of templates that offer nothing any more")
struct MirrorWithheldTests {
    private static let nowhere = "http://127.0.0.1:1"
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)

    /// A mirror of the sheet while it is on offer, of a library that trusts who signed it.
    private func scene() async throws -> (Scratch, StubMirror, SignedRepository) {
        let scratch = try Scratch()
        let repository = try SignedRepository(start: Date())
        try repository.publish(2, [sheet.target(first)])
        let mirror = try StubMirror(in: scratch, of: sheet, signedBy: repository)
        let root = try #require(repository.files.withLock { $0["1.root.json"] })
        try await TrustSession(library: scratch.library, client: mirror.client(of: try server()))
            .pinFirst(fingerprint: ContentHash(hashing: root).hex)
        return (scratch, mirror, repository)
    }

    private func server() throws -> ServerAddress { try #require(ServerAddress(Self.nowhere)) }

    private func sheets(_ words: String..., from mirror: StubMirror, in scratch: Scratch) async throws -> CommandLineRun
    {
        try await CommandLineRun.start(words + ["--mirror", mirror.path], in: scratch, server: Self.nowhere).end()
    }

    @Test("a version can be had by its number alone, and searches do not find it", arguments: [true, false])
    func number(_ isTold: Bool) async throws {
        let (scratch, mirror, repository) = try await scene()
        // Mirrors that an earlier version wrote tell nothing but that it was withdrawn.
        if isTold { try mirror.withhold(sheet, because: "Old.") } else { try mirror.put(sheet, withdrawn: .yanked) }
        try repository.publish(3, [sheet.target(first, state: "yanked")])
        try mirror.take(repository)
        for name in ["quest-sheet", "\(sheet.id)"] {
            let offered = try await sheets("install", name, from: mirror, in: scratch)
            #expect(offered.status == 1 && offered.errors.contains("on offer"), "\(offered)")
            for command in ["show", "install"] {
                let named = try await sheets(command, "\(name)@1.0.0", from: mirror, in: scratch)
                #expect(named.status == (isTold ? 0 : 1), "\(command) \(named)")
                #expect(isTold || named.errors.contains("on offer"), "\(command) \(named)")
            }
        }
        let found = try await sheets("search", from: mirror, in: scratch)
        #expect(found.status == 0 && (!isTold || !found.output.contains("quest-sheet")), "\(found)")
    }

    @Test("who has it goes on being told that it should no longer be used")
    func deprecation() async throws {
        let (scratch, mirror, repository) = try await scene()
        let installer = Installer(client: mirror.client(of: try server()), library: scratch.library)
        _ = try await installer.install(.quest)
        try mirror.withhold(sheet, because: "Use the other.")
        try repository.publish(3, [sheet.target(first, state: "yanked")])
        try mirror.take(repository)
        let later = Installer(client: mirror.client(of: try server()), library: scratch.library)
        let update = try #require(try await later.checkForUpdates().first)
        #expect(update.entry.state == .yanked && update.entry.newer == nil)
        #expect(update.entry.deprecation?.message == "Use the other." && update.entry.slug == "quest-sheet")
        #expect(try scratch.library.contents().records.first?.deprecation?.message == "Use the other.")
    }
}
