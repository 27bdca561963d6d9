// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import MarketWire
import Moderation
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketAccounts
@testable import MarketCatalog
@testable import MarketIngest
@testable import MarketPages
@testable import MarketPlatform
@testable import TemplateIngest

@Suite("Inspection of uploads")
struct JobsIngestTests {
    @Test("an accepted file comes before a moderator with its pages, pictures and findings")
    func accepted() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let (ada, http) = try await scene.person("ada")
            let submitted = try await scene.submit(by: ada)
            let finding = Finding(.noFormFields, .info, message: "No \"fields\" here.")
            try await scene.working([scene.ingestWorker(.twoPages(findings: [finding]))]) {
                let status = try await http.submission(submitted.id, reaches: [.awaitingReview, .rejected])
                #expect(status.state == .awaitingReview)
                #expect(status.progress == .init(fraction: 1, step: "waiting for a moderator"))
                #expect(status.findings == [finding])
                #expect(status.pageCount == 2)
                #expect(status.caseId != nil)
            }
            let pages = try await database.all("SELECT * FROM submission_pages ORDER BY page_index") { row in
                (
                    regions: try row.get("regions", as: PostgresJSON<[ZoomRegion]>.self).value,
                    text: try row.get("page_text", as: String.self), width: try row.get("width", as: Double.self)
                )
            }
            #expect(pages.count == 2)
            #expect(pages.first?.regions.map(\.name) == ["Skills"])
            #expect(pages.last?.regions == [])
            #expect(pages.first?.text == "Name and \"quotes\"")
            #expect(pages.first?.width == 595)
            let pictures = try await database.all("SELECT sha256 FROM previews ORDER BY page_index") { row in
                try row.get("sha256", as: ContentHash.self)
            }
            #expect(pictures.count == 2)
            #expect(try await scene.storedObjects() == Set(pictures + [submitted.sha256]))
            #expect(try await database.scalar("SELECT state FROM jobs", as: String.self) == "done")
        }
    }

    @Test("a refused file ends with its findings, its pages kept, and no case")
    func refused() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let submitted = try await scene.submit(by: ada)
            let finding = Finding(.launchAction, .blocker, page: 1, message: "It starts programs.", removable: true)
            try await scene.working([scene.ingestWorker(.twoPages(findings: [finding]))]) {
                let status = try await http.submission(submitted.id, reaches: [.awaitingReview, .rejected])
                #expect(status.state == .rejected)
                #expect(status.findings == [finding])
                #expect(status.caseId == nil)
            }
            #expect(try await scene.count("submission_pages") == 2)
            #expect(try await scene.count("cases") == 0)
            let log = try await AuditLog.entries(before: nil, limit: 9, in: scene.features.database)
            #expect(log.map(\.action) == ["submission.refused", "submission.received"])
            #expect(log.map(\.actor) == ["system", "ada"])
            #expect(log.allSatisfy { $0.subject == "submission:\(submitted.id)" })
            #expect(log.first?.details?.contains("launch") == true)
            let emails = try await Self.emails("submission_refused", scene.features)
            #expect(emails.count == 1, "\(emails)")
            let message = try #require(emails.first)
            #expect(message.contains("It starts programs.") && message.contains("/submissions/\(submitted.id)"))
        }
    }

    /// The e-mails of one kind to ada, as she gets them once her address is proved.
    static func emails(_ template: String, _ features: Features) async throws -> [String] {
        try await features.database.execute(
            "UPDATE users SET email = 'ada@example.org', email_verified_at = now() WHERE handle = 'ada'")
        try await features.database.execute("DELETE FROM mail_outbox WHERE template <> \(template)")
        let box = RecordingMailDelivery()
        try await EmailDispatcher(
            platform: features.platform, templates: try TestPages.emailTemplates.get(), delivery: box,
            sender: try #require(MailAddress("sheets@market.example")), site: "https://market.example"
        ).deliverDue()
        return box.emails.map { "\($0.recipient)\n\($0.subject)\n\($0.body)" }
    }

    @Test("the same file is refused for its own template, and remarked for another's")
    func duplicates() async throws {
        try await UploadsScene.run { scene in
            let (ada, http) = try await scene.person("ada")
            let first = try await scene.submit(by: ada)
            try await scene.working([scene.ingestWorker(.twoPages())]) {
                _ = try await http.submission(first.id, reaches: [.awaitingReview])
                try await scene.features.database.withTransaction { connection in
                    try await connection.execute(
                        """
                        INSERT INTO decisions (id, case_id, decision, reason_code, message)
                        SELECT gen_random_uuid(), id, 'approve', 'other', 'So it is.' FROM cases
                        WHERE submission_id = \(first.id)
                        """)
                    try await connection.execute("UPDATE submissions SET state = 'published' WHERE id = \(first.id)")
                    try await Publishing.publish(
                        connection, submission: first.id, template: first.templateId, at: scene.features.now())
                }
                let same = try await scene.submit(version: "1.0.1", target: .newVersion("night-shift"), by: ada)
                let other = try await scene.submit("Other name", by: ada)
                let refused = try await http.submission(same.id, reaches: [.awaitingReview, .rejected])
                #expect(refused.state == .rejected)
                #expect(refused.findings.map(\.code) == [.duplicate])
                #expect(refused.findings.first?.severity == .blocker)
                let remarked = try await http.submission(other.id, reaches: [.awaitingReview, .rejected])
                #expect(remarked.state == .awaitingReview)
                #expect(remarked.findings.first?.severity == .warning)
                #expect(remarked.findings.first?.message.contains("Night Shift") == true)
            }
        }
    }

    @Test("a worker that lost its lease commits nothing; the next one does the work")
    func lostLease() async throws {
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let (ada, http) = try await scene.person("ada")
            let submitted = try await scene.submit(by: ada)
            let queue = JobQueue(platform: scene.features.platform)
            let lease = try #require(try await queue.claim([.ingestUpload], count: 1, worker: "slow").first)
            // While the slow one inspects, its lease runs out and another worker does all of it.
            let slow = IngestUpload(
                ingest: scene.features.ingest,
                inspection: .twoPages(pause: {
                    try await database.execute("UPDATE jobs SET lease_expires_at = now() - interval '1 second'")
                    try await scene.working([scene.ingestWorker(.twoPages())]) {
                        _ = try await http.submission(submitted.id, reaches: [.awaitingReview])
                    }
                }))
            await #expect(throws: LeaseLost.self) { _ = try await slow.run(lease) }
            #expect(try await scene.count("cases") == 1)
            #expect(try await scene.count("submission_pages") == 2)
            #expect(try await database.scalar("SELECT attempts FROM jobs", as: Int32.self) == 2)
        }
    }

    @Test("an inspection that cannot be brought to an end tells the uploader")
    func givenUp() async throws {
        struct NoReader: Error {}
        try await UploadsScene.run { scene in
            let database = scene.features.database
            let (ada, http) = try await scene.person("ada")
            let submitted = try await scene.submit(by: ada)
            try await database.execute("UPDATE jobs SET max_attempts = 1")
            try await scene.working([scene.ingestWorker(InspectionDependencies { _, _ in throw NoReader() })]) {
                let status = try await http.submission(submitted.id, reaches: [.rejected])
                #expect(status.findings.map(\.code) == [.readerFailed])
                #expect(status.findings.first?.severity == .blocker)
                #expect(status.progress.fraction == 1)
            }
            #expect(try await database.scalar("SELECT state FROM jobs", as: String.self) == "dead")
        }
    }

    @Test("progress is told while the pages come")
    func progress() async throws {
        try await UploadsScene.run { scene in
            let (ada, _) = try await scene.person("ada")
            let submitted = try await scene.submit(by: ada)
            let fractions = Mutex<[Double]>([])
            let inspection = InspectionDependencies { file, observer in
                for page in 1...4 {
                    try await observer.onProgress(.init(stage: .reading, pagesDone: page, pageCount: 4))
                    try await Task.sleep(for: .milliseconds(5))
                    let fraction = try await SubmissionStore.fetch(submitted.id, in: scene.features.database)?.status
                        .progress
                    fractions.withLock { $0.append(fraction?.fraction ?? 0) }
                    #expect(fraction?.step == "reading page \(page) of 4")
                }
                return try await InspectionDependencies.twoPages().examine(file, observer).report
            }
            try await scene.working([scene.ingestWorker(inspection)]) {
                try await scene.expectEventually({
                    try await scene.features.database.scalar("SELECT state FROM jobs", as: String.self) == "done"
                })
            }
            let seen = fractions.withLock { $0 }
            #expect(seen == seen.sorted() && seen.first != seen.last)
        }
    }

    @Test("the garbage collection takes old objects that no row names, and no others")
    func unnamedObjects() async throws {
        try await UploadsScene.run { scene in
            let (ada, _) = try await scene.person("ada")
            let named = try await scene.submit(by: ada).sha256
            func store(_ text: String) async throws -> ContentHash {
                let writer = try await scene.features.storage.makeWriter()
                try await writer.write(ByteBuffer(string: text))
                return try await writer.finish().hash
            }
            let unnamed = try await store("nobody's")
            #expect(try await garbageCollection(scene.features.platform).run() == 0)
            #expect(try await scene.storedObjects() == [named, unnamed])
            #expect(try await garbageCollection(scene.features.platform, graceSeconds: -60).run() == 1)
            #expect(try await scene.storedObjects() == [named])
        }
    }

    @Test("the garbage collection waits for an upload that is about to commit")
    func collectionAndUpload() async throws {
        try await UploadsScene.run { scene in
            let writer = try await scene.features.storage.makeWriter()
            try await writer.write(ByteBuffer(string: "about to be named"))
            let object = try await writer.finish()
            let collection = garbageCollection(scene.features.platform, graceSeconds: -60)
            let removed = try await scene.features.database.withTransaction { connection in
                try await StorageGarbageCollection.blockGarbageCollection(in: connection)
                let collecting = Task { try await collection.run() }
                try await scene.expectEventually({
                    try await scene.features.database.scalar(
                        """
                        SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
                        """)
                })
                try await ArtifactStore.insert(object, mediaType: "application/pdf", in: connection)
                return collecting
            }
            #expect(try await removed.value == 0)
            #expect(try await scene.storedObjects() == [object.hash])
        }
    }
}

private func garbageCollection(
    _ platform: Platform, graceSeconds: Double = StorageGarbageCollection.graceSeconds
) -> StorageGarbageCollection {
    StorageGarbageCollection(
        storage: platform.storage, database: platform.database, now: platform.now, graceSeconds: graceSeconds)
}
