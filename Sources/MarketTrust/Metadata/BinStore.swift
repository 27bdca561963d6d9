// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// SQL of what the bins hold.
package enum BinStore {
    struct Bin: Sendable {
        var number: Int
        var lastVersion: Int64
    }

    // MARK: - What is in them

    /// All versions of these templates, as the catalog has them.
    static func versions(of templates: [TemplateID], _ database: some PostgresExecutor) async throws -> [CatalogVersion]
    {
        try await database.all(
            """
            SELECT v.id, v.template_id, t.slug, t.kind, v.number, v.artifact_sha256, v.size_bytes, v.state,
                v.state_reason, v.takedown_code, offered.number, s.id, s.kind, theirs.number,
                t.name, t.summary, t.description, t.license, (
                    SELECT jsonb_agg(
                        jsonb_build_object('index', p.page_index, 'regions', p.regions) ORDER BY p.page_index)
                    FROM submission_pages AS p WHERE p.submission_id = v.submission_id)
            FROM versions AS v
            JOIN templates AS t ON t.id = v.template_id
            LEFT JOIN versions AS offered ON offered.id = t.latest_version_id
            LEFT JOIN templates AS s ON s.id = t.successor_id
            LEFT JOIN versions AS theirs ON theirs.id = s.latest_version_id
            WHERE v.template_id = ANY (\(templates)::uuid[])
            """
        ) { row in
            let template: TemplateID = try row.get(1)
            let kind: TemplateKind = try row.get(3)
            let own = try row.get(10, as: SemanticVersion?.self).map { TargetPath.of(template, $0, kind) }
            var successor: String?
            if let id = try row.get(11, as: TemplateID?.self), let kind = try row.get(12, as: TemplateKind?.self),
                let number = try row.get(13, as: SemanticVersion?.self)
            {
                successor = TargetPath.of(id, number, kind)
            }
            let pages = try row.get(18, as: PostgresJSON<[RegionList.Page]>?.self)?.value ?? []
            let record = SignedRecord(
                name: try row.get(14), summary: try row.get(15), description: try row.get(16),
                license: try row.get(17), regions: pages.signed)
            return CatalogVersion(
                id: try row.get(0), template: template, slug: try row.get(2), kind: kind, number: try row.get(4),
                hash: try row.get(5), sizeBytes: try row.get(6), state: try row.get(7), reason: try row.get(8),
                code: try row.get(9), replacement: own ?? successor, record: record)
        }
    }

    /// What was signed of them last.
    static func entries(of templates: [TemplateID], _ database: some PostgresExecutor) async throws -> [TargetEntry] {
        try await entries("template_id = ANY (\(templates)::uuid[])", database)
    }

    /// What is in a bin.
    static func entries(inBin bin: Int, _ database: some PostgresExecutor) async throws -> [TargetEntry] {
        try await entries("bin = \(literal: bin)", database)
    }

    /// The file of that path and hash.
    package static func entry(
        _ template: TemplateID, path: String, hash: ContentHash, _ database: some PostgresExecutor
    )
        async throws -> TargetEntry?
    {
        try await entries("template_id = \(template) AND path = \(path) AND sha256 = \(hash)", database).first
    }

    /// All files, in the order of versions' ids.
    package static func page(after last: VersionID?, limit: Int, _ database: some PostgresExecutor) async throws
        -> [TargetEntry]
    {
        try await entries(
            "(\(last)::uuid IS NULL OR version_id > \(last)) ORDER BY version_id LIMIT \(literal: limit)", database)
    }

    private static func entries(_ condition: PostgresQuery, _ database: some PostgresExecutor) async throws
        -> [TargetEntry]
    {
        try await database.all(
            """
            SELECT version_id, template_id, bin, path, sha256, size_bytes, custom FROM trust_targets
            WHERE \(fragment: condition)
            """
        ) { row in
            TargetEntry(
                version: try row.get(0), template: try row.get(1), bin: try row.get(2), path: try row.get(3),
                hash: try row.get(4), sizeBytes: try row.get(5), custom: try row.get(6))
        }
    }

    static func put(_ entries: [TargetEntry], _ connection: some PostgresExecutor) async throws {
        guard !entries.isEmpty else { return }
        try await connection.execute(
            """
            INSERT INTO trust_targets (version_id, template_id, bin, path, sha256, size_bytes, custom)
            SELECT * FROM unnest(
                \(entries.map(\.version))::uuid[], \(entries.map(\.template))::uuid[],
                \(entries.map { Int32($0.bin) })::integer[], \(entries.map(\.path))::text[],
                \(entries.map { Data($0.hash.bytes) })::bytea[], \(entries.map(\.sizeBytes))::bigint[],
                \(entries.map(\.custom))::text[])
            ON CONFLICT (version_id) DO UPDATE SET bin = excluded.bin, path = excluded.path, custom = excluded.custom
            """)
    }

    static func remove(_ versions: [VersionID], _ connection: some PostgresExecutor) async throws {
        guard !versions.isEmpty else { return }
        try await connection.execute("DELETE FROM trust_targets WHERE version_id = ANY (\(versions)::uuid[])")
    }

    /// Forgets what the catalog has no longer, and marks its bins.
    static func removeStrays(_ connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            WITH gone AS (
                DELETE FROM trust_targets AS g WHERE NOT EXISTS (SELECT FROM versions AS v WHERE v.id = g.version_id)
                RETURNING g.bin
            )
            UPDATE trust_bins AS b SET is_dirty = true, staged_version = NULL FROM gone WHERE b.number = gone.bin
            """)
    }

    /// Templates in the order of their ids.
    static func templates(after last: UUID?, limit: Int, _ connection: some PostgresExecutor) async throws
        -> [TemplateID]
    {
        try await connection.all(
            """
            SELECT t.id FROM templates AS t WHERE \(last)::uuid IS NULL OR t.id > \(last)
            ORDER BY t.id LIMIT \(literal: limit)
            """
        ) { try $0.get(0) }
    }

    /// How many files are signed for.
    package static func count(_ database: some PostgresExecutor) async throws -> Int {
        try await database.scalar("SELECT count(*) FROM trust_targets")
    }

    // MARK: - The change feed

    /// The feed, its last number, and whether entries behind `position` were forgotten.
    static func feed(_ connection: some PostgresExecutor) async throws -> (id: UUID, last: Int64, horizon: Int64)? {
        try await connection.first("SELECT id, last_position, horizon FROM change_feed") { row in
            (id: try row.get(0), last: try row.get(1), horizon: try row.get(2))
        }
    }

    /// Templates of the next changes, and up to where they go.
    static func changed(after position: Int64, limit: Int, _ connection: some PostgresExecutor) async throws
        -> (templates: [TemplateID], position: Int64)
    {
        let rows = try await connection.all(
            """
            SELECT c.template_id, c.position FROM changes AS c WHERE c.position > \(position)
            ORDER BY c.position LIMIT \(literal: limit)
            """
        ) { row in (template: try row.get(0, as: TemplateID.self), position: try row.get(1, as: Int64.self)) }
        return (Array(Set(rows.map(\.template))), rows.last?.position ?? position)
    }

    // MARK: - Bins

    static func markDirty(_ bins: some Collection<Int>, _ connection: some PostgresExecutor) async throws {
        guard !bins.isEmpty else { return }
        try await connection.execute(
            """
            UPDATE trust_bins SET is_dirty = true, staged_version = NULL
            WHERE number = ANY (\(bins.map { Int32($0) })::integer[])
            """)
    }

    /// Has all bins signed anew.
    static func markAllDirty(_ connection: some PostgresExecutor) async throws {
        try await connection.execute("UPDATE trust_bins SET is_dirty = true, staged_version = NULL")
    }

    static func markEnding(before date: Date, _ connection: some PostgresExecutor) async throws {
        try await connection.execute(
            "UPDATE trust_bins SET is_dirty = true WHERE expires_at < \(date) AND NOT is_dirty")
    }

    /// Bins that are to be written, with the keys that count now.
    static func dirty(limit: Int, _ connection: some PostgresExecutor) async throws -> [Bin] {
        try await bins("is_dirty AND version IS NOT NULL ORDER BY number LIMIT \(literal: limit)", connection)
    }

    /// Bins that are to be written for the targets that wait.
    static func unstaged(limit: Int, _ connection: some PostgresExecutor) async throws -> [Bin] {
        try await bins("staged_version IS NULL ORDER BY number LIMIT \(literal: limit)", connection)
    }

    private static func bins(_ condition: PostgresQuery, _ connection: some PostgresExecutor) async throws -> [Bin] {
        try await connection.all("SELECT number, last_version FROM trust_bins WHERE \(fragment: condition)") { row in
            Bin(number: try row.get(0), lastVersion: try row.get(1))
        }
    }

    /// A bin was written: for now, or for the targets that wait.
    static func written(
        _ bin: Int, version: Int64, expires: Date, staged: Bool, _ connection: some PostgresExecutor
    ) async throws {
        let columns: PostgresQuery =
            staged ? "staged_version = \(version)" : "version = \(version), staged_version = NULL, is_dirty = false"
        try await connection.execute(
            """
            UPDATE trust_bins SET last_version = \(version), expires_at = \(expires), \(fragment: columns)
            WHERE number = \(literal: bin)
            """)
    }

    /// What was staged counts from now on, and everything older of the bins is superseded.
    static func activate(at now: Date, _ connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            UPDATE trust_bins SET version = staged_version, staged_version = NULL, is_dirty = false
            """)
        try await connection.execute(
            """
            UPDATE trust_metadata AS m SET superseded_at = \(now)
            FROM trust_bins AS b, trust_state AS s
            WHERE m.role = 'bin-' || lpad(to_hex(b.number), length(to_hex(s.bin_count - 1)), '0')
                AND m.version < b.version AND m.superseded_at IS NULL
            """)
    }

    /// Forgets what was staged.
    static func unstage(_ connection: some PostgresExecutor) async throws {
        try await connection.execute("UPDATE trust_bins SET staged_version = NULL WHERE staged_version IS NOT NULL")
    }

    /// The versions that count, by bin.
    static func versions(_ connection: some PostgresExecutor) async throws -> [(number: Int, version: Int64)] {
        try await connection.all("SELECT number, version FROM trust_bins WHERE version IS NOT NULL ORDER BY number") {
            row in
            (number: try row.get(0), version: try row.get(1))
        }
    }
}
