// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// The ratings of the whole catalog.
package struct Ratings: Sendable {
    /// At the change of a day, a rating that would move by less than this is left as it is.
    package static let tolerance = 0.005
    /// How long the history of a deleted review stays, in seconds.
    static let deletedSeconds = 90.0 * 86_400
    /// Templates per transaction.
    private static let batch = 200

    private let database: PostgresClient

    package init(database: PostgresClient) {
        self.database = database
    }

    /// Recomputes what a new day changes: reviews weigh less as they age, and with them the prior of every rating. Does
    /// nothing when another node has done it; returns how many ratings moved.
    @discardableResult
    package func startDay(at now: Date) async throws -> Int {
        let day = UTCDay(now).text
        guard try await RatingStore.lastDay(database) < day else { return 0 }
        try await RatingStore.purgeDeleted(before: now.addingTimeInterval(-Self.deletedSeconds), database)
        let isOurs = try await database.withTransaction { connection in
            try await RatingStore.lockDay(connection)
            // Another node may have done it while this one waited.
            guard try await RatingStore.lastDay(connection) < day else { return false }
            try await RatingStore.recomputePriors(day, connection)
            return true
        }
        return isOurs ? try await refreshAll(day: day, tolerance: Self.tolerance, everything: false) : 0
    }

    /// Recomputes every rating and every count of votes from the reviews and votes alone.
    @discardableResult
    package func rebuild(at now: Date) async throws -> Int {
        let day = UTCDay(now).text
        try await database.withTransaction { connection in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await RatingStore.recountVotes(connection)
            try await RatingStore.recomputePriors(day, connection)
        }
        return try await refreshAll(day: day, tolerance: 0, everything: true)
    }

    /// Works in small transactions, so that somebody who writes a review waits for a moment at most.
    private func refreshAll(day: String, tolerance: Double, everything: Bool) async throws -> Int {
        var moved = 0
        var last: TemplateID?
        while true {
            let ids = try await RatingStore.rated(
                after: last, everything: everything, limit: Self.batch, database)
            if ids.isEmpty { return moved }
            moved += try await database.withTransaction { connection in
                try await RatingStore.refresh(ids, day: day, tolerance: tolerance, connection)
            }
            last = ids.last
        }
    }
}
