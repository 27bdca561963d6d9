// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A region before it has an id.
package struct FoundRegion: Sendable, Equatable {
    /// From the heading; empty when there is none.
    package var name: String
    /// Where it is, 0…1.
    package var rect: NormalizedRect
    /// How sure, 0…1.
    package var confidence: Double
    /// What it is for, where its words tell: `skills`, `combat` and so on.
    package var kind: String?

    package init(name: String, rect: NormalizedRect, confidence: Double, kind: String? = nil) {
        self.kind = kind
        self.name = name
        self.rect = rect
        self.confidence = confidence
    }
}

/// Gives regions their names and ids, unique over all pages of a document.
package struct RegionNames: Sendable {
    private var used: Set<String> = []

    /// No name is taken.
    package init() {}

    /// The region with a name and an id.
    package mutating func region(_ found: FoundRegion, page: Int) -> ZoomRegion {
        let name = found.name.isEmpty ? "Region" : String(found.name.prefix(ZoomRegion.maximumNameLength))
        let base = Slug(slugging: name)?.text ?? "region"
        var id = base
        var number = 2
        while !used.insert(id).inserted {
            let suffix = "-\(number)"
            id = String(base.prefix(Slug.maximumLength - suffix.count)) + suffix
            number += 1
        }
        return ZoomRegion(
            id: id,
            name: name,
            rect: found.rect,
            pageIndex: page,
            confidence: found.confidence,
            source: .detected,
            kind: found.kind
        )
    }
}
