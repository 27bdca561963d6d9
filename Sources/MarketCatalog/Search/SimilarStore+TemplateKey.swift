// SPDX-License-Identifier: Apache-2.0
import MarketSearch
import Postgres
import SheetCore

extension SimilarStore {
    /// The nearest templates to the one on offer; `nil` when there is none of that name.
    package static func similar(
        to key: TemplateKey, count: Int, _ statistics: CatalogStatistics, _ database: some PostgresExecutor
    ) async throws -> [ListedTemplate]? {
        let template = try await database.first(
            "SELECT t.id, t.game_system, t.tags, t.name FROM templates AS t WHERE \(fragment: key.condition) AND t.latest_version_id IS NOT NULL"
        ) { row in
            Original(id: try row.get(0), system: try row.get(1), tags: try row.get(2), name: try row.get(3))
        }
        guard let template else { return nil }
        return try await similar(to: template, count: count, statistics, database)
    }
}
