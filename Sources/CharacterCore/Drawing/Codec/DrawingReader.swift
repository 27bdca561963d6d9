// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the blocks of a drawing, and finds the next intact one behind a damaged one.
struct DrawingReader {
    private var page: PageBlock?
    private(set) var elements: [PageElement] = []
    private var unknown: [PageDrawing.UnknownBlock] = []
    private(set) var damage: [DrawingReading.Damage] = []
    private(set) var points = 0
    private let budget: DrawingBudget
    private var textLeft: Int
    /// That were unpacked so far.
    var textBytes: Int { budget.textBytes - textLeft }

    private var pending: [Pending] = []
    private static let pointsAtOnce = 65_536

    init(_ budget: DrawingBudget = .file) {
        self.budget = budget
        textLeft = budget.textBytes
    }

    /// The page that was read, its elements in their order.
    var reading: DrawingReading {
        DrawingReading(
            drawing: PageDrawing(
                size: page?.size ?? DrawingFormat.letter, layers: page?.layers ?? DrawingLayer.standard,
                elements: elements, unknownBlocks: unknown.isEmpty ? nil : unknown,
                unknown: page.flatMap { $0.unknown.isEmpty ? nil : $0.unknown }),
            damage: damage)
    }

    mutating func read(_ bytes: [UInt8]) throws(DrawingFailure) -> DrawingReading {
        try readBlocks(bytes)
        return reading
    }

