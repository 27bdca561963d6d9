// SPDX-License-Identifier: Apache-2.0
import Postgres
import SheetCore

/// What a check of a market asks the database; it changes nothing.
enum IntegrityStore {
    /// An artifact as its row has it.
    struct Artifact: Sendable {
        let hash: ContentHash
        let sizeBytes: Int
    }

    /// The next artifacts in the order of their hashes.
    static func artifacts(
        after hash: ContentHash?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [Artifact] {
        try await database.all(
            """
            SELECT sha256, size_bytes FROM artifacts WHERE \(hash) IS NULL OR sha256 > \(hash)
            ORDER BY sha256 LIMIT \(limit)
            """
        ) { Artifact(hash: try $0.get("sha256"), sizeBytes: try $0.get("size_bytes")) }
    }

    /// Which of these hashes no row names.
    static func unnamed(_ hashes: [ContentHash], _ database: some PostgresExecutor) async throws -> [ContentHash] {
        try await database.all(
            """
            SELECT sha256 FROM unnest(\(hashes)::bytea[]) AS stored (sha256)
            WHERE NOT EXISTS (SELECT FROM artifacts WHERE artifacts.sha256 = stored.sha256)
            """
        ) { try $0.get("sha256") }
    }

    /// Foreign keys with rows that refer to nothing, which a healthy database does not let in, and how many rows.
    static func brokenReferences(_ database: PostgresClient) async throws -> [(name: String, rows: Int)] {
        let queries: [(String, String)] = try await database.all(
            """
            SELECT c.conname::text AS name, format(
                'SELECT count(*) FROM %s AS c WHERE %s AND NOT EXISTS (SELECT FROM %s AS p WHERE %s)', c.conrelid::regclass,
                string_agg(format('c.%I IS NOT NULL', a.attname), ' AND '), c.confrelid::regclass,
                string_agg(format('p.%I = c.%I', b.attname, a.attname), ' AND ')) AS query
            FROM pg_constraint AS c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k (child, parent)
            JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = k.child
            JOIN pg_attribute AS b ON b.attrelid = c.confrelid AND b.attnum = k.parent
            WHERE c.contype = 'f' AND c.conparentid = 0 AND c.connamespace = current_schema()::regnamespace
            GROUP BY c.oid, c.conname, c.conrelid, c.confrelid ORDER BY 1
            """
        ) { (try $0.get("name"), try $0.get("query")) }
        var broken: [(name: String, rows: Int)] = []
        for (name, query) in queries {
            let rows = try await count(PostgresQuery(unsafeSQL: query), database)
            if rows > 0 { broken.append((name, rows)) }
        }
        return broken
    }

    /// Templates whose rating does not count the reviews that are shown, and reviews that count other votes than there are.
    static func wrongRatings(_ database: PostgresClient) async throws -> Int {
        try await count(
            """
            SELECT (
                SELECT count(*) FROM templates AS t
                LEFT JOIN (SELECT template_id, count(*) AS count FROM visible_reviews GROUP BY 1) AS r
                    ON r.template_id = t.id
                WHERE t.rating_count <> coalesce(r.count, 0)
            ) + (
                SELECT count(*) FROM reviews AS r
                LEFT JOIN (
                    SELECT review_id, count(*) FILTER (WHERE is_helpful) AS helpful,
                        count(*) FILTER (WHERE NOT is_helpful) AS unhelpful
                    FROM review_votes GROUP BY 1
                ) AS v ON v.review_id = r.id
                WHERE (r.helpful, r.unhelpful) <> (coalesce(v.helpful, 0), coalesce(v.unhelpful, 0))
            )
            """, database)
    }

    /// Templates that searching and browsing know otherwise than they are.
    static func wrongListings(_ database: PostgresClient) async throws -> Int {
        try await count(
            """
            SELECT count(DISTINCT id) FROM (
                (SELECT * FROM current_listings EXCEPT SELECT * FROM listings)
                UNION ALL (SELECT * FROM listings EXCEPT SELECT * FROM current_listings)
            ) AS d
            """, database)
    }

    /// Templates whose downloads are not the sum of their days.
    static func wrongDownloads(_ database: PostgresClient) async throws -> Int {
        try await count(
            """
            SELECT count(*) FROM templates AS t
            LEFT JOIN (SELECT template_id, sum(downloads) AS downloads FROM download_days GROUP BY 1) AS d
                ON d.template_id = t.id
            WHERE t.downloads <> coalesce(d.downloads, 0)
            """, database)
    }

    /// Long, and meant to be.
    private static func count(_ query: PostgresQuery, _ database: PostgresClient) async throws -> Int {
        try await database.withTransaction { connection in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            return try await connection.scalar(query, as: Int.self)
        }
    }
}
