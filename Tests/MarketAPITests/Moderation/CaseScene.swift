// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import ModerationService

/// A submission that awaits review, as the ingest pipeline leaves one.
struct WaitingSubmission: Sendable {
    let template: TemplateID
    let submission: SubmissionID
    let caseID: CaseID
}

extension AccountsScene {
    /// Puts a submission on moderation: of a new template, or of `template`.
    func waiting(
        by uploader: UserID, version: String = "1.0.0", of template: TemplateID? = nil,
        metadata: UploadMetadata? = nil, findings: [Finding] = [], pageCount: Int? = 2
    ) async throws -> WaitingSubmission {
        let now = clock.now
        let submission = SubmissionID.make()
        let described =
            metadata
            ?? UploadMetadata(
                name: "Sheet \(version)", summary: "A sheet.", description: "Long.", gameSystem: "dnd5e",
                tags: ["blue"],
                license: "CC-BY-4.0", language: "en", version: version, changelog: "What is new in \(version)")
        return try await features.database.withTransaction { connection in
            try await connection.execute(
                "INSERT INTO game_systems (slug, name) VALUES ('dnd5e', 'D&D 5e') ON CONFLICT DO NOTHING")
            let hash = ContentHash(hashing: Data(submission.description.utf8))
            try await connection.execute(
                "INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (\(hash), 3, 'application/pdf')")
            let id = template ?? .make()
            try await connection.execute(
                """
                INSERT INTO templates (id, slug, owner_id, game_system, name, summary, license, language)
                VALUES (\(id), \("t-" + id.description), \(uploader), 'dnd5e', 'Draft', 'Draft', 'MIT', 'de')
                ON CONFLICT (id) DO NOTHING
                """)
            try await connection.execute(
                """
                INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                    size_bytes, state, findings, page_count, created_at, updated_at)
                VALUES (\(submission), \(id), \(uploader), \(version), \(PostgresJSON(described)), \(hash),
                    'sheet.pdf', 3,
                    'awaiting_review', \(PostgresJSON(findings)), \(pageCount), \(now), \(now))
                """)
            let region = ZoomRegion(
                id: "skills", name: "Skills", rect: .init(x: 0, y: 0, width: 0.5, height: 0.5), pageIndex: 0)
            for index in 0..<(pageCount ?? 0) {
                try await connection.execute(
                    """
                    INSERT INTO submission_pages (submission_id, page_index, width, height, rotation, text_characters,
                        form_fields, regions)
                    VALUES (\(submission), \(index), 612, 792, 0, 10, 3, \(PostgresJSON(index == 0 ? [region] : [])))
                    """)
            }
            let caseID = try await CaseLifecycle.open(connection, submission: submission, at: now)
            return WaitingSubmission(template: id, submission: submission, caseID: caseID)
        }
    }

    func claim(_ id: CaseID, as caller: Caller) async throws -> TestResponse {
        try await send(.post, "/moderation/cases/\(id)/claim", as: caller)
    }

    func decide(
        _ id: CaseID, _ decision: DecisionKind = .approve, reasonCode: String = "other", message: String = "So it is.",
        as caller: Caller
    ) async throws -> TestResponse {
        try await send(
            .post, "/moderation/cases/\(id)/decision",
            json: DecisionRequest(decision: decision, reasonCode: reasonCode, message: message), as: caller)
    }

    /// Claims and approves, and expects that to work.
    func approve(_ waiting: WaitingSubmission, as caller: Caller) async throws {
        #expect(try await claim(waiting.caseID, as: caller).status == .ok)
        #expect(try await decide(waiting.caseID, as: caller).status == .ok)
    }

    func submissionState(_ id: SubmissionID) async throws -> SubmissionState {
        try await features.database.scalar("SELECT state FROM submissions WHERE id = \(id)")
    }

    /// The number that a template offers.
    func offered(_ id: TemplateID) async throws -> String? {
        try await features.database.first(
            """
            SELECT versions.number FROM templates JOIN versions ON versions.id = templates.latest_version_id
            WHERE templates.id = \(id)
            """
        ) { try $0.get("number") }
    }
}