    /// Reads all of a file.
    mutating func readBlocks(_ bytes: [UInt8]) throws(DrawingFailure) {
        guard bytes.count >= 8, bytes[..<4].elementsEqual(DrawingFormat.magic) else { throw .notADrawing }
        let version = Int(bytes[4]) | Int(bytes[5]) << 8
        guard version == DrawingFormat.version else { throw version == 0 ? .notADrawing : .newerVersion(version) }
        var place = 8
        var blocks = 0
        while place < bytes.count {
            blocks += 1
            guard blocks <= DrawingLimits.blocks else { throw .tooLarge }
            guard let head = BlockHead(bytes, at: place), place + BlockHead.size + Int(head.length) + 4 <= bytes.count
            else {
                let next = Self.nextHead(bytes, after: place)
                damage.append(.init(offset: place, lost: nil, reason: "There is no intact head of a block here."))
                place = next
                continue
            }
            let start = place + BlockHead.size
            let end = start + Int(head.length)
            let sum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[end + $1]) << (8 * UInt32($1)) }
            if CRC32.of(bytes[start..<end]) != sum {
                damage.append(.init(offset: place, lost: Int(head.count), reason: "Its checksum is wrong."))
            } else if try !take(head, bytes[start..<end], at: place) {
                damage.append(.init(offset: place, lost: Int(head.count), reason: "It is not what its kind should be."))
            }
            place = end + 4
        }
        try decode()
        damage.sort { $0.offset < $1.offset }
        if page == nil, damage.isEmpty { throw .notADrawing }
    }

    private static func nextHead(_ bytes: [UInt8], after place: Int) -> Int {
        var next = place + 1
        while next < bytes.count {
            if bytes[next] == BlockHead.marker[0], BlockHead(bytes, at: next) != nil { return next }
            next += 1
        }
        return bytes.count
    }

    /// Whether a block could be read.
    private mutating func take(
        _ head: BlockHead, _ payload: ArraySlice<UInt8>, at offset: Int
    ) throws(DrawingFailure) -> Bool {
        switch head.kind {
        case 0: return false
        case BlockHead.Kind.page:
            guard let read = json(PageBlock.self, payload), read.layers.count <= 1000 else { return false }
            page = read
        case BlockHead.Kind.strokes: return try takeStrokes(head, payload, at: offset)
        case BlockHead.Kind.elements:
            guard let read = json([PageElement].self, payload), read.count == Int(head.count) else { return false }
            for case .stroke(let stroke) in read.lazy.map(\.content) { points += stroke.points.count }
            elements += read
        case BlockHead.Kind.foreign:
            guard let (text, rest) = Self.split(payload), var element = json(PageElement.self, text),
                case .foreign(var ink) = element.content, rest.count <= DrawingLimits.blockBytes
            else { return false }
            ink.data = Data(rest)
            element.content = .foreign(ink)
            elements.append(element)
        default:
            unknown.append(.init(kind: head.kind, flags: head.flags, count: head.count, payload: Data(payload)))
        }
        guard elements.count <= budget.elements, points <= budget.points else { throw .tooLarge }
        return true
    }

    /// Strokes whose names are known, not yet decoded.
    private struct Pending {
        var offset: Int
        var head: BlockHead
        var names: StrokeNames
        var coded: ArraySlice<UInt8>

        /// The strokes, unless they are not what a writer wrote, or have more than `most` points; and for how many points
        /// room was made.
        func read(most: Int) -> (elements: [PageElement]?, asked: Int) {
            coded.withUnsafeBufferPointer { bytes in
                var reader = StrokeReader(bytes, isLossless: head.flags & BlockHead.isLossless != 0)
                var made: [PageElement] = []
                for _ in 0..<head.count {
                    guard let read = reader.read(most: most - reader.asked),
                        names.devices.indices.contains(read.device), names.layers.indices.contains(read.layer),
                        names.styles.indices.contains(read.style), EditID.isNumber(read.number)
                    else { return (nil, reader.asked) }
                    let style = names.styles[read.style]
                    made.append(
                        PageElement(
                            id: EditID(device: names.devices[read.device], number: read.number),
                            layer: names.layers[read.layer], order: read.order,
                            .stroke(Stroke(tool: style.tool, color: style.color, points: read.points))))
                }
                return (made, reader.asked)
            }
        }
    }

    private mutating func takeStrokes(_ head: BlockHead, _ payload: ArraySlice<UInt8>, at offset: Int)
        throws(DrawingFailure)
        -> Bool
    {
        guard let (text, rest) = Self.split(payload), let names = json(StrokeNames.self, text) else { return false }
        pending.append(Pending(offset: offset, head: head, names: names, coded: rest))
        if pending.count >= BlockWork.most { try decode() }
        return true
    }

    /// Decodes what is pending, several blocks at once. Together they hold no more than `pointsAtOnce` for each beyond
    /// what is within the budget: a block of more, which no writer of ours makes, is read on its own.
    private mutating func decode() throws(DrawingFailure) {
        let blocks = pending
        pending = []
        let limit = min(Self.pointsAtOnce, max(0, budget.points - points))
        let results = BlockWork.map(blocks) { $0.read(most: limit) }
        for (block, result) in zip(blocks, results) {
            var result = result
            let left = max(0, budget.points - points)
            if result.elements == nil, limit < left { result = block.read(most: left) }
            points += result.asked
            guard let made = result.elements, elements.count + made.count <= budget.elements else {
                damage.append(
                    .init(
                        offset: block.offset, lost: Int(block.head.count), reason: "It is not what its kind should be.")
                )
                continue
            }
            elements += made
            guard points <= budget.points else { throw .tooLarge }
        }
    }

    private mutating func json<Value: Decodable>(_ type: Value.Type, _ payload: ArraySlice<UInt8>) -> Value? {
        let text = payload.withUnsafeBufferPointer { bytes in
            TextCoder.decode(bytes, most: DrawingLimits.blockBytes, budget: &textLeft)
        }
        guard let text else { return nil }
        return try? SheetJSON.decoder().decode(type, from: Data(text))
    }

    /// A part with its length before it, and what follows.
    private static func split(_ payload: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        guard payload.count >= 4 else { return nil }
        let length = payload.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        let rest = payload.dropFirst(4)
        guard length <= rest.count else { return nil }
        return (rest.prefix(length), rest.dropFirst(length))
    }
}
