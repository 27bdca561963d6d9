// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

package enum ChangeStore {
    /// How far somebody has read.
    package struct Position: Sendable, Equatable {
        /// The feed that the number belongs to.
        package var feed: UUID
        package var position: Int64
    }

    /// A part of the feed, and what it is a part of.
    package struct FeedPage: Sendable {
        package var feed: UUID
        /// The last number that was given.
        package var last: Int64
        /// Entries up to here are forgotten.
        var horizon: Int64
        package var changes: [(position: Int64, change: CatalogChange)]
    }

    /// Gives numbers to what was committed since it was last done.
    package static func number(_ database: some PostgresExecutor) async throws {
        try await database.execute("SELECT number_changes()")
    }

    /// Entries after `position`, oldest first. One statement: nothing is forgotten between its two halves.
    package static func page(after position: Int64, limit: Int, _ database: some PostgresExecutor) async throws
        -> FeedPage
    {
        let rows = try await database.all(
            """
            SELECT f.id, f.last_position, f.horizon, c.position, c.kind, c.reason, c.code, c.template_id, c.slug,
                c.version, c.at
            FROM change_feed AS f
            LEFT JOIN LATERAL (
                SELECT * FROM changes WHERE changes.position > \(position)
                ORDER BY changes.position LIMIT \(literal: limit)
            ) AS c ON true
            ORDER BY c.position
            """
        ) { row in
            let change = try row.get(3, as: Int64?.self).map { position in
                (
                    position: position,
                    change: CatalogChange(
                        kind: .init(rawValue: try row.get(4)), reason: try row.get(5), code: try row.get(6),
                        templateId: try row.get(7), slug: try row.get(8), version: try row.get(9), at: try row.get(10))
                )
            }
            return FeedPage(
                feed: try row.get(0), last: try row.get(1), horizon: try row.get(2),
                changes: change.map { [$0] } ?? [])
        }
        guard var page = rows.first else { throw CatalogError.unavailable("There is no change feed.") }
        page.changes = rows.flatMap(\.changes)
        return page
    }

    /// Where the feed ends as far as this snapshot goes: whatever is in the snapshot and has no number yet comes
    /// behind.
    package static func end(_ database: some PostgresExecutor) async throws -> Position {
        try await database.one("SELECT id, last_position FROM change_feed") { row in
            Position(feed: try row.get(0), position: try row.get(1))
        }
    }

    /// Gives a restored feed a new name: readers may have seen more than was restored, and begin again.
    package static func rename(_ database: some PostgresExecutor) async throws {
        try await database.execute("UPDATE change_feed SET id = gen_random_uuid()")
    }

    /// Forgets what is older than `date`; answers how many entries went.
    @discardableResult
    package static func prune(before date: Date, _ database: some PostgresExecutor) async throws -> Int {
        try await database.scalar("SELECT prune_changes(\(date))")
    }

    /// Those of these templates that have such a version, usually one on offer, with all their versions.
    package static func templates(
        _ ids: [TemplateID], version: VersionKey = .latest, _ database: some PostgresExecutor
    ) async throws -> [MirroredTemplate] {
        guard !ids.isEmpty else { return [] }
        let details = try await VersionStore.details(database, of: ids, version)
        let versions = Dictionary(grouping: try await VersionStore.list(database, of: ids), by: \.template)
        return details.map { detail in
            let own = versions[detail.summary.id] ?? []
            return MirroredTemplate(
                template: detail, versions: own.map(\.version).sorted { $0.version > $1.version })
        }
    }
}
