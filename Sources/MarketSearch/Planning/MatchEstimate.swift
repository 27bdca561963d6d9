// SPDX-License-Identifier: Apache-2.0

/// How much of a table fits a `tsquery`, and how much an index passes to find that; shares of one. Words are taken for
/// independent of each other, as PostgreSQL takes them (selfuncs of full-text search).
package struct MatchEstimate: Equatable, Sendable {
    /// What fits.
    package var share: Double
    /// What the index looks at.
    package var passed: Double
    /// How many lexemes a row is compared with; the index has the answer to one as one list.
    var lexemes = 1
    /// What stands in the lists of all these lexemes together.
    package var listed: Double

    /// Reckons a `tsquery` as PostgreSQL writes it; `shares` tells how much of the table has a lexeme. What cannot be
    /// read counts as nothing.
    package init(of query: String, shares: @escaping (String) -> Double) {
        var parser = QueryParser(rest: Array(query.utf8)[...], shares: shares)
        self = parser.any() ?? MatchEstimate(share: 0, passed: 0, lexemes: 0, listed: 0)
    }

    private init(share: Double, passed: Double, lexemes: Int, listed: Double) {
        self.share = share
        self.passed = passed
        self.lexemes = lexemes
        self.listed = listed
    }

    private func and(_ other: Self) -> Self {
        Self(
            share: share * other.share, passed: min(passed, other.passed), lexemes: lexemes + other.lexemes,
            listed: listed + other.listed)
    }

    private func or(_ other: Self) -> Self {
        Self(
            share: share + other.share - share * other.share, passed: passed + other.passed,
            lexemes: lexemes + other.lexemes, listed: listed + other.listed)
    }

    private var not: Self { Self(share: 1 - share, passed: 1, lexemes: lexemes, listed: listed) }

    /// A recursive descent through `'a' & !( 'b' | 'c':A ) & 'd' <-> 'e'`; `!` binds closest, then `<->`, `&`, `|`.
    private struct QueryParser {
        var rest: ArraySlice<UInt8>
        let shares: (String) -> Double
        /// How deep parentheses go; a text of 200 characters makes no more.
        var depth = 0

        mutating func any() -> MatchEstimate? {
            guard var found = all() else { return nil }
            while take("|") {
                guard let next = all() else { return nil }
                found = found.or(next)
            }
            return found
        }

        private mutating func all() -> MatchEstimate? {
            guard var found = near() else { return nil }
            while take("&") {
                guard let next = near() else { return nil }
                found = found.and(next)
            }
            return found
        }

        private mutating func near() -> MatchEstimate? {
            guard var found = one() else { return nil }
            while take("<") {
                rest = rest.drop { $0 != UInt8(ascii: ">") }.dropFirst()
                guard let next = one() else { return nil }
                found = found.and(next)
            }
            return found
        }

        private mutating func one() -> MatchEstimate? {
            guard depth < 400 else { return nil }
            depth += 1
            defer { depth -= 1 }
            if take("!") { return one()?.not }
            if take("(") {
                let found = any()
                return take(")") ? found : nil
            }
            guard take("'"), let lexeme = QueryConjuncts.lexeme(&rest) else { return nil }
            if rest.first == UInt8(ascii: ":") {
                rest = rest.dropFirst().drop { "*ABCDabcd".utf8.contains($0) }
            }
            let share = shares(lexeme)
            return MatchEstimate(share: share, passed: share, lexemes: 1, listed: share)
        }

        private mutating func take(_ sign: Character) -> Bool {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            guard rest.first == sign.asciiValue else { return false }
            rest = rest.dropFirst()
            return true
        }
    }
}
