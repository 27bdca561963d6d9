// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// The seven numbers of a point, each a channel of its own.
enum InkChannel: Int, CaseIterable {
    case x, y, pressure, tilt, azimuth, time, width

    /// Steps per unit when points are rounded: an error of at most 1/80 point in x and in y, so 0.018 points in all.
    var steps: Double {
        switch self {
        case .x, .y: 40
        case .pressure: 256
        case .tilt, .azimuth: 64
        case .time: 1000
        case .width: 32
        }
    }

    /// Largest number of steps; nothing on a page is farther away.
    static let most = 1e12

    /// Where it stands within a point: points are seven numbers in the order of the channels.
    @inline(__always)
    func offset(_ place: Int) -> Int {
        place &* MemoryLayout<InkPoint>.stride &+ rawValue &* MemoryLayout<Double>.stride
    }

    /// The number that is coded for a value: steps, or all 64 bits in an order that is the values' own.
    @inline(__always)
    func coded(_ value: Double, isLossless: Bool) -> Int64 {
        if isLossless { return Self.ordered(Int64(bitPattern: value.bitPattern)) }
        let scaled = value * steps
        return Int64(scaled < 0 ? scaled - 0.5 : scaled + 0.5)
    }

    @inline(__always)
    func value(_ coded: Int64, isLossless: Bool) -> Double {
        isLossless ? Double(bitPattern: UInt64(bitPattern: Self.ordered(coded))) : Double(coded) / steps
    }

    @inline(__always)
    private static func ordered(_ bits: Int64) -> Int64 { bits ^ (bits &>> 63 & Int64.max) }
}

/// What both directions of stroke coding share: the cells, and what was coded before.
struct StrokeCoding {
    /// Groups for what is said of each stroke.
    enum Header: Int, CaseIterable {
        case device, number, order, layer, style, count, prediction
    }

    /// Groups per channel: by the size of the last number of the same channel.
    static let sizes = 12
    let isLossless: Bool
    private let cells = BitCells(
        (Header.allCases.count + InkChannel.allCases.count * sizes) * NumberCoder.cellsPerGroup)
    var number: Int64 = 0
    var order: Int64 = 0
    var count: Int64 = 0
    var device: Int64 = 0
    var firsts = [Int64](repeating: 0, count: InkChannel.allCases.count)

    init(isLossless: Bool) {
        self.isLossless = isLossless
    }

    @inline(__always)
    func group(_ header: Header) -> UnsafeMutablePointer<BitCell> {
        cells.cells + header.rawValue * NumberCoder.cellsPerGroup
    }

    @inline(__always)
    func groups(_ channel: InkChannel) -> UnsafeMutablePointer<BitCell> {
        cells.cells + (Header.allCases.count + channel.rawValue * Self.sizes) * NumberCoder.cellsPerGroup
    }

    /// What is expected after numbers: the same, the same step, or the same change of steps.
    @inline(__always)
    static func expected(_ degree: Int, _ values: UnsafePointer<Int64>, _ place: Int) -> Int64 {
        switch min(degree, place) {
        case 1: values[place - 1]
        case 2: 2 &* values[place - 1] &- values[place - 2]
        default: 3 &* values[place - 1] &- 3 &* values[place - 2] &+ values[place - 3]
        }
    }
}

/// Writes the strokes of one block. docs/formats.md, "Drawing", has the format.
struct StrokeWriter {
    private var coding: StrokeCoding
    private var coder = RangeEncoder()
    private let scratch = NumberScratch()

    init(isLossless: Bool) {
        coding = StrokeCoding(isLossless: isLossless)
    }

    mutating func write(_ element: PageElement, _ stroke: Stroke, device: Int, layer: Int, style: Int) {
        put(Int64(device) - coding.device, .device)
        put(Int64(element.id.number) &- coding.number, .number)
        put(Int64(element.order) &- coding.order, .order)
        put(Int64(layer), .layer)
        put(Int64(style), .style)
        put(Int64(stroke.points.count) - coding.count, .count)
        (coding.device, coding.number) = (Int64(device), Int64(element.id.number))
        (coding.order, coding.count) = (Int64(element.order), Int64(stroke.points.count))
        guard !stroke.points.isEmpty else { return }
        for channel in InkChannel.allCases { write(channel, stroke.points) }
    }

    private mutating func put(_ value: Int64, _ header: StrokeCoding.Header) {
        NumberCoder.encode(value, &coder, coding.group(header))
    }

    private mutating func write(_ channel: InkChannel, _ points: [InkPoint]) {
        let values = scratch.room(for: points.count)
        let isLossless = coding.isLossless
        points.withUnsafeBytes { points in
            for place in 0..<points.count / MemoryLayout<InkPoint>.stride {
                let value = points.load(fromByteOffset: channel.offset(place), as: Double.self)
                values[place] = channel.coded(value, isLossless: isLossless)
            }
        }
        let first = coding.firsts[channel.rawValue]
        coding.firsts[channel.rawValue] = values[0]
        let degree = Self.bestDegree(values, points.count)
        put(Int64(degree), .prediction)
        let groups = coding.groups(channel)
        var size = NumberCoder.encode(values[0] &- first, &coder, groups)
        guard degree > 0 else { return }
        for place in 1..<max(1, points.count) {
            let expected = StrokeCoding.expected(degree, values, place)
            let cells = groups + min(size, StrokeCoding.sizes - 1) * NumberCoder.cellsPerGroup
            size = NumberCoder.encode(values[place] &- expected, &coder, cells)
        }
    }

