// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// What PostgreSQL's `ANALYZE` has found out of the tables that are searched (`pg_stats`). The planner goes by the
/// same, but has to be asked anew for each statement, which takes longer than many a search.
package struct CatalogStatistics: Sendable {
    /// How many templates are on offer.
    package let all: Double
    /// How many popular templates there are.
    package let popular: Double
    /// How much of them has a lexeme, of the commonest lexemes.
    private let shares: [String: Double]
    /// How much of them has any other: most are far rarer than the rarest of these.
    private let rare: Double
    /// Words of names of game systems for which `listing_words` says of which system a template is that has them.
    /// As bytes: PostgreSQL takes no two spellings of a word for the same.
    private let systemWords: Set<[UInt8]>
    /// Bounds of as many parts of equal size as there are, of all templates on offer, in seconds since 1970: by column
    /// of `listing_words`.
    private let bounds: [String: [Double]]

    package init(
        all: Double = 0, popular: Double = 0, shares: [String: Double] = [:], bounds: [String: [Double]] = [:],
        systemWords: Set<String> = []
    ) {
        (self.all, self.popular, self.shares, self.bounds, self.systemWords) = (
            all, popular, shares, bounds, Set(systemWords.map { Array($0.utf8) })
        )
        rare = min((shares.values.min() ?? 0) / 8, 0.002)
    }

    /// Reads them; whatever has not been analyzed is missing.
    package static func read(_ database: some PostgresExecutor) async throws -> CatalogStatistics {
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
        let words = try await database.all("SELECT word FROM system_words") { try $0.get(0, as: String.self) }
        return CatalogStatistics(
            all: found.first?.all ?? 0, popular: found.first?.popular ?? 0, shares: shares, bounds: bounds,
            systemWords: Set(words))
    }

    /// A `tsquery` of which a game system is a part, with lexemes that tell both a word and the system in place of
    /// words of systems' names: such a word is in all templates of its own system and in hardly any of another's, so
    /// that its list and the system's would be gone through for nothing. For `listing_words` alone.
    func paired(_ query: String, of system: String) -> String {
        // Phrases go by the places of words, which a lexeme of both has not.
        guard !systemWords.isEmpty, !query.contains("<"), Self.canBePaired(system) else { return query }
        let replaced = QueryConjuncts.replacing(query) { lexeme in
            if systemWords.contains(Array(lexeme.utf8)) { return SearchFilters.pair(lexeme, system) }
            let word = String(lexeme.dropFirst(3))
            guard lexeme.hasPrefix("=n:"), systemWords.contains(Array(word.utf8)) else { return nil }
            return "(\(SearchFilters.pair(word, system)) & \(SearchFilters.quoted(lexeme)))"
        }
        // Where one such lexeme has to be there, the system's says nothing more.
        let parts = QueryConjuncts.all(of: replaced)
        guard parts.contains(where: { SearchFilters.isPair($0, of: system) }) else { return replaced }
        return QueryConjuncts.joined(parts.filter { $0 != SearchFilters.lexeme("s", system) }) ?? replaced
    }

    /// Whether a system's lexemes can be told from each other's and are short enough: a lexeme has at most 2046 bytes.
    private static func canBePaired(_ system: String) -> Bool { system.utf8.count <= 200 && !system.contains("/") }

    /// How much of the popular templates fits a `tsquery`.
    package func estimate(of query: String) -> MatchEstimate {
        MatchEstimate(of: query) { shares[$0] ?? rare }
    }

    /// How much of all templates fits a `tsquery`; of some lexemes it is known how many have them, of others that they
    /// are `unknown`.
    private func estimate(of query: String, uses: [String: Int], unknown: Double) -> MatchEstimate {
        func share(_ lexeme: String) -> Double? {
            if let known = uses[lexeme], all > 0 { return min(1, Double(known) / all) }
            return shares[lexeme]
        }
        return MatchEstimate(of: query) { lexeme in
            if let known = share(lexeme) { return known }
            // A name, system, tag or author has no word more often than anything has it.
            guard lexeme.hasPrefix("=n:") else { return unknown }
            return min(unknown, share(String(lexeme.dropFirst(3))) ?? unknown)
        }
    }

    /// How many templates fit a `tsquery` if its words have nothing to do with each other, and what is not known to be
    /// rare is not; `nil` where nothing is known of them.
    package func matches(of query: String, uses: [String: Int]) -> Double? {
        all > 0 ? all * estimate(of: query, uses: uses, unknown: shares.values.min() ?? 1).share : nil
    }

    /// Which parts of a `tsquery` of words the index is asked for, so that all of what fits is found soonest, and which
    /// are left to be looked at on the rows: common words have long lists and spare few rows.
    package func split(_ query: String, uses: [String: Int]) -> (asked: String, left: String?) {
        let parts = QueryConjuncts.all(of: query).map {
            (query: $0, estimate: estimate(of: $0, uses: uses, unknown: rare))
        }
        .sorted { ($0.estimate.passed, $0.query) < ($1.estimate.passed, $1.query) }
        guard all > 0, parts.count > 1, let rarest = parts.first?.estimate, rarest.passed < 1 else {
            return (query, nil)
        }
        var (best, least) = (parts.count, Double.infinity)
        var found = 1.0
        var lists = rarest.passed * all * Self.entry
        for (index, part) in parts.enumerated() {
            found *= part.estimate.share
            if index == 1 { lists = rarest.passed * all * Self.candidate }
            if index > 0 {
                lists += rarest.passed * all * Self.list * Double(part.estimate.lexemes)
                // No more pages of a list are read than there is to be looked for.
                let places = rarest.passed * all * Double(part.estimate.lexemes)
                lists += min(places, part.estimate.listed * all / Self.entriesInPage) * Self.page
            }
            let left = parts[(index + 1)...].reduce(0) { $0 + $1.estimate.lexemes }
            let looking = left > 0 ? Self.look + Self.lexeme * Double(left) : 0
            let cost = lists + found * all * (Self.row + looking)
            if cost < least { (best, least) = (index + 1, cost) }
        }
        guard best < parts.count, let asked = QueryConjuncts.joined(parts[..<best].map(\.query)) else {
            return (query, nil)
        }
        return (asked, QueryConjuncts.joined(parts[best...].map(\.query)))
    }

    /// Whether what fits filters is better found without asking the index for `words` as well, which are then looked at
    /// on its rows: words of most templates have long lists and spare few rows.
    func isCheaper(_ filters: String, without words: String) -> Bool {
        let matches = all * estimate(of: filters).share
        let words = estimate(of: words)
        // No more pages of a list are read than there are matches to be looked for.
        let pages = Double(words.lexemes) * min(matches, all * words.share / Self.entriesInPage)
        return matches * (1 - words.share) * Self.coldRow < pages * Self.page
    }

    /// Microseconds, on the machine of docs/performance.md: an entry of one list of the index, one that is looked for
    /// in other lists, and for each of these; a page of them; a row of `listing_words` that is looked up, the words of
    /// one that are looked at, and a lexeme that they are compared with. How many rows fit filters is known worse, and
    /// counts for more.
    private static let entry = 0.12
    private static let candidate = 0.4
    private static let list = 0.06
    private static let page = 30.0
    private static let entriesInPage = 4000.0
    private static let row = 3.3
    private static let coldRow = 8.0
    private static let look = 1.0
    private static let lexeme = 0.06

    /// The time behind which a share of the templates lies, counted back from `last` or from the newest; `nil` when
    /// that is more than there are, or nothing is known.
    package func time(of column: String, behind share: Double, before last: Double?) -> Double? {
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
