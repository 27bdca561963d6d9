// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// The address of a list, and those of its neighbours: with a filter more, with one less, or with another.
struct ListAddress: Sendable {
    /// One filter, as the address says it and as people read it.
    struct Filter: Equatable, Sendable {
        let name: String
        let value: String
        let label: Phrase
    }

    /// What is searched for.
    let words: String?
    let filters: [Filter]
    private let sort: String?
    private let isLiteral: Bool

    /// `system` is the name of the game that the list is of; `words` stand in the place of those of the query.
    init(_ query: CatalogQuery, _ wording: QueryParameters, system: String?, words: String?) {
        self.words = words
        sort = wording["sort"]
        isLiteral = query.isLiteral && words != nil
        filters = Self.filters(query, wording, system: system)
    }

    /// The list from its beginning.
    var whole: PageAddress { address(filters) }

    /// The list as it is, but without the correction of its words.
    func literal(_ typed: String) -> String {
        filters.reduce(PageAddress("/").with("q", typed).with("literal", "true").with("sort", sort)) {
            $0.with($1.name, $1.value)
        }.text
    }

    func without(_ filter: Filter) -> String { address(filters.filter { $0 != filter }).text }

    /// Without the filters of some names.
    func without(_ names: [String]) -> String { address(filters.filter { !names.contains($0.name) }).text }

    /// With other filters of their names; tags come on top of each other.
    func with(_ added: [(name: String, value: String?)]) -> String {
        let names = added.map(\.name).filter { $0 != "tag" }
        let kept = filters.filter { !names.contains($0.name) }
        return added.reduce(address(kept)) { $0.with($1.name, $1.value) }.text
    }

    func has(_ name: String, _ value: String?) -> Bool {
        let found = filters.filter { $0.name == name }.map { $0.value.lowercased() }
        return value.map { found.contains($0.lowercased()) } ?? found.isEmpty
    }

    private func address(_ filters: [Filter]) -> PageAddress {
        let start = PageAddress("/").with("q", words).with("literal", isLiteral ? "true" : nil).with("sort", sort)
        return filters.reduce(start) { $0.with($1.name, $1.value) }
    }

    private static func filters(
        _ query: CatalogQuery, _ wording: QueryParameters, system: String?
    ) -> [Filter] {
        var found: [Filter] = []
        func add(_ name: String, _ value: String?, _ label: Phrase) {
            if let value { found.append(Filter(name: name, value: value, label: label)) }
        }
        add("gameSystem", query.gameSystem, Phrase(verbatim: system ?? ""))
        for tag in query.tags { add("tag", tag, "Tag: \(tag)") }
        add("author", query.author, "By \(query.author ?? "")")
        add("license", query.license, "Licence: \(LicenceGuide.shortName(query.license ?? ""))")
        add("language", query.language, query.language.map(Phrase.language) ?? "")
        add("kind", query.kind?.rawValue, Phrase(told: query.kind?.title ?? ""))
        add(
            "fillable", query.isFillable.map { "\($0)" },
            query.isFillable == true ? "Can be filled in" : "Without form fields")
        add("minRating", wording["minRating"], "\(wording["minRating"] ?? "") stars or more")
        let (fewest, most) = (wording["minPages"], wording["maxPages"])
        add("minPages", fewest, fewest == most ? pages(fewest) : "\(pages(fewest)) or more")
        add("maxPages", most, fewest == most ? pages(most) : "Up to \(pages(most))")
        return found
    }

    private static func pages(_ count: String?) -> Phrase { count == "1" ? "1 page" : "\(count ?? "") pages" }
}
