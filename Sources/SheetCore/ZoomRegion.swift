// SPDX-License-Identifier: Apache-2.0

/// A rectangle on a page as displayed (crop box, rotation applied): 0…1 of its width and height, origin top left.
public struct NormalizedRect: Hashable, Sendable, Codable {
    /// Left edge, 0…1.
    public let x: Double
    /// Top edge, 0…1.
    public let y: Double
    /// Width, 0…1.
    public let width: Double
    /// Height, 0…1.
    public let height: Double

    /// Takes the four numbers as they are; see `isValid`.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Whether all numbers are finite, the area is positive, and the rectangle lies on the page
    /// (up to a ten-thousandth, which rounding may cost).
    public var isValid: Bool {
        let slack = 1e-4
        return [x, y, width, height].allSatisfy(\.isFinite) && width > 0 && height > 0 && x >= -slack && y >= -slack
            && x + width <= 1 + slack && y + height <= 1 + slack
    }

    /// The part that both cover, or `nil`.
    public func intersection(_ other: NormalizedRect) -> NormalizedRect? {
        let left = max(x, other.x)
        let top = max(y, other.y)
        let right = min(x + width, other.x + other.width)
        let bottom = min(y + height, other.y + other.height)
        guard right > left, bottom > top else { return nil }
        return NormalizedRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// The smallest rectangle around both.
    public func union(_ other: NormalizedRect) -> NormalizedRect {
        let left = min(x, other.x)
        let top = min(y, other.y)
        let right = max(x + width, other.x + other.width)
        let bottom = max(y + height, other.y + other.height)
        return NormalizedRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Area as a part of the page's.
    public var area: Double { width * height }
}

/// A named rectangle that a reader jumps to.
public struct ZoomRegion: Hashable, Sendable, Codable {
    /// Where a region comes from.
    public enum Source: String, Sendable, Codable {
        /// Found by the ingest pipeline.
        case detected
        /// Drawn or mended by the author or a moderator.
        case corrected
        /// Taken from a preset file.
        case preset
    }

    /// Stable within its version: the slug of its name, numbered when names repeat.
    public let id: String
    /// What people call it, from the printed heading.
    public let name: String
    /// Where on the page it lies.
    public let rect: NormalizedRect
    /// How far to magnify the fitted page so that the region fills the screen, 1…5.
    public let scale: Double
    /// Index of its page, from 0.
    public let pageIndex: Int
    /// How sure the detector is, 0…1.
    public let confidence: Double
    /// Where it comes from.
    public let source: Source
    /// What it is for, where its words tell: `skills`, `combat`, `equipment` and so on. Open: readers skip what they
    /// do not know.
    public let kind: String?

    /// Longest name, in characters.
    public static let maximumNameLength = 80
    /// Smallest and largest magnification.
    public static let scales = 1.0...5.0

    /// A region with the scale that shows it whole on a screen of the page's own proportions.
    public init(
        id: String, name: String, rect: NormalizedRect, scale: Double? = nil, pageIndex: Int,
        confidence: Double = 1, source: Source = .detected, kind: String? = nil
    ) {
        self.kind = kind.flatMap(Self.validKind)
        self.id = id
        self.name = name
        self.rect = rect
        self.scale = scale ?? Self.scale(showing: rect)
        self.pageIndex = pageIndex
        self.confidence = confidence
        self.source = source
    }

    /// Reads a region; a missing confidence is 1, a missing source `preset` (the preset format has neither).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        rect = try container.decode(NormalizedRect.self, forKey: .rect)
        scale = try container.decode(Double.self, forKey: .scale)
        pageIndex = try container.decode(Limited<PageIndexes>.self, forKey: .pageIndex).wrappedValue
        confidence = try container.decodeIfPresent(Double.self, forKey: .confidence) ?? 1
        source = try container.decodeIfPresent(Source.self, forKey: .source) ?? .preset
        kind = try container.decodeIfPresent(String.self, forKey: .kind).flatMap(Self.validKind)
    }

    /// A kind is a short word of small letters; anything else is none.
    private static func validKind(_ text: String) -> String? {
        (1...24).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 } ? text : nil
    }

    /// The magnification, relative to the page fitted to the screen, at which `rect` just fits.
    public static func scale(showing rect: NormalizedRect) -> Double {
        let fitting = min(1 / max(rect.width, 1e-6), 1 / max(rect.height, 1e-6))
        return min(max(fitting, scales.lowerBound), scales.upperBound)
    }
}
