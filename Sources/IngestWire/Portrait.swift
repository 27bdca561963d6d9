// SPDX-License-Identifier: Apache-2.0

/// How a person's picture (PNG, JPEG or WebP) is redrawn: square, in these sizes, and nothing but its pixels. The middle
/// is taken of one that is not square.
package struct PortraitWish: Sendable, Codable, Equatable {
    /// In pixels, each a `portrait` frame in this order.
    package var sides: [Int]

    package init(sides: [Int]) {
        self.sides = sides
    }

    /// Most pixels of the picture.
    package static let maximumPixels = 40_000_000
    /// Largest side that is drawn.
    package static let maximumSide = 512
    /// Most sizes at once.
    package static let maximumSides = 4
}

/// Why a picture is not redrawn; the payload of a `portraitRefused` frame.
package enum PortraitRefusal: String, Error, Sendable, Codable, CaseIterable {
    /// It is neither PNG nor JPEG nor WebP.
    case notAPicture = "not_a_picture"
    /// It moves.
    case animated
    /// It has more pixels than are looked at.
    case tooLarge = "too_large"
    /// It cannot be read to its end.
    case damaged
}
