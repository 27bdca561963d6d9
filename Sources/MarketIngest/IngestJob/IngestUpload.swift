// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import MarketAccounts
import MarketCatalog
import MarketPlatform
import MarketWire
import Moderation
import NIOCore
import Postgres
import SheetCore
import TemplateIngest

/// Has a submission's file inspected and brings the submission before a moderator, or refuses it.
///
/// Nothing of an inspection is visible before its one transaction at the end, which commits only while the lease holds.
/// Pictures are stored before that, under their hashes; the next run uses those of a lost one, or they are removed.
package struct IngestUpload: JobHandler {
    package let kind = JobKind.ingestUpload
    private let ingest: IngestDependencies
    private let inspection: InspectionDependencies
    private let presets: PresetFolder
    private let progressInterval: Duration

    /// Inspects with `inspection`; sheets that look like those of `presets` get their zoom regions.
    package init(
        ingest: IngestDependencies, inspection: InspectionDependencies, presets: PresetFolder = PresetFolder(),
        progressInterval: Duration = .milliseconds(250)
    ) {
        self.ingest = ingest
        self.presets = presets
        self.inspection = inspection
        self.progressInterval = progressInterval
    }

    package func run(_ lease: JobLease) async throws -> String {
        let id = SubmissionID(rawValue: lease.subject)
        guard let subject = try await traced("ingest begin", { try await begin(id, lease) }) else {
            try await JobQueue.complete(lease, in: ingest.database)
            return "skipped"
        }
        let outcome = try await inspect(subject)
        let facts =
            outcome.isRefused
            ? nil : try await traced("ingest facts") { try await ingest.review.facts(of: subject, outcome) }
        let route = try await traced("ingest commit") {
            try await ingest.database.withTransaction { connection in
                try await commit(outcome, facts, of: subject, lease, in: connection)
            }
        }
        guard let route else { return "rejected" }
        if route == .moderator { return "awaiting_review" }
        ingest.catalog.catalogChanged()
        return "published"
    }

    /// Inspects the file, and its clean copy where that helps, and looks whether it is published already.
    private func inspect(_ subject: InspectionSubject) async throws -> InspectionOutcome {
        let inspection = self.inspection
        let pictures = PreviewStream(storage: ingest.storage)
        let observer = observer(of: subject.id, pictures, of: "")
        let examined = try await traced("ingest examine") {
            try await ingest.storage.withLocalFile(subject.sha256) { location in
                try await inspection.examine(
                    .init(location: location, sha256: subject.sha256, name: subject.fileName), observer)
            }
        }
        let imported = try await traced("ingest store artifact") {
            try await ImportedFile(examined, of: subject, storage: ingest.storage)
        }
        let cleaning = SubmissionCleaning(platform: ingest.platform, inspection: inspection) { pictures in
            self.observer(of: subject.id, pictures, of: " of the clean copy")
        }
        let stored = await pictures.stored
        var outcome = try await traced("ingest clean") {
            try await cleaning.clean(
                InspectionOutcome(report: examined.report, pictures: stored, imported: imported))
        }
        try await traced("ingest find twins") { try await outcome.findTwins(subject, in: ingest.database) }
        outcome.report.findings += try await imported.findings(in: ingest.database)
        try await traced("ingest place regions") {
            try await outcome.applyCorrections(of: subject.templateID, in: ingest.database)
            try await outcome.applyPresets(presets, to: subject.templateID, in: ingest.database)
            try await outcome.applyOtherCorrections(besides: subject.templateID, in: ingest.database)
        }
        try await traced("ingest compare") { try await outcome.compare(with: subject, in: ingest.database) }
        return outcome
    }

    private func observer(of id: SubmissionID, _ pictures: PreviewStream, of what: String) -> ImportObserver {
        let progress = InspectionProgress(id: id, database: ingest.database, interval: progressInterval, of: what)
        return ImportObserver(
            onProgress: { news in try await progress.report(news) },
            onPreview: { picture in
                try await pictures.take(picture)
                try await progress.drew(picture)
            },
            onImport: { news in try await progress.imported(news) })
    }

    /// The submission ends with a finding that its uploader can act on.
    package func deadLetter(_ lease: JobLease, in connection: PostgresConnection) async throws {
        let id = SubmissionID(rawValue: lease.subject)
        guard let state = try await SubmissionStore.lock(id, in: connection),
            // One that has moved on meanwhile is not ours to end.
            let next = try? state.after(.inspectionGaveUp)
        else { return }
        let finding = Finding(
            .readerFailed, .blocker,
            message:
                "We could not inspect this file, by a fault on our side. Upload it again; if that fails too, tell the operator."
        )
        try await SubmissionStore.update(id, to: next, progress: 1, step: "inspection failed", in: connection)
        try await IngestStore.setFindings([finding], pageCount: nil, of: id, in: connection)
    }

    /// Moves the submission to `inspecting`; `nil` when it is no longer waiting for that.
    private func begin(_ id: SubmissionID, _ lease: JobLease) async throws -> InspectionSubject? {
        try await ingest.database.withTransaction { connection in
            guard let state = try await SubmissionStore.lock(id, in: connection),
                // Withdrawn, or inspected by a worker that we had given up.
                let next = try? state.after(.inspectionBegan)
            else { return nil }
            try await SubmissionStore.update(id, to: next, progress: 0.02, step: "reading the file", in: connection)
            return try await IngestStore.fetch(id, in: connection)
        }
    }

    /// Gives where a submission that was not refused goes.
    private func commit(
        _ outcome: InspectionOutcome, _ facts: RiskFacts?, of subject: InspectionSubject, _ lease: JobLease,
        in connection: PostgresConnection
    ) async throws -> SubmissionRoute? {
        let id = subject.id
        // First the job's row: whoever cancels or takes over waits for us, or we lose here.
        try await JobQueue.complete(lease, in: connection)
        guard let state = try await SubmissionStore.lock(id, in: connection) else { throw LeaseLost() }
        let next = try state.after(outcome.isRefused ? .inspectionRefused : .inspectionPassed)
        try await IngestStore.insertPages(
            outcome.report.pages, proposals: outcome.proposals, corrected: outcome.correctedPages, of: id,
            in: connection)
        try await ComparisonStore.insertLayouts(outcome.report.pages, of: id, in: connection)
        try await ComparisonStore.setChanges(outcome.changes, of: id, in: connection)
        try await StorageGarbageCollection.blockGarbageCollection(in: connection)
        try await IngestStore.insertPictures(outcome.pictures, of: id, in: connection)
        try await IngestStore.setImport(outcome.imported, of: id, in: connection)
        if let preset = outcome.imported.preset {
            try await PageSimilarityStore.insertPreset(preset, of: id, in: connection)
        }
        if let copy = outcome.copy { try await IngestStore.replaceArtifact(of: id, by: copy, in: connection) }
        try await IngestStore.setFindings(
            outcome.report.findings, pageCount: outcome.report.pageCount, of: id, in: connection)
        try await SubmissionStore.update(
            id, to: next, progress: 1, step: outcome.isRefused ? "refused" : "waiting for a moderator", in: connection)
        if outcome.wantsDifferences {
            try await JobQueue.enqueue(
                .renderDifferences, subject: id.rawValue, maximumAttempts: RenderDifferences.attempts, in: connection)
        }
        guard outcome.isRefused else {
            return try await ingest.review.route(subject, facts, in: connection)
        }
        try await DecisionEmail.enqueueRefusal(
            of: id, because: outcome.report.findings, in: connection)
        let codes = Set(outcome.report.findings.filter { $0.severity == .blocker }.map(\.code.rawValue)).sorted()
        try await AuditLog.append(
            connection, actor: .system, action: "submission.refused", subject: "submission:\(id)",
            details: ["findings": codes.joined(separator: " ")], at: ingest.now())
        return nil
    }
}

