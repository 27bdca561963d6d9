// SPDX-License-Identifier: Apache-2.0

/// A picture of a page.
public struct PagePreview: Sendable, Equatable {
    /// Index of the page, from 0.
    public var page: Int
    /// The width that was asked for, in pixels; the picture of a very tall page is narrower.
    public var requestedWidth: Int
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    public var webp: [UInt8]
}

/// How far the reading of a file has come.
public struct ReadingProgress: Sendable, Equatable {
    public enum Stage: String, Sendable {
        /// Pages are judged.
        case reading
        /// Pages are drawn.
        case drawing
    }

    public var stage: Stage
    public var pagesDone: Int
    public var pageCount: Int
}

/// A picture of what differs between two pages.
public struct DrawnDifference: Sendable, Equatable {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    public var webp: [UInt8]
}
