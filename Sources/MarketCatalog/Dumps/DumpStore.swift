// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

package enum DumpStore {
    /// A dump as its row has it.
    package struct Line: Sendable {
        /// `2026-11-21`.
        package var day: String
        package var object: StoredObject
        package var templates: Int
        package var place: ChangeStore.Position
        package var createdAt: Date

        /// The file's name.
        package var name: String { "catalog-\(day).jsonl.gz" }

        package var wire: CatalogDump {
            CatalogDump(
                name: name, createdAt: createdAt, sha256: object.hash,
                sizeBytes: object.sizeBytes, templateCount: templates, cursor: ChangeService.cursor(place),
                url: "\(Paths.base)/dumps/\(name)")
        }
    }

    /// All that are kept, the newest first.
    package static func all(_ database: some PostgresExecutor) async throws -> [Line] {
        try await lines("true", database)
    }

    package static func dump(of day: String, _ database: some PostgresExecutor) async throws -> Line? {
        try await lines("d.day = \(day)::date", database).first
    }

    private static func lines(_ condition: PostgresQuery, _ database: some PostgresExecutor) async throws -> [Line] {
        try await database.all(
            """
            SELECT d.day::text, d.sha256, d.size_bytes, d.templates, d.feed_id, d.position, d.created_at
            FROM catalog_dumps AS d WHERE \(fragment: condition) ORDER BY d.day DESC
            """
        ) { row in
            Line(
                day: try row.get(0), object: StoredObject(hash: try row.get(1), sizeBytes: try row.get(2)),
                templates: try row.get(3), place: .init(feed: try row.get(4), position: try row.get(5)),
                createdAt: try row.get(6))
        }
    }

    /// Enters a dump in place of the day's earlier one.
    package static func enter(_ line: Line, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO artifacts (sha256, size_bytes, media_type)
            VALUES (\(line.object.hash), \(line.object.sizeBytes), 'application/gzip') ON CONFLICT DO NOTHING
            """)
        try await connection.execute(
            """
            INSERT INTO catalog_dumps (day, sha256, size_bytes, templates, feed_id, position, created_at)
            VALUES (\(line.day)::date, \(line.object.hash), \(line.object.sizeBytes), \(line.templates),
                \(line.place.feed), \(line.place.position), \(line.createdAt))
            ON CONFLICT (day) DO UPDATE SET sha256 = excluded.sha256, size_bytes = excluded.size_bytes,
                templates = excluded.templates, feed_id = excluded.feed_id, position = excluded.position,
                created_at = excluded.created_at
            """)
    }

    /// Forgets all but the newest `count`.
    package static func keep(_ count: Int, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            DELETE FROM catalog_dumps WHERE day NOT IN (SELECT day FROM catalog_dumps ORDER BY day DESC LIMIT \(literal: count))
            """)
        try await deleteFileNames(connection)
    }

    /// Forgets dumps with something in them that may be told no more; answers how many went.
    package static func withdraw(_ connection: PostgresConnection) async throws -> Int {
        let count = try await connection.execute(
            """
            DELETE FROM catalog_dumps AS d WHERE EXISTS (
                SELECT FROM changes AS c WHERE c.position > d.position AND c.reason IN ('taken_down', 'erased', 'author'))
            """)
        if count > 0 { try await deleteFileNames(connection) }
        return count
    }

    /// Whatever no row names is removed from storage by the garbage collection.
    private static func deleteFileNames(_ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            DELETE FROM artifacts AS a WHERE a.media_type = 'application/gzip'
                AND NOT EXISTS (SELECT FROM catalog_dumps AS d WHERE d.sha256 = a.sha256)
                AND NOT EXISTS (SELECT FROM submissions AS s WHERE a.sha256 IN (s.artifact_sha256, s.original_sha256))
                AND NOT EXISTS (SELECT FROM versions AS v WHERE v.artifact_sha256 = a.sha256)
            """)
    }

    /// Ids of templates on offer, in the order of ids.
    package static func offered(
        after last: TemplateID?, limit: Int, _ connection: PostgresConnection
    ) async throws -> [TemplateID] {
        let start: PostgresQuery = last.map { "AND t.id > \($0)" } ?? ""
        return try await connection.all(
            """
            SELECT t.id FROM templates AS t WHERE t.latest_version_id IS NOT NULL \(fragment: start)
            ORDER BY t.id LIMIT \(literal: limit)
            """
        ) { try $0.get(0) }
    }

    /// Whether this transaction is the only one that makes a dump.
    static func tryLock(_ connection: PostgresConnection) async throws -> Bool {
        try await connection.scalar("SELECT pg_try_advisory_xact_lock(\(Int64(0x5348_4545_5444_554D)))")
    }
}
