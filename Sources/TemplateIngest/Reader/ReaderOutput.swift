// SPDX-License-Identifier: Apache-2.0

/// A picture of a page.
package struct PagePreview: Sendable, Equatable {
    /// Index of the page, from 0.
    package var page: Int
    /// The width that was asked for, in pixels; the picture of a very tall page is narrower.
    package var requestedWidth: Int
    /// Width in pixels.
    package var width: Int
    /// Height in pixels.
    package var height: Int
    package var webp: [UInt8]
}

/// How far the reading of a file has come.
package struct ReadingProgress: Sendable, Equatable {
    package enum Stage: String, Sendable {
        /// Pages are judged.
        case reading
        /// Pages are drawn.
        case drawing
    }

    package var stage: Stage
    package var pagesDone: Int
    package var pageCount: Int
}

/// A picture of what differs between two pages.
package struct DrawnDifference: Sendable, Equatable {
    /// Width in pixels.
    package var width: Int
    /// Height in pixels.
    package var height: Int
    package var webp: [UInt8]
}

/// A person's picture, redrawn.
package struct DrawnPortrait: Sendable, Equatable {
    /// Of the square, in pixels.
    package var side: Int
    package var webp: [UInt8]
}
