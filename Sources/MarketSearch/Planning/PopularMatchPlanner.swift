// SPDX-License-Identifier: Apache-2.0
import Postgres

/// How the first matches of a `tsquery` are found among the popular templates, in the order of their places: common
/// ones by reading on till there are enough, rare ones by index. Either way has one plan for all values; having the
/// planner choose takes half a millisecond each time, and it reckons with less.
enum PopularMatchPlanner {
    /// How the matches are found.
    enum Plan: Equatable, Sendable {
        /// By index: as many as are asked for, or all.
        case index
        /// Row by row, up to a place; where that was too near another way comes after it.
        case reading(to: Int)

        /// Which of the rows `m` fit that lie behind a place, up to another. What fits `exactly`, where the query alone
        /// says too little, fits the query as well; it is looked at on the rows.
        func condition(
            _ query: String, exactly: String? = nil, behind place: Int = 0, to last: Int? = nil
        ) -> PostgresQuery {
            let behind: PostgresQuery = place > 0 ? "m.place > \(fragment: .inlined(place))" : "true"
            switch self {
            case .index:
                // Were the places looked up, too, all of them would be gone through for these few.
                let bounds: PostgresQuery =
                    last.map { "\(fragment: behind) AND m.place <= \(fragment: .inlined($0))" } ?? behind
                let exact: PostgresQuery = exactly.map { " AND m.words @@ \(fragment: .inlined($0))" } ?? ""
                return """
                    m.words @@ \(fragment: .inlined(query)) AND (\(fragment: bounds)\(fragment: exact)) IS TRUE
                    """
            case .reading(let to):
                // No index answers whether something is true.
                return """
                    (m.words @@ \(fragment: .inlined(exactly ?? query))) IS TRUE AND \(fragment: behind)
                        AND m.place <= \(fragment: .inlined(min(to, last ?? to)))
                    """
            }
        }

        /// How they are put in order: as the index finds them they already are.
        var order: PostgresQuery {
            switch self {
            case .index: ""
            case .reading: " ORDER BY m.place"
            }
        }
    }

    /// Microseconds, on the machine of docs/performance.md: a row read one after the other, a lexeme that it is
    /// compared with; an entry of one list of the index, one that is looked for in other lists, and for each of these;
    /// a row that is looked up.
    private static let row = 0.9
    private static let lexeme = 0.25
    private static let entry = 0.12
    private static let candidate = 0.4
    private static let list = 0.02
    private static let lookup = 4.0

    /// Finds the first `count` matches of a query behind a place; `find` goes one way, perhaps a second time another.
    static func find<Answer>(
        _ count: Int, of query: String, behind place: Int = 0, _ statistics: CatalogStatistics,
        matches: (Answer) -> Int, by find: (Plan) async throws -> Answer
    ) async throws -> Answer {
        try await Self.find(
            count, statistics.estimate(of: query), behind: place, statistics, matches: matches, by: find)
    }

    /// The same of a query that is thought to fit so much.
    static func find<Answer>(
        _ count: Int, _ estimate: MatchEstimate, behind place: Int = 0, _ statistics: CatalogStatistics,
        matches: (Answer) -> Int, by find: (Plan) async throws -> Answer
    ) async throws -> Answer {
        let rows = estimate.share > 0 ? Double(count) / estimate.share : .infinity
        if read(rows, estimate) < indexCost(count, estimate, behind: place, statistics) {
            // Further than expected: words come in waves. Where that is nearly everything, everything.
            let reach = Double(place) + rows * 3
            if reach >= statistics.popular { return try await find(.reading(to: Int(Int32.max))) }
            let found = try await find(.reading(to: Int(reach)))
            if matches(found) >= count { return found }
        }
        return try await find(.index)
    }

    /// The way to the matches, `count` at most, behind one place, up to another.
    static func plan(
        to count: Int, of query: String, behind place: Int, to last: Int, _ statistics: CatalogStatistics
    ) -> Plan {
        let estimate = statistics.estimate(of: query)
        let rows = min(Double(last), statistics.popular) - Double(place)
        let isNear = read(max(0, rows), estimate) < indexCost(count, estimate, behind: place, statistics)
        return isNear ? .reading(to: last) : .index
    }

    private static func read(_ rows: Double, _ estimate: MatchEstimate) -> Double {
        rows * (row + lexeme * Double(estimate.lexemes))
    }

    private static func indexCost(
        _ count: Int, _ estimate: MatchEstimate, behind place: Int, _ statistics: CatalogStatistics
    ) -> Double {
        // The matches before the place are looked up, too.
        let before = min(Double(place), statistics.popular) * estimate.share
        let matches = before + min(Double(count), statistics.popular * estimate.share)
        let passing = estimate.lexemes == 1 ? entry : candidate + list * Double(estimate.lexemes)
        return statistics.popular * estimate.passed * passing + matches * lookup
    }
}
