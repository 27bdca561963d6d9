// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// The newest matches of a word: those of the last months, when these should hold a page. A word that a few thousand
/// templates have is too rare to be met on a walk through the newest templates, and too common to sort all its matches.
enum MatchMonths {
    /// Words of no more uses than this are sorted whole.
    static let leastUses = 1000
    /// How many matches are expected of the months, for each line that is wanted: words come in waves.
    private static let margin = 6

    /// A `tsquery` for the months from `newest` back (all of them without one) in which a word of `uses` should have
    /// `count` matches; `nil` when they are most of all months. `letter` is that of the months' lexemes.
    static func query(
        _ letter: String, uses: Int, count: Int, newest: Date?, at now: Date, _ database: some PostgresExecutor
    ) async throws -> String? {
        guard uses > leastUses else { return nil }
        let counted = try await database.all(
            """
            SELECT substr(term, 4), uses FROM search_terms
            WHERE term >= \("=\(letter):") AND term < \("=\(letter);") ORDER BY term DESC
            """
        ) { (month: try $0.get(0, as: String.self), uses: try $0.get(1, as: Int.self)) }
        let total = counted.reduce(0) { $0 + $1.uses }
        let last = newest.map(month)
        var expected = 0.0
        var passed = 0
        for (month, templates) in counted {
            if let last, month > last { continue }
            passed += templates
            expected += Double(uses) * Double(templates) / Double(total)
            guard passed * 2 <= total else { return nil }
            if expected >= Double(count * margin) {
                // Words were counted some hours ago: the months since then belong to it, and the next, for other clocks.
                return months(from: month, to: last ?? Self.month(now.addingTimeInterval(86_400)))
                    .map { SearchFilters.lexeme(letter, $0) }.joined(separator: " | ")
            }
        }
        return nil
    }

    /// `202611`, in UTC.
    private static func month(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month], from: date)
        return text(year: parts.year ?? 0, month: parts.month ?? 1)
    }

    private static func text(year: Int, month: Int) -> String {
        String(year * 100 + month)
    }

    private static func months(from first: String, to last: String) -> [String] {
        guard let start = Int(first), let end = Int(last), start <= end else { return [first] }
        return (start / 100 * 12 + start % 100 - 1...end / 100 * 12 + end % 100 - 1).map {
            text(year: $0 / 12, month: $0 % 12 + 1)
        }
    }
}
