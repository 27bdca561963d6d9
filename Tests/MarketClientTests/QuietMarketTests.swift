// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketClient
import MarketWire
import NIOCore
import SheetCore
import Synchronization
import Testing

@Suite("Checks for updates of a market that is quiet")
struct QuietMarketTests {
    /// What the market tells, and how often it was asked about each template.
    private struct State {
        var newer: SemanticVersion?
        var changes: [CatalogChange] = []
        var isExpired = false
        var asked = 0
    }

    @Test("each template is asked about again only after a change of it, or when the feed of changes began anew")
    func quiet() async throws {
        let scratch = try Scratch()
        let sheet = SampleSheet()
        let plain = sheet.market()
        let state = Mutex(State())
        try await withStub({ request, server in
            switch request.uri.path {
            case "\(Paths.base)/changes":
                let since = request.uri.queryParameters["since"].map(String.init) ?? ""
                let (changes, isExpired) = state.withLock { ($0.changes, $0.isExpired) }
                if isExpired && since != "now" { return try .problem(410, .init(rawValue: "cursor_expired"), "Gone.") }
                let new = since == "now" ? [] : Array(changes.dropFirst(Int(since) ?? 0))
                return try .json(ChangeList(changes: new, nextCursor: "\(changes.count)"))
            case "\(Paths.base)/updates":
                let newer = state.withLock { state in
                    state.asked += 1
                    return state.newer
                }
                return try .json(
                    UpdateReport(updates: [
                        .init(templateId: sheet.id, state: .published, genuine: true, newer: newer, slug: sheet.slug)
                    ]))
            default: return try await plain(request, server)
            }
        }) { server in
            let installer = try server.installer(scratch)
            _ = try await installer.install(.quest)
            func check() async throws -> (newer: SemanticVersion?, asked: Int) {
                let updates = try await installer.checkForUpdates()
                return (updates.first?.entry.newer, state.withLock { $0.asked })
            }
            func change(_ id: TemplateID) {
                let change = CatalogChange(
                    kind: .versionAdded, reason: "published", templateId: id, slug: sheet.slug, version: nil, at: Date()
                )
                state.withLock { $0.changes.append(change) }
            }
            #expect(try await check() == (nil, 1))
            #expect(try await check() == (nil, 1))
            change(TemplateID.make())
            #expect(try await check() == (nil, 1), "a change of another template")
            change(sheet.id)
            state.withLock { $0.newer = SemanticVersion(1, 1, 0) }
            #expect(try await check() == (SemanticVersion(1, 1, 0), 2))
            #expect(try await check() == (SemanticVersion(1, 1, 0), 3), "what there is to tell is told again")
            _ = try await installer.install(.init(key: sheet.slug, version: SemanticVersion(1, 1, 0)))
            state.withLock { $0.newer = nil }
            #expect(try await check() == (nil, 4), "another version is installed")
            #expect(try await check() == (nil, 4))
            state.withLock { $0.isExpired = true }
            #expect(try await check() == (nil, 5), "the feed began anew")
        }
    }
}
