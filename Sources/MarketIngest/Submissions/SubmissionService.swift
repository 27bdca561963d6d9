// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// What people do with submissions after the upload.
package struct SubmissionService: Sendable {
    package let ingest: IngestDependencies

    package init(ingest: IngestDependencies) {
        self.ingest = ingest
    }

    /// A submission that `identity` may see: the uploader's own, any for moderators.
    package func submission(_ id: SubmissionID, for identity: Identity) async throws -> SubmissionStatus {
        guard let record = try await SubmissionStore.fetch(id, in: ingest.database),
            record.uploaderID == identity.userID || identity.moderates
        else { throw SubmissionError.notFound }
        return record.status
    }

    /// The same with its place in the moderators' queue.
    func submissionWithQueuePosition(_ id: SubmissionID, for identity: Identity) async throws -> SubmissionStatus {
        var status = try await submission(id, for: identity)
        guard status.state == .awaitingReview else { return status }
        status.queue = try await ingest.review.queuePlace(of: id, at: ingest.now(), in: ingest.database)
        return status
    }

    /// The uploader takes the submission back: its job and its case end with it.
    package func withdraw(_ id: SubmissionID, by identity: Identity, requestID: String) async throws -> SubmissionStatus
    {
        try await end(id, by: identity, requestID, .withdrawn, step: "withdrawn", verb: "withdrawn") { _ in }
    }

    /// The uploader does not want the clean copy: the submission ends as refused, with what was found in the file.
    package func declineCleaning(
        _ id: SubmissionID, by identity: Identity, requestID: String
    ) async throws -> SubmissionStatus {
        try await end(
            id, by: identity, requestID, .cleaningDeclined, step: "refused", verb: "declined"
        ) { connection in
            guard try await SubmissionStore.declineCleaning(id, in: connection) else {
                throw SubmissionError.notCleaned
            }
        }
    }

    private func end(
        _ id: SubmissionID, by identity: Identity, _ requestID: String, _ event: SubmissionEvent, step: String,
        verb: String,
        _ change: @Sendable (PostgresConnection) async throws -> Void
    ) async throws -> SubmissionStatus {
        let before = try await submission(id, for: identity)
        try await ingest.database.withTransaction { connection in
            // Jobs before cases before submissions, as everywhere: no two transactions wait for each other.
            try await JobQueue.cancel(subject: id.rawValue, in: connection)
            try await ingest.review.withdraw(id, at: ingest.now(), in: connection)
            guard let record = try await SubmissionStore.fetch(id, in: connection),
                let state = try await SubmissionStore.lock(id, in: connection)
            else { throw SubmissionError.notFound }
            guard record.uploaderID == identity.userID else { throw SubmissionError.notUploader }
            do {
                let next = try state.after(event)
                try await SubmissionStore.update(id, to: next, step: step, in: connection)
            } catch let refusal as SubmissionRefusal {
                throw SubmissionError.wrongState(refusal.state, verb: verb)
            }
            try await change(connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity),
                action: event == .withdrawn ? "submission.withdrawn" : "submission.cleaning_declined",
                subject: "submission:\(id)", requestID: requestID, at: ingest.now())
        }
        return try await SubmissionStore.fetch(id, in: ingest.database)?.status ?? before
    }
}
