// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPlatform
import Postgres
import SheetCore

/// Why no job was begun again.
package enum DeadJobError: Error, Sendable, Equatable {
    /// None that was given up has this id.
    case noSuchJob
}

/// What administrators do with work that was given up. Here, and not beside the queue, for the audit log to tell of it.
package struct DeadJobService: Sendable {
    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Has a job done once more; throws `DeadJobError`.
    package func revive(_ id: JobID, by identity: Identity, requestID: String) async throws {
        try await platform.database.withTransaction { connection in
            guard try await JobQueue.revive(id, in: connection) else { throw DeadJobError.noSuchJob }
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "job.revived", subject: "job:\(id)",
                requestID: requestID, at: platform.now())
        }
    }
}
