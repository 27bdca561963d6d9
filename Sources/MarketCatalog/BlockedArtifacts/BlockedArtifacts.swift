// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform
import MarketWire
import Postgres
import ServiceLifecycle
import SheetCore
import Synchronization

/// Files that were taken down. A signed address is valid by its signature alone until it expires; this list revokes it
/// before, on every node at once. It is kept in memory and brought up to date by NOTIFY.
///
/// What is known counts for a few seconds; the listener confirms it more often than that. When the database cannot be
/// reached it counts for a minute, since nobody can take anything down then, but in a network cut in two somebody can:
/// so after that minute files are refused until the database answers (fail closed).
package final class BlockedArtifacts: Sendable {
    private struct State {
        var hexes: Set<String> = []
        var number: Int64?
        var confirmed: ContinuousClock.Instant?
        var attempted: ContinuousClock.Instant?
    }

    /// How long the list is trusted without being confirmed.
    package static let freshness = Duration.seconds(5)
    /// How long it is trusted while the database cannot be reached.
    package static let grace = Duration.seconds(60)
    /// How often the listener confirms it.
    package static let beat = Duration.seconds(2)

    private let database: PostgresClient
    private let freshness: Duration
    private let grace: Duration
    private let state = Mutex(State())

    /// The list of `database`, read when it is first needed.
    package init(
        database: PostgresClient, freshness: Duration = BlockedArtifacts.freshness,
        grace: Duration = BlockedArtifacts.grace
    ) {
        self.database = database
        self.freshness = freshness
        self.grace = grace
    }

    /// Throws `taken_down` when nobody may have the file, `unavailable` when that cannot be known.
    package func check(_ hex: String) async throws {
        if let isBlocked = known(hex, within: freshness) {
            if isBlocked { throw CatalogError.takenDown() }
            return
        }
        if mayQuery() { await refresh() }
        guard let isBlocked = known(hex, within: grace) else {
            throw CatalogError.unavailable(
                "We cannot check right now whether this file is still available; try again in a moment.")
        }
        if isBlocked { throw CatalogError.takenDown() }
    }

    /// Refreshes from the database. On failure the previous list and its age are kept.
    package func refresh() async {
        let known = state.withLock { $0.number }
        // The time is taken before the query, since later decisions are not in its result.
        let asked = ContinuousClock.now
        // Not an error of the caller: 'check' refuses by itself once the list it has is too old.
        guard let found = try? await BlockedArtifactStore.blocked(since: known, in: database) else { return }
        state.withLock { state in
            if let confirmed = state.confirmed, confirmed > asked { return }
            state.confirmed = asked
            guard let hashes = found.hashes else { return }
            state.hexes = Set(hashes.map(\.hex))
            state.number = found.number
        }
    }

    /// How many files are blocked.
    package var count: Int { state.withLock { $0.hexes.count } }

    private func known(_ hex: String, within age: Duration) -> Bool? {
        state.withLock { state in
            guard let confirmed = state.confirmed, ContinuousClock.now - confirmed < age else { return nil }
            return state.hexes.contains(hex)
        }
    }

    /// While the database is away, not every request waits for it: after the first, one in each second.
    private func mayQuery() -> Bool {
        state.withLock { state in
            guard let attempted = state.attempted, let confirmed = state.confirmed, attempted > confirmed,
                ContinuousClock.now - attempted < .seconds(1)
            else {
                state.attempted = .now
                return true
            }
            return false
        }
    }
}

/// Keeps the list of taken-down files up to date beside the server.
package struct BlockedArtifactsService: Service {
    package let database: PostgresClient
    package let blocked: BlockedArtifacts

    package init(database: PostgresClient, blocked: BlockedArtifacts) {
        self.database = database
        self.blocked = blocked
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in database.listen(["blocked_artifacts"]) { await blocked.refresh() }
                }
                group.addTask {
                    // Each server has a list of its own, so it is no `PeriodicTask`: workers run those, for all.
                    await repeating(every: BlockedArtifacts.beat) { await blocked.refresh() }
                }
            }
        }
    }
}

/// SQL of files that nobody may have. What is blocked follows from the states of versions: a trigger keeps it.
package enum BlockedArtifactStore {
    /// Files that nobody may have, unless nothing changed since `known`.
    package static func blocked(
        since known: Int64?, in database: some PostgresExecutor
    ) async throws -> (number: Int64, hashes: [ContentHash]?) {
        // One statement, one snapshot: the number always belongs to the hashes.
        try await database.one(
            """
            SELECT c.number, CASE WHEN c.number IS DISTINCT FROM \(known) THEN
                ARRAY(SELECT b.sha256 FROM blocked_artifacts AS b) END
            FROM blocked_artifact_changes AS c
            """
        ) { (number: try $0.get(0), hashes: try $0.get(1)) }
    }
}
