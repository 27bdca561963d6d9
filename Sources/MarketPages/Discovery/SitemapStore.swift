// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// What a sitemap lists: everything that anybody may see, and nothing else.
enum SitemapStore {
    /// A page with the time of its last change.
    struct Entry: Sendable {
        let path: String
        let changed: Date?
    }

    /// What pages there are many of.
    enum Kind: String, CaseIterable, Sendable {
        case sheets, authors, collections

        /// Rows of `(key, path, changed)`; keys order them.
        fileprivate var rows: PostgresQuery {
            switch self {
            case .sheets:
                """
                SELECT t.id::text AS key, '/sheets/' || t.slug AS path, t.updated_at AS changed
                FROM listings AS l JOIN templates AS t ON t.id = l.id
                """
            case .authors:
                """
                SELECT u.handle AS key, '/authors/' || u.handle AS path, max(t.updated_at) AS changed
                FROM templates AS t JOIN users AS u ON u.id = t.owner_id
                WHERE t.latest_version_id IS NOT NULL AND u.disabled_at IS NULL
                GROUP BY u.handle
                """
            case .collections:
                """
                SELECT c.slug AS key, '/collections/' || c.slug AS path, c.updated_at AS changed FROM collections AS c
                """
            }
        }
    }

    /// The keys with which pages of `size` entries begin.
    static func starts(
        of kind: Kind, size: Int, _ database: some PostgresExecutor
    ) async throws -> [String] {
        try await database.all(
            """
            SELECT key FROM (
                SELECT key, row_number() OVER (ORDER BY key COLLATE "C") AS place
                FROM (\(fragment: kind.rows)) AS pages
            ) AS numbered
            WHERE place % \(literal: size) = 1 OR \(literal: size) = 1
            ORDER BY key COLLATE "C"
            """
        ) { try $0.get(0) }
    }

    /// The entries from that key on.
    static func entries(
        of kind: Kind, from start: String, size: Int, _ database: some PostgresExecutor
    ) async throws -> [Entry] {
        try await database.all(
            """
            SELECT path, changed FROM (\(fragment: kind.rows)) AS pages
            WHERE key COLLATE "C" >= \(start) ORDER BY key COLLATE "C" LIMIT \(literal: size)
            """
        ) { Entry(path: try $0.get(0), changed: try $0.get(1)) }
    }
}
