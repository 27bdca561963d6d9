// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import NIOCore
import NIOHTTP1
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import ModerationService

/// What tests of the pages of reports, appeals and messages share.
extension EnforcementScene {
    private static let html = [("Accept", "text/html"), ("Sec-Fetch-Site", "same-origin")]

    /// A page as a browser gets it.
    func page(_ path: String, as caller: TestHTTP) async throws -> TestHTTP.Answer {
        try await caller.get(path, headers: Self.html)
    }

    /// The page that a form's answer leads to, as the browser gets it that was led there.
    func page(after answer: TestHTTP.Answer, as caller: TestHTTP) async throws -> TestHTTP.Answer {
        let cookies = answer.headers["set-cookie"].map { line in String(line.prefix { $0 != ";" }) }
        return try await caller.get(
            answer.location, headers: Self.html + [("Cookie", cookies.joined(separator: "; "))])
    }

    /// Sends a page's form.
    func form(_ path: String, _ fields: String, as caller: TestHTTP) async throws -> TestHTTP.Answer {
        try await caller.send(
            .POST, path, headers: Self.html + [("Content-Type", "application/x-www-form-urlencoded")],
            body: ByteBuffer(string: fields))
    }

    /// The only case in the queue of that kind.
    func onlyCase(_ kind: String, as moderator: TestHTTP) async throws -> CaseID {
        let queue = try await moderator.get("\(Paths.base)/moderation/queue?kind=\(kind)").json(CaseList.self)
        #expect(queue.cases.count == 1)
        return try #require(queue.cases.first).id
    }

    /// Claims the case and decides it.
    func decide(
        _ id: CaseID, _ decision: DecisionKind, _ message: String, as moderator: TestHTTP
    ) async throws {
        let path = Paths.moderationCase(id.description)
        let claimed = try await moderator.send(.POST, "\(path)/claim")
        #expect(claimed.status == 200, "\(claimed.text)")
        let decided = try await moderator.send(
            .POST, "\(path)/decision",
            json: DecisionRequest(decision: decision, reasonCode: "other", message: message))
        #expect(decided.status == 200, "\(decided.text)")
    }

    /// Reports a sheet over the API.
    func report(_ sheet: Made, as caller: TestHTTP) async throws {
        let wish = ReportRequest(subject: .init(kind: .template, id: sheet.slug), reason: .spam, text: "Look.")
        let answer = try await caller.send(.POST, "\(Paths.base)/reports", json: wish)
        #expect(answer.status == 201, "\(answer.text)")
    }

    /// An upload that waits for a moderator.
    func waiting(
        by uploader: UserID, named name: String = "Draft"
    ) async throws -> (submission: SubmissionID, caseID: CaseID) {
        let sheet = try await template(name, by: uploader)
        let submission = SubmissionID.make()
        let now = clock.now
        let metadata = UploadMetadata(name: name, version: "2.0.0")
        let id: CaseID = try await features.database.withTransaction { connection in
            let hash = ContentHash(hashing: Data(submission.description.utf8))
            try await connection.execute(
                "INSERT INTO artifacts (sha256, size_bytes, media_type) VALUES (\(hash), 3, 'application/pdf')")
            try await connection.execute(
                """
                INSERT INTO submissions (id, template_id, uploader_id, version, metadata, artifact_sha256, file_name,
                    size_bytes, state, page_count, created_at, updated_at)
                VALUES (\(submission), \(sheet.id), \(uploader), '2.0.0', \(PostgresJSON(metadata)), \(hash),
                    'sheet.pdf', 3, 'awaiting_review', 0, \(now), \(now))
                """)
            return try await CaseLifecycle.open(connection, submission: submission, at: now)
        }
        return (submission: submission, caseID: id)
    }
}
