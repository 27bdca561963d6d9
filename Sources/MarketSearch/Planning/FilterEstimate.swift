// SPDX-License-Identifier: Apache-2.0
import Postgres

/// About how many templates fit filters, taking these for independent of each other, and which way to them is short.
///
/// Times are told in entries of an index that are passed in its order: a quarter of a microsecond each, on the machine
/// of docs/performance.md.
package struct FilterEstimate: Sendable {
    /// One part of the filters' lexemes.
    private struct Part {
        let term: String
        /// How many templates have it, of those of the system if one is asked for.
        let share: Double
        /// How long its lists are in the index, which is of all systems, and how many they are.
        let uses: Double
        let lists: Double
    }

    /// Templates there are, of the system if one is asked for.
    package let all: Double
    /// The system's is not among them.
    private let parts: [Part]
    private let system: Part?

    /// By counts that are kept.
    package init(_ filters: SearchFilters, system: String?, _ database: some PostgresExecutor) async throws {
        let names = filters.facets.flatMap { facet in facet.values.map { _ in facet.name } }
        let values = filters.facets.flatMap(\.values)
        let key = system ?? ""
        let counts = try await database.all(
            """
            SELECT '', '', count, count FROM facet_counts WHERE game_system = \(key) AND facet = 'c'
            UNION ALL
            SELECT f.facet, f.value, f.count, a.count
            FROM unnest(\(names)::text[], \(values)::text[]) AS w (facet, value)
            JOIN facet_counts AS f ON f.game_system = \(key) AND f.facet = w.facet AND f.value = w.value
            JOIN facet_counts AS a ON a.game_system = '' AND a.facet = w.facet AND a.value = w.value
            """
        ) { row in
            (
                facet: try row.get(0, as: String.self), value: try row.get(1, as: String.self),
                count: try row.get(2, as: Int.self), uses: try row.get(3, as: Int.self)
            )
        }
        // Everything has one licence.
        let all = Double(counts.filter(\.facet.isEmpty).reduce(0) { $0 + $1.count })
        self.all = all
        parts = filters.facets.map { facet in
            let some = counts.filter { $0.facet == facet.name && facet.values.contains($0.value) }
            return Part(
                term: facet.term, share: all > 0 ? Double(some.reduce(0) { $0 + $1.count }) / all : 0,
                uses: Double(some.reduce(0) { $0 + $1.uses }), lists: Double(facet.values.count))
        }
        self.system = system.map { Part(term: $0, share: 1, uses: all, lists: 1) }
    }

    /// How many fit all filters but some.
    package func count(without left: Set<String> = []) -> Double {
        parts.reduce(all) { left.contains($1.term) ? $0 : $0 * $1.share }
    }

    /// The parts that are better looked at on the rows than asked of the index: those that spare fewer rows than it
    /// takes to pass their lists.
    package var left: Set<String> {
        var left: Set<String> = []
        for part in parts.sorted(by: { ($0.uses, $0.term) > ($1.uses, $1.term) }) {
            let more = left.union([part.term])
            if cost(leaving: more) <= cost(leaving: left) { left = more }
        }
        return left
    }

    /// How many entries of an index a list is walked along in search of the first `count` that fit, at most `most`;
    /// `nil` where all that fits is found and sorted sooner.
    package func walk(to count: Int, atMost most: Int) -> Int? {
        let matches = self.count()
        // A walk that ends before its page is whole goes all the way in vain.
        guard matches >= Double(count) else { return nil }
        let entries = all * Double(count) / matches
        guard entries < min(cost(leaving: left), Double(most) / 2) else { return nil }
        // Four times the estimate, rounded to a few steps: each step is a separate prepared statement, and the planner
        // sees the small limit.
        var reach = 1 << 10
        while Double(reach) < entries * 4, reach < most { reach *= 2 }
        return reach
    }

    private static let row = 20.0
    /// A match of the shortest list that is looked for in the others.
    private static let candidate = 1.0
    private static let page = 140.0
    private static let usesInPage = 4000.0

    /// What finding all that fits takes, by index but for some parts.
    private func cost(leaving left: Set<String>) -> Double {
        let asked = parts.filter { !left.contains($0.term) } + (system.map { [$0] } ?? [])
        guard let shortest = asked.map(\.uses).min() else { return .infinity }
        let found = count(without: left) * Self.row
        guard asked.count > 1 else { return found }
        // However long a list is, no more of its pages are read than there are matches to be looked for.
        let pages = asked.reduce(0) { $0 + $1.lists * min(shortest, $1.uses / $1.lists / Self.usesInPage) }
        return found + shortest * Self.candidate + pages * Self.page
    }
}
