// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketPlatform
import MarketWire
import SheetCore

/// What a list can be narrowed by, as links, with how many sheets each leaves.
struct FilterPanel: Sendable {
    struct Option: Sendable {
        let label: Phrase
        let count: Phrase?
        let address: String
        /// Whether it narrows the list already; the link then takes it out.
        let isOn: Bool
    }

    struct Group: Sendable {
        let heading: Phrase
        let id: String
        let options: [Option]
        /// The less frequent ones.
        let more: [Option]
        let hasMore: Bool
        let moreLabel: Phrase

        init(heading: Phrase, id: String, options: [Option]) {
            self.heading = heading
            self.id = "filter-\(id)"
            // What is on stays in sight.
            let inSight = options.enumerated().map { $0.offset < FilterPanel.seen || $0.element.isOn }
            self.options = zip(options, inSight).filter(\.1).map(\.0)
            more = zip(options, inSight).filter { !$0.1 }.map(\.0)
            hasMore = !more.isEmpty
            moreLabel = "\(more.count) more"
        }
    }

    /// Options of a group that are seen at once.
    private static let seen = 6

    let groups: [Group]
    /// How many narrow the list already.
    let active: Phrase?
    /// Says of counts that not everything was counted.
    let caution: Phrase?
    let clearAddress: String?

    /// `nil` where there is nothing to choose. The front page leads to games by itself.
    init?(_ facets: Facets?, _ address: ListAddress, systems: [String: String], isFront: Bool) {
        var groups: [Group?] = []
        if let facets {
            func counted(
                _ heading: Phrase, _ name: String, _ counts: [Facets.Count], _ label: (String) -> Phrase
            ) -> Group? {
                Self.group(heading, name, Self.options(name, counts, of: facets, address, label))
            }
            groups += [
                isFront
                    ? nil : counted("Game", "gameSystem", facets.gameSystem) { Phrase(verbatim: systems[$0] ?? $0) },
                counted("Language", "language", facets.language, DisplayText.language),
                counted("Form fields", "fillable", facets.fillable ?? []) {
                    $0 == "true" ? "Can be filled in" : "Without form fields"
                },
                counted("Licence", "license", facets.license) {
                    Phrase(verbatim: LicenceGuide.shortName($0))
                },
                counted("Tags", "tag", facets.tag) { Phrase(verbatim: $0) },
            ]
        }
        let isChoice = facets.map { $0.counted > 1 } ?? true
        groups += [
            Self.ratings(facets, address), Self.pages(facets, address), Self.kinds(facets, address),
        ].filter {
            isChoice || $0.options.contains(where: \.isOn)
        }
        self.groups = groups.compactMap { $0 }.filter { !$0.options.isEmpty }
        if self.groups.isEmpty { return nil }
        active = address.filters.isEmpty ? nil : DisplayText.number(address.filters.count)
        caution =
            facets.flatMap { $0.isExact ? nil : $0.counted }.map {
                "Counted among the \(DisplayText.number($0)) most popular."
            }
        clearAddress = address.filters.count > 1 ? address.without(address.filters.map(\.name)) : nil
    }

    /// The values of a facet, but for those that leave all there is.
    private static func options(
        _ name: String, _ counts: [Facets.Count], of facets: Facets, _ address: ListAddress,
        _ label: (String) -> Phrase
    ) -> [Option] {
        counts.map { option(label($0.value), count: $0.count, [(name, $0.value)], address) }
            .enumerated().filter { $0.element.isOn || !facets.isExact || counts[$0.offset].count < facets.counted }
            .map(\.element)
    }

    /// An option with how many of `counts` fit; `nil` where it leaves nothing or all there is. What was not counted
    /// stands without a number.
    private static func ranged(
        _ label: Phrase, _ filters: [(name: String, value: String?)], _ facets: Facets?, _ counts: [Facets.Count]?,
        _ address: ListAddress, fits: (String) -> Bool
    ) -> Option? {
        guard let facets, let counts, !counts.isEmpty else { return option(label, filters, address) }
        let count = counts.reduce(0) { $0 + (fits($1.value) ? $1.count : 0) }
        let shown = option(label, count: count == 0 ? nil : count, filters, address)
        let isUseless = facets.isExact && (count == 0 || count == facets.counted)
        return shown.isOn || !isUseless ? shown : nil
    }

    private static func ratings(_ facets: Facets?, _ address: ListAddress) -> Group {
        let stars = ["4", "3", "2"].compactMap { (least: String) in
            ranged("\(least) stars and up", [("minRating", least)], facets, facets?.minRating, address) {
                $0 == least
            }
        }
        return Group(heading: "Rating", id: "minRating", options: stars)
    }

    private static func pages(_ facets: Facets?, _ address: ListAddress) -> Group {
        let ranges: [(Phrase, String?, String?)] = [
            ("1 page", "1", "1"), ("2 pages", "2", "2"), ("3 to 5 pages", "3", "5"), ("6 pages or more", "6", nil),
        ]
        return Group(
            heading: "Pages", id: "pages",
            options: ranges.compactMap { label, least, most in
                let bounds = (least.flatMap { Int($0) } ?? 0)...(most.flatMap { Int($0) } ?? .max)
                return ranged(
                    label, [("minPages", least), ("maxPages", most)], facets, facets?.pages, address
                ) { Int($0).map(bounds.contains) ?? false }
            })
    }

    private static func kinds(_ facets: Facets?, _ address: ListAddress) -> Group {
        Group(
            heading: "Kind", id: "kind",
            options: TemplateKind.known.compactMap { kind in
                ranged(Phrase(told: kind.title), [("kind", kind.rawValue)], facets, facets?.kind, address) {
                    $0 == kind.rawValue
                }
            })
    }

    private static func group(_ heading: Phrase, _ id: String, _ options: [Option]) -> Group? {
        options.isEmpty ? nil : Group(heading: heading, id: id, options: options)
    }

    private static func option(
        _ label: Phrase, count: Int? = nil, _ filters: [(name: String, value: String?)], _ address: ListAddress
    ) -> Option {
        let isOn = filters.allSatisfy { address.has($0.name, $0.value) }
        let other =
            if isOn {
                filters.count == 1 && filters[0].name == "tag"
                    ? address.filters.first { $0.name == "tag" && $0.value == filters[0].value }.map(address.without)
                    : address.without(filters.map(\.name))
            } else { String?.none }
        return Option(
            label: label, count: count.map(DisplayText.number), address: other ?? address.with(filters), isOn: isOn)
    }
}
