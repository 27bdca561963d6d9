// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// Where an upload stands in the queue, and how long it took with others like it.
package enum QueuePositions {
    /// No estimate is made from fewer decided cases than this.
    static let fewestCases = 20
    /// How old a decision that counts can be, in seconds.
    package static let memory = 90.0 * 86_400
    /// How many cases are looked at, at most: the newest.
    static let mostCases = 2000

    /// The place of a submission's case while it waits for a moderator; `nil` when it does not.
    package static func place(
        of submission: SubmissionID, at now: Date, in database: some PostgresExecutor
    ) async throws -> QueuePlace? {
        let found = try await database.first(
            """
            SELECT c.opened_at, c.due_at, c.track,
                (SELECT count(*) FROM (
                    SELECT FROM cases AS b WHERE b.state IN ('open', 'claimed') AND (b.queue_at, b.id) < (c.queue_at, c.id)
                    LIMIT 100) AS before) AS before
            FROM cases AS c WHERE c.submission_id = \(submission) AND c.state IN ('open', 'claimed') AND NOT c.is_audit
            """
        ) { row in
            (
                opened: try row.get("opened_at", as: Date.self), promised: try row.get("due_at", as: Date.self),
                track: try row.get("track", as: String.self), before: try row.get("before", as: Int.self)
            )
        }
        guard let found else { return nil }
        return QueuePlace(
            band: band(found.before), waitingSince: found.opened, promisedAt: found.promised,
            estimate: try await estimate(found.track, at: now, in: database))
    }

    static func band(_ before: Int) -> QueuePlace.Band {
        switch before {
        case ..<5: .next
        case ..<25: .early
        case ..<100: .middle
        default: .late
        }
    }

    /// How long cases of this track waited for their decision.
    package static func estimate(
        _ track: String, at now: Date, in database: some PostgresExecutor
    ) async throws -> QueuePlace.Estimate? {
        try await database.one(
            """
            SELECT count(*) AS cases, percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY seconds) AS marks
            FROM (
                SELECT extract(epoch FROM decided_at - opened_at)::float8 AS seconds FROM cases
                WHERE track = \(track) AND decided_at > \(now.addingTimeInterval(-memory)) AND NOT is_audit
                ORDER BY decided_at DESC LIMIT \(literal: mostCases)
            ) AS waited
            """
        ) { row in
            let cases = try row.get("cases", as: Int.self)
            guard cases >= fewestCases, let marks = try row.get("marks", as: [Double]?.self), marks.count == 2 else {
                return nil
            }
            return QueuePlace.Estimate(
                medianSeconds: Int(marks[0].rounded()), p90Seconds: Int(marks[1].rounded()), cases: cases)
        }
    }
}
