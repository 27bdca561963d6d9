// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore

/// Takes uploads in: bytes into storage first, then one transaction that enters the submission and its job.
/// The API, the web pages' form and the seeder of examples all come through here.
package struct UploadService: Sendable {
    /// What an upload is to become.
    package enum Target: Sendable, Equatable {
        /// A template that was not there before.
        case newTemplate
        /// A version of the template of this id or slug.
        case newVersion(String)
    }

    package let ingest: IngestDependencies

    package init(ingest: IngestDependencies) {
        self.ingest = ingest
    }

    /// Takes a whole upload in. Throws `UploadError` or `CatalogError`; then nothing of it remains.
    package func submit<Bytes: AsyncSequence>(
        uploader: UserID, target: Target, metadata: UploadMetadata, fileName: String, bytes: Bytes
    ) async throws -> SubmissionStatus where Bytes.Element == ByteBuffer {
        let baseTemplate = try await open(target, for: uploader)
        let draft = try await draft(of: metadata, baseTemplate: baseTemplate)
        let stream = try await beginFile()
        await stream.call(fileName, wanted: ingest.importableSuffixes)
        do {
            for try await piece in bytes { try await stream.write(piece) }
            return try await register(
                draft, baseTemplate: baseTemplate, from: UploadSender(inTheNameOf: uploader), file: stream,
                fileName: fileName.cleanedFileName(keeping: ingest.importableSuffixes))
        } catch {
            await stream.abandon()
            throw error
        }
    }

    // MARK: - Steps, for callers that get metadata and file in any order

    /// Begins to take a file.
    func beginFile() async throws -> UploadStream {
        do {
            return try await UploadStream.begin(ingest.storage, limit: ingest.limits.uploadBytes)
        } catch StorageError.full {
            throw UploadError.storageFull
        }
    }

    /// What the upload builds on: `nil` for a new template. Throws `CatalogError`: not found for a template that the
    /// uploader cannot see, forbidden for another's.
    package func open(_ target: Target, for uploader: UserID) async throws -> BaseTemplate? {
        guard case .newVersion(let key) = target else { return nil }
        guard let baseTemplate = try await UploadStore.fetchBaseTemplate(key, for: uploader, in: ingest.database),
            baseTemplate.isListed || baseTemplate.part != nil
        else { throw CatalogError.notFound("This template") }
        try TemplatePermissions(author: baseTemplate.part, role: .user).require(.uploadVersion)
        if let code = baseTemplate.takedownCode {
            throw CatalogError.takenDown(reason: baseTemplate.takedownMessage, code: code)
        }
        return baseTemplate
    }

    /// What the next version of a template may be called.
    package func nextVersions(of base: BaseTemplate) async throws -> NextVersions {
        NextVersions(after: try await UploadStore.numbers(of: base.id, in: ingest.database))
    }

    /// Checks the metadata as a whole and the version's number.
    package func draft(of metadata: UploadMetadata, baseTemplate: BaseTemplate?) async throws -> UploadDraft {
        let database = ingest.database
        let draft = try await DraftValidator.draft(
            of: metadata, baseTemplate: baseTemplate?.metadata, names: PresentNames(database))
        if let baseTemplate, !TemplatePermissions(author: baseTemplate.part, role: .user).may(.edit) {
            try Self.requireUnchangedEntry(draft, baseTemplate)
        }
        if let baseTemplate, try await UploadStore.isTaken(draft.version, of: baseTemplate.id, in: database) {
            throw UploadError.versionExists(draft.version)
        }
        return draft
    }

    /// Throws when a version would change what the entry says.
    private static func requireUnchangedEntry(_ draft: UploadDraft, _ baseTemplate: BaseTemplate) throws {
        let (new, old) = (draft.metadata, baseTemplate.metadata)
        let changed: [(pointer: String, isChanged: Bool)] = [
            ("/name", new.name != old.name), ("/summary", new.summary != old.summary),
            ("/description", new.description != old.description), ("/gameSystem", new.gameSystem != old.gameSystem),
            ("/tags", new.tags != old.tags), ("/license", new.license != old.license),
            ("/language", new.language != old.language),
        ]
        let validationErrors = changed.filter(\.isChanged).map {
            ProblemDocument.Detail(pointer: $0.pointer, detail: "Leave this out, or as it is.")
        }
        guard !validationErrors.isEmpty else { return }
        throw UploadError.changesEntry(validationErrors)
    }

    /// Makes the file durable and enters the submission with its job, all or nothing.
    package func register(
        _ draft: UploadDraft, baseTemplate: BaseTemplate?, from sender: UploadSender, file: UploadStream,
        fileName: String
    ) async throws -> SubmissionStatus {
        let now = ingest.now()
        let new = NewSubmission(
            id: .make(at: now), templateID: baseTemplate?.id ?? .make(at: now), uploaderID: sender.user, draft: draft,
            fileName: fileName, object: try await file.finish(), mediaType: await file.mediaType)
        do {
            try await ingest.database.withTransaction { connection in
                try await enter(new, isNewTemplate: baseTemplate == nil, in: connection)
                try await note(new, from: sender, in: connection)
            }
        } catch let error as PostgresError {
            throw Self.refusal(error, draft) ?? error
        }
        guard let record = try await SubmissionStore.fetch(new.id, in: ingest.database) else {
            throw SubmissionError.notFound
        }
        return record.status
    }

    private func enter(
        _ new: NewSubmission, isNewTemplate: Bool, in connection: PostgresConnection
    ) async throws {
        // Bytes that no row names yet may be what garbage collection is about to remove: it waits for us, or we see
        // that they are gone. The one look at storage inside a transaction, since it is what the lock protects.
        try await StorageGarbageCollection.blockGarbageCollection(in: connection)
        guard try await ingest.storage.size(of: new.object.hash) != nil else {
            throw UploadError.fileRemoved
        }
        try await ArtifactStore.insert(new.object, mediaType: new.mediaType, in: connection)
        if isNewTemplate { try await insertTemplate(new, in: connection) }
        guard try await UploadStore.insertSubmission(new, in: connection) else {
            throw UploadError.versionExists(new.draft.version)
        }
        try await JobQueue.enqueue(.ingestUpload, subject: new.id.rawValue, at: ingest.now(), in: connection)
    }

    /// Enters the upload in the audit log; last, since writers of the log wait for each other from here to their
    /// commits.
    private func note(
        _ new: NewSubmission, from sender: UploadSender, in connection: PostgresConnection
    ) async throws {
        var actor = sender.actor
        if actor == nil { actor = try await AccountStore.user(id: sender.user, in: connection).map { AuditActor($0) } }
        guard let actor else { return }
        try await AuditLog.append(
            connection, actor: actor, action: "submission.received", subject: "submission:\(new.id)",
            details: ["template": "\(new.templateID)", "version": new.draft.version.description],
            requestID: sender.requestID, at: ingest.now())
    }

    /// Enters the template under the slug of its name, numbered when that is another's.
    private func insertTemplate(_ new: NewSubmission, in connection: PostgresConnection) async throws {
        for attempt in 1...30 {
            let slug = TemplateSlug.candidate(for: new.draft.name, attempt: attempt)
            let isOurs = try await TemplateStore.insert(
                new.templateID, slug: slug, owner: new.uploaderID, draft: new.draft, in: connection)
            if isOurs { return }
        }
        throw UploadError.nameUsedTooOften
    }

    /// What a violated constraint means to the uploader.
    private static func refusal(_ error: PostgresError, _ draft: UploadDraft) -> (any Error)? {
        if error.isUniqueViolation(constraint: "submissions_version_key") {
            return UploadError.versionExists(draft.version)
        }
        if error.isUniqueViolation(constraint: "templates_slug_key") {
            return UploadError.slugTakenMeanwhile
        }
        if error.isForeignKeyViolation(constraint: "templates_game_system_fkey") {
            return CatalogError.invalidMetadata([
                MetadataValidationError(
                    pointer: "/gameSystem", detail: "This game system was just removed.", code: .unknownGameSystem)
            ])
        }
        return nil
    }
}

