// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of similar templates: of the same system, sharing tags or words of the name; what is rare counts more.
package enum SimilarStore {
    /// Most matches that are compared.
    private static let compared = 300
    /// Most tags and words that are compared.
    private static let marks = 10

    /// What a template has in common with others.
    private struct Mark {
        var lexeme: String
        var uses: Int
    }

    /// What others are compared with, on offer or not.
    package struct Original: Sendable {
        package var id: TemplateID
        package var system: String
        package var tags: [String]
        package var name: String

        package init(id: TemplateID, system: String, tags: [String], name: String) {
            self.id = id
            self.system = system
            self.tags = tags
            self.name = name
        }
    }

    /// The nearest templates on offer to what may not be on offer itself.
    package static func similar(
        to template: Original, count: Int, _ statistics: CatalogStatistics, _ database: some PostgresExecutor
    ) async throws -> [ListedTemplate] {
        let marks = try await marks(tags: template.tags, name: template.name, database)
        let system = SearchFilters.lexeme("s", template.system)
        guard !marks.isEmpty else {
            return try await popular(system, but: template.id, count: count, statistics, database)
        }
        let asked = "\(system) & (\(marks.map(\.lexeme).joined(separator: " | ")))"
        let score = marks.reduce("0" as PostgresQuery) { sum, mark in
            let weight = 1 / log(2 + Double(mark.uses))
            return "\(fragment: sum) + (m.words @@ \(mark.lexeme)::tsquery)::integer * \(weight)::double precision"
        }
        let (found, _) = try await PopularMatchPlanner.find(compared, of: asked, statistics, matches: { $0.1 }) {
            plan in
            try await database.one(
                """
                SELECT coalesce((array_agg(m.id ORDER BY m.score DESC, m.place))[1:\(literal: count)], '{}'), count(*)
                FROM (
                    SELECT m.id, m.place, \(fragment: score) AS score FROM (
                        SELECT * FROM popular_listings AS m
                        WHERE \(fragment: plan.condition(asked)) AND m.id <> \(template.id)
                        \(fragment: plan.order) LIMIT \(literal: compared)
                    ) AS m
                ) AS m
                """
            ) { (try $0.get(0, as: [TemplateID].self), try $0.get(1, as: Int.self)) }
        }
        if found.count == count { return try await CatalogStore.templates(found, database) }
        // Where few are popular, there are few.
        let all = try await database.all(
            """
            SELECT m.id FROM (
                SELECT id, words FROM (
                    SELECT * FROM listing_words AS w WHERE w.words @@ \(fragment: .inlined(asked)) OFFSET 0
                ) AS w
                WHERE id <> \(template.id) ORDER BY id DESC LIMIT \(literal: compared)
            ) AS m
            ORDER BY \(fragment: score) DESC, m.id DESC LIMIT \(literal: count)
            """
        ) { try $0.get(0, as: TemplateID.self) }
        return try await CatalogStore.templates(all, database)
    }

    /// The template's tags and words of its name, the rarest first.
    private static func marks(
        tags: [String], name: String, _ database: some PostgresExecutor
    ) async throws -> [Mark] {
        try await database.all(
            """
            SELECT '=t:' || tag, coalesce(f.count, 1)
            FROM unnest((SELECT \(tags)::text[])) AS tag
            LEFT JOIN facet_counts AS f ON f.game_system = '' AND f.facet = 't' AND f.value = tag
            UNION ALL
            SELECT word, coalesce(s.uses, 1)
            FROM unnest(tsvector_to_array(to_tsvector('simple', search_text(\(fragment: .inlined(text: name)))))) AS word
            LEFT JOIN search_terms AS s ON s.term = word
            WHERE length(word) > 2
            ORDER BY 2, 1 LIMIT \(literal: marks)
            """
        ) { Mark(lexeme: SearchFilters.quoted(try $0.get(0)), uses: try $0.get(1)) }
    }

    private static func popular(
        _ system: String, but id: TemplateID, count: Int, _ statistics: CatalogStatistics,
        _ database: some PostgresExecutor
    ) async throws -> [ListedTemplate] {
        let found = try await PopularMatchPlanner.find(count, of: system, statistics, matches: \.count) { plan in
            try await database.all(
                """
                SELECT m.id FROM popular_listings AS m
                WHERE \(fragment: plan.condition(system)) AND m.id <> \(id)\(fragment: plan.order) LIMIT \(literal: count)
                """
            ) { try $0.get(0, as: TemplateID.self) }
        }
        return try await CatalogStore.templates(found, database)
    }
}
