// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// The form of the zoom regions of one page: each region is a row of fields whose names end with the row's number.
struct RegionForm: Sendable {
    /// Regions are of these kinds where a reader tells them apart.
    static let kinds = ["identity", "abilities", "combat", "skills", "equipment", "spells", "features", "notes"]

    /// A row as its fields say it.
    struct Row: Sendable {
        var row: Int
        var id = ""
        var name = ""
        var kind = ""
        var x = ""
        var y = ""
        var width = ""
        var height = ""
        /// Empty for what fills the screen.
        var scale = ""
        var order = ""
        var isDeleted = false

        /// Whether nothing was entered.
        var isBlank: Bool { id.isEmpty && [name, x, y, width, height].allSatisfy(\.isEmpty) }
    }

    var rows: [Row]

    /// The rows of regions as they are stored.
    init(_ regions: [ZoomRegion]) {
        rows = regions.enumerated().map { place, region in
            let fields = Self.fields(of: region.rect)
            let isFitting = abs(region.scale - ZoomRegion.scale(showing: region.rect)) < 0.05
            return Row(
                row: place, id: region.id, name: region.name == RegionWords.unnamed ? "" : region.name,
                kind: region.kind ?? "", x: fields[0], y: fields[1], width: fields[2], height: fields[3],
                scale: isFitting ? "" : Self.text(region.scale), order: "\(place + 1)")
        }
    }

    /// The rows that were sent.
    init(_ form: QueryParameters) {
        rows = form.all("row").prefix(4 * RegionRules.maximumPerPage).compactMap { text in
            guard let number = Int(text), (0..<10_000).contains(number) else { return nil }
            func field(_ name: String) -> String {
                (form["\(name)-\(number)"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            }
            return Row(
                row: number, id: field("id"), name: field("name").cleanedLine(), kind: field("kind"), x: field("x"),
                y: field("y"), width: field("width"), height: field("height"), scale: field("scale"),
                order: field("order"), isDeleted: form["delete-\(number)"] != nil)
        }
    }

    /// The regions that the rows say, in their order. `stored` are those that the page has, of whom exact places are
    /// taken where fields still say the same; `others` are ids on other pages. Throws what is wrong with any field.
    func regions(on page: Int, stored: [ZoomRegion], others: Set<String>) throws(APIError) -> [ZoomRegion] {
        var problems: [ProblemDocument.Detail] = []
        let kept = rows.filter { !$0.isDeleted && !$0.isBlank }
        let ordered = kept.enumerated().map { place, row in
            (order: Self.number(row.order) ?? Double(rows.count + 1), place: place, row: row)
        }.sorted { ($0.order, $0.place) < ($1.order, $1.place) }.map(\.row)
        let known = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var ids = others.union(ordered.map(\.id).filter { known[$0] != nil })
        var taken: Set<String> = []
        let regions = ordered.compactMap { row -> ZoomRegion? in
            let rect = Self.rect(of: row, as: known[row.id]?.rect, &problems)
            let scale = Self.scale(of: row, rect, &problems)
            if row.name.count > ZoomRegion.maximumNameLength {
                problems.append(
                    .init(
                        pointer: "/name-\(row.row)",
                        detail: "At most \(ZoomRegion.maximumNameLength) characters."))
            }
            guard let rect else { return nil }
            let name = row.name.isEmpty ? RegionWords.unnamed : row.name
            let isKnown = known[row.id] != nil && taken.insert(row.id).inserted
            return ZoomRegion(
                id: isKnown ? row.id : Self.freshID(name, &ids), name: name, rect: rect, scale: scale,
                pageIndex: page, source: .corrected, kind: row.kind)
        }
        if regions.count > RegionRules.maximumPerPage {
            problems.append(.init(pointer: "/row", detail: "At most \(RegionRules.maximumPerPage) on a page."))
        }
        if !problems.isEmpty { throw .validation(problems) }
        return regions
    }

    // MARK: Numbers

    private static func fields(of rect: NormalizedRect) -> [String] {
        [rect.x, rect.y, rect.width, rect.height].map { text(100 * $0) }
    }

    /// With two digits at most.
    static func text(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    /// People write a comma, too.
    private static func number(_ text: String) -> Double? {
        guard let number = Double(text.replacing(",", with: ".")), number.isFinite else { return nil }
        return number
    }

    private static func rect(
        of row: Row, as stored: NormalizedRect?, _ problems: inout [ProblemDocument.Detail]
    ) -> NormalizedRect? {
        if let stored, fields(of: stored) == [row.x, row.y, row.width, row.height] { return stored }
        var parts: [Double] = []
        for (name, text, least) in [
            ("x", row.x, 0.0), ("y", row.y, 0), ("width", row.width, 0.1), ("height", row.height, 0.1),
        ] {
            guard let number = number(text), (least...100).contains(number) else {
                problems.append(
                    .init(pointer: "/\(name)-\(row.row)", detail: "A number from \(Self.text(least)) to 100."))
                continue
            }
            parts.append(number / 100)
        }
        guard parts.count == 4 else { return nil }
        for (name, end) in [("width", parts[0] + parts[2]), ("height", parts[1] + parts[3])] where end > 1.0001 {
            problems.append(.init(pointer: "/\(name)-\(row.row)", detail: "It must end on the page."))
            return nil
        }
        return NormalizedRect(
            x: parts[0], y: parts[1], width: min(parts[2], 1 - parts[0]), height: min(parts[3], 1 - parts[1]))
    }

    private static func scale(
        of row: Row, _ rect: NormalizedRect?, _ problems: inout [ProblemDocument.Detail]
    ) -> Double {
        let fitting = rect.map { ZoomRegion.scale(showing: $0) } ?? 1
        if row.scale.isEmpty { return fitting }
        guard let number = number(row.scale), ZoomRegion.scales.contains(number) else {
            problems.append(.init(pointer: "/scale-\(row.row)", detail: "A number from 1 to 5, or nothing."))
            return fitting
        }
        return number
    }

    /// The slug of a name, numbered where another region has it.
    private static func freshID(_ name: String, _ ids: inout Set<String>) -> String {
        let base = Slug(slugging: name)?.text ?? "region"
        var id = base
        var number = 2
        while !ids.insert(id).inserted {
            let tail = "-\(number)"
            var stem = base.prefix(Slug.maximumLength - tail.utf8.count)
            while stem.hasSuffix("-") { stem.removeLast() }
            id = stem + tail
            number += 1
        }
        return id
    }
}
