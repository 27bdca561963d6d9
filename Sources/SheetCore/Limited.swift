// SPDX-License-Identifier: Apache-2.0

/// What numbers of a kind may be where somebody else sends them.
public protocol NumberLimits {
    /// Whole or not.
    associatedtype Number: Comparable, Hashable, Sendable, Codable
    /// From the least to the greatest.
    static var range: ClosedRange<Number> { get }
}

/// Of a page's place among the pages, from 0.
public enum PageIndexes: NumberLimits {
    /// More than any file has.
    public static var range: ClosedRange<Int> { 0...100_000 }
}

/// Of a page's width or height, in points.
public enum PageSides: NumberLimits {
    /// Up to 350 m.
    public static var range: ClosedRange<Double> { 0...1_000_000 }
}

/// Of a file's length.
public enum ByteCounts: NumberLimits {
    /// Up to a tebibyte, so that millions of them can be added up.
    public static var range: ClosedRange<Int> { 0...1 << 40 }
}

/// A number that is reckoned with, and refused where it is read if it is beyond its limits: one added to the greatest
/// integer, or 1e300 as an integer, ends the program, and what was stored would end it each time.
@propertyWrapper
public struct Limited<Limits: NumberLimits>: Sendable, Codable, Hashable {
    /// The number. Only what is read is checked.
    public var wrappedValue: Limits.Number

    public init(wrappedValue: Limits.Number) {
        self.wrappedValue = wrappedValue
    }

    /// Reads the number alone.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = try container.decode(Limits.Number.self)
        guard Limits.range.contains(wrappedValue) else {
            let (least, most) = (Limits.range.lowerBound, Limits.range.upperBound)
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "It must be from \(least) to \(most).")
        }
    }

    /// Writes the number alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}
