// SPDX-License-Identifier: Apache-2.0

/// A rectangle on a page, in points, origin top left.
public struct Box: Hashable, Sendable {
    public var left: Double
    public var top: Double
    public var right: Double
    public var bottom: Double

    public init(left: Double, top: Double, right: Double, bottom: Double) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    /// Extent from left to right.
    public var width: Double { right - left }
    /// Extent from top to bottom.
    public var height: Double { bottom - top }
    public var area: Double { max(0, width) * max(0, height) }

    /// The smallest box around both.
    public func union(_ other: Box) -> Box {
        Box(
            left: min(left, other.left),
            top: min(top, other.top),
            right: max(right, other.right),
            bottom: max(bottom, other.bottom)
        )
    }

    /// Area that both cover.
    public func overlap(_ other: Box) -> Double {
        let wide = min(right, other.right) - max(left, other.left)
        let high = min(bottom, other.bottom) - max(top, other.top)
        return wide > 0 && high > 0 ? wide * high : 0
    }
}

/// A word of the text layer.
public struct Word: Hashable, Sendable {
    public var text: String
    /// Where it stands.
    public var box: Box
    /// Size of its font, in points.
    public var fontSize: Double
    /// Brightness of its colour, 0 black to 1 white.
    public var luminance: Double
    /// Number of its block in reading order.
    public var block: Int
    /// Number of its line in reading order.
    public var line: Int
    /// Quarter turns; 0 is upright.
    public var turns: Int
    public var isBold: Bool
    public var isItalic: Bool
    /// Whether a gap follows before the next word.
    public var hasSpaceAfter: Bool

    /// A word, by default plain, black and upright.
    public init(
        text: String,
        box: Box,
        fontSize: Double,
        luminance: Double = 0,
        block: Int = 0,
        line: Int = 0,
        turns: Int = 0,
        isBold: Bool = false,
        isItalic: Bool = false,
        hasSpaceAfter: Bool = true
    ) {
        self.text = text
        self.box = box
        self.fontSize = fontSize
        self.luminance = luminance
        self.block = block
        self.line = line
        self.turns = turns
        self.isBold = isBold
        self.isItalic = isItalic
        self.hasSpaceAfter = hasSpaceAfter
    }
}

/// A painted outline: a rule, a frame, a filled bar, or any curve by its bounds.
public struct Shape: Hashable, Sendable {
    public var box: Box
    /// Width of the pen; 0 when filled.
    public var lineWidth: Double
    /// Brightness of its colour, 0 black to 1 white.
    public var luminance: Double
    /// Filled, not stroked.
    public var isFilled: Bool
    /// Whether all of its edges are horizontal or vertical.
    public var isStraight: Bool
    public var segments: Int

    public init(
        box: Box,
        lineWidth: Double = 0,
        luminance: Double = 0,
        isFilled: Bool = false,
        isStraight: Bool = true,
        segments: Int = 4
    ) {
        self.box = box
        self.lineWidth = lineWidth
        self.luminance = luminance
        self.isFilled = isFilled
        self.isStraight = isStraight
        self.segments = segments
    }
}

/// Everything that the search for regions knows of a page.
public struct PageContent: Sendable {
    /// Width of the displayed page, in points.
    public var width = 0.0
    /// Height of the displayed page, in points.
    public var height = 0.0
    /// The text layer in reading order.
    public var words: [Word] = []
    /// Painted outlines.
    public var shapes: [Shape] = []
    /// Where pictures are.
    public var images: [Box] = []
    /// Where form fields are.
    public var fields: [Box] = []
    /// What is drawn, as pixels.
    public var ink: InkMap?
    /// Whether there was more than could be kept.
    public var isCutShort = false

    public init() {}
}