    /// 0 where all are the same, else the degree that leaves the smallest numbers.
    private static func bestDegree(_ values: UnsafePointer<Int64>, _ count: Int) -> Int {
        func size(_ wrong: Int64) -> Int { 64 &- NumberCoder.folded(wrong).leadingZeroBitCount }
        var sums = (0, 0, 0)
        var before = (first: Int64(0), second: Int64(0))
        for place in 1..<max(1, count) {
            let first = values[place] &- values[place - 1]
            let second = place > 1 ? first &- before.first : first
            let third = place > 2 ? second &- before.second : second
            before = (first, second)
            sums.0 &+= size(first)
            sums.1 &+= size(second)
            sums.2 &+= size(third)
        }
        if sums.0 == 0 { return 0 }
        if sums.0 <= sums.1, sums.0 <= sums.2 { return 1 }
        return sums.1 <= sums.2 ? 2 : 3
    }

    mutating func finish() -> [UInt8] { coder.finish() }
}

/// Room for the numbers of one channel, used again and again.
private final class NumberScratch {
    private var numbers: UnsafeMutablePointer<Int64> = .allocate(capacity: 256)
    private var capacity = 256

    deinit {
        numbers.deallocate()
    }

    func room(for count: Int) -> UnsafeMutablePointer<Int64> {
        if count > capacity {
            numbers.deallocate()
            capacity = 2 * count
            numbers = .allocate(capacity: capacity)
        }
        return numbers
    }
}

/// Reads the strokes of one block.
struct StrokeReader {
    private var coding: StrokeCoding
    private var coder: RangeDecoder
    /// Points that were made room for, whatever came of them.
    private(set) var asked = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>, isLossless: Bool) {
        coding = StrokeCoding(isLossless: isLossless)
        coder = RangeDecoder(bytes)
    }

    struct Header {
        var device: Int
        var number: Int
        var order: Int
        var layer: Int
        var style: Int
        var points: [InkPoint]
    }

    /// The next stroke; `nil` of what no writer wrote, or if it has more than `most` points.
    mutating func read(most: Int) -> Header? {
        coding.device &+= next(.device)
        coding.number &+= next(.number)
        coding.order &+= next(.order)
        let layer = next(.layer)
        let style = next(.style)
        coding.count &+= next(.count)
        guard 0...Int64(most) ~= coding.count, !coder.isBeyondEnd else { return nil }
        var header = Header(
            device: Int(coding.device), number: Int(coding.number), order: Int(coding.order), layer: Int(layer),
            style: Int(style), points: [])
        guard coding.count > 0 else { return header }
        asked += Int(coding.count)
        header.points = [InkPoint](repeating: InkPoint(x: 0, y: 0), count: Int(coding.count))
        for channel in InkChannel.allCases {
            guard read(channel, &header.points) else { return nil }
        }
        return header
    }

    private mutating func next(_ header: StrokeCoding.Header) -> Int64 {
        NumberCoder.decode(&coder, coding.group(header)).value
    }

    private mutating func read(_ channel: InkChannel, _ points: inout [InkPoint]) -> Bool {
        let degree = next(.prediction)
        guard 0...3 ~= degree else { return false }
        let before = coding.firsts[channel.rawValue]
        let groups = coding.groups(channel)
        let isLossless = coding.isLossless
        var (value, size) = NumberCoder.decode(&coder, groups)
        let first = before &+ value
        coding.firsts[channel.rawValue] = first
        let count = points.count
        return points.withUnsafeMutableBytes { points in
            func put(_ coded: Int64, _ place: Int) {
                let value = channel.value(coded, isLossless: isLossless)
                points.storeBytes(of: value, toByteOffset: channel.offset(place), as: Double.self)
            }
            put(first, 0)
            if degree == 0 {
                for place in 1..<max(1, count) { put(first, place) }
                return !coder.isBeyondEnd
            }
            // The last three, the newest first.
            var last = (first, Int64(0), Int64(0))
            for place in 1..<max(1, count) {
                let cells = groups + min(size, StrokeCoding.sizes - 1) * NumberCoder.cellsPerGroup
                (value, size) = NumberCoder.decode(&coder, cells)
                switch min(Int(degree), place) {
                case 1: value &+= last.0
                case 2: value &+= 2 &* last.0 &- last.1
                default: value &+= 3 &* last.0 &- 3 &* last.1 &+ last.2
                }
                put(value, place)
                last = (value, last.0, last.1)
                if coder.isBeyondEnd { return false }
            }
            return true
        }
    }
}
