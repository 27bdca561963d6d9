// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketWire
import NIOCore
import Postgres
import SheetCore
import SystemPackage
import TemplateIngest

/// What an importer made of an upload, its bytes in storage: what the submission is about from now on.
struct ImportedFile: Sendable {
    let subject: InspectionSubject
    let kind: TemplateKind
    let outline: ContentOutline?
    /// The artifact, when it is not the uploaded file itself.
    let artifact: StoredObject?
    let fileName: String
    /// The upload's metadata, with what it left open taken from the file.
    let metadata: UploadMetadata

    /// The artifact's hash.
    var hash: ContentHash { artifact?.hash ?? subject.sha256 }

    /// Stores the artifact, if there is a new one.
    init(_ inspection: Inspection, of subject: InspectionSubject, storage: any Storage) async throws {
        self.subject = subject
        kind = inspection.kind
        outline = inspection.outline
        artifact =
            if let made = inspection.artifact { try await Self.store(made, in: storage) } else { nil }
        fileName = Self.name(inspection.fileName ?? subject.fileName, for: inspection.kind)
        metadata = Self.filled(subject.metadata, from: inspection.metadata)
    }

    /// Whether there is anything to write down.
    var isPlain: Bool {
        kind == .sheet && artifact == nil && outline == nil && fileName == subject.fileName
            && metadata == subject.metadata
    }

    /// What is wrong with its kind.
    func findings(in database: some PostgresExecutor) async throws -> [Finding] {
        let published = try await IngestStore.publishedKind(of: subject.templateID, in: database)
        guard let published, published != kind else { return [] }
        return [
            Finding(
                .kindChanged, .blocker,
                message: "This template is a \(published.title.lowercased()), and the file is a "
                    + "\(kind.title.lowercased()). Upload it as a template of its own.")
        ]
    }

    private static func store(_ made: ArtifactFile, in storage: any Storage) async throws -> StoredObject {
        let file = try FileDescriptor.open(made.path, .readOnly, options: .closeOnExec)
        defer { try? file.close() }
        let writer = try await storage.makeWriter()
        do {
            while true {
                let piece = try [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                if piece.isEmpty { break }
                try await writer.write(ByteBuffer(bytes: piece))
            }
        } catch {
            await writer.abandon()
            throw error
        }
        return try await writer.finish()
    }

    /// With the suffix that its kind has; a sheet keeps the uploader's name.
    private static func name(_ name: String, for kind: TemplateKind) -> String {
        let name = name.cleanedFileName()
        let known = kind.hasPages ? ["pdf"] : [kind.fileSuffix, "json"]
        let suffix = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if known.contains(suffix) { return name }
        let stem = name.contains(".") ? name.split(separator: ".").dropLast().joined(separator: ".") : name
        return "\(stem.isEmpty ? "template" : stem).\(kind.fileSuffix)"
    }

    private static func filled(_ metadata: UploadMetadata, from file: DraftMetadata) -> UploadMetadata {
        var filled = metadata
        if filled.description ?? "" == "" { filled.description = file.description ?? filled.description }
        if (filled.tags ?? []).isEmpty { filled.tags = file.tags ?? filled.tags }
        if filled.changelog ?? "" == "" { filled.changelog = file.changelog ?? filled.changelog }
        return filled
    }
}

extension IngestStore {
    /// What a template is, once it is on offer.
    static func publishedKind(
        of template: TemplateID, in database: some PostgresExecutor
    ) async throws -> TemplateKind? {
        try await database.first(
            "SELECT kind FROM templates WHERE id = \(template) AND latest_version_id IS NOT NULL"
        ) { try $0.get(0) }
    }

    /// Writes down what an importer made. The bytes of an upload that became something else are let go: the sweeper
    /// takes what no row names.
    static func setImport(
        _ file: ImportedFile, of id: SubmissionID, in connection: some PostgresExecutor
    ) async throws {
        guard !file.isPlain else { return }
        if let artifact = file.artifact {
            try await UploadStore.insertArtifact(artifact, mediaType: file.kind.mediaType, in: connection)
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
        try await connection.execute(
            """
            DELETE FROM artifacts WHERE sha256 = \(file.subject.sha256)
                AND NOT EXISTS (SELECT FROM submissions
                    WHERE artifact_sha256 = \(file.subject.sha256) OR original_sha256 = \(file.subject.sha256))
                AND NOT EXISTS (SELECT FROM versions WHERE artifact_sha256 = \(file.subject.sha256))
                AND NOT EXISTS (SELECT FROM previews WHERE sha256 = \(file.subject.sha256))
            """)
    }

    /// A page of the version on offer whose zoom regions somebody corrected: its narrowest picture, and the regions.
    struct CorrectedPage: Sendable {
        var picture: ContentHash
        var regions: [ZoomRegion]
    }

    static func correctedPages(
        of template: TemplateID, in database: some PostgresExecutor
    ) async throws -> [CorrectedPage] {
        try await database.all(
            """
            SELECT DISTINCT ON (pages.page_index) previews.sha256, pages.regions
            FROM templates
            JOIN versions ON versions.id = templates.latest_version_id
            JOIN submission_pages AS pages ON pages.submission_id = versions.submission_id
            JOIN previews ON previews.submission_id = pages.submission_id AND previews.page_index = pages.page_index
            WHERE templates.id = \(template) AND pages.regions @> '[{"source": "corrected"}]'
            ORDER BY pages.page_index, previews.width
            """
        ) { row in
            CorrectedPage(
                picture: try row.get(0), regions: try row.get(1, as: PostgresJSON<[ZoomRegion]>.self).value)
        }
    }
}

extension InspectionOutcome {
    /// Gives pages that look just as they did in the version on offer the regions that somebody corrected there.
    mutating func keepCorrections(of template: TemplateID, in database: some PostgresExecutor) async throws {
        guard !report.pages.isEmpty else { return }
        keep(try await IngestStore.correctedPages(of: template, in: database))
    }

    mutating func keep(_ corrected: [IngestStore.CorrectedPage]) {
        guard !corrected.isEmpty else { return }
        var kept: [Int] = []
        for place in report.pages.indices {
            let index = report.pages[place].index
            let narrowest = pictures.filter { $0.page == index }.min { $0.width < $1.width }
            guard let narrowest, let page = corrected.first(where: { $0.picture == narrowest.object.hash }) else {
                continue
            }
            report.pages[place].regions = page.regions.map { region in
                ZoomRegion(
                    id: region.id, name: region.name, rect: region.rect, scale: region.scale, pageIndex: index,
                    confidence: region.confidence, source: region.source)
            }
            kept.append(index)
        }
        guard !kept.isEmpty else { return }
        // Ids are a version's own: detected regions make room for corrected ones.
        var ids = Set(report.pages.filter { kept.contains($0.index) }.flatMap { $0.regions.map(\.id) })
        for place in report.pages.indices where !kept.contains(report.pages[place].index) {
            report.pages[place].regions = report.pages[place].regions.filter { ids.insert($0.id).inserted }
        }
        let pages = kept.prefix(20).map { "\($0 + 1)" }.joined(separator: ", ")
        report.findings.append(
            Finding(
                .correctionKept, .info,
                message: "Corrected zoom regions were kept for pages that look the same as before: \(pages)."))
    }
}
