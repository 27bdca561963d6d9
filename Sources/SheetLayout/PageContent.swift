// SPDX-License-Identifier: Apache-2.0

/// A rectangle on a page, in points, origin top left.
package struct Box: Hashable, Sendable {
    package var left: Double
    package var top: Double
    package var right: Double
    package var bottom: Double

    package init(left: Double, top: Double, right: Double, bottom: Double) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    /// Extent from left to right.
    package var width: Double { right - left }
    /// Extent from top to bottom.
    package var height: Double { bottom - top }
    package var area: Double { max(0, width) * max(0, height) }

    /// The smallest box around both.
    package func union(_ other: Box) -> Box {
        Box(
            left: min(left, other.left),
            top: min(top, other.top),
            right: max(right, other.right),
            bottom: max(bottom, other.bottom)
        )
    }

    /// Area that both cover.
    package func overlap(_ other: Box) -> Double {
        let wide = min(right, other.right) - max(left, other.left)
        let high = min(bottom, other.bottom) - max(top, other.top)
        return wide > 0 && high > 0 ? wide * high : 0
    }
}

/// A word of the text layer.
package struct Word: Hashable, Sendable {
    package var text: String
    /// Where it stands.
    package var box: Box
    /// Size of its font, in points.
    package var fontSize: Double
    /// Brightness of its colour, 0 black to 1 white.
    package var luminance: Double
    /// Number of its block in reading order.
    package var block: Int
    /// Number of its line in reading order.
    package var line: Int
    /// Quarter turns; 0 is upright.
    package var turns: Int
    package var isBold: Bool
    package var isItalic: Bool
    /// Whether a gap follows before the next word.
    package var hasSpaceAfter: Bool

    /// A word, by default plain, black and upright.
    package init(
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
package struct Shape: Hashable, Sendable {
    package var box: Box
    /// Width of the pen; 0 when filled.
    package var lineWidth: Double
    /// Brightness of its colour, 0 black to 1 white.
    package var luminance: Double
    /// Filled, not stroked.
    package var isFilled: Bool
    /// Whether all of its edges are horizontal or vertical.
    package var isStraight: Bool
    package var segments: Int

    package init(
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
package struct PageContent: Sendable {
    /// Width of the displayed page, in points.
    package var width = 0.0
    /// Height of the displayed page, in points.
    package var height = 0.0
    /// The text layer in reading order.
    package var words: [Word] = []
    /// Painted outlines.
    package var shapes: [Shape] = []
    /// Where pictures are.
    package var images: [Box] = []
    /// Where form fields are.
    package var fields: [Box] = []
    /// What is drawn, as pixels.
    package var ink: InkMap?
    /// Whether there was more than could be kept.
    package var isCutShort = false

    package init() {}
}
