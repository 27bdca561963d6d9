// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Sums of what led people to sheets, by day.
package enum StatisticsStore {
    /// How long sums are kept, in days: two years, and what a caller can ask for beyond.
    private static let keptDays = 735.0

    /// Adds sums; those of sheets and versions that are gone come to nothing.
    static func add(
        _ sums: [InterestKey: Int], on day: UTCDay, _ database: some PostgresExecutor
    ) async throws {
        let all = Array(sums)
        let ids = all.map { sum -> String in if case .id(let id) = sum.key.subject { id.description } else { "" } }
        let slugs = all.map { sum -> String in if case .slug(let slug) = sum.key.subject { slug } else { "" } }
        // In one order, so that nodes never wait for each other in a ring.
        try await database.execute(
            """
            INSERT INTO interest_days AS d (day, template_id, kind, value, count)
            SELECT \(day.text)::text::date, t.id, n.kind, coalesce(v.number, n.value), sum(n.count)
            FROM unnest(
                \(ids)::text[], \(slugs)::text[], \(all.map(\.key.kind.rawValue))::text[],
                \(all.map(\.key.value))::text[], \(all.map(\.value))::bigint[]
            ) AS n (template_id, slug, kind, value, count)
            LEFT JOIN template_slugs AS s ON s.slug = n.slug
            JOIN templates AS t ON t.id = coalesce(s.template_id, nullif(n.template_id, '')::uuid)
            LEFT JOIN versions AS v
                ON n.kind IN ('download', 'install') AND v.template_id = t.id AND v.id::text = n.value
            WHERE (v.id IS NOT NULL OR n.kind NOT IN ('download', 'install')) AND char_length(n.value) <= 120
            GROUP BY 2, 3, 4
            ORDER BY 2, 3, 4
            ON CONFLICT ON CONSTRAINT interest_days_pkey DO UPDATE SET count = d.count + excluded.count
            """)
    }

    /// Forgets what is older than anybody can ask for.
    static func deleteOld(at now: Date, _ database: some PostgresExecutor) async throws {
        let oldest = UTCDay(now.addingTimeInterval(-86_400 * keptDays))
        try await database.execute("DELETE FROM interest_days WHERE day < \(oldest.text)::text::date")
    }

    /// One sum, of a day or of all days.
    struct Sum: Sendable {
        let kind: String
        /// A day, or a value.
        let name: String
        let count: Int
    }

    /// Visits and installs of each day that has some.
    static func byDay(
        of template: TemplateID, _ days: (from: UTCDay, to: UTCDay), _ database: some PostgresExecutor
    ) async throws -> [Sum] {
        try await database.all(
            """
            SELECT kind, to_char(day, 'YYYY-MM-DD'), sum(count)::bigint FROM interest_days
            WHERE template_id = \(template) AND kind IN ('view', 'install')
                AND day BETWEEN \(days.from.text)::text::date AND \(days.to.text)::text::date
            GROUP BY kind, day
            """
        ) { Sum(kind: try $0.get(0), name: try $0.get(1), count: try $0.get(2)) }
    }

    /// All days together, by version, source and term; the greatest first.
    static func byValue(
        of template: TemplateID, _ days: (from: UTCDay, to: UTCDay), _ database: some PostgresExecutor
    ) async throws -> [Sum] {
        try await database.all(
            """
            SELECT kind, value, sum(count)::bigint FROM interest_days
            WHERE template_id = \(template) AND kind <> 'view'
                AND day BETWEEN \(days.from.text)::text::date AND \(days.to.text)::text::date
            GROUP BY kind, value ORDER BY 3 DESC, 2
            """
        ) { Sum(kind: try $0.get(0), name: try $0.get(1), count: try $0.get(2)) }
    }

    /// How many stars the reviews that are shown today gave, by the day on which they were written, oldest first.
    static func ratings(
        of template: TemplateID, _ database: some PostgresExecutor
    ) async throws -> [(day: String, count: Int, stars: Int)] {
        try await database.all(
            """
            SELECT to_char((created_at AT TIME ZONE 'UTC')::date, 'YYYY-MM-DD'), count(*), sum(stars)::bigint
            FROM visible_reviews WHERE template_id = \(template) GROUP BY 1 ORDER BY 1
            """
        ) { (day: try $0.get(0), count: try $0.get(1), stars: try $0.get(2)) }
    }
}
