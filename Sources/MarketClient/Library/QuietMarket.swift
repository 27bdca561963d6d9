// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// Spares the question about each installed template while a market tells of no change to any of them: a check of 500
/// is a few hundred bytes then, not a hundred thousand, and after others were signed anew the bins of what is installed
/// besides. What is remembered is that there was nothing to tell, and where the market's feed of changes went on.
struct QuietMarket: Sendable {
    private struct Memory: Codable {
        /// SHA-256 of what was installed.
        var installed: ContentHash
        var cursor: String
        /// What was signed then; nothing of a market that signs nothing, and in what earlier versions remembered.
        var signed: ContentHash?
    }

    /// Most pages of changes that are gone through: with more, all templates are asked about.
    private static let maximumPages = 4
    private static let pageSize = 500

    private let client: MarketClient
    private let installed: [LibraryEntry]
    private let path: String
    private let digest: ContentHash

    /// `installed` are all of the market's; without any nothing is remembered.
    init(client: MarketClient, library: Library, installed: [LibraryEntry]) {
        self.client = client
        self.installed = installed
        let server = ContentHash(hashing: Data(client.server.description.utf8)).hex.prefix(16)
        path = "\(library.root)/updates/\(server).json"
        let lines = installed.map { entry in
            "\(entry.id) \(entry.slug) \(entry.version?.description ?? "") \(entry.sha256?.hex ?? "") "
                + (entry.channel == .stable ? "" : entry.channel.rawValue)
        }
        digest = ContentHash(hashing: Data(lines.sorted().joined(separator: "\n").utf8))
    }

    /// Whether there was nothing to tell of just these, and nothing has changed since. Where something else is `signed`
    /// now, that must tell of nothing, either: whoever answers may hide what was withdrawn.
    func isStillQuiet(_ signed: ContentHash?, tellsNothing: () async throws -> Bool) async throws -> Bool {
        // What cannot be read is no memory.
        guard !installed.isEmpty, let bytes = FileManager.default.contents(atPath: path),
            var memory = try? JSONDecoder().decode(Memory.self, from: bytes), memory.installed == digest
        else { return false }
        let isSignedAnew = signed != memory.signed
        if isSignedAnew {
            guard try await tellsNothing() else { return false }
            memory.signed = signed
        }
        let own = Set(installed.map(\.id))
        for _ in 0..<Self.maximumPages {
            let page: ChangeList
            do {
                page = try await client.changes(since: memory.cursor, limit: Self.pageSize)
            } catch let error as MarketClientError where !error.isOutage {
                // The feed no longer goes back so far, or there is none.
                return false
            }
            guard !page.changes.contains(where: { own.contains($0.templateId) }) else { return false }
            if page.nextCursor != memory.cursor || isSignedAnew {
                memory.cursor = page.nextCursor
                remember(memory)
            }
            if page.changes.count < Self.pageSize { return true }
        }
        return false
    }

    /// Where the feed goes on, to be asked before the templates are; `nil` where there is none.
    func cursor() async throws -> String? {
        guard !installed.isEmpty else { return nil }
        do {
            return try await client.changes(since: "now", limit: 1).nextCursor
        } catch let error as MarketClientError where !error.isOutage {
            return nil
        }
    }

    /// Remembers that there was nothing to tell, if so.
    func note(
        _ cursor: String?, _ signed: ContentHash?, _ told: [(installed: LibraryEntry, entry: UpdateReport.Entry)]
    ) {
        guard let cursor, told.count == installed.count,
            told.allSatisfy({ $0.entry == Self.entry(of: $0.installed) })
        else { return }
        remember(Memory(installed: digest, cursor: cursor, signed: signed))
    }

    /// What a market says of an installed template where there is nothing to tell.
    static func entry(of installed: LibraryEntry) -> UpdateReport.Entry {
        UpdateReport.Entry(
            templateId: installed.id, state: .published, genuine: true, newer: nil, slug: installed.slug)
    }

    /// Of a read-only library nothing is remembered: it only costs the longer question.
    private func remember(_ memory: Memory) {
        try? AtomicFile.makeFolder(AtomicFile.folder(of: path))
        try? AtomicFile.write(JSONEncoder().encode(memory), to: path)
    }
}
