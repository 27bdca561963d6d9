// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// What PostgreSQL's `ANALYZE` has found out of the tables that are searched (`pg_stats`). The planner goes by the same, but
/// has to be asked anew for each statement, which takes longer than many a search.
struct CatalogStatistics: Sendable {
    /// How many templates are on offer.
    let all: Double
    /// How many popular templates there are.
    let popular: Double
    /// How much of them has a lexeme, of the commonest lexemes.
    private let shares: [String: Double]
    /// How much of them has any other: most are far rarer than the rarest of these.
    private let rare: Double
    /// Bounds of as many parts of equal size as there are, of all templates on offer, in seconds since 1970: by column of
    /// `listing_words`.
    private let bounds: [String: [Double]]

    init(
        all: Double = 0, popular: Double = 0, shares: [String: Double] = [:], bounds: [String: [Double]] = [:]
    ) {
        (self.all, self.popular, self.shares, self.bounds) = (all, popular, shares, bounds)
        rare = min((shares.values.min() ?? 0) / 8, 0.002)
    }

    /// Reads them; whatever has not been analyzed is missing.
    static func read(_ database: some PostgresExecutor) async throws -> CatalogStatistics {
        let popular = "popular_listings"
        func rows(of table: PostgresQuery) -> PostgresQuery {
            "(SELECT greatest(c.reltuples, 0)::double precision FROM pg_class AS c WHERE c.oid = to_regclass(\(fragment: table)))"
        }
        let found = try await database.all(
            """
            SELECT s.attname::text, \(fragment: rows(of: "'listing_words'")), \(fragment: rows(of: "\(popular)")),
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
                column: try row.get(0, as: String.self), all: try row.get(1, as: Double?.self),
                popular: try row.get(2, as: Double?.self), lexemes: try row.get(3, as: [String]?.self),
                shares: try row.get(4, as: [Double]?.self), bounds: try row.get(5, as: [Double]?.self)
            )
        }
        var shares: [String: Double] = [:]
        var bounds: [String: [Double]] = [:]
        for one in found {
            if let lexemes = one.lexemes, let found = one.shares {
                // Behind the shares come the least and the largest of them.
                shares = Dictionary(zip(lexemes, found)) { first, _ in first }
            } else if let found = one.bounds {
                bounds[one.column] = found
            }
        }
        return CatalogStatistics(
            all: found.first?.all ?? 0, popular: found.first?.popular ?? 0, shares: shares, bounds: bounds)
    }

    /// How much of the popular templates fits a `tsquery`.
    func estimate(of query: String) -> MatchEstimate {
        MatchEstimate(of: query) { shares[$0] ?? rare }
    }

    /// Whether what fits a `tsquery` is better found without asking the index for `words` as well, which are then looked at on
    /// its rows: words of most templates have long lists and spare few rows.
    func isCheaper(_ query: String, without words: String) -> Bool {
        let matches = all * estimate(of: query).share
        let words = estimate(of: words)
        // No more pages of a list are read than there are matches to be looked for.
        let pages = Double(words.lexemes) * min(matches, all * words.share / Self.usesInPage)
        return matches * (1 - words.share) * Self.row < pages * Self.page
    }

    /// Microseconds, on the machine of docs/performance.md: a row of `listing_words` that is looked up, a page of a list of the index.
    private static let row = 9.0
    private static let page = 35.0
    private static let usesInPage = 4000.0

    /// The time behind which a share of the templates lies, counted back from `last` or from the newest; `nil` when that is
    /// more than there are, or nothing is known.
    func time(of column: String, behind share: Double, before last: Double?) -> Double? {
        guard let bounds = bounds[column], bounds.count > 1 else { return nil }
        let parts = Double(bounds.count - 1)
        var from = parts
        if let last {
            let above = bounds.firstIndex { $0 > last } ?? bounds.count
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
