// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

enum FeedStore {
    /// Entries of a feed.
    static let length = 50

    /// Which templates a feed is of.
    enum Selection: Sendable {
        case all
        case gameSystem(String)
        case author(UserID)

        fileprivate var ids: PostgresQuery {
            switch self {
            case .all: "SELECT id FROM listings ORDER BY published_at DESC, id DESC LIMIT \(literal: length)"
            case .gameSystem(let slug):
                """
                SELECT id FROM listings WHERE game_system = \(slug) ORDER BY published_at DESC, id DESC LIMIT \(literal: length)
                """
            case .author(let user):
                """
                SELECT id FROM templates WHERE owner_id = \(user) AND latest_version_id IS NOT NULL
                ORDER BY published_at DESC, id DESC LIMIT \(literal: length)
                """
            }
        }
    }

    /// The newest templates, each updated when its last version came out or its entry was edited.
    static func templates(
        _ selection: Selection, _ database: some PostgresExecutor
    ) async throws -> [AtomFeed.Entry] {
        try await database.all(
            """
            SELECT t.id, t.name, t.slug, u.handle, coalesce(t.published_at, t.created_at), t.updated_at, t.summary,
                g.slug, g.name
            FROM (\(fragment: selection.ids)) AS l
            JOIN templates AS t ON t.id = l.id
            JOIN users AS u ON u.id = t.owner_id
            JOIN game_systems AS g ON g.slug = t.game_system
            ORDER BY 5 DESC, t.id DESC
            """
        ) { row in
            let slug: String = try row.get(2)
            return AtomFeed.Entry(
                id: try row.get(0), title: try row.get(1), page: PagePaths.sheet(slug),
                author: try row.get(3), published: try row.get(4), updated: try row.get(5), summary: try row.get(6),
                category: (try row.get(7), try row.get(8)))
        }
    }

    /// A template on offer, and its versions on offer, the newest first.
    struct Versions: Sendable {
        var name: String
        var slug: String
        var entries: [AtomFeed.Entry]
    }

    static func versions(of key: TemplateKey, _ database: some PostgresExecutor) async throws -> Versions? {
        let rows = try await database.all(
            """
            SELECT v.id, t.name, t.slug, u.handle, v.published_at, v.changelog, v.number
            FROM templates AS t
            JOIN users AS u ON u.id = t.owner_id
            JOIN versions AS v ON v.template_id = t.id AND v.state = 'published'
            WHERE \(fragment: key.condition) AND t.latest_version_id IS NOT NULL
            ORDER BY v.published_at DESC, v.id DESC LIMIT \(literal: length)
            """
        ) { row in
            let name: String = try row.get(1)
            let slug: String = try row.get(2)
            let date: Date = try row.get(4)
            let number: String = try row.get(6)
            let entry = AtomFeed.Entry(
                id: try row.get(0), title: "\(name) \(number)", page: PagePaths.sheet(slug),
                author: try row.get(3), published: date, updated: date, summary: try row.get(5))
            return Versions(name: name, slug: slug, entries: [entry])
        }
        guard var first = rows.first else { return nil }
        first.entries = rows.flatMap(\.entries)
        return first
    }

    static func nameOfSystem(_ slug: String, _ database: some PostgresExecutor) async throws -> String? {
        try await database.first("SELECT name FROM game_systems WHERE slug = \(slug)") { try $0.get(0) }
    }

    static func author(
        _ handle: String, _ database: some PostgresExecutor
    ) async throws -> (id: UserID, name: String)? {
        try await database.first(
            "SELECT id, display_name FROM users WHERE handle = \(handle) AND disabled_at IS NULL"
        ) { row in (id: try row.get(0), name: try row.get(1)) }
    }
}
