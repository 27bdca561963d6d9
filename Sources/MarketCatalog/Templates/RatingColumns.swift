// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres

extension RatingSummary {
    /// What `init(_:at:)` reads of `template_ratings AS k`.
    package static let columns: PostgresQuery = """
        k.rating, k.lower_bound, k.count, k.stars, k.weight, to_char(k.as_of, 'YYYY-MM-DD'), k.prior_scope,
        k.prior_mean, k.prior_variance, k.prior_weight, to_char(k.prior_as_of, 'YYYY-MM-DD')
        """

    /// Reads `columns`; NULLs are a template without reviews.
    package init(_ row: PostgresRow, at column: Int) throws {
        guard let rating = try row.get(column, as: Double?.self) else {
            self = .none
            return
        }
        let scope: String = try row.get(column + 6)
        self.init(
            rating: rating, lowerBound: try row.get(column + 1), count: try row.get(column + 2),
            histogram: try row.get(column + 3), weight: try row.get(column + 4), asOf: try row.get(column + 5),
            prior: Prior(
                gameSystem: scope.isEmpty ? nil : scope, mean: try row.get(column + 7),
                variance: try row.get(column + 8), weight: try row.get(column + 9), asOf: try row.get(column + 10)))
    }
}
