// SPDX-License-Identifier: Apache-2.0
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// Pictures of pages side by side.
package struct PageRow: Sendable {
    package struct Picture: Sendable {
        let label: Phrase
        /// Whether there is such a page at all.
        let isThere: Bool
        let picture: String
        /// The same, larger.
        let whole: String
        let alternative: Phrase
        let pictureWidth: Int
        let pictureHeight: Int
    }

    package let heading: Phrase
    package let pictures: [Picture]

    package init(heading: Phrase, pictures: [Picture]) {
        self.heading = heading
        self.pictures = pictures
    }

    /// How wide a page's picture is asked for, in pixels; three stand side by side.
    private static let width = 600

    /// The picture of a page by the address of its preview; `height` and `width` are the page's, in any unit.
    package static func page(_ preview: String, _ label: Phrase, _ alternative: Phrase, width: Double, height: Double)
        -> Picture
    {
        Picture(
            label: label, isThere: true, picture: "\(preview)?width=\(Self.width)",
            whole: "\(preview)?width=\(2 * Self.width)", alternative: alternative, pictureWidth: Self.width,
            pictureHeight: Int((Double(Self.width) * max(height, 1) / max(width, 1)).rounded()))
    }

    /// Both of two pages laid over each other.
    package static func difference(_ drawn: DifferencePicture, _ alternative: Phrase) -> Picture {
        Picture(
            label: "What differs", isThere: true, picture: drawn.url, whole: drawn.url, alternative: alternative,
            pictureWidth: drawn.width, pictureHeight: drawn.height)
    }

    /// Stands where a version has no such page, so that pictures of the same version stay below each other.
    package static func absent(_ label: Phrase) -> Picture {
        Picture(
            label: label, isThere: false, picture: "", whole: "", alternative: "", pictureWidth: 0, pictureHeight: 0)
    }
}

/// Pages of a new version that look different: as they were, as they are, and both laid over each other.
package struct DifferencesView: Sendable {
    package let since: String
    package let release: Phrase
    package let changed: [PageRow]
    package let hasChanges: Bool
    /// Whether nothing was drawn: not yet, or the job failed, or the upload is older than such pictures.
    package let isUndrawn: Bool
    /// Whether what was drawn has no picture: nothing differs, or what differs could not be drawn.
    package let hasNone: Bool

    /// `pages` are those of the new version.
    package init(_ comparison: CaseComparison, pages: [PageSummary], of name: String, version: SemanticVersion?) {
        let since = comparison.version.description
        let new: Phrase = version.map { Phrase(verbatim: $0.description) } ?? "the new version"
        func page(_ index: Int?, _ pages: [PageSummary], _ release: Phrase) -> PageRow.Picture {
            guard let index, let found = pages.first(where: { $0.index == index }) else {
                return PageRow.absent(release)
            }
            return PageRow.page(
                found.previewURL, release, "Page \(index + 1) of \(name) \(release)", width: found.width,
                height: found.height)
        }
        self.since = since
        release = new
        changed = (comparison.pictures ?? []).map { entry in
            let heading = Self.heading(entry, since)
            let difference = PageRow.difference(
                entry.picture, "What differs between \(since) and \(new): \(heading)")
            let sides = [page(entry.from, comparison.pages, Phrase(verbatim: since)), page(entry.to, pages, new)]
            return PageRow(heading: heading, pictures: sides + [difference])
        }
        hasChanges = !changed.isEmpty
        isUndrawn = comparison.pictures == nil
        hasNone = comparison.pictures?.isEmpty == true
    }

    private static func heading(_ entry: CaseComparison.Picture, _ since: String) -> Phrase {
        switch (entry.from, entry.to) {
        case (let from?, let to?): from == to ? "Page \(to + 1)" : "Page \(to + 1), which was page \(from + 1)"
        case (nil, let to?): "Page \(to + 1), which is new"
        case (let from?, nil): "Page \(from + 1) of \(since), which is gone"
        case (nil, nil): "A page"
        }
    }
}
