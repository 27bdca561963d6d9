// SPDX-License-Identifier: Apache-2.0
import Postgres

/// What games and tags that somebody names are called now.
package struct PresentNames: Sendable {
    /// The slug of the game; `nil` where there is none.
    package var gameSystem: @Sendable (String) async throws -> String?
    package var tags: @Sendable ([String]) async throws -> [String]

    package init(
        gameSystem: @escaping @Sendable (String) async throws -> String?,
        tags: @escaping @Sendable ([String]) async throws -> [String] = { $0 }
    ) {
        self.gameSystem = gameSystem
        self.tags = tags
    }

    /// As the database has them.
    package init(_ database: some PostgresExecutor) {
        self.init(
            gameSystem: { try await FormerNameStore.presentGameSystem($0, database) },
            tags: { try await FormerNameStore.presentTags($0, database) })
    }
}
