// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Postgres

/// The former names, as they were read a moment ago.
package struct FormerNameCache: Sendable {
    private struct Everything: Hashable, Sendable {}

    private let names: TTLCache<Everything, FormerNames>

    /// Remembers for so many seconds; with 0 nothing.
    package init(seconds: Double) {
        names = TTLCache(capacity: 1, seconds: seconds)
    }

    package func names(_ database: some PostgresExecutor) async throws -> FormerNames {
        try await names.value(for: Everything()) { try await FormerNameStore.all(database) }
    }

    func removeAll() {
        names.removeAll()
    }
}
