// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import SheetCore

/// What pages call zoom regions.
package enum RegionWords {
    /// What the reader calls a region under which it found no heading.
    package static let unnamed = "Region"

    /// A kind of region: `skills` as `Skills`.
    package static func kind(_ kind: String) -> Phrase { Phrase(told: DisplayText.sentence(kind)) }

    /// The names of a page's regions, which come in reading order; unnamed ones are numbered, so that each can be told
    /// from the others.
    package static func names(_ regions: [ZoomRegion]) -> [Phrase] {
        var number = 0
        return regions.map { region in
            guard region.name == unnamed else { return Phrase(verbatim: region.name) }
            number += 1
            return "Region \(number)"
        }
    }
}
