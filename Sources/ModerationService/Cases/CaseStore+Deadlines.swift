// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

// What is brought up to date as time goes by.
extension CaseStore {
    /// Updates the number of downloads that waiting cases are ranked by; returns how many cases changed.
    @discardableResult
    package static func refreshDownloadCounts(in database: some PostgresExecutor) async throws -> Int {
        try await database.execute(
            """
            UPDATE cases AS c SET reach = t.downloads FROM templates AS t
            WHERE t.id = c.template_id AND c.state IN ('open', 'claimed', 'waiting') AND c.subject_kind <> 'review'
                AND c.reach <> t.downloads
            """)
    }

    /// Closes some cases whose time for appeals is over; returns how many.
    static func closeAppealable(before: Date, at now: Date, in database: some PostgresExecutor) async throws
        -> Int
    {
        try await database.execute(
            """
            UPDATE cases SET state = 'closed', closed_at = \(now) WHERE id IN (
                SELECT id FROM cases WHERE state = 'decided' AND decided_at <= \(before)
                ORDER BY decided_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
            """)
    }
}
