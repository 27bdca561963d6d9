// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What stands at the start of the file.
enum DrawingFormat {
    static let magic = Array("TINK".utf8)
    static let version = 1
    /// Of a page whose own size is lost.
    static let letter = PageSize(width: 612, height: 792)
}

/// How exactly points are kept.
public enum DrawingPrecision: Sendable, CaseIterable {
    /// Places to 0.018 points, pressure to 1/512, angles to 1/128, times to half a millisecond, widths to 1/64 point.
    case rounded
    /// Every bit. Blocks of which rounding would lose none are rounded, and so a tenth as large.
    case lossless
}

/// Why a drawing is not written or not read at all.
public enum DrawingFailure: Error, Equatable, CustomStringConvertible {
    case notADrawing
    case newerVersion(Int)
    case tooLarge
    /// A number is infinite, or none, or far off any page.
    case badNumber

    public var description: String {
        switch self {
        case .notADrawing: "This is not a drawing."
        case .newerVersion(let version): "This drawing is of format \(version); a newer program wrote it."
        case .tooLarge:
            "This drawing is larger than \(DrawingLimits.points) points, \(DrawingLimits.elements) things or "
                + "\(DrawingLimits.textBytes >> 20) MiB of text."
        case .badNumber: "A number in this drawing is no place on a page."
        }
    }
}

/// What is read and written at most, whatever a file says of itself.
public enum DrawingLimits {
    public static let points = 1_000_000
    public static let elements = 100_000
    public static let fileBytes = 64 << 20
    public static let blocks = 20_000
    /// JSON of one block, and foreign ink.
    public static let blockBytes = 8 << 20
    /// JSON of all blocks.
    public static let textBytes = 16 << 20
}

/// What of the limits is left while several drawings are read into memory at once.
public struct DrawingBudget: Sendable, Hashable {
    public var points: Int
    public var elements: Int
    public var textBytes: Int

    public init(points: Int, elements: Int, textBytes: Int) {
        (self.points, self.elements, self.textBytes) = (points, elements, textBytes)
    }

    /// One file's.
    public static let file = DrawingBudget(
        points: DrawingLimits.points, elements: DrawingLimits.elements, textBytes: DrawingLimits.textBytes)
    /// An archive's, or that of all pages of one character.
    public static let archive = DrawingBudget(points: 10_000_000, elements: 1_000_000, textBytes: 128 << 20)

    /// What each of several files may need that are read at once.
    func share(of count: Int) -> DrawingBudget {
        DrawingBudget(points: points / count, elements: elements / count, textBytes: textBytes / count)
    }

    /// Takes what was needed of a share of it; whether that was there.
    mutating func take(_ share: DrawingBudget, left: DrawingBudget) -> Bool {
        let points = points - share.points + left.points
        let elements = elements - share.elements + left.elements
        let textBytes = textBytes - share.textBytes + left.textBytes
        guard points >= 0, elements >= 0, textBytes >= 0 else { return false }
        self = DrawingBudget(points: points, elements: elements, textBytes: textBytes)
        return true
    }

    mutating func take(_ drawing: PageDrawing) {
        elements -= drawing.elements.count
        for case .stroke(let stroke) in drawing.elements.lazy.map(\.content) { points -= stroke.points.count }
    }
}

/// What a file of a drawing holds.
public struct DrawingReading: Sendable, Equatable {
    /// A block that is lost. All others are read.
    public struct Damage: Sendable, Equatable {
        /// Where in the file it begins.
        public var offset: Int
        /// Strokes, or other things, that it held; `nil` if its head is lost, too.
        public var lost: Int?
        public var reason: String
    }

    public var drawing: PageDrawing
    public var damage: [Damage]
}

/// The head of a block, 16 bytes: marker, kind, flags, count, length of the payload, and the checksum of the twelve
/// before.
struct BlockHead: Equatable {
    enum Kind {
        static let page: UInt8 = 1
        static let strokes: UInt8 = 2
        static let elements: UInt8 = 3
        static let foreign: UInt8 = 4
        /// From here on blocks can be carried by programs that do not know them.
        static let firstUnknown: UInt8 = 5
    }

    static let marker: [UInt8] = [0xB1, 0x4F, 0x43, 0x4B]
    static let size = 16
    static let isLossless: UInt8 = 1

    var kind: UInt8
    var flags: UInt8
    var count: UInt16
    var length: UInt32

    var bytes: [UInt8] {
        var made = Self.marker + [kind, flags]
        withUnsafeBytes(of: count.littleEndian) { made.append(contentsOf: $0) }
        withUnsafeBytes(of: length.littleEndian) { made.append(contentsOf: $0) }
        withUnsafeBytes(of: CRC32.of(made).littleEndian) { made.append(contentsOf: $0) }
        return made
    }

    init(kind: UInt8, flags: UInt8 = 0, count: Int, length: Int) {
        self.kind = kind
        self.flags = flags
        self.count = UInt16(truncatingIfNeeded: count)
        self.length = UInt32(truncatingIfNeeded: length)
    }

    /// The head at a place, if an intact one is there.
    init?(_ bytes: [UInt8], at place: Int) {
        guard place + Self.size <= bytes.count, bytes[place..<place + 4].elementsEqual(Self.marker) else { return nil }
        func number(_ offset: Int, _ count: Int) -> UInt32 {
            (0..<count).reduce(0) { $0 | UInt32(bytes[place + offset + $1]) << (8 * UInt32($1)) }
        }
        guard CRC32.of(bytes[place..<place + 12]) == number(12, 4) else { return nil }
        (kind, flags) = (bytes[place + 4], bytes[place + 5])
        count = UInt16(truncatingIfNeeded: number(6, 2))
        length = number(8, 4)
    }
}

/// What of a page is no element, as the page's block holds it.
struct PageBlock: Codable {
    var size: PageSize
    var layers: [DrawingLayer]
    var unknown: [String: JSONValue] = [:]

    private enum CodingKeys: String, CodingKey { case size, layers }

    init(_ drawing: PageDrawing) {
        (size, layers, unknown) = (drawing.size, drawing.layers, drawing.unknown ?? [:])
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(PageSize.self, forKey: .size)
        layers = try container.decode([DrawingLayer].self, forKey: .layers)
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encode(layers, forKey: .layers)
        try UnknownMembers.write(unknown, to: encoder)
    }
}

/// Names that strokes of a block share, each by its place.
struct StrokeNames: Codable {
    struct Style: Codable, Hashable {
        var tool: Stroke.Tool
        var color: InkColor
    }

    var devices: [DeviceID] = []
    var layers: [String] = []
    var styles: [Style] = []
}
