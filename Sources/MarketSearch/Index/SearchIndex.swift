// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform
import Postgres

/// The tables that searching and browsing are answered from. Triggers keep them; this is what triggers cannot do.
package struct SearchIndex: Sendable {
    private let database: PostgresClient
    /// How many templates are in the table of popular ones.
    private let popular: Int

    /// How many popular templates there are, unless said otherwise.
    package static let usualPopular = 50_000

    package init(database: PostgresClient, popular: Int = usualPopular) {
        self.database = database
        self.popular = popular
    }

    /// Rebuilds every derived table step by step. Publishing waits for the first step; reads are never blocked.
    package func rebuild() async throws {
        try await long {
            try await $0.execute("SELECT recompute_trending('-infinity')")
            try await $0.execute("SELECT rebuild_listings()")
        }
        // Until then the indexes of the new table do not answer alone. It is no part of a transaction.
        try await database.withConnection { connection in
            connection.discardAfterUse()
            try await connection.execute("SET statement_timeout = 0")
            try await connection.execute("VACUUM (ANALYZE) listings")
        }
        try await rebuildTerms()
        try await rebuildPopular()
    }

    /// Makes the next generation of popular templates.
    package func rebuildPopular() async throws {
        try await long { [popular] in try await $0.execute("SELECT rebuild_popular(\(Int32(popular)))") }
    }

    /// Counts the uses of all words anew.
    package func rebuildTerms() async throws {
        try await long {
            try await $0.execute("SELECT rebuild_terms()")
            try await $0.execute("ANALYZE search_terms")
        }
    }

    /// Brings in what is waiting: counts of facets, and templates whose system or owner has another name.
    /// Returns whether there is more.
    @discardableResult
    package func applyPending() async throws -> Bool {
        try await database.execute("SELECT aggregate_facet_changes()")
        let refreshed = try await database.one("SELECT refresh_stale_listings(500)") { try $0.get(0, as: Int.self) }
        if refreshed > 0 { try await database.execute("SELECT pg_notify('catalog', '')") }
        return refreshed == 500
    }

    /// Brings the scores of recently installed templates up to date.
    package func recomputeTrending(since: Date) async throws {
        try await long { try await $0.execute("SELECT recompute_trending((\(since) AT TIME ZONE 'UTC')::date)") }
    }

    /// Runs what takes longer than a request may.
    private func long(_ work: @escaping @Sendable (PostgresConnection) async throws -> Void) async throws {
        try await database.withTransaction { connection in
            try await connection.execute("SET LOCAL statement_timeout = 0")
            try await work(connection)
        }
    }
}

extension SearchIndex {
    /// What triggers cannot do.
    package func periodicTasks(now: @escaping @Sendable () -> Date) -> [PeriodicTask] {
        [
            PeriodicTask("bring the search index up to date", every: .seconds(1), firstAfter: .seconds(1)) {
                while try await applyPending() {}
            },
            PeriodicTask("score trending templates", every: .seconds(3600), firstAfter: .seconds(3300)) {
                try await recomputeTrending(since: now().addingTimeInterval(-2 * 86_400))
            },
            PeriodicTask("renew the popular templates", every: .seconds(6 * 3600), firstAfter: .seconds(6 * 3600)) {
                try await rebuildPopular()
            },
            PeriodicTask("count the words", every: .seconds(24 * 3600), firstAfter: .seconds(24 * 3600)) {
                try await rebuildTerms()
            },
        ]
    }
}
