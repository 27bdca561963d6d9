// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A page with the regions that somebody drew on it, as `Training/README.md` describes labels; coordinates are fractions of
/// the page as displayed, from its top left.
package struct CorrectedPageLabel: Sendable, Encodable {
    /// A region's name and place.
    package struct Region: Sendable, Encodable {
        package var name: String
        package var aliases: [String] = []
        package var x: Double
        package var y: Double
        package var w: Double
        package var h: Double

        /// The API rounds places.
        private static let tolerance = 0.001

        /// Whether nobody changed anything.
        func isSame(as other: Region) -> Bool {
            name == other.name
                && zip([x, y, w, h], [other.x, other.y, other.w, other.h]).allSatisfy {
                    abs($0 - $1) <= Self.tolerance
                }
        }

        init(_ region: ZoomRegion) {
            name = region.name
            (x, y) = (region.rect.x, region.rect.y)
            (w, h) = (region.rect.width, region.rect.height)
        }
    }

    /// Where the file lies, beside the folder of labels.
    package var pdf: String
    /// Whose pages are alike: those of one author are in one fold.
    package var repository: String
    /// SHA-256 of the file.
    package var sha256: ContentHash
    /// From 0.
    package var page: Int
    /// In points.
    package var width: Double
    package var height: Double
    /// Names were given by people, who need not have read them off the page.
    package var namesArePrinted = false
    /// What somebody drew.
    package var regions: [Region]
    /// What had been found there; absent where that is not known.
    package var detected: [Region]?
    /// SHA-256 of the page's widest picture, as the market keeps it.
    package var picture: ContentHash?
    package var template: String
    package var version: SemanticVersion
    package var license: String

    private enum CodingKeys: String, CodingKey {
        case pdf, repository, sha256, page, namesArePrinted, regions, detected, picture, template, version, license
        case width = "width_pt"
        case height = "height_pt"
    }

    /// Whether somebody changed what had been found; whoever corrects one page sends the others along.
    var isCorrected: Bool {
        guard let detected, detected.count == regions.count else { return true }
        return !zip(detected, regions).allSatisfy { $0.isSame(as: $1) }
    }

    /// By what its file is called.
    package var name: String { "\(template)-\(page)" }
}
