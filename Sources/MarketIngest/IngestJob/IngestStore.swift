// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// The same bytes, published before.
struct PublishedDuplicate: Sendable, Equatable {
    var isSameTemplate: Bool
    var templateName: String
    var version: SemanticVersion

    /// What the uploader and the moderator are told.
    var finding: Finding {
        isSameTemplate
            ? Finding(
                .duplicate, .blocker,
                message:
                    "This is the file of version \(version), unchanged. Upload a changed file, or keep that version.")
            : Finding(
                .duplicate, .warning,
                message: "The same file is published as version \(version) of '\(templateName)'.")
    }
}

/// What an inspection reads and writes.
package enum IngestStore {
    /// What is to be inspected.
    static func fetch(_ id: SubmissionID, in database: some PostgresExecutor) async throws -> InspectionSubject? {
        try await database.first(
            "SELECT template_id, uploader_id, artifact_sha256, file_name, metadata FROM submissions WHERE id = \(id)"
        ) { row in
            InspectionSubject(
                id: id, templateID: try row.get("template_id"), uploader: try row.get("uploader_id"),
                sha256: try row.get("artifact_sha256"), fileName: try row.get("file_name"),
                metadata: try row.get("metadata", as: PostgresJSON<UploadMetadata>.self).value)
        }
    }

    /// Versions that are on offer with the same bytes, or cleaned of the same: the template's own, or else one of
    /// another template's.
    static func duplicates(
        of hashes: [ContentHash], for template: TemplateID, in database: some PostgresExecutor
    ) async throws -> [PublishedDuplicate] {
        let hashes = hashes.map { Data($0.bytes) }
        return try await database.all(
            """
            SELECT versions.template_id = \(template) AS is_same, templates.name, versions.number
            FROM versions JOIN templates ON templates.id = versions.template_id
            WHERE versions.state = 'published' AND (
                versions.artifact_sha256 = ANY (\(hashes)::bytea[])
                OR versions.submission_id IN (
                    SELECT id FROM submissions WHERE original_sha256 = ANY (\(hashes)::bytea[])))
            ORDER BY is_same DESC, versions.published_at LIMIT 1
            """
        ) { row in
            PublishedDuplicate(
                isSameTemplate: try row.get("is_same"), templateName: try row.get("name"),
                version: try row.get("number"))
        }
    }

    /// Enters the pages; `corrected` are those whose regions somebody made, by their index.
    static func insertPages(
        _ pages: [ReaderReport.Page], proposals: [Int: [ZoomRegion]], corrected: Set<Int>, of id: SubmissionID,
        in connection: some PostgresExecutor
    ) async throws {
        let encoder = JSONEncoder()
        let proposed = try pages.map { page in
            try proposals[page.index].map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        }
        let regions = try pages.map { String(decoding: try encoder.encode($0.regions), as: UTF8.self) }
        try await connection.execute(
            """
            INSERT INTO submission_pages
                (submission_id, page_index, width, height, rotation, text_characters, form_fields, regions, page_text,
                perceptual_hash, text_hash, proposed_regions, is_corrected)
            SELECT \(id), page_index, width, height, rotation, text_characters, form_fields, regions::jsonb, page_text,
                look::bit(64), words::bit(64), proposed::jsonb, is_corrected
            FROM unnest(
                \(pages.map { Int32(clamping: $0.index) })::integer[], \(pages.map(\.width))::float8[],
                \(pages.map(\.height))::float8[], \(pages.map { Int32(clamping: $0.rotation) })::integer[],
                \(pages.map { Int32(clamping: $0.textCharacters) })::integer[],
                \(pages.map { Int32(clamping: $0.formFields) })::integer[],
                \(regions)::text[], \(pages.map { ($0.text ?? "").replacing("\0", with: "") })::text[],
                \(pages.map(\.look))::bigint[], \(pages.map(\.words))::bigint[], \(proposed)::text[],
                \(pages.map { corrected.contains($0.index) })::boolean[]
            ) AS page (page_index, width, height, rotation, text_characters, form_fields, regions, page_text, look, words,
                proposed, is_corrected)
            """)
    }

    /// Enters pictures that lie in storage.
    static func insertPictures(
        _ pictures: [StoredPreview], of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        let hashes = pictures.map { Data($0.object.hash.bytes) }
        try await ArtifactStore.insertPreviews(pictures.map(\.object), in: connection)
        try await connection.execute(
            """
            INSERT INTO previews (submission_id, page_index, width, height, sha256)
            SELECT \(id), picture.* FROM unnest(
                \(pictures.map { Int32(clamping: $0.page) })::integer[],
                \(pictures.map { Int32(clamping: $0.width) })::integer[],
                \(pictures.map { Int32(clamping: $0.height) })::integer[], \(hashes)::bytea[]) AS picture
            ON CONFLICT DO NOTHING
            """)
    }

    /// Puts the clean copy in the place of the file that was sent, which is kept.
    static func replaceArtifact(
        of id: SubmissionID, by copy: CleanedArtifact, in connection: some PostgresExecutor
    ) async throws {
        try await ArtifactStore.insert(copy.object, mediaType: "application/pdf", in: connection)
        try await connection.execute(
            """
            UPDATE submissions SET original_sha256 = artifact_sha256, original_size_bytes = size_bytes,
                artifact_sha256 = \(copy.object.hash), size_bytes = \(copy.object.sizeBytes),
                cleaning = \(PostgresJSON(copy.record))
            WHERE id = \(id)
            """)
    }

    /// Puts corrected zoom regions in the place of those of a submission's pages, as `ReplaceRegionsHook` says. What the
    /// inspection proposed is kept. All these pages are corrected, but those that have no region, before or after.
    package static func replaceRegions(
        of id: SubmissionID, with list: RegionList, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE submission_pages AS s SET regions = n.regions,
                proposed_regions = coalesce(s.proposed_regions, s.regions),
                is_corrected = s.is_corrected OR s.regions <> '[]' OR n.regions <> '[]'
            FROM jsonb_to_recordset(\(PostgresJSON(list.pages))) AS n (index integer, regions jsonb)
            WHERE s.submission_id = \(id) AND s.page_index = n.index
            """)
    }

    /// Enters what was seen.
    static func setFindings(
        _ findings: [Finding], pageCount: Int?, of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        try await connection.execute(
            """
            UPDATE submissions SET findings = \(PostgresJSON(findings)),
                page_count = \(pageCount.map { Int32(clamping: $0) })
            WHERE id = \(id)
            """)
    }

    /// What a template is, once it is on offer.
    static func publishedKind(
        of template: TemplateID, in database: some PostgresExecutor
    ) async throws -> TemplateKind? {
        try await database.first(
            "SELECT kind FROM templates WHERE id = \(template) AND latest_version_id IS NOT NULL"
        ) { try $0.get(0) }
    }

    /// Writes down what an importer made. The bytes of an upload that became something else are let go.
    static func setImport(
        _ file: ImportedFile, of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        guard !file.isPlain else { return }
        if let artifact = file.artifact {
            try await ArtifactStore.insert(artifact, mediaType: file.kind.mediaType, in: connection)
        }
        try await connection.execute(
            """
            UPDATE submissions SET kind = \(file.kind), outline = \(file.outline.map { PostgresJSON($0) }),
                metadata = \(PostgresJSON(file.metadata)), file_name = \(file.fileName),
                artifact_sha256 = \(file.hash), size_bytes = COALESCE(\(file.artifact?.sizeBytes), size_bytes),
                upload_sha256 = \(file.artifact == nil ? nil : file.subject.sha256)
            WHERE id = \(id)
            """)
        guard file.artifact != nil, file.hash != file.subject.sha256 else { return }
        try await ArtifactStore.deleteUnused(file.subject.sha256, in: connection)
    }
}

extension ImportedFile {
    /// What is wrong with its kind.
    package func findings(in database: some PostgresExecutor) async throws -> [Finding] {
        let published = try await IngestStore.publishedKind(of: subject.templateID, in: database)
        guard let published, published != kind else { return [] }
        return [
            Finding(
                .kindChanged, .blocker,
                message: "This template is a \(published.title.lowercased()), and the file is a "
                    + "\(kind.title.lowercased()). Upload it as a template of its own.")
        ]
    }
}
