// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// The filters of a list, as one text-search query over lexemes that no word can be (see `listing_filters` in
/// migrations/), so that an index finds any combination of them, with words or without; and what that leaves to
/// compare.
package struct SearchFilters: Sendable {
    /// A `tsquery`; `nil` asks for nothing.
    let lexemes: String?
    /// The same without the game system, for where an index has taken care of that.
    let lexemesBesideSystem: String?
    package let system: String?
    /// The requested filters by facet (the prefix of the lexemes), except the author, who has no facet counts.
    let facets: [Facet]
    /// What the lexemes say too roughly, on columns `rating` and `page_count`.
    package let residual: [PostgresQuery]
    /// The lexemes that all have marks (`listing_bloom_filter`), as they stand in the row; the game system, authors,
    /// ratings and pages are not among them.
    package let marks: [String]
    /// The parts of the lexemes.
    private let terms: [String]
    /// What the parts for ratings and pages say, compared on the row.
    private let ranges: [String: PostgresQuery]
    private let bounds: Bounds

    /// What is asked of one facet.
    struct Facet: Sendable {
        let name: String
        /// Any of these.
        let values: [String]

        /// The part of the lexemes that asks for it.
        var term: String {
            let lexemes = values.map { SearchFilters.lexeme(name, $0) }
            return lexemes.count == 1 ? lexemes[0] : "(" + lexemes.joined(separator: " | ") + ")"
        }
    }

    /// What ratings and pages are compared with.
    private struct Bounds: Hashable, Sendable {
        var rating: Double?
        var leastPages: Int?
        var mostPages: Int?
    }

    /// The facets of one value each that `listing_bloom_filter` makes marks of.
    private static let marked = ["t", "c", "l", "k"]

    /// Pages from here on share one lexeme.
    private static let manyPages = 17

    package init(_ query: CatalogQuery) {
        var tags: Set<String> = []
        var asked = query.tags.filter { tags.insert($0).inserted }.map { Facet(name: "t", values: [$0]) }
        if let handle = query.author { asked.append(Facet(name: "a", values: [handle.lowercased()])) }
        if let license = query.license { asked.append(Facet(name: "c", values: [license.lowercased()])) }
        if let language = query.language { asked.append(Facet(name: "l", values: [language.lowercased()])) }
        if let kind = query.kind { asked.append(Facet(name: "k", values: [kind.rawValue])) }
        if let isFillable = query.isFillable { asked.append(Facet(name: "f", values: ["\(isFillable)"])) }
        var residual: [PostgresQuery] = []
        var ranges: [String: PostgresQuery] = [:]
        if let rating = query.minRating {
            let stars = Facet(name: "r", values: (Int(rating * 2)...10).map { String($0) })
            asked.append(stars)
            ranges[stars.term] = "rating >= \(rating)"
            if (rating * 2).rounded() != rating * 2 { residual.append("rating >= \(rating)") }
        }
        if query.minPages != nil || query.maxPages != nil {
            let least = query.minPages ?? 0
            let most = query.maxPages ?? Int(Int32.max)
            if least > most {
                residual.append("false")
            } else {
                let counts = min(least, Self.manyPages)...min(most, Self.manyPages)
                let pages = Facet(name: "p", values: counts.map { String($0) })
                asked.append(pages)
                ranges[pages.term] = "page_count BETWEEN \(least) AND \(most)"
                if least > Self.manyPages { residual.append("page_count >= \(least)") }
                if query.maxPages != nil, most >= Self.manyPages { residual.append("page_count <= \(most)") }
            }
        }
        self.residual = residual
        self.ranges = ranges
        bounds = Bounds(rating: query.minRating, leastPages: query.minPages, mostPages: query.maxPages)
        facets = asked.filter { $0.name != "a" }
        marks = asked.filter { Self.marked.contains($0.name) }.flatMap { facet in
            facet.values.map { Self.bare(facet.name, $0) }
        }
        system = query.gameSystem
        var terms = asked.map(\.term)
        lexemesBesideSystem = Self.all(terms)
        if let system = query.gameSystem { terms.append(Facet(name: "s", values: [system]).term) }
        self.terms = terms
        lexemes = Self.all(terms)
    }

    /// The parts of the lexemes that ask for ratings and pages.
    var rangeTerms: Set<String> { Set(ranges.keys) }

    /// What an index is asked for, and what is left to be looked at on the rows that it finds.
    package struct Split {
        var lexemes: String?
        /// ` AND …` of `rating` and `page_count`.
        var comparisons: PostgresQuery
        package var others: String?
    }

    /// All that is asked for, with some parts of the lexemes left to the rows.
    package func split(leaving left: Set<String>) -> Split {
        Split(
            lexemes: Self.all(terms.filter { !left.contains($0) }),
            comparisons: Self.and(residual + terms.compactMap { left.contains($0) ? ranges[$0] : nil }),
            others: Self.all(terms.filter { left.contains($0) && ranges[$0] == nil }))
    }

    private static func all(_ terms: [String]) -> String? {
        terms.isEmpty ? nil : terms.joined(separator: " & ")
    }

    /// ` AND …` for each of the residual conditions.
    var andResidual: PostgresQuery { Self.and(residual) }

    private static func and(_ conditions: [PostgresQuery]) -> PostgresQuery {
        conditions.reduce("") { "\(fragment: $0) AND \(fragment: $1)" }
    }

    /// The same for a row that is called `row` and has not those columns.
    func andResidual(of row: String) -> PostgresQuery {
        if residual.isEmpty { return "" }
        return " AND EXISTS (SELECT FROM listings AS l WHERE l.id = \(ident: row).id\(fragment: andResidual))"
    }

    /// Quoted as `tsquery` reads it.
    static func lexeme(_ name: String, _ value: String) -> String { quoted(bare(name, value)) }

    /// The lexeme of who has a word and is of a game system.
    package static func pair(_ word: String, _ system: String) -> String { quoted("=w:\(system)/\(word)") }

    /// Whether a part of a `tsquery` is one such lexeme of a system.
    static func isPair(_ part: String, of system: String) -> Bool {
        part.hasPrefix("'=w:\(system)/") && !part.contains("|")
    }

    private static func bare(_ name: String, _ value: String) -> String {
        // A lexeme has at most 2046 bytes; nothing that long is in the catalog.
        "=\(name):\(String(value.unicodeScalars.prefix(200)))"
    }

    /// Any text as one lexeme of a `tsquery`.
    package static func quoted(_ lexeme: String) -> String {
        // Not character by character: an apostrophe with an accent upon it is another character, and ends a quote all
        // the same.
        var quoted = "'"
        for scalar in lexeme.unicodeScalars {
            if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }
}

// All else is made of these.
extension SearchFilters: Hashable {
    package static func == (one: Self, other: Self) -> Bool {
        one.lexemes == other.lexemes && one.lexemesBesideSystem == other.lexemesBesideSystem
            && one.bounds == other.bounds
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(lexemes)
        hasher.combine(bounds)
    }
}

extension PostgresQuery {
    /// A `tsquery` for an index that is the way to its matches whatever it asks for. As a query of its own its value is
    /// unknown to the planner, so that one plan serves all values: planning for each took as long as many a search.
    static func inlined(_ lexemes: String) -> PostgresQuery {
        "(SELECT \(lexemes)::tsquery)"
    }

    /// The same for a place, with which the planner would reckon anew each time.
    static func inlined(_ place: Int) -> PostgresQuery {
        "(SELECT \(Int32(clamping: place))::integer)"
    }

    /// The same for a text that something begins with.
    static func inlined(text: String) -> PostgresQuery {
        "(SELECT \(text)::text)"
    }
}
