// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// The filters of a list, as one text-search query over lexemes that no word can be (see `listing_filters` in
/// migrations/), so that an index finds any combination of them, with words or without; and what that leaves to compare.
struct SearchFilters: Sendable {
    /// A `tsquery`; `nil` asks for nothing.
    let lexemes: String?
    /// The same without the game system, for where an index has taken care of that.
    let lexemesBesideSystem: String?
    /// The values that are asked for, by facet (the letter of the lexemes); the author's are not counted.
    let facets: [(name: String, values: [String])]
    /// What the lexemes say too roughly, on columns `rating` and `page_count`.
    let rest: [PostgresQuery]
    /// The lexemes by facet, and what those of ratings and pages say compared on the row.
    private let terms: [(facet: String, lexemes: String)]
    private let ranges: [(facet: String, comparison: PostgresQuery)]
    private let bounds: Bounds

    /// What ratings and pages are compared with.
    private struct Bounds: Hashable, Sendable {
        var rating: Double?
        var leastPages: Int?
        var mostPages: Int?
    }

    /// The facets that can also be compared on the row: ratings and pages.
    static let rangeFacets = ["p", "r"]

    /// Pages from here on share one lexeme.
    private static let manyPages = 17

    init(_ query: CatalogQuery) {
        var asked: [(name: String, values: [String])] = query.tags.map { ("t", [$0]) }
        if let handle = query.author { asked.append(("a", [handle.lowercased()])) }
        if let license = query.license { asked.append(("c", [license.lowercased()])) }
        if let language = query.language { asked.append(("l", [language.lowercased()])) }
        if let kind = query.kind { asked.append(("k", [kind.rawValue])) }
        var rest: [PostgresQuery] = []
        var ranges: [(facet: String, comparison: PostgresQuery)] = []
        if let rating = query.minRating {
            asked.append(("r", (Int(rating * 2)...10).map { String($0) }))
            ranges.append(("r", "rating >= \(rating)"))
            if (rating * 2).rounded() != rating * 2 { rest.append("rating >= \(rating)") }
        }
        if query.minPages != nil || query.maxPages != nil {
            let least = query.minPages ?? 0
            let most = query.maxPages ?? Int(Int32.max)
            ranges.append(("p", "page_count BETWEEN \(least) AND \(most)"))
            if least > most {
                rest.append("false")
            } else {
                asked.append(("p", (min(least, Self.manyPages)...min(most, Self.manyPages)).map { String($0) }))
                if least > Self.manyPages { rest.append("page_count >= \(least)") }
                if query.maxPages != nil, most >= Self.manyPages { rest.append("page_count <= \(most)") }
            }
        }
        self.rest = rest
        self.ranges = ranges
        bounds = Bounds(rating: query.minRating, leastPages: query.minPages, mostPages: query.maxPages)
        facets = asked.filter { $0.name != "a" }
        var terms = asked.map { (facet: $0.name, lexemes: Self.either($0.name, $0.values)) }
        lexemesBesideSystem = Self.all(terms)
        if let system = query.gameSystem { terms.append(("s", Self.lexeme("s", system))) }
        self.terms = terms
        lexemes = Self.all(terms)
    }

    /// The lexemes but those of some range facets, and ` AND …` for what has to be compared then.
    func comparing(_ facets: Set<String>) -> (lexemes: String?, comparisons: PostgresQuery) {
        (
            Self.all(terms.filter { !facets.contains($0.facet) }),
            Self.and(rest + ranges.filter { facets.contains($0.facet) }.map(\.comparison))
        )
    }

    private static func all(_ terms: [(facet: String, lexemes: String)]) -> String? {
        terms.isEmpty ? nil : terms.map(\.lexemes).joined(separator: " & ")
    }

    /// ` AND …` for each of the residual conditions.
    var andRest: PostgresQuery { Self.and(rest) }

    private static func and(_ conditions: [PostgresQuery]) -> PostgresQuery {
        conditions.reduce("") { "\(fragment: $0) AND \(fragment: $1)" }
    }

    /// The same for a row that is called `row` and has not those columns.
    func andRest(of row: String) -> PostgresQuery {
        if rest.isEmpty { return "" }
        return " AND EXISTS (SELECT FROM listings AS l WHERE l.id = \(ident: row).id\(fragment: andRest))"
    }

    private static func either(_ name: String, _ values: [String]) -> String {
        let lexemes = values.map { lexeme(name, $0) }
        return lexemes.count == 1 ? lexemes[0] : "(" + lexemes.joined(separator: " | ") + ")"
    }

    /// Quoted as `tsquery` reads it.
    static func lexeme(_ name: String, _ value: String) -> String {
        // A lexeme has at most 2046 bytes; nothing that long is in the catalog.
        quoted("=\(name):\(value.prefix(200))")
    }

    /// Any text as one lexeme of a `tsquery`.
    static func quoted(_ lexeme: String) -> String {
        "'" + lexeme.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }
}

// All else is made of these.
extension SearchFilters: Hashable {
    static func == (one: Self, other: Self) -> Bool {
        one.lexemes == other.lexemes && one.lexemesBesideSystem == other.lexemesBesideSystem
            && one.bounds == other.bounds
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(lexemes)
        hasher.combine(bounds)
    }
}

extension PostgresQuery {
    /// A `tsquery` for an index that is the way to its matches whatever it asks for. As a query of its own its value is
    /// unknown to the planner, so that one plan serves all values: planning for each took as long as many a search.
    static func onceForAll(_ lexemes: String) -> PostgresQuery {
        "(SELECT \(lexemes)::tsquery)"
    }

    /// The same, planned for its values: the best way to a common word (read on till there are enough) is not the best way to
    /// a rare one (by index). Planning costs a third of a millisecond, the wrong way ten.
    var plannedForItsValues: PostgresQuery {
        var query = self
        query.isPrepared = false
        return query
    }
}
