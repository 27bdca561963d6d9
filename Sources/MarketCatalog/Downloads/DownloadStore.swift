// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

package enum DownloadStore {
    /// What a signed address needs.
    package struct Artifact: Sendable {
        package var template: TemplateID
        package var id: VersionID
        package var version: SemanticVersion
        package var state: VersionState
        package var reason: String?
        package var takedownCode: String?
        package var hash: ContentHash
        package var fileName: String
        package var sizeBytes: Int
    }

    package static func artifact(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> Artifact? {
        try await database.first(
            """
            SELECT t.id, v.number, v.state, v.state_reason, v.artifact_sha256, v.file_name, v.size_bytes, v.id,
                v.takedown_code
            FROM templates AS t JOIN versions AS v ON \(fragment: version.condition)
            WHERE \(fragment: key.condition)
            """
        ) { row in
            Artifact(
                template: try row.get(0), id: try row.get(7), version: try row.get(1), state: try row.get(2),
                reason: try row.get(3), takedownCode: try row.get(8),
                hash: try row.get(4), fileName: try row.get(5), sizeBytes: try row.get(6))
        }
    }

    /// The width of a page's picture that is meant when none is asked for, in pixels.
    static let usualPreviewWidth = 480

    /// What is on offer of a template: its file, zoom regions, and the first page's picture.
    struct Offered {
        var artifact: Artifact
        var regions: [RegionList.Page]
        var picture: StoredObject?
    }

    /// What is on offer on a channel, by template.
    static func offered(
        _ ids: [TemplateID], channel: ReleaseChannel, _ database: some PostgresExecutor
    ) async throws -> [TemplateID: Offered] {
        let width = usualPreviewWidth
        let found = try await database.all(
            """
            SELECT t.id, v.number, v.state, v.artifact_sha256, v.file_name, v.size_bytes, v.id, p.pages, r.sha256, r.size_bytes
            FROM templates AS t
            JOIN versions AS v ON \(fragment: VersionKey.offered(channel).condition)
            CROSS JOIN LATERAL (
                SELECT coalesce(
                    jsonb_agg(
                        jsonb_build_object('index', s.page_index, 'regions', s.regions) ORDER BY s.page_index),
                    '[]') AS pages
                FROM submission_pages AS s WHERE s.submission_id = v.submission_id
            ) AS p
            LEFT JOIN LATERAL (
                SELECT r.sha256, a.size_bytes FROM previews AS r JOIN artifacts AS a ON a.sha256 = r.sha256
                WHERE r.submission_id = v.submission_id AND r.page_index = 0
                ORDER BY r.width >= \(width) DESC, abs(r.width - \(width)) LIMIT 1
            ) AS r ON true
            WHERE t.id = ANY (\(ids)::uuid[]) AND v.state <> 'taken_down'
            """
        ) { row in
            let picture: (hash: ContentHash?, bytes: Int?) = (try row.get(8), try row.get(9))
            return Offered(
                artifact: Artifact(
                    template: try row.get(0), id: try row.get(6), version: try row.get(1), state: try row.get(2),
                    hash: try row.get(3), fileName: try row.get(4), sizeBytes: try row.get(5)),
                regions: try row.get(7, as: PostgresJSON<[RegionList.Page]>.self).value,
                picture: picture.hash.flatMap { hash in
                    picture.bytes.map { StoredObject(hash: hash, sizeBytes: $0) }
                })
        }
        return Dictionary(found.map { ($0.artifact.template, $0) }) { first, _ in first }
    }

    // MARK: - Counting

    /// One client's downloads of one template, as they are kept: nobody can tell who it was.
    package struct Counted: Hashable, Sendable {
        package var template: TemplateID
        /// 16 bytes.
        package var client: Data
    }

    /// What somebody who was signed in has downloaded.
    package struct Kept: Hashable, Sendable {
        package var account: UserID
        package var template: TemplateID
        package var version: VersionID
    }

    /// The secret of a day, which all nodes share; `offered` becomes it when there is none yet.
    package static func salt(of day: UTCDay, offering offered: Data, _ database: some PostgresExecutor) async throws
        -> Data
    {
        try await database.one("SELECT begin_download_day(\(day.text)::text::date, \(offered))") { try $0.get(0) }
    }

    /// Enters downloads, each once for its client and day. Doing it twice does no harm.
    package static func enter(
        _ counted: [Counted], kept: [Kept], on day: UTCDay, at now: Date, _ connection: PostgresConnection
    ) async throws {
        // In one order, so that nodes never wait for each other in a ring.
        try await connection.execute(
            """
            WITH fresh AS (
                INSERT INTO download_clients (day, template_id, client)
                SELECT \(day.text)::text::date, n.template_id, n.client
                FROM unnest(\(counted.map(\.template)), \(counted.map(\.client))) AS n (template_id, client)
                WHERE EXISTS (SELECT FROM templates AS t WHERE t.id = n.template_id)
                ORDER BY 2, 3
                ON CONFLICT DO NOTHING
                RETURNING day, template_id
            )
            INSERT INTO download_changes (day, template_id, downloads)
            SELECT f.day, f.template_id, count(*) FROM fresh AS f GROUP BY 1, 2
            """)
        guard !kept.isEmpty else { return }
        try await connection.execute(
            """
            INSERT INTO user_downloads AS d (user_id, template_id, version_id, downloaded_at)
            SELECT u.id, v.template_id, v.id, \(now)
            FROM unnest(\(kept.map(\.account)), \(kept.map(\.version))) AS n (user_id, version_id)
            JOIN users AS u ON u.id = n.user_id
            JOIN versions AS v ON v.id = n.version_id
            ORDER BY 1, 2, 3
            ON CONFLICT (user_id, template_id, version_id) DO UPDATE SET downloaded_at = excluded.downloaded_at
            """)
    }

    /// Adds what was entered to the days and the totals of templates.
    package static func fold(_ database: some PostgresExecutor) async throws {
        try await database.execute("SELECT aggregate_downloads()")
    }

    /// How long after its end a day's clients are forgotten, in seconds: whoever counts at midnight is done by then.
    static let afterDaySeconds = 600.0
    /// Months that download_days has partitions for, this one and the last among them.
    private static let months = 4

    /// Makes the sums of templates anew from their days.
    package static func recount(_ database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            UPDATE templates AS t SET downloads = d.downloads FROM (
                SELECT t.id, coalesce(sum(d.downloads), 0)::bigint AS downloads
                FROM templates AS t LEFT JOIN download_days AS d ON d.template_id = t.id GROUP BY t.id
            ) AS d WHERE d.id = t.id AND t.downloads <> d.downloads
            """)
    }

    /// Forgets the clients of days that are over, and sees that the months to come have their partitions.
    package static func rotateDays(at now: Date, _ database: some PostgresExecutor) async throws {
        let oldest = UTCDay(now.addingTimeInterval(-afterDaySeconds))
        try await database.execute("SELECT end_download_days(\(oldest.text)::text::date)")
        try await database.execute(
            """
            SELECT make_download_months((\(UTCDay(now).text)::text::date - interval '1 month')::date, \(Int32(months)))
            """)
    }

    // MARK: - The time line

    /// Downloads of a template of all time and from one day to another, each day in its turn. One statement reads
    /// both, so that no download stands in one and is missing in the other.
    package static func timeline(
        of template: TemplateID, from: UTCDay, to: UTCDay, _ database: some PostgresExecutor
    ) async throws -> DownloadTimeline {
        let rows = try await database.all(
            """
            SELECT t.downloads, to_char(s.day, 'YYYY-MM-DD'), coalesce(d.downloads, 0)
            FROM templates AS t
            CROSS JOIN generate_series(
                \(from.text)::text::timestamp, \(to.text)::text::timestamp, interval '1 day') AS s (day)
            LEFT JOIN download_days AS d ON d.template_id = t.id AND d.day = s.day::date
                AND d.day BETWEEN \(from.text)::text::date AND \(to.text)::text::date
            WHERE t.id = \(template)
            ORDER BY s.day
            """
        ) {
            (
                total: try $0.get(0, as: Int.self),
                day: DownloadTimeline.Day(day: try $0.get(1), downloads: try $0.get(2))
            )
        }
        return DownloadTimeline(templateId: template, total: rows.first?.total ?? 0, days: rows.map(\.day))
    }

    /// A template that was published, and somebody's part in it.
    package static func part(
        in key: TemplateKey, of user: UserID, _ database: some PostgresExecutor
    ) async throws -> (template: TemplateID, part: AuthorRole?)? {
        try await database.first(
            """
            SELECT t.id, \(fragment: AuthorStore.part(of: user)) FROM templates AS t
            WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            """
        ) { (template: try $0.get(0), part: try $0.get(1)) }
    }
}
