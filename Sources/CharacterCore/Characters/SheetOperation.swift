// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an edit changes: a member of the character, a page, a layer, an element.
public enum SheetKey: Hashable, Sendable {
    case field(String)
    case page(Int)
    case layer(page: Int, id: String)
    case element(page: Int, id: EditID)

    /// `nil` for what belongs to the character itself.
    public var page: Int? {
        switch self {
        case .field: nil
        case .page(let page), .layer(let page, _), .element(let page, _): page
        }
    }
}

extension SheetKey: Codable, CustomStringConvertible {
    /// As `field/name`, `page/0`, `layer/0/base` and `element/0/3f-12`.
    public var description: String {
        switch self {
        case .field(let name): "field/\(name)"
        case .page(let page): "page/\(page)"
        case .layer(let page, let id): "layer/\(page)/\(id)"
        case .element(let page, let id): "element/\(page)/\(id)"
        }
    }

    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        switch (parts.first, parts.count) {
        case ("field", 2...): self = .field(parts.dropFirst().joined(separator: "/"))
        case ("page", 2):
            guard let page = Int(parts[1]), page >= 0 else { return nil }
            self = .page(page)
        case ("layer", 3):
            guard let page = Int(parts[1]), page >= 0 else { return nil }
            self = .layer(page: page, id: parts[2])
        case ("element", 3):
            guard let page = Int(parts[1]), page >= 0, let id = EditID(parts[2]) else { return nil }
            self = .element(page: page, id: id)
        default: return nil
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = SheetKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no part of a sheet is called so")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A page itself, whatever is drawn on it.
public struct PageFrame: Hashable, Sendable, Codable {
    public var size: PageSize
    /// What a newer program's file of it held.
    public var unknownBlocks: [PageDrawing.UnknownBlock]?
    public var unknown: [String: JSONValue]?

    public init(
        size: PageSize, unknownBlocks: [PageDrawing.UnknownBlock]? = nil, unknown: [String: JSONValue]? = nil
    ) {
        self.size = size
        self.unknownBlocks = unknownBlocks
        self.unknown = unknown
    }
}

/// What stands at a key.
public enum SheetValue: Hashable, Sendable, Codable {
    case field(JSONValue)
    case page(PageFrame)
    case layer(DrawingLayer)
    case element(PageElement)

    private enum CodingKeys: String, CodingKey { case field, page, layer, element, ink }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let number = try container.decodeIfPresent(Int.self, forKey: .ink) {
            guard let stroke = SheetInk.of(decoder.userInfo)?.stroke(number) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .ink, in: container, debugDescription: "there is no stroke of this number")
            }
            self = .element(stroke)
        } else if let frame = try container.decodeIfPresent(PageFrame.self, forKey: .page) {
            self = .page(frame)
        } else if let layer = try container.decodeIfPresent(DrawingLayer.self, forKey: .layer) {
            self = .layer(layer)
        } else if let element = try container.decodeIfPresent(PageElement.self, forKey: .element) {
            self = .element(element)
        } else {
            self = .field(try container.decode(JSONValue.self, forKey: .field))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .field(let value): try container.encode(value, forKey: .field)
        case .page(let frame): try container.encode(frame, forKey: .page)
        case .layer(let layer): try container.encode(layer, forKey: .layer)
        case .element(let element):
            if let number = SheetInk.of(encoder.userInfo)?.number(of: element) {
                try container.encode(number, forKey: .ink)
            } else {
                try container.encode(element, forKey: .element)
            }
        }
    }
}

/// One change as devices tell each other of it. It says which earlier ones its maker saw and replaced: so what two
/// devices change without knowing of each other is told from what one changes after the other, in whatever order it
/// arrives.
public struct SheetOperation: Hashable, Sendable {
    public var id: EditID
    /// One more than the highest that its device had seen (L. Lamport, "Time, Clocks, and the Ordering of Events",
    /// 1978).
    public var clock: Int
    public var date: Date
    public var key: SheetKey
    /// `nil` takes it away.
    public var value: SheetValue?
    public var replaces: [EditID]

    static func earlier(_ left: SheetOperation, _ right: SheetOperation) -> Bool {
        (left.clock, left.id) < (right.clock, right.id)
    }
}

extension SheetOperation: VersionedFormat {
    public static let formatName = "An edit"
    public static let formatVersion = 1
    public static let maximumBytes = 16 << 20
    /// Of a list of them.
    public static let maximumListBytes = 64 << 20

    private enum CodingKeys: String, CodingKey { case formatVersion, id, clock, date, key, value, replaces }

    /// Reads what a device tells another: a list.
    public static func readList(_ data: Data) throws(FormatFailure) -> [SheetOperation] {
        guard data.count <= maximumListBytes else {
            throw FormatFailure("", "A list of edits has at most \(maximumListBytes >> 20) MiB; send it in parts.")
        }
        do { return try SheetJSON.decoder().decode([SheetOperation].self, from: data) } catch {
            throw FormatFailure(error)
        }
    }

    public init(from decoder: any Decoder) throws {
        if let older = try Self.migrated(decoder) {
            self = older
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(EditID.self, forKey: .id)
        clock = try container.decode(Int.self, forKey: .clock)
        date = try container.decode(Date.self, forKey: .date)
        key = try container.decode(SheetKey.self, forKey: .key)
        value = try container.decodeIfPresent(SheetValue.self, forKey: .value)
        replaces = try container.decode([EditID].self, forKey: .replaces)
    }

    /// Version 1 is not said: there are many of these in a file.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if Self.formatVersion > 1 { try container.encode(Self.formatVersion, forKey: .formatVersion) }
        try container.encode(id, forKey: .id)
        try container.encode(clock, forKey: .clock)
        try container.encode(date, forKey: .date)
        try container.encode(key, forKey: .key)
        try container.encodeIfPresent(value, forKey: .value)
        try container.encode(replaces, forKey: .replaces)
    }
}

/// Numbers of one device's edits, as runs: most of what a device did is in one piece.
public struct NumberSet: Hashable, Sendable, Codable {
    /// Disjoint, not adjacent, in order.
    private(set) var runs: [ClosedRange<Int>] = []

    public init() {}

    public init(from decoder: any Decoder) throws {
        for pair in try decoder.singleValueContainer().decode([[Int]].self) {
            guard pair.count == 2, pair[0] <= pair[1], pair[0] > Int.min, pair[1] < Int.max else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a run has a first and a last number"))
            }
            insert(pair[0]...pair[1])
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(runs.map { [$0.lowerBound, $0.upperBound] })
    }

    /// The place of the first run that does not end before a number.
    private func place(of number: Int) -> Int {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    public func contains(_ number: Int) -> Bool {
        let place = place(of: number)
        return place < runs.count && runs[place].contains(number)
    }

    public mutating func insert(_ number: Int) { insert(number...number) }

    mutating func insert(_ run: ClosedRange<Int>) {
        let first = place(of: run.lowerBound - 1)
        var (end, joined) = (first, run)
        while end < runs.count, runs[end].lowerBound <= run.upperBound + 1 {
            joined = min(joined.lowerBound, runs[end].lowerBound)...max(joined.upperBound, runs[end].upperBound)
            end += 1
        }
        runs.replaceSubrange(first..<end, with: [joined])
    }

    mutating func formUnion(_ other: NumberSet) {
        for run in other.runs { insert(run) }
    }
}
