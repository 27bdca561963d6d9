// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes the blocks of a drawing.
struct DrawingWriter {
    /// A block ends before it has more, so that damage costs little.
    static let strokesPerBlock = 1024
    static let pointsPerBlock = 16_384
    static let elementsPerBlock = 64

    let isLossless: Bool
    private var file: [UInt8] = []
    private var blocks = 0
    private var textLeft: Int

    init(isLossless: Bool, textBytes: Int = DrawingLimits.textBytes) {
        self.isLossless = isLossless
        textLeft = textBytes
    }

    mutating func write(_ drawing: PageDrawing) throws(DrawingFailure) -> Data {
        try write(PageBlock(drawing), drawing.elements[...], drawing.unknownBlocks ?? [])
    }

    /// Writes strokes in the order in which they are given.
    mutating func write(
        _ page: PageBlock, _ elements: ArraySlice<PageElement>, _ unknown: [PageDrawing.UnknownBlock] = []
    ) throws(DrawingFailure) -> Data {
        guard page.layers.count <= 1000 else { throw .tooLarge }
        try check(elements)
        file = DrawingFormat.magic + [UInt8(DrawingFormat.version), 0, 0, 0]
        try put(BlockHead.Kind.page, count: page.layers.count, json: page)
        var strokes: [(PageElement, Stroke)] = []
        var others: [PageElement] = []
        for element in elements {
            switch element.content {
            // What a newer program added to a stroke only JSON can carry.
            case .stroke(let stroke) where element.unknown.isEmpty && stroke.unknown.isEmpty:
                strokes.append((element, stroke))
            case .foreign(let ink): try put(element, ink)
            default: others.append(element)
            }
        }
        var parts: [ArraySlice<(PageElement, Stroke)>] = []
        var start = 0
        while start < strokes.count {
            var (end, points) = (start, 0)
            repeat {
                points += strokes[end].1.points.count
                end += 1
            } while end < strokes.count && end - start < Self.strokesPerBlock && points < Self.pointsPerBlock
            parts.append(strokes[start..<end])
            start = end
        }
        let isLossless = isLossless
        for (part, made) in zip(parts, BlockWork.map(parts) { Self.coded($0, isLossless: isLossless) }) {
            let head = TextCoder.encode(try json(made.names))
            put(
                BlockHead.Kind.strokes, flags: made.isLossless ? BlockHead.isLossless : 0, count: part.count,
                Self.prefixed(head) + made.bytes)
        }
        for start in stride(from: 0, to: others.count, by: Self.elementsPerBlock) {
            let some = Array(others[start..<min(others.count, start + Self.elementsPerBlock)])
            try put(BlockHead.Kind.elements, count: some.count, json: some)
        }
        for block in unknown where block.kind >= BlockHead.Kind.firstUnknown {
            put(block.kind, flags: block.flags, count: Int(block.count), Array(block.payload))
        }
        guard file.count <= DrawingLimits.fileBytes, blocks <= DrawingLimits.blocks else { throw .tooLarge }
        return Data(file)
    }

    private func check(_ elements: ArraySlice<PageElement>) throws(DrawingFailure) {
        guard elements.count <= DrawingLimits.elements else { throw .tooLarge }
        var points = 0
        for case .stroke(let stroke) in elements.lazy.map(\.content) {
            points += stroke.points.count
            guard stroke.points.withUnsafeBytes(areWritable) else { throw .badNumber }
        }
        guard points <= DrawingLimits.points else { throw .tooLarge }
    }

    /// Whether all numbers of some points can be coded.
    private func areWritable(_ points: UnsafeRawBufferPointer) -> Bool {
        for channel in InkChannel.allCases {
            let steps = channel.steps
            for place in 0..<points.count / MemoryLayout<InkPoint>.stride {
                let value = points.load(fromByteOffset: channel.offset(place), as: Double.self)
                guard isLossless ? !value.isNaN : abs(value * steps) < InkChannel.most else { return false }
            }
        }
        return true
    }

    // MARK: - Blocks

    private mutating func put(_ kind: UInt8, flags: UInt8 = 0, count: Int, _ payload: [UInt8]) {
        blocks += 1
        file += BlockHead(kind: kind, flags: flags, count: count, length: payload.count).bytes
        file += payload
        withUnsafeBytes(of: CRC32.of(payload).littleEndian) { file.append(contentsOf: $0) }
    }

    private mutating func put(_ kind: UInt8, count: Int, json: some Encodable) throws(DrawingFailure) {
        put(kind, count: count, TextCoder.encode(try self.json(json)))
    }

    private mutating func json(_ value: some Encodable) throws(DrawingFailure) -> Data {
        guard let data = try? SheetJSON.encoder().encode(value) else { throw .badNumber }
        guard data.count <= min(DrawingLimits.blockBytes, textLeft) else { throw .tooLarge }
        textLeft -= data.count
        return data
    }

    /// Whether rounding would change any number of some points.
    private static func losesRounded(_ points: UnsafeRawBufferPointer) -> Bool {
        for place in 0..<points.count / MemoryLayout<InkPoint>.stride {
            for channel in InkChannel.allCases {
                let value = points.load(fromByteOffset: channel.offset(place), as: Double.self)
                guard abs(value * channel.steps) < InkChannel.most else { return true }
                let rounded = channel.value(channel.coded(value, isLossless: false), isLossless: false)
                if rounded.bitPattern != value.bitPattern { return true }
            }
        }
        return false
    }

    /// The names that strokes share, and the strokes.
    private static func coded(
        _ strokes: ArraySlice<(PageElement, Stroke)>, isLossless: Bool
    ) -> (names: StrokeNames, bytes: [UInt8], isLossless: Bool) {
        let isLossless = isLossless && strokes.contains { $0.1.points.withUnsafeBytes(losesRounded) }
        var names = StrokeNames()
        var places = (devices: [DeviceID: Int](), layers: [String: Int](), styles: [StrokeNames.Style: Int]())
        var writer = StrokeWriter(isLossless: isLossless)
        func place<Name: Hashable>(_ name: Name, _ known: inout [Name: Int], _ list: inout [Name]) -> Int {
            if let place = known[name] { return place }
            list.append(name)
            known[name] = list.count - 1
            return list.count - 1
        }
        for (element, stroke) in strokes {
            let style = StrokeNames.Style(tool: stroke.tool, color: stroke.color)
            writer.write(
                element, stroke, device: place(element.id.device, &places.devices, &names.devices),
                layer: place(element.layer, &places.layers, &names.layers),
                style: place(style, &places.styles, &names.styles))
        }
        return (names, writer.finish(), isLossless)
    }

    /// The element without its bytes, then these as they are.
    private mutating func put(_ element: PageElement, _ ink: ForeignInk) throws(DrawingFailure) {
        guard ink.data.count <= DrawingLimits.blockBytes else { throw .tooLarge }
        var bare = element
        var told = ink
        told.data = Data()
        bare.content = .foreign(told)
        let head = TextCoder.encode(try json(bare))
        put(BlockHead.Kind.foreign, count: 1, Self.prefixed(head) + Array(ink.data))
    }

    private static func prefixed(_ head: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(head.count).littleEndian) { Array($0) } + head
    }
}