/// Who sends an upload, and with which call.
package struct UploadSender: Sendable {
    /// Whose upload it is.
    package let user: UserID
    /// The caller as the audit log names them; `nil` where the service itself uploads in somebody's name.
    package let actor: AuditActor?
    /// The call's.
    package let requestID: String?

    /// A caller of the API, or of the pages.
    package init(_ identity: Identity, requestID: String) {
        user = identity.userID
        actor = AuditActor(identity)
        self.requestID = requestID
    }

    /// Somebody in whose name the service itself uploads.
    package init(inTheNameOf user: UserID) {
        self.user = user
        actor = nil
        requestID = nil
    }
}

/// How templates get their slugs.
enum TemplateSlug {
    /// The slug of `name`; from the second attempt with `-2`, `-3`, … and, when many share the name, with random
    /// letters.
    static func candidate(for name: String, attempt: Int) -> Slug {
        var base = Slug(slugging: name)?.text ?? "sheet"
        // What looks like an id would never be found as a slug.
        if TemplateID(base) != nil { base = "sheet-\(base)" }
        let suffix =
            switch attempt {
            case 1: ""
            case 2...20: "-\(attempt)"
            default: "-" + String(UInt32.random(in: (1 << 24) ... .max), radix: 36)
            }
        var made = base.prefix(Slug.maximumLength - suffix.utf8.count)
        while made.hasSuffix("-") { made.removeLast() }
        return Slug(made + suffix) ?? Slug(slugging: "sheet\(suffix)") ?? candidate(for: "sheet", attempt: attempt)
    }
}
