// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres

/// Pages through the catalog. Words that nothing has are looked up once more by likeness, which forgives typing errors.
struct CatalogSearch: Sendable {
    let database: PostgresClient

    func page(_ query: CatalogQuery) async throws -> TemplateList {
        var query = query
        var lines = try await CatalogStore.lines(query, database)
        if lines.isEmpty, query.words?.words.isEmpty == false, query.position == nil {
            query.isByLikeness = true
            lines = try await CatalogStore.lines(query, database)
        }
        let hasMore = lines.count > query.limit
        if hasMore { lines.removeLast() }
        return TemplateList(
            templates: lines.map(\.summary),
            nextCursor: hasMore ? lines.last.map { query.cursor(after: $0.position) } : nil)
    }
}
