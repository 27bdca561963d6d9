// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Postgres
import SheetCore

extension ReaderReport.Page {
    /// What it looks like.
    package var look: Fingerprint? { lookHash.flatMap { Fingerprint($0) } }

    /// What it says.
    package var words: Fingerprint? { textHash.flatMap { Fingerprint($0) } }

    /// By what it is known again; `nil` where the reader could not tell.
    package var signature: PageSignature? {
        look.map { PageSignature(width: width, height: height, look: $0, text: words) }
    }
}

/// SQL of pages that look alike. What "alike" means is `PageSignature`'s; the index narrows the search to pages of
/// which one quarter of the fingerprint differs in at most one bit: all whose looks differ in up to 7 bits, and 19 in
/// 20 of those that differ in 8.
package enum PageSimilarityStore {
    /// The wanted pages as rows `wanted (place, width, height, look, words, probes)`.
    private static func wanted(_ pages: [(index: Int, signature: PageSignature)]) -> PostgresQuery {
        """
        (
            SELECT place, width, height, look::bit(64) AS look, words::bit(64) AS words,
                perceptual_hash_probes(look::bit(64)) AS probes
            FROM unnest(
                \(pages.map { Int32(clamping: $0.index) })::integer[], \(pages.map(\.signature.width))::float8[],
                \(pages.map(\.signature.height))::float8[], \(pages.map(\.signature.look))::bigint[],
                \(pages.map(\.signature.text))::bigint[]) AS page (place, width, height, look, words)
            OFFSET 0
        ) AS wanted
        """
    }

    /// The condition that page `p` is the same as page `wanted`, as `PageSignature.isSamePage` has it.
    private static let isSamePage: PostgresQuery = """
        p.perceptual_hash IS NOT NULL AND perceptual_hash_bands(p.perceptual_hash) && wanted.probes
            AND bit_count(p.perceptual_hash # wanted.look) <= \(PageSignature.lookDistance)
            AND abs(p.width - wanted.width) <= \(PageSignature.sizeTolerance)
            AND abs(p.height - wanted.height) <= \(PageSignature.sizeTolerance)
            AND (p.text_hash IS NULL AND wanted.words IS NULL
                    AND bit_count(p.perceptual_hash # wanted.look) <= \(PageSignature.silentLookDistance)
                OR bit_count(p.text_hash # wanted.words) <= \(PageSignature.textDistance))
        """

    /// The nearest first.
    private static let distance: PostgresQuery =
        "bit_count(p.perceptual_hash # wanted.look), bit_count(p.text_hash # wanted.words)"

    /// Which sheets pages are compared with.
    package enum Range: Sendable {
        /// Somebody else's on offer: not of the template, and not of this person.
        case offered(besides: TemplateID, ownedBy: UserID)
        /// All that were taken down.
        case takenDown

        fileprivate var condition: PostgresQuery {
            switch self {
            case .offered(let template, let owner):
                """
                versions.state = 'published' AND templates.id <> \(template) AND templates.owner_id <> \(owner)
                    AND NOT EXISTS (SELECT FROM template_authors AS a WHERE a.template_id = templates.id AND a.user_id = \(owner))
                """
            case .takenDown: "versions.state = 'taken_down'"
            }
        }
    }

    /// A page to look for near-duplicates of.
    package struct Wanted: Sendable {
        package var index: Int
        package var signature: PageSignature
        package var characters: Int
    }

    /// The condition that page `p` is a near-duplicate of page `wanted`, as `PageSignature.isNearDuplicate` has it.
    private static let isNearDuplicate: PostgresQuery = """
        p.perceptual_hash IS NOT NULL
            AND (perceptual_hash_bands(p.perceptual_hash) && wanted.probes
                OR p.text_hash IS NOT NULL AND perceptual_hash_bands(p.text_hash) && wanted.text_probes)
            AND p.perceptual_hash <> 0::bit(64) AND wanted.look <> 0::bit(64)
            AND CASE
                WHEN p.text_hash IS NOT NULL AND wanted.words IS NOT NULL THEN
                    (bit_count(p.perceptual_hash # wanted.look) <= \(PageSignature.lookDistance)
                        OR bit_count(p.text_hash # wanted.words) <= \(PageSignature.sameTextDistance)
                            AND least(p.text_characters, wanted.characters) >= \(PageSignature.leastCharacters))
                    AND bit_count(p.perceptual_hash # wanted.look) + bit_count(p.text_hash # wanted.words)
                        <= \(PageSignature.togetherDistance)
                    AND abs(p.width * wanted.height - wanted.width * p.height)
                        <= \(PageSignature.proportionTolerance) * wanted.width * p.height
                ELSE
                    bit_count(p.perceptual_hash # wanted.look) <= CASE
                        WHEN p.text_hash IS NULL AND wanted.words IS NULL THEN \(PageSignature.silentNearLookDistance)
                        ELSE \(PageSignature.scanLookDistance) END
                    AND abs(p.width * wanted.height - wanted.width * p.height)
                        <= \(PageSignature.silentProportionTolerance) * wanted.width * p.height
                END
        """

    private static func wantedNear(_ pages: [Wanted]) -> PostgresQuery {
        """
        (
            SELECT place, width, height, look::bit(64) AS look, words::bit(64) AS words, characters,
                perceptual_hash_probes(look::bit(64)) AS probes, perceptual_hash_probes(words::bit(64)) AS text_probes
            FROM unnest(
                \(pages.map { Int32(clamping: $0.index) })::integer[], \(pages.map(\.signature.width))::float8[],
                \(pages.map(\.signature.height))::float8[], \(pages.map(\.signature.look))::bigint[],
                \(pages.map(\.signature.text))::bigint[], \(pages.map { Int32(clamping: $0.characters) })::integer[])
                AS page (place, width, height, look, words, characters)
            OFFSET 0
        ) AS wanted
        """
    }

    static func similarityQuery(of pages: [Wanted], to range: Range) -> PostgresQuery {
        """
        SELECT wanted.place, near.* FROM \(fragment: wantedNear(pages))
        CROSS JOIN LATERAL (
            SELECT templates.id, templates.name, versions.number, versions.submission_id, p.page_index,
                versions.state = 'taken_down'
            FROM submission_pages AS p
            JOIN versions ON versions.submission_id = p.submission_id
            JOIN templates ON templates.id = versions.template_id
            WHERE (\(fragment: isNearDuplicate)) AND \(fragment: range.condition)
            ORDER BY \(fragment: distance), versions.published_at, p.page_index
            LIMIT 1
        ) AS near
        ORDER BY wanted.place
        """
    }

    /// For each page the nearest one of the range.
    package static func nearDuplicates(
        _ pages: [Wanted], to range: Range, in database: some PostgresExecutor
    ) async throws -> [SimilarPage] {
        let pages = pages.filter { !$0.signature.isEmpty }
        guard !pages.isEmpty else { return [] }
        return try await database.all(similarityQuery(of: pages, to: range)) { row in
            SimilarPage(
                page: try row.get(0), templateID: try row.get(1), templateName: try row.get(2),
                version: try row.get(3), submissionID: try row.get(4), otherPage: try row.get(5),
                isTakenDown: try row.get(6))
        }
    }

    /// A page of the version on offer whose zoom regions somebody corrected.
    package struct CorrectedPage: Sendable {
        package var index: Int
        /// Its narrowest picture, for versions from before there were fingerprints.
        package var picture: ContentHash?
        package var signature: PageSignature?
        package var regions: [ZoomRegion]
    }

    static func correctedPages(
        of template: TemplateID, in database: some PostgresExecutor
    ) async throws -> [CorrectedPage] {
        try await database.all(
            """
            SELECT DISTINCT ON (p.page_index) p.page_index, previews.sha256, p.width, p.height, p.perceptual_hash, p.text_hash,
                p.regions
            FROM templates
            JOIN versions ON versions.id = templates.latest_version_id
            JOIN submission_pages AS p ON p.submission_id = versions.submission_id
            LEFT JOIN previews ON previews.submission_id = p.submission_id AND previews.page_index = p.page_index
            WHERE templates.id = \(template) AND \(fragment: CorrectionStore.isCorrected)
            ORDER BY p.page_index, previews.width
            """
        ) { row in
            CorrectedPage(
                index: try row.get("page_index"), picture: try row.get("sha256"), signature: try signature(row),
                regions: try row.get("regions", as: PostgresJSON<[ZoomRegion]>.self).value)
        }
    }

    /// Reads the columns `width, height, perceptual_hash, text_hash`.
    package static func signature(_ row: PostgresRow) throws -> PageSignature? {
        guard let look = try row.get("perceptual_hash", as: Fingerprint?.self) else { return nil }
        return PageSignature(
            width: try row.get("width"), height: try row.get("height"), look: look, text: try row.get("text_hash"))
    }

    /// For each page of a template's that looks like one of another sheet on offer which has regions that somebody corrected:
    /// the nearest such. That somebody wanted none tells nothing of what others want.
    static func otherCorrections(
        for pages: [(index: Int, signature: PageSignature)], of template: TemplateID,
        in database: some PostgresExecutor
    ) async throws -> [PresetMatch] {
        try await nearest(
            to: pages, of: template, from: "submission_pages",
            where: "templates.id <> \(template) AND \(fragment: CorrectionStore.hasCorrected)", in: database
        ).map { match in
            var match = match
            match.regions = match.regions.map(\.asPreset)
            return match
        }
    }

    /// For each page the nearest one of what is on offer that looks the same; of equals one for the game of `template`,
    /// the oldest. `table` has the pages `p`.
    private static func nearest(
        to pages: [(index: Int, signature: PageSignature)], of template: TemplateID, from table: PostgresQuery,
        where condition: PostgresQuery = "true", in database: some PostgresExecutor
    ) async throws -> [PresetMatch] {
        let pages = pages.filter { !$0.signature.isEmpty }
        guard !pages.isEmpty else { return [] }
        return try await database.all(
            """
            SELECT wanted.place, near.* FROM \(fragment: wanted(pages))
            CROSS JOIN LATERAL (
                SELECT templates.name, versions.number, p.regions
                FROM \(fragment: table) AS p
                JOIN versions ON versions.submission_id = p.submission_id AND versions.state = 'published'
                JOIN templates ON templates.latest_version_id = versions.id
                WHERE (\(fragment: isSamePage)) AND \(fragment: condition)
                ORDER BY \(fragment: distance),
                    templates.game_system <> (SELECT own.game_system FROM templates AS own WHERE own.id = \(template)),
                    versions.published_at, versions.id, p.page_index
                LIMIT 1
            ) AS near
            ORDER BY wanted.place
            """
        ) { row in
            PresetMatch(
                page: try row.get(0), presetName: try row.get(1),
                presetVersion: try row.get(2, as: SemanticVersion.self).description,
                regions: try row.get(3, as: PostgresJSON<[ZoomRegion]>.self).value)
        }
    }

    // MARK: - Presets

    /// Enters by what the pages of a preset are known, and what pages like them get.
    static func insertPreset(
        _ preset: RegionPreset, of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        let encoder = JSONEncoder()
        let pages = try (preset.pages ?? []).compactMap { page in
            try page.signature.map { signature in
                let regions = preset.regions(of: page, at: page.pageIndex)
                return (page.pageIndex, signature, String(decoding: try encoder.encode(regions), as: UTF8.self))
            }
        }
        try await connection.execute(
            """
            INSERT INTO preset_pages (submission_id, page_index, width, height, perceptual_hash, text_hash, regions)
            SELECT \(id), page_index, width, height, look::bit(64), words::bit(64), regions::jsonb
            FROM unnest(
                \(pages.map { Int32(clamping: $0.0) })::integer[], \(pages.map(\.1.width))::float8[],
                \(pages.map(\.1.height))::float8[], \(pages.map(\.1.look))::bigint[], \(pages.map(\.1.text))::bigint[],
                \(pages.map(\.2))::text[]) AS page (page_index, width, height, look, words, regions)
            """)
    }

    /// For each page of a template's that looks like one of a preset on offer: the nearest such.
    package static func presets(
        for pages: [(index: Int, signature: PageSignature)], of template: TemplateID,
        in database: some PostgresExecutor
    ) async throws -> [PresetMatch] {
        try await nearest(to: pages, of: template, from: "preset_pages", in: database)
    }
}