/// Tells the uploader how far an inspection is, not more often than can be read.
actor InspectionProgress {
    private let id: SubmissionID
    private let database: PostgresClient
    private let interval: Duration
    private let what: String
    private var lastWrite: ContinuousClock.Instant?
    private var pageCount = 1

    /// `what` says which file's pages are told of, after the number.
    init(id: SubmissionID, database: PostgresClient, interval: Duration, of what: String = "") {
        self.what = what
        self.id = id
        self.database = database
        self.interval = interval
    }

    func report(_ news: ReadingProgress) async throws {
        pageCount = max(1, news.pageCount)
        try await write(0.4, news.stage == .reading ? "reading" : "drawing", pagesDone: news.pagesDone)
    }

    /// The first tenth of the way belongs to the importer.
    func imported(_ news: ImportLine.Progress) async throws {
        try await write(fraction: 0.02 + 0.08 * news.fraction, news.step ?? "importing the file")
    }

    func drew(_ picture: PagePreview) async throws {
        pageCount = max(pageCount, picture.page + 1)
        try await write(0.4 + 0.55, "drawing", pagesDone: picture.page + 1, from: 0.4)
    }

    private func write(_ end: Double, _ verb: String, pagesDone: Int, from begin: Double = 0.02) async throws {
        let done = min(1, Double(pagesDone) / Double(pageCount))
        try await write(
            fraction: begin + (end - begin) * done,
            "\(verb) page \(min(pagesDone, pageCount)) of \(pageCount)\(what)")
    }

    private func write(fraction: Double, _ step: String) async throws {
        guard lastWrite.map({ $0.duration(to: .now) >= interval }) ?? true else { return }
        lastWrite = .now
        try await database.execute(
            """
            UPDATE submissions SET progress = greatest(progress, \(fraction)::real), step = \(step + what),
                updated_at = clock_timestamp()
            WHERE id = \(id) AND state = 'inspecting'
            """)
    }
}

extension InspectionOutcome {
    /// Says what changed since the version that those have whom this one will be offered to.
    package mutating func compare(with subject: InspectionSubject, in database: some PostgresExecutor) async throws {
        guard !isRefused, !report.pages.isEmpty else { return }
        let channel = subject.metadata.channel.flatMap { ReleaseChannel(rawValue: $0) } ?? .stable
        guard let offered = try await ComparisonStore.offered(by: subject.templateID, on: channel, in: database)
        else { return }
        changes = VersionComparison(from: offered.pages, to: report.pages.map { ComparedPage($0) })
            .changes(since: offered.version)
    }
}

extension InspectionOutcome {
    /// Finds what is published with the same bytes, and pages that look like somebody else's or like one that was taken
    /// down. An uploader of identical bytes is not told about each page.
    mutating func findTwins(_ subject: InspectionSubject, in database: some PostgresExecutor) async throws {
        let hashes = [imported.hash] + (copy.map { [$0.object.hash] } ?? [])
        let same = try await IngestStore.duplicates(of: hashes, for: subject.templateID, in: database)
        report.findings += same.map(\.finding)
        guard !isRefused else { return }
        let pages = report.pages.compactMap { page in
            page.signature.map {
                PageSimilarityStore.Wanted(index: page.index, signature: $0, characters: page.textCharacters)
            }
        }
        for range in [
            PageSimilarityStore.Range.takenDown, .offered(besides: subject.templateID, ownedBy: subject.uploader),
        ] {
            alike += try await PageSimilarityStore.nearDuplicates(pages, to: range, in: database)
        }
        if same.isEmpty { report.findings += SimilarPage.findings(on: alike) }
    }
}
