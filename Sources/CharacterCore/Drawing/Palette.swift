// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A colour in sRGB with its opacity, 8 bits each; as text `#rrggbbaa`.
public struct InkColor: Hashable, Sendable {
    public let rgba: UInt32

    public init(rgba: UInt32) {
        self.rgba = rgba
    }

    /// Reads `#rrggbb` or `#rrggbbaa`.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), [6, 8].contains(digits.count),
            let value = UInt32(String(text.dropFirst()), radix: 16)
        else { return nil }
        rgba = digits.count == 6 ? value << 8 | 0xFF : value
    }

    public static let black = InkColor(rgba: 0xFF)
}

extension InkColor: CustomStringConvertible, Codable {
    public var description: String {
        let digits = String(rgba, radix: 16)
        return "#" + String(repeating: "0", count: 8 - digits.count) + digits
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let color = InkColor(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a colour is #rrggbbaa")
        }
        self = color
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Twelve colours to draw with.
public struct Palette: Hashable, Sendable, Codable {
    public static let count = 12

    public var name: String
    public private(set) var colors: [InkColor]
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    private enum CodingKeys: String, CodingKey { case name, colors }

    /// `nil` unless there are twelve.
    public init?(name: String, colors: [InkColor]) {
        guard colors.count == Self.count else { return nil }
        self.name = name
        self.colors = colors
    }

    private init(standard colors: [UInt32]) {
        name = "Standard"
        self.colors = colors.map { InkColor(rgba: $0 << 8 | 0xFF) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        colors = try container.decode([InkColor].self, forKey: .colors)
        guard colors.count == Self.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .colors, in: container, debugDescription: "a palette has \(Self.count) colours")
        }
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(colors, forKey: .colors)
        try UnknownMembers.write(unknown, to: encoder)
    }

    /// Puts a colour in the place of another; a place that there is not is left alone.
    public mutating func replace(_ place: Int, by color: InkColor) {
        if colors.indices.contains(place) { colors[place] = color }
    }

    /// Readable on white and on parchment.
    public static let standard = Palette(standard: [
        0x000000, 0x4A4A4A, 0x8C8C8C, 0xB3261E, 0xC2571A, 0x9A6B00, 0x3B7A2A, 0x0B6E6E, 0x1F5FBF, 0x3D3DA8, 0x7A2E9E,
        0xA12568,
    ])
}
