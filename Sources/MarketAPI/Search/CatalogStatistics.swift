// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// What PostgreSQL's `ANALYZE` has found out of the tables that are searched (`pg_stats`). The planner goes by the same, but
/// has to be asked anew for each statement, which takes longer than many a search.
struct CatalogStatistics: Sendable {
    /// How many popular templates there are.
    var popular = 0.0
    /// How much of them has a lexeme, of the commonest lexemes.
    var shares: [String: Double] = [:] {
        didSet { rare = Self.rare(shares) }
    }
    /// How much of them has any other.
    private var rare = 0.0
    /// Bounds of as many parts of equal size as there are, of all templates on offer, in seconds since 1970: by column of
    /// `listing_words`.
    var bounds: [String: [Double]] = [:]

    init(popular: Double = 0, shares: [String: Double] = [:], bounds: [String: [Double]] = [:]) {
        (self.popular, self.shares, self.bounds) = (popular, shares, bounds)
        rare = Self.rare(shares)
    }

    /// Most of the others are far rarer than the rarest of these.
    private static func rare(_ shares: [String: Double]) -> Double { min((shares.values.min() ?? 0) / 8, 0.002) }

    /// Reads them; whatever has not been analyzed is missing.
    static func read(_ database: some PostgresExecutor) async throws -> CatalogStatistics {
        let popular = "popular_listings"
        let found = try await database.all(
            """
            SELECT s.attname::text, (SELECT c.reltuples FROM pg_class AS c WHERE c.oid = to_regclass(\(popular)))::double precision,
                CASE WHEN s.tablename = \(popular) THEN s.most_common_elems::text::text[] END,
                CASE WHEN s.tablename = \(popular) THEN s.most_common_elem_freqs::double precision[] END,
                CASE WHEN s.tablename <> \(popular) THEN ARRAY(
                    SELECT extract(epoch FROM b)::double precision FROM unnest(s.histogram_bounds::text::timestamptz[]) AS b
                ) END
            FROM pg_stats AS s
            WHERE s.schemaname = ANY (current_schemas(false)) AND ((s.tablename = \(popular) AND s.attname = 'words')
                OR (s.tablename = 'listing_words' AND s.attname IN ('updated_at', 'published_at')))
            """
        ) { row in
            (
                column: try row.get(0, as: String.self), popular: try row.get(1, as: Double?.self),
                lexemes: try row.get(2, as: [String]?.self), shares: try row.get(3, as: [Double]?.self),
                bounds: try row.get(4, as: [Double]?.self)
            )
        }
        var statistics = CatalogStatistics()
        for one in found {
            statistics.popular = max(0, one.popular ?? 0)
            if let lexemes = one.lexemes, let shares = one.shares {
                // Behind the shares come the least and the largest of them.
                statistics.shares = Dictionary(zip(lexemes, shares)) { first, _ in first }
            } else if let bounds = one.bounds {
                statistics.bounds[one.column] = bounds
            }
        }
        return statistics
    }

    /// How much of the popular templates fits a `tsquery`.
    func estimate(of query: String) -> MatchEstimate {
        MatchEstimate(of: query) { shares[$0] ?? rare }
    }

    /// The time behind which a share of the templates lies, counted back from `last` or from the newest; `nil` when that is
    /// more than there are, or nothing is known.
    func time(of column: String, behind share: Double, before last: Double?) -> Double? {
        guard let bounds = bounds[column], bounds.count > 1 else { return nil }
        let parts = Double(bounds.count - 1)
        var from = parts
        if let last {
            let above = bounds.partitioningIndex { $0 > last }
            guard above > 0 else { return nil }
            if above < bounds.count {
                let (low, high) = (bounds[above - 1], bounds[above])
                from = Double(above - 1) + (high > low ? (last - low) / (high - low) : 0)
            }
        }
        let to = from - share * parts
        guard to > 0 else { return nil }
        let part = min(Int(to), bounds.count - 2)
        return bounds[part] + (bounds[part + 1] - bounds[part]) * (to - Double(part))
    }
}

extension [Double] {
    /// The first index whose value `belongs` to the second part; the values are in order.
    fileprivate func partitioningIndex(_ belongs: (Double) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
