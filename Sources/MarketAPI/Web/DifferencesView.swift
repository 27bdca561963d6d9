// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

/// Pages of a new version that look different: as they were, as they are, and both laid over each other.
struct DifferencesView: Sendable {
    struct Picture: Sendable {
        let label: String
        let picture: String
        let alternative: String
        let pictureWidth: Int
        let pictureHeight: Int
    }

    struct Change: Sendable {
        let heading: String
        let pictures: [Picture]
    }

    let since: String
    let changed: [Change]
    let hasChanges: Bool
    /// Whether there are no pictures yet.
    let isUndrawn: Bool
    let isSame: Bool

    /// How wide a page's picture is asked for, in pixels; three stand side by side.
    private static let width = 600

    /// `pages` are those of the new version.
    init(_ comparison: CaseComparison, pages: [PageSummary], of name: String, version: SemanticVersion?) {
        let since = comparison.version.description
        let new = version?.description ?? "the new version"
        func page(_ index: Int?, _ pages: [PageSummary], _ release: String) -> Picture? {
            guard let index, let found = pages.first(where: { $0.index == index }) else { return nil }
            return Picture(
                label: release, picture: "\(found.previewURL)?width=\(Self.width)",
                alternative: "Page \(index + 1) of \(name) \(release)", pictureWidth: Self.width,
                pictureHeight: Int((Double(Self.width) * max(found.height, 1) / max(found.width, 1)).rounded()))
        }
        self.since = since
        changed = (comparison.pictures ?? []).map { entry in
            let heading = Self.heading(entry, since)
            let difference = Picture(
                label: "What differs", picture: entry.picture.url,
                alternative: "What differs between \(since) and \(new): \(heading)",
                pictureWidth: entry.picture.width, pictureHeight: entry.picture.height)
            let sides = [page(entry.from, comparison.pages, since), page(entry.to, pages, new)]
            return Change(heading: heading, pictures: sides.compactMap { $0 } + [difference])
        }
        hasChanges = !changed.isEmpty
        isUndrawn = comparison.pictures == nil
        isSame = comparison.pictures?.isEmpty == true
    }

    private static func heading(_ entry: CaseComparison.Picture, _ since: String) -> String {
        switch (entry.from, entry.to) {
        case (let from?, let to?): from == to ? "Page \(to + 1)" : "Page \(to + 1), which was page \(from + 1)"
        case (nil, let to?): "Page \(to + 1), which is new"
        case (let from?, nil): "Page \(from + 1) of \(since), which is gone"
        case (nil, nil): "A page"
        }
    }
}
