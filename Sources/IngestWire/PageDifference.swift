// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Asks a reader for a picture of what differs between two pages instead of a reading. The file is then no sheet but the
/// pages' pictures (WebP, drawn by readers before), the older first, one right after the other.
package struct PageDifference: Sendable, Codable, Equatable {
    /// Bytes of the older page's picture; 0 when there is none, and all of the newer page is new.
    package var oldBytes: Int
    /// Bytes of the newer page's picture; 0 when there is none, and all of the older page is gone.
    package var newBytes: Int
    /// Where a place of the older page lies on the newer one.
    package var transform: PageTransform
    /// Boxes on the newer page around what came.
    package var added: [Box]
    /// Boxes on the older page around what went.
    package var removed: [Box]

    /// All parts; boxes beyond the bound are left out.
    package init(
        oldBytes: Int, newBytes: Int, transform: PageTransform, added: [NormalizedRect] = [],
        removed: [NormalizedRect] = []
    ) {
        self.oldBytes = oldBytes
        self.newBytes = newBytes
        self.transform = transform
        self.added = added.prefix(Self.maximumBoxes).map(Box.init)
        self.removed = removed.prefix(Self.maximumBoxes).map(Box.init)
    }

    /// Left, top, right and bottom in ten-thousandths of the page, which keeps requests small.
    package struct Box: Sendable, Codable, Equatable {
        /// The four of them.
        package var sides: [Int]

        init(_ rect: NormalizedRect) {
            sides = [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height].map { Int(($0 * 10_000).rounded()) }
        }

        /// Reads the bare list.
        package init(from decoder: any Decoder) throws {
            sides = try decoder.singleValueContainer().decode([Int].self)
        }

        /// Writes the bare list.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(sides)
        }
    }

    /// Most boxes of each kind.
    package static let maximumBoxes = 200
    /// Most pixels of a picture that comes in, or goes out.
    package static let maximumPixels = 12_000_000
    /// Longest side of the picture that goes out.
    package static let maximumSide = 16_000
}
