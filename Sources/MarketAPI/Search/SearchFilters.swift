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
    /// The lexemes without those of ratings and pages, which are many with long lists, and what these say compared on the
    /// row: the better way where few rows are left.
    let lexemesWithoutRanges: String?
    let ranges: [PostgresQuery]
    /// What the lexemes say too roughly, on columns `rating` and `page_count`.
    let rest: [PostgresQuery]

    /// Pages from here on share one lexeme.
    private static let manyPages = 17

    init(_ query: CatalogQuery) {
        var terms: [String] = []
        var rest: [PostgresQuery] = []
        terms += query.tags.map { Self.lexeme("t", $0) }
        if let handle = query.author { terms.append(Self.lexeme("a", handle.lowercased())) }
        if let license = query.license { terms.append(Self.lexeme("c", license.lowercased())) }
        if let language = query.language { terms.append(Self.lexeme("l", language.lowercased())) }
        if let kind = query.kind { terms.append(Self.lexeme("k", kind.rawValue)) }
        if let rating = query.minRating {
            terms.append(Self.either("r", Int(rating * 2)...10))
            if (rating * 2).rounded() != rating * 2 { rest.append("rating >= \(rating)") }
        }
        if query.minPages != nil || query.maxPages != nil {
            let least = query.minPages ?? 0
            let most = query.maxPages ?? Int(Int32.max)
            if least > most {
                rest.append("false")
            } else {
                terms.append(Self.either("p", min(least, Self.manyPages)...min(most, Self.manyPages)))
                if least > Self.manyPages { rest.append("page_count >= \(least)") }
                if query.maxPages != nil, most >= Self.manyPages { rest.append("page_count <= \(most)") }
            }
        }
        self.rest = rest
        let plain = terms.filter { !$0.hasPrefix("(") } + (query.gameSystem.map { [Self.lexeme("s", $0)] } ?? [])
        lexemesWithoutRanges = plain.isEmpty ? nil : plain.joined(separator: " & ")
        ranges =
            (query.minRating.map { ["rating >= \($0)"] } ?? []) + (query.minPages.map { ["page_count >= \($0)"] } ?? [])
            + (query.maxPages.map { ["page_count <= \($0)"] } ?? [])
        facets =
            query.tags.map { ("t", [$0]) } + (query.license.map { [("c", [$0.lowercased()])] } ?? [])
            + (query.language.map { [("l", [$0.lowercased()])] } ?? [])
            + (query.kind.map { [("k", [$0.rawValue])] } ?? [])
            + (query.minRating.map { [("r", (Int($0 * 2)...10).map { String($0) })] } ?? [])
        lexemesBesideSystem = terms.isEmpty ? nil : terms.joined(separator: " & ")
        if let system = query.gameSystem { terms.append(Self.lexeme("s", system)) }
        lexemes = terms.isEmpty ? nil : terms.joined(separator: " & ")
    }

    /// ` AND …` for each of the residual conditions.
    var andRest: PostgresQuery { Self.and(rest) }

    /// ` AND …` for each comparison that the lexemes of ratings and pages would save.
    var andRanges: PostgresQuery { Self.and(ranges) }

    private static func and(_ conditions: [PostgresQuery]) -> PostgresQuery {
        conditions.reduce("") { "\(fragment: $0) AND \(fragment: $1)" }
    }

    /// The same for a row that is called `row` and has not those columns.
    func andRest(of row: String) -> PostgresQuery {
        if rest.isEmpty { return "" }
        return " AND EXISTS (SELECT FROM listings AS l WHERE l.id = \(ident: row).id\(fragment: andRest))"
    }

    private static func either(_ name: String, _ values: ClosedRange<Int>) -> String {
        "(" + values.map { lexeme(name, String($0)) }.joined(separator: " | ") + ")"
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

extension PostgresQuery {
    /// The same, planned for its values: the best way to a common word (read on till there are enough) is not the best way to
    /// a rare one (by index). Planning costs a third of a millisecond, the wrong way ten.
    var plannedForItsValues: PostgresQuery {
        var query = self
        query.isPrepared = false
        return query
    }
}
