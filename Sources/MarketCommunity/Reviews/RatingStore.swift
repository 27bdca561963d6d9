// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketWire
import Postgres
import SheetCore

/// SQL of ratings. Triggers update them when reviews change; this is for what changes with the day.
enum RatingStore {
    /// What a template's rating is made of.
    static func summary(of template: TemplateID, _ database: some PostgresExecutor) async throws -> RatingSummary {
        try await database.first(
            "SELECT \(fragment: RatingSummary.columns) FROM template_ratings AS k WHERE k.template_id = \(template)"
        ) { try RatingSummary($0, at: 0) } ?? .none
    }

    /// The day (UTC) for which the priors were last computed, such as `2026-11-21`; empty before the first time.
    static func lastDay(_ database: some PostgresExecutor) async throws -> String {
        try await database.one(
            "SELECT coalesce(to_char(max(as_of), 'YYYY-MM-DD'), '') FROM rating_priors"
        ) { try $0.get(0) }
    }

    /// Keeps other nodes from recomputing the priors until the transaction ends.
    static func lockDay(_ connection: PostgresConnection) async throws {
        try await connection.execute("SELECT pg_advisory_xact_lock(5640011)")
    }

    /// Recomputes the prior ratings of templates for a day.
    static func recomputePriors(_ day: String, _ connection: PostgresConnection) async throws {
        try await connection.execute("SET LOCAL statement_timeout = 0")
        try await connection.execute("SELECT recompute_rating_priors(\(day)::text::date)")
    }

    /// The next templates that have a rating; `everything` adds those whose reviews or count say that they should.
    static func rated(
        after last: TemplateID?, everything: Bool, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [TemplateID] {
        let from: PostgresQuery = last.map { "\($0)" } ?? "uuid '00000000-0000-0000-0000-000000000000'"
        let query: PostgresQuery =
            everything
            ? """
            SELECT t.id FROM templates AS t
            WHERE t.id > \(fragment: from)
                AND (t.rating_count > 0 OR EXISTS (SELECT FROM reviews AS r WHERE r.template_id = t.id))
            ORDER BY t.id LIMIT \(literal: limit)
            """
            : """
            SELECT k.template_id FROM template_ratings AS k
            WHERE k.template_id > \(fragment: from) ORDER BY k.template_id LIMIT \(literal: limit)
            """
        return try await database.all(query) { try $0.get(0) }
    }

    /// Brings the ratings of some templates up to date; what would move by less than `tolerance` stays.
    static func refresh(
        _ templates: [TemplateID], day: String, tolerance: Double, _ connection: PostgresConnection
    ) async throws -> Int {
        try await connection.one(
            """
            SELECT count(*) FILTER (WHERE s.is_new) FROM (
                SELECT refresh_rating(i.id, \(day)::text::date, \(tolerance)) AS is_new
                FROM (SELECT id FROM unnest(\(templates)) AS n (id) ORDER BY id) AS i
            ) AS s
            """
        ) { try $0.get(0) }
    }

    /// Counts the votes on all reviews anew.
    static func recountVotes(_ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE reviews AS r SET helpful = c.helpful, unhelpful = c.unhelpful
            FROM (
                SELECT s.id, count(*) FILTER (WHERE v.is_helpful) AS helpful,
                    count(*) FILTER (WHERE NOT v.is_helpful) AS unhelpful
                FROM reviews AS s LEFT JOIN review_votes AS v ON v.review_id = s.id GROUP BY s.id
            ) AS c
            WHERE c.id = r.id AND (r.helpful, r.unhelpful) <> (c.helpful, c.unhelpful)
            """)
    }

    /// Removes reviews that were deleted before a time, with their history.
    static func purgeDeleted(before time: Date, _ database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM reviews WHERE deleted_at < \(time)")
    }
}
