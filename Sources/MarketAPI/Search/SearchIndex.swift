// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Postgres
import ServiceLifecycle

/// The tables that searching and browsing are answered from. Triggers keep them; this is what triggers cannot do.
public struct SearchIndex: Sendable {
    private let database: PostgresClient
    /// How many templates are in the table of popular ones.
    private let popular: Int

    /// How many popular templates there are, unless said otherwise.
    public static let usualPopular = 50_000

    /// Works on `database`.
    public init(database: PostgresClient, popular: Int = usualPopular) {
        self.database = database
        self.popular = popular
    }

    /// Makes every derived table anew, step by step. Publications wait for the first of them; reading goes on.
    public func rebuild() async throws {
        try await long {
            try await $0.execute("SELECT recompute_trending('-infinity')")
            try await $0.execute("SELECT rebuild_listings()")
        }
        // Until then the indexes of the new table do not answer alone. It is no part of a transaction.
        try await database.withConnection { connection in
            try await connection.execute("SET statement_timeout = 0")
            try await connection.execute("VACUUM (ANALYZE) listings")
        }
        try await rebuildTerms()
        try await rebuildPopular()
    }

    /// Makes the next generation of popular templates.
    public func rebuildPopular() async throws {
        try await long { [popular] in try await $0.execute("SELECT rebuild_popular(\(Int32(popular)))") }
    }

    /// Counts the uses of all words anew.
    public func rebuildTerms() async throws {
        try await long {
            try await $0.execute("SELECT rebuild_terms()")
            try await $0.execute("ANALYZE search_terms")
        }
    }

    /// Brings in what is waiting: counts of facets, and templates whose system or owner has another name.
    /// Returns whether there is more.
    @discardableResult
    public func catchUp() async throws -> Bool {
        try await database.execute("SELECT fold_facet_changes()")
        let refreshed = try await database.one("SELECT refresh_stale_listings(500)") { try $0.get(0, as: Int.self) }
        if refreshed > 0 { try await database.execute("SELECT pg_notify('catalog', '')") }
        return refreshed == 500
    }

    /// Brings the scores of recently installed templates up to date.
    public func recomputeTrending(since: Date) async throws {
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

/// Keeps the search index in shape beside the workers: every second what is waiting, every hour the scores of trending,
/// every six hours a new generation of popular templates, every day the uses of words.
public struct SearchKeeper: Service {
    private let market: Market

    /// Works for `market`.
    public init(market: Market) {
        self.market = market
    }

    /// Works until the task is cancelled or the service group shuts down.
    public func run() async throws {
        let index = SearchIndex(database: market.database)
        await cancelWhenGracefulShutdown { [self] in
            var seconds = Int.random(in: 1...600)
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                seconds += 1
                await attempt("bring the search index up to date") { while try await index.catchUp() {} }
                if seconds.isMultiple(of: 3600) {
                    let since = market.now().addingTimeInterval(-2 * 86_400)
                    await attempt("score trending templates") { try await index.recomputeTrending(since: since) }
                }
                if seconds.isMultiple(of: 6 * 3600) {
                    await attempt("renew the popular templates") { try await index.rebuildPopular() }
                }
                if seconds.isMultiple(of: 24 * 3600) {
                    await attempt("count the words") { try await index.rebuildTerms() }
                }
            }
        }
    }

    private func attempt(_ what: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            if !Task.isCancelled {
                market.logger.warning("cannot \(what)", metadata: ["error": "\(String(reflecting: error))"])
            }
        }
    }
}
