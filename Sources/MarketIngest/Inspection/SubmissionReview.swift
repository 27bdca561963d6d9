// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Where submissions go once they were inspected. Moderation implements it, and the composition hands it to ingest, which
/// knows of no cases.
package protocol SubmissionReview: Sendable {
    /// What the risk rules are told of an inspected submission; `nil` where there are no rules. Asked outside any
    /// transaction: it may take a while.
    func facts(of subject: InspectionSubject, _ outcome: InspectionOutcome) async throws -> RiskFacts?

    /// Sends a submission that came to await review where it belongs, in the transaction that brought it there.
    func route(
        _ subject: InspectionSubject, _ facts: RiskFacts?, in connection: PostgresConnection
    ) async throws -> SubmissionRoute

    /// The uploader took the submission back: nobody needs to look at it any more.
    func withdraw(_ submission: SubmissionID, at now: Date, in connection: PostgresConnection) async throws

    /// The place of a submission while it waits for a moderator; `nil` when it does not.
    func queuePlace(
        of submission: SubmissionID, at now: Date, in database: PostgresClient
    ) async throws -> QueuePlace?
}

/// Where a submission went.
package enum SubmissionRoute: Sendable, Equatable {
    /// To a moderator.
    case moderator
    /// Published at once.
    case published
}
