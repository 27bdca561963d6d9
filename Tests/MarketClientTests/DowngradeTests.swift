// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketClient
import MarketWire
import SheetCore
import Testing

@Suite("A market that signs its catalog and offers an older version than is installed")
struct DowngradeTests {
    private let sheet = SampleSheet()
    private let first = SemanticVersion(1, 0, 0)
    private let second = SemanticVersion(1, 1, 0)

    /// Installs the second version, then as `name` says from a market that offers the first; the second is signed as
    /// `state` then, or not at all.
    private func goBack(
        as name: String = "quest-sheet", to channel: ReleaseChannel? = nil, state: String? = nil, isGone: Bool = false
    ) async throws -> SemanticVersion {
        let scratch = try Scratch()
        let repository = try SignedRepository()
        try repository.publish(2, [sheet.target(first), sheet.target(second)])
        try await repository.session(scratch).pinFirst()
        try await withStub(sheet.market(offered: second)) { server in
            let session = repository.session(scratch)
            _ = try await Installer(client: try server.client(), library: scratch.library, trust: session)
                .install(.quest)
        }
        let newer = isGone ? [] : [sheet.target(second, state: state)]
        try repository.publish(3, [sheet.target(first)] + newer)
        let reference = try #require(TemplateReference(name))
        return try await withStub(sheet.market(offered: first)) { server in
            let session = repository.session(scratch)
            return try await Installer(client: try server.client(), library: scratch.library, trust: session)
                .install(reference, channel: channel).version
        }
    }

    @Test("the older one is refused")
    func refused() async throws {
        let error = LibraryError.olderOffered(name: sheet.slug, installed: second, offered: first)
        await #expect(throws: error) { try await goBack() }
        #expect(error.description.contains("`sheets install quest-sheet@1.0.0`"))
        #expect(error.isVerificationFailure)
    }

    @Test(
        "it is installed where the newer one was withdrawn, taken down or erased",
        arguments: ["yanked", "taken_down", nil])
    func withdrawn(_ state: String?) async throws {
        #expect(try await goBack(state: state, isGone: state == nil) == first)
    }

    @Test("whoever names it, or another channel, gets it")
    func asked() async throws {
        #expect(try await goBack(as: "quest-sheet@1.0.0") == first)
        #expect(try await goBack(to: .beta) == first)
    }

    @Test("an older version that the market calls newer is no update")
    func update() async throws {
        let scratch = try Scratch()
        let (sheet, first, second) = (sheet, first, second)
        let plain = sheet.market(offered: second)
        try await withStub({ request, server in
            guard request.uri.path == "\(Paths.base)/updates" else { return try await plain(request, server) }
            return try .json(
                UpdateReport(updates: [.init(templateId: sheet.id, state: .published, genuine: true, newer: first)]))
        }) { server in
            let installer = Installer(client: try server.client(), library: scratch.library)
            _ = try await installer.install(.quest)
            await #expect(throws: LibraryError.olderOffered(name: sheet.slug, installed: second, offered: first)) {
                _ = try await installer.checkForUpdates()
            }
        }
    }
}
