// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

extension SubmissionStore {
    /// Moves a locked submission to where a moderator's decision puts it; breaks `submissions_version_key` when another
    /// submission has taken the number of its version meanwhile.
    package static func decide(
        _ id: SubmissionID, to state: SubmissionState, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE submissions SET state = \(state), updated_at = \(now),
                step = CASE WHEN \(state) = 'awaiting_review' THEN 'waiting for a moderator' ELSE step END
            WHERE id = \(id)
            """)
    }
}
