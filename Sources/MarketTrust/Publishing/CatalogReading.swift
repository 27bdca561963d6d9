// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres
import SheetCore

/// Brings what the bins hold up to date with the catalog.
struct CatalogReading {
    let connection: PostgresConnection
    let layout: BinLayout
    var state: TrustState

    /// Whether there is more to read.
    mutating func read() async throws -> Bool {
        guard let feed = try await BinStore.feed(connection) else { return false }
        if state.feed != feed.id || state.position < feed.horizon || state.position > feed.last {
            // Changes before this moment are in what is gone through from here on.
            state.feed = feed.id
            state.position = feed.last
            state.isSyncing = true
            state.syncedUntil = nil
            // After a restoring every bin must be later than any that clients have seen.
            try await BinStore.markAllDirty(connection)
        }
        if state.isSyncing {
            let limit = TrustBatch.templates
            let templates = try await BinStore.templates(after: state.syncedUntil, limit: limit, connection)
            try await refresh(templates)
            state.syncedUntil = templates.last?.rawValue ?? state.syncedUntil
            guard templates.count < limit else { return true }
            try await BinStore.removeStrays(connection)
            state.isSyncing = false
            state.syncedUntil = nil
        }
        let next = try await BinStore.changed(
            after: state.position, limit: TrustBatch.changes, connection)
        try await refresh(next.templates)
        state.position = next.position
        return next.position < feed.last
    }

    private func refresh(_ templates: [TemplateID]) async throws {
        guard !templates.isEmpty else { return }
        let wanted = try await BinStore.versions(of: templates, connection).map { $0.entry(layout) }
        let known = try await BinStore.entries(of: templates, connection)
        let before = Dictionary(known.map { ($0.version, $0) }) { one, _ in one }
        let changed = wanted.filter { before[$0.version] != $0 }
        let stays = Set(wanted.map(\.version))
        let gone = known.filter { !stays.contains($0.version) }
        try await BinStore.put(changed, connection)
        try await BinStore.remove(gone.map(\.version), connection)
        let bins = Set((changed + gone + changed.compactMap { before[$0.version] }).map(\.bin))
        try await BinStore.markDirty(bins, connection)
    }
}
