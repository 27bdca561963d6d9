// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// SQL of what stands sealed in columns named `secret`, whatever table they are of.
package enum SealedStore {
    /// A table with such a column.
    package struct Place: Sendable {
        let table: String
        /// The column of its key, a UUID.
        let key: String
    }

    /// How many values each key sealed, by the key's id, which stands at the beginning of each value behind its length.
    package static func counts(
        of place: Place, in database: some PostgresExecutor
    ) async throws -> [(key: String, count: Int)] {
        try await database.all(
            """
            SELECT convert_from(substring(secret FROM 2 FOR get_byte(secret, 0)), 'UTF8') AS key, count(*) AS count
            FROM \(ident: place.table) WHERE length(secret) > 0 GROUP BY 1 ORDER BY 1
            """
        ) { (key: try $0.get("key"), count: try $0.get("count")) }
    }

    /// The next rows, in the order of their keys.
    package static func page(
        of place: Place, after last: UUID?, limit: Int, in database: some PostgresExecutor
    ) async throws -> [(id: UUID, sealed: Data)] {
        try await database.all(
            """
            SELECT \(ident: place.key) AS id, secret FROM \(ident: place.table)
            WHERE \(last)::uuid IS NULL OR \(ident: place.key) > \(last) ORDER BY 1 LIMIT \(limit)
            """
        ) { (id: try $0.get("id"), sealed: try $0.get("secret")) }
    }

    /// Puts a value in another's place; `false` when somebody has set a third meanwhile.
    package static func replace(
        _ sealed: Data, with fresh: Data, of id: UUID, at place: Place, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            UPDATE \(ident: place.table) SET secret = \(fresh)
            WHERE \(ident: place.key) = \(id) AND secret = \(sealed)
            """) > 0
    }
}

/// Where a feature keeps sealed values. Each feature that seals something names its own.
package struct SealedColumn: Sendable {
    /// What it holds, for people.
    package let name: String
    package let stored: SealedStore.Place
    /// What a value is bound to, by the id of its row.
    package let context: @Sendable (UUID) -> String

    package init(name: String, table: String, key: String, context: @escaping @Sendable (UUID) -> String) {
        self.name = name
        stored = SealedStore.Place(table: table, key: key)
        self.context = context
    }
}
