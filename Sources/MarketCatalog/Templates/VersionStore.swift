// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketSearch
import MarketWire
import Postgres
import SheetCore

package enum VersionStore {
    /// A template that has a version on offer, in full.
    package static func detail(
        _ key: TemplateKey, channel: ReleaseChannel, _ database: some PostgresExecutor
    ) async throws -> TemplateDetail? {
        try await row(of: key, .offered(channel), database)?.detail
    }

    /// The same as the database gave it. One statement: this is what clients read most.
    static func row(
        of key: TemplateKey, _ version: VersionKey, _ database: some PostgresExecutor
    ) async throws -> DetailRow? {
        try await details(key.condition, version: version.condition, database).first
    }

    /// The same for those who look after it: while nothing is on offer, with the newest version that can still be had by
    /// its number. `nil` when there is none of these either.
    package static func managed(_ id: TemplateID, _ database: some PostgresExecutor) async throws -> TemplateDetail? {
        try await row(of: .id(id), .newest(.stable), database)?.detail
    }

    /// Those of many templates that have such a version, each with it; in no order.
    package static func details(
        _ database: some PostgresExecutor, of ids: [TemplateID], _ version: VersionKey
    ) async throws -> [TemplateDetail] {
        try await details("t.id = ANY (\(ids)::uuid[])", version: version.condition, database)
            .map { try $0.detail }
    }

    private static func details(
        _ condition: PostgresQuery, version: PostgresQuery, _ database: some PostgresExecutor
    ) async throws -> [DetailRow] {
        try await database.all(detailsQuery(condition, version: version)) { try DetailRow($0) }
    }

    /// What is asked for templates in full. `make bench` has pgbench ask the same.
    package static func detailsQuery(_ condition: PostgresQuery, version: PostgresQuery) -> PostgresQuery {
        """
        SELECT t.id, t.slug, t.name, t.summary, t.game_system, u.handle, t.rating, t.rating_count, t.downloads,
            v.number, v.page_count, t.license, t.language, t.tags, t.updated_at, t.kind,
            \(fragment: columns),
            t.description, t.created_at, t.deprecation_message, t.deprecated_at, n.id, n.slug, n.name,
            \(fragment: RatingSummary.columns)
        FROM templates AS t
        JOIN users AS u ON u.id = t.owner_id
        JOIN versions AS v ON \(fragment: version)
        LEFT JOIN templates AS n ON n.id = t.successor_id
        LEFT JOIN template_ratings AS k ON k.template_id = t.id
        \(fragment: pages)
        WHERE \(fragment: condition)
        """
    }

    /// Versions of a template that can be downloaded, by falling precedence, beginning behind `last`.
    package static func list(
        _ key: TemplateKey, _ filter: VersionFilter, after last: SemanticVersion?, limit: Int,
        _ database: some PostgresExecutor
    ) async throws -> [VersionDetail] {
        let state: PostgresQuery = filter.state.map { "AND v.state = \($0.rawValue)" } ?? ""
        let channel: PostgresQuery = filter.channel.map { "AND v.channel = \($0)" } ?? ""
        var start: PostgresQuery = ""
        if let last {
            start = """
                AND (version_precedence(v.number) COLLATE "C", v.number COLLATE "C")
                    < (version_precedence(\(last)::text) COLLATE "C", \(last)::text COLLATE "C")
                """
        }
        // A trigger lets no two versions of a template have the same precedence; it has not always been there.
        let order: PostgresQuery = "version_precedence(v.number) COLLATE \"C\" DESC, v.number COLLATE \"C\" DESC"
        return try await database.all(
            """
            SELECT t.id, \(fragment: columns)
            FROM templates AS t
            CROSS JOIN LATERAL (
                SELECT v.id FROM versions AS v
                WHERE v.template_id = t.id AND v.state <> 'taken_down' \(fragment: state) \(fragment: channel)
                    \(fragment: start)
                ORDER BY \(fragment: order) LIMIT \(literal: limit)
            ) AS listed
            JOIN versions AS v ON v.id = listed.id
            \(fragment: pages)
            WHERE \(fragment: key.condition)
            ORDER BY \(fragment: order)
            """
        ) { row in try VersionDetail(row, at: 1, template: try row.get(0)) }
    }

    /// The same of many templates; all of their versions, however many there are.
    package static func list(
        _ database: some PostgresExecutor, of ids: [TemplateID]
    ) async throws -> [(template: TemplateID, version: VersionDetail)] {
        try await database.all(
            """
            SELECT t.id, \(fragment: columns)
            FROM templates AS t
            JOIN versions AS v ON v.template_id = t.id AND v.state <> 'taken_down'
            \(fragment: pages)
            WHERE t.id = ANY (\(ids)::uuid[])
            """
        ) { row in
            let template: TemplateID = try row.get(0)
            return (template, try VersionDetail(row, at: 1, template: template))
        }
    }

    /// One version, whatever its state.
    package static func version(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> VersionDetail? {
        let found = try await database.first(
            """
            SELECT t.id, \(fragment: columns)
            FROM templates AS t
            JOIN versions AS v ON \(fragment: version.condition)
            \(fragment: pages)
            WHERE \(fragment: key.condition)
            """
        ) { row in try VersionDetail(row, at: 1, template: try row.get(0)) }
        guard var detail = found else { return nil }
        detail.changes = try await changes(version, of: key, database)
        return detail
    }

    /// What changed from the version before to this one; `nil` when nothing was compared.
    package static func changes(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> VersionChanges? {
        try await database.first(
            """
            SELECT s.changes
            FROM templates AS t
            JOIN versions AS v ON \(fragment: version.condition)
            JOIN submissions AS s ON s.id = v.submission_id
            WHERE \(fragment: key.condition)
            """
        ) { try $0.get(0, as: PostgresJSON<VersionChanges>?.self)?.value } ?? nil
    }

    /// What `VersionDetail` reads of version `v` and its pages.
    private static let columns: PostgresQuery = """
        v.number, v.state, v.changelog, v.artifact_sha256, v.file_name, v.size_bytes, v.page_count,
        v.published_at, v.state_reason, p.indexes, p.widths, p.heights, p.fields, p.regions,
        v.withdrawn_by, v.channel, v.minimum_client_version, p.sharp
        """

    /// The pages of version `v` side by side, without their regions.
    private static let pages: PostgresQuery = """
        CROSS JOIN LATERAL (
            SELECT array_agg(s.page_index) AS indexes, array_agg(s.width) AS widths, array_agg(s.height) AS heights,
                array_agg(s.form_fields) AS fields, array_agg(jsonb_array_length(s.regions)) AS regions,
                array_agg(coalesce(s.picture_width, 0)) AS sharp
            FROM submission_pages AS s WHERE s.submission_id = v.submission_id
        ) AS p
        """

    /// What is known of a template that has no version where one was asked for.
    package struct Absence: Sendable {
        /// Versions that a moderator took down.
        package var takenDown: Int
        /// Versions that can still be downloaded by their number.
        var downloadable: Int
        /// Why the template, or the last of them, was taken down.
        package var reason: String?
        /// The same as a stable word.
        package var code: String?
    }

    /// `nil` when there is no such template, or none that was ever published.
    package static func absence(_ key: TemplateKey, _ database: some PostgresExecutor) async throws -> Absence? {
        let absence = try await database.first(
            """
            SELECT count(*) FILTER (WHERE v.state = 'taken_down') AS taken_down,
                count(*) FILTER (WHERE v.state <> 'taken_down') AS downloadable,
                coalesce(min(t.takedown_message),
                    (array_agg(v.state_reason ORDER BY v.published_at DESC) FILTER (WHERE v.state = 'taken_down'))[1]) AS reason,
                coalesce(min(t.takedown_code),
                    (array_agg(v.takedown_code ORDER BY v.published_at DESC) FILTER (WHERE v.state = 'taken_down'))[1]) AS code
            FROM templates AS t JOIN versions AS v ON v.template_id = t.id
            WHERE \(fragment: key.condition)
            """
        ) { row in
            Absence(
                takenDown: try row.get("taken_down"), downloadable: try row.get("downloadable"),
                reason: try row.get("reason"), code: try row.get("code"))
        }
        return absence.flatMap { $0.takenDown + $0.downloadable > 0 ? $0 : nil }
    }

    /// Why a version was taken down: for people, and as a stable word.
    package static func takedown(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> (reason: String?, code: String?)? {
        try await database.first(
            """
            SELECT v.state_reason, v.takedown_code
            FROM templates AS t
            JOIN versions AS v ON \(fragment: version.condition)
            WHERE \(fragment: key.condition) AND v.state = 'taken_down'
            """
        ) { (reason: try $0.get(0), code: try $0.get(1)) }
    }

    /// A version's state and the regions of its pages, in their order.
    package static func regions(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> (state: VersionState, list: RegionList)? {
        // A version of a kind without pages is one row without a page.
        let pages = try await database.all(
            """
            SELECT v.state, s.page_index, s.regions
            FROM templates AS t
            JOIN versions AS v ON \(fragment: version.condition)
            LEFT JOIN submission_pages AS s ON s.submission_id = v.submission_id
            WHERE \(fragment: key.condition)
            ORDER BY s.page_index
            """
        ) { row in
            (
                state: try row.get(0, as: VersionState.self),
                page: try row.get(1, as: Int?.self).map { index in
                    RegionList.Page(
                        index: index, regions: try row.get(2, as: PostgresJSON<[ZoomRegion]>.self).value)
                }
            )
        }
        return pages.first.map { ($0.state, RegionList(pages: pages.compactMap(\.page))) }
    }

    /// A version's state and its readable rendering, if it has one.
    package static func outline(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> (state: VersionState, outline: ContentOutline?)? {
        try await database.first(
            """
            SELECT v.state, s.outline
            FROM templates AS t
            JOIN versions AS v ON \(fragment: version.condition)
            JOIN submissions AS s ON s.id = v.submission_id
            WHERE \(fragment: key.condition)
            """
        ) { row in
            (state: try row.get(0), outline: try row.get(1, as: PostgresJSON<ContentOutline>?.self)?.value)
        }
    }

    /// The kind of a template whose version has no pages.
    static func kindWithoutPages(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> TemplateKind? {
        try await database.first(
            """
            SELECT t.kind
            FROM templates AS t
            JOIN versions AS v ON \(fragment: version.condition)
            WHERE \(fragment: key.condition) AND v.page_count = 0 AND v.state <> 'taken_down'
            """
        ) { try $0.get(0) }
    }

    /// The picture of a page that is nearest to `width` from above, or the widest.
    package struct Preview: Sendable {
        package var hash: ContentHash
        package var state: VersionState
    }

    package static func preview(
        page: Int, width: Int, _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> Preview? {
        try await database.first(
            """
            SELECT r.sha256, v.state
            FROM templates AS t
            JOIN versions AS v ON \(fragment: version.condition)
            JOIN previews AS r ON r.submission_id = v.submission_id AND r.page_index = \(page)
            WHERE \(fragment: key.condition)
            ORDER BY r.width >= \(width) DESC, abs(r.width - \(width))
            LIMIT 1
            """
        ) { row in Preview(hash: try row.get(0), state: try row.get(1)) }
    }

    /// A picture of a submission's page, and the uploader, who may see it besides moderators.
    package static func preview(
        page: Int, width: Int, submission: SubmissionID, _ database: some PostgresExecutor
    ) async throws -> (hash: ContentHash, uploader: UserID)? {
        try await database.first(
            """
            SELECT r.sha256, s.uploader_id
            FROM submissions AS s
            JOIN previews AS r ON r.submission_id = s.id AND r.page_index = \(page)
            WHERE s.id = \(submission)
            ORDER BY r.width >= \(width) DESC, abs(r.width - \(width))
            LIMIT 1
            """
        ) { row in (hash: try row.get(0), uploader: try row.get(1)) }
    }
}

extension VersionDetail {
    /// Reads the columns `number, state, changelog, artifact_sha256, file_name, size_bytes, page_count, published_at,
    /// state_reason, indexes, widths, heights, fields, regions, withdrawn_by, channel, minimum_client_version, sharp`
    /// from `column` on.
    package init(_ row: PostgresRow, at column: Int, template: TemplateID) throws {
        let version: SemanticVersion = try row.get(column)
        let state: VersionState = try row.get(column + 1)
        let (key, number) = (template.description, version.description)
        self.init(
            version: version, state: state, changelog: try row.get(column + 2), sha256: try row.get(column + 3),
            sizeBytes: try row.get(column + 5), fileName: try row.get(column + 4), pageCount: try row.get(column + 6),
            pages: try Self.pages(row, at: column + 9, template: key, number: number),
            downloadURL: Paths.download(key, number), publishedAt: try row.get(column + 7),
            yankReason: state == .published ? nil : try row.get(column + 8),
            yankedBy: state == .yanked ? try row.get(column + 14, as: Withdrawer?.self) ?? .author : nil,
            channel: try row.get(column + 15), minimumClientVersion: try row.get(column + 16))
    }

    private static func pages(
        _ row: PostgresRow, at column: Int, template: String, number: String
    ) throws -> [PageSummary] {
        guard let indexes = try row.get(column, as: [Int]?.self) else { return [] }
        let (widths, heights): ([Double], [Double]) = (try row.get(column + 1), try row.get(column + 2))
        let fields: [Int] = try row.get(column + 3)
        let regions: [Int] = try row.get(column + 4)
        let sharp: [Int] = try row.get(column + 8)
        // One aggregate made all six, so they are of one length.
        return indexes.indices.map { place in
            PageSummary(
                index: indexes[place], width: widths[place], height: heights[place], formFields: fields[place],
                regionCount: regions[place], previewURL: Paths.preview(template, number, page: indexes[place]),
                previewWidth: sharp[place] > 0 ? sharp[place] : nil)
        }.sorted { $0.index < $1.index }
    }
}

extension Deprecation {
    /// Reads the columns `deprecation_message, deprecated_at` and the successor's `id, slug, name`; `nil` when the
    /// template is not deprecated.
    package init?(_ row: PostgresRow, at column: Int) throws {
        guard let message = try row.get(column, as: String?.self),
            let since = try row.get(column + 1, as: Date?.self)
        else { return nil }
        self.init(message: message, since: since)
        if let id = try row.get(column + 2, as: TemplateID?.self) {
            successor = Successor(id: id, slug: try row.get(column + 3), name: try row.get(column + 4))
        }
    }
}

extension VersionStore {
    /// The regions that the inspection proposed, of pages where somebody corrected them.
    static func proposedRegions(
        _ version: VersionKey, of template: TemplateID, _ database: some PostgresExecutor
    ) async throws -> RegionList {
        RegionList(
            pages: try await database.all(
                """
                SELECT s.page_index, s.proposed_regions
                FROM templates AS t
                JOIN versions AS v ON \(fragment: version.condition)
                JOIN submission_pages AS s ON s.submission_id = v.submission_id AND s.proposed_regions IS NOT NULL
                WHERE t.id = \(template)
                ORDER BY s.page_index
                """
            ) { row in
                RegionList.Page(
                    index: try row.get(0), regions: try row.get(1, as: PostgresJSON<[ZoomRegion]>.self).value)
            })
    }
}
