// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of suggestions while somebody types. Each question is answered from the beginning of an index.
enum SuggestStore {
    /// Templates of whose name the words are part, the popular ones first, then those whose name begins so.
    static func templates(
        _ words: SearchTermStore.TermLookup, count: Int, _ statistics: CatalogStatistics,
        _ database: some PostgresExecutor
    ) async throws -> [SuggestionList.Template] {
        let asked = words.strong ?? words.query
        // ":A" asks for the words in the name, which the index cannot; it knows where they count.
        let inName = words.strong.map { _ in Self.restrictedToNames(words.query) }
        var estimate = statistics.estimate(of: asked)
        // They stand in a good part of the names.
        if inName != nil { estimate.share /= 3 }
        let found = try await PopularMatchPlanner.find(
            count, estimate, statistics, matches: { $0.count { $0.place < unpopular } },
            by: { way in
                let fits = way.condition(asked, exactly: inName)
                return try await templates(fits, way.order, words.nameKey, count: count, database)
            })
        return found.map(\.template)
    }

    /// Where places behind those of popular templates begin.
    private static let unpopular = 1_000_000_000

    private static func templates(
        _ fits: PostgresQuery, _ order: PostgresQuery, _ key: String, count: Int, _ database: some PostgresExecutor
    ) async throws -> [(template: SuggestionList.Template, place: Int)] {
        try await database.all(
            """
            SELECT t.id, t.slug, t.name, t.game_system, found.place
            FROM (
                SELECT id, min(place) AS place FROM (
                    (SELECT m.id, m.place FROM popular_listings AS m
                        WHERE \(fragment: fits)\(fragment: order) LIMIT \(literal: count))
                    UNION ALL
                    (SELECT id, (\(literal: unpopular * 2) - least(downloads, \(literal: unpopular)))::integer FROM (
                        SELECT id, downloads FROM listings
                        WHERE \(fragment: .begins("name_key", key))
                        ORDER BY name_key, id LIMIT 50
                    ) AS l ORDER BY downloads DESC LIMIT \(literal: count))
                ) AS found GROUP BY id ORDER BY 2, 1 LIMIT \(literal: count)
            ) AS found
            JOIN listings AS t ON t.id = found.id
            ORDER BY found.place, t.id
            """
        ) { row in
            (
                .init(id: try row.get(0), slug: try row.get(1), name: try row.get(2), gameSystem: try row.get(3)),
                try row.get(4, as: Int.self)
            )
        }
    }

    /// A `tsquery` with `:A` behind each of its lexemes, which stand between apostrophes; inside of them apostrophes
    /// are doubled and backslashes go before what they protect.
    static func restrictedToNames(_ query: String) -> String {
        let apostrophe = UInt8(ascii: "'")
        var result: [UInt8] = []
        var rest = Array(query.utf8)[...]
        var isInside = false
        while let byte = rest.popFirst() {
            result.append(byte)
            if isInside, byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
                result.append(next)
            } else if byte == apostrophe, isInside, rest.first == apostrophe {
                rest.removeFirst()
                result.append(apostrophe)
            } else if byte == apostrophe {
                if isInside { result += ":A".utf8 }
                isInside.toggle()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Game systems one of whose names has a word that begins so.
    static func systems(
        _ key: String, count: Int, _ database: some PostgresExecutor
    ) async throws -> [SuggestionList.System] {
        try await database.all(
            """
            SELECT g.slug, g.name
            FROM game_systems AS g
            LEFT JOIN facet_counts AS f ON f.game_system = '' AND f.facet = 's' AND f.value = g.slug
            WHERE position(' ' || \(key) IN g.names) > 0
            ORDER BY coalesce(f.count, 0) DESC, g.slug
            LIMIT \(literal: count)
            """
        ) { .init(slug: try $0.get(0), name: try $0.get(1)) }
    }

    /// Authors with something on offer whose handle or name begins so.
    static func authors(
        _ key: String, count: Int, _ database: some PostgresExecutor
    ) async throws -> [SuggestionList.Author] {
        try await database.all(
            """
            SELECT u.handle, u.display_name
            FROM (
                (SELECT id FROM users
                    WHERE \(fragment: .begins("handle COLLATE \"C\"", key))
                    ORDER BY handle COLLATE "C" LIMIT 20)
                UNION
                (SELECT id FROM users
                    WHERE \(fragment: .begins("market_text(lower(display_name)) COLLATE \"C\"", key))
                    ORDER BY market_text(lower(display_name)) COLLATE "C" LIMIT 20)
            ) AS found
            JOIN users AS u ON u.id = found.id
            WHERE u.disabled_at IS NULL
                AND EXISTS (SELECT FROM templates AS t WHERE t.owner_id = u.id AND t.latest_version_id IS NOT NULL)
            ORDER BY length(u.handle), u.handle
            LIMIT \(literal: count)
            """
        ) { .init(handle: try $0.get(0), displayName: try $0.get(1)) }
    }

    /// Tags that begin so, the most used first.
    static func tags(_ key: String, count: Int, _ database: some PostgresExecutor) async throws -> [Facets.Count] {
        try await database.all(
            """
            SELECT value, sum(count)::bigint FROM (
                (SELECT value, count FROM facet_counts
                    WHERE game_system = '' AND facet = 't' AND \(fragment: .begins("value", key))
                    ORDER BY count DESC LIMIT \(literal: count * 2))
                UNION ALL
                SELECT value, change FROM facet_changes
                    WHERE game_system = '' AND facet = 't' AND \(fragment: .begins("value", key))
            ) AS found
            GROUP BY value HAVING sum(count) > 0
            ORDER BY 2 DESC, 1 LIMIT \(literal: count)
            """
        ) { .init(value: try $0.get(0), count: try $0.get(1)) }
    }
}

extension PostgresQuery {
    /// Whether a column, in the order of its bytes, begins with a key.
    fileprivate static func begins(_ column: PostgresQuery, _ key: String) -> PostgresQuery {
        let first = inlined(text: key)
        return "\(fragment: column) >= \(fragment: first) AND \(fragment: column) < \(fragment: first) || chr(1114109)"
    }
}
