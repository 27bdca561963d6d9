// SPDX-License-Identifier: Apache-2.0

/// Which pixels of a drawn page differ from its background.
public struct InkMap: Sendable {
    /// Pixels from left to right.
    public let width: Int
    /// Pixels from top to bottom.
    public let height: Int
    /// Row by row: 1 where there is ink.
    public let cells: [UInt8]

    /// Difference from the background that counts, of 255 levels.
    private static let threshold = 28

    /// Pixels of ink in a row or column that may be texture.
    let tolerance: Int

    /// Takes a mask as it is.
    public init(width: Int, height: Int, cells: [UInt8]) {
        self.init(width: width, height: height, cells: cells, tolerance: 0)
    }

    init(width: Int, height: Int, cells: [UInt8], tolerance: Int) {
        self.tolerance = tolerance
        self.width = width
        self.height = height
        self.cells = cells
    }

    /// Finds the ink on a grey picture: what differs from its commonest grey. On a page painted over with a texture or
    /// a picture there is no such grey, and ink is where the brightness jumps.
    public init(grey: some RandomAccessCollection<UInt8>, width: Int, height: Int) {
        let found = grey.withContiguousStorageIfAvailable { Self.found(on: $0, width, height) }
        self = found ?? ContiguousArray(grey).withUnsafeBufferPointer { Self.found(on: $0, width, height) }
    }

    private static func found(on grey: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int) -> InkMap {
        let histogram = histogram(grey)
        let background = histogram.indices.max { histogram[$0] < histogram[$1] } ?? 255
        let ink = histogram.indices.reduce(0) { $0 + (abs($1 - background) > threshold ? histogram[$1] : 0) }
        if Double(ink) <= plainShare * Double(grey.count), background >= darkGround {
            var frame = InkFrame(cells: marks(grey, UInt8(background)), width: width, height: height)
            frame.remove(keepsPlain: true)
            return InkMap(width: width, height: height, cells: frame.cells)
        }
        let edges = withoutSpecks(edges(grey, width, height), width, height)
        var frame = InkFrame(cells: edges, width: width, height: height)
        frame.remove(keepsPlain: false)
        return InkMap(width: width, height: height, cells: frame.cells, tolerance: 2)
    }

    /// Part of the page that may be ink when it is not painted over.
    private static let plainShare = 0.24
    /// Ground darker than this is night: light letters stand on it, and light panels with dark letters.
    private static let darkGround = 110
    /// Difference between neighbours that is an edge.
    private static let edgeContrast: UInt8 = 30
    /// Specks up to this many pixels are texture.
    private static let speck = 7

    /// 1 for each pixel that differs from the background.
    private static func marks(_ grey: UnsafeBufferPointer<UInt8>, _ background: UInt8) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: grey.count) { cells, count in
            // In a form that the compiler makes sixteen pixels at a time of.
            for place in 0..<grey.count {
                let difference = max(grey[place], background) &- min(grey[place], background)
                cells[place] = difference > UInt8(threshold) ? 1 : 0
            }
            count = grey.count
        }
    }

    /// How many pixels there are of each grey.
    private static func histogram(_ grey: UnsafeBufferPointer<UInt8>) -> [Int] {
        // Several in turns: equal neighbours would wait for one another.
        let lanes = 4
        var counts = [UInt32](repeating: 0, count: 256 * lanes)
        let raw = UnsafeRawBufferPointer(grey)
        counts.withUnsafeMutableBufferPointer { counts in
            var place = 0
            while place + 8 <= raw.count {
                let eight = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                // Most of a page is of one grey.
                if eight == (eight & 0xff) &* 0x0101_0101_0101_0101 {
                    counts[Int(eight & 0xff)] &+= 8
                } else {
                    for pixel in 0..<8 {
                        counts[
                            (pixel & (lanes - 1)) << 8 | Int(truncatingIfNeeded: eight >> UInt64(8 * pixel) & 0xff)] &+=
                            1
                    }
                }
                place += 8
            }
            for rest in place..<raw.count { counts[Int(raw[rest])] &+= 1 }
        }
        return (0..<256).map { level in (0..<lanes).reduce(0) { $0 + Int(counts[$1 << 8 | level]) } }
    }

    /// Where one pixel differs much from the one to the left or above.
    private static func edges(_ grey: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int) -> [UInt8] {
        func differ(_ one: UInt8, _ other: UInt8) -> UInt8 { max(one, other) &- min(one, other) }
        return [UInt8](unsafeUninitializedCapacity: width * height) { cells, count in
            for y in 0..<height where width > 0 {
                // Slices that begin at the row: the compiler then makes many pixels at a time.
                let row = UnsafeBufferPointer(rebasing: grey[y * width..<(y + 1) * width])
                let above = UnsafeBufferPointer(rebasing: grey[max(0, y - 1) * width..<max(1, y) * width])
                let marks = UnsafeMutableBufferPointer(rebasing: cells[y * width..<(y + 1) * width])
                marks[0] = differ(row[0], above[0]) > edgeContrast ? 1 : 0
                for x in 1..<max(1, width) {
                    let jump = max(differ(row[x], row[x &- 1]), differ(row[x], above[x]))
                    marks[x] = jump > edgeContrast ? 1 : 0
                }
            }
            count = width * height
        }
    }

    /// Without small islands of ink.
    private static func withoutSpecks(_ cells: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        // A border of no ink: every pixel then has eight neighbours.
        let stride = width + 2
        var padded = [UInt8](repeating: 0, count: stride * (height + 2))
        for y in 0..<height {
            let start = (y + 1) * stride + 1
            padded.replaceSubrange(start..<start + width, with: cells[y * width..<(y + 1) * width])
        }
        var island: [Int] = []
        padded.withUnsafeMutableBufferPointer { padded in
            let raw = UnsafeRawBufferPointer(padded)
            var start = 0
            while start < padded.count {
                // Most of a page holds nothing that was not seen: eight pixels at a time.
                if start + 8 <= raw.count,
                    raw.loadUnaligned(fromByteOffset: start, as: UInt64.self) & 0x0101_0101_0101_0101 == 0
                {
                    start += 8
                    continue
                }
                if padded[start] == 1 {
                    gather(&island, from: start, in: padded, stride)
                    if island.count <= speck {
                        for place in island { padded[place] = 0 }
                    }
                }
                start += 1
            }
        }
        return [UInt8](unsafeUninitializedCapacity: width * height) { clean, count in
            padded.withUnsafeBufferPointer { padded in
                for y in 0..<height {
                    let start = (y + 1) * stride + 1
                    for x in 0..<width { clean[y * width + x] = padded[start + x] >> 1 }
                }
            }
            count = width * height
        }
    }

    /// All pixels of the island of ink that one belongs to; they become 2: seen and kept.
    private static func gather(
        _ island: inout [Int], from start: Int, in padded: UnsafeMutableBufferPointer<UInt8>, _ stride: Int
    ) {
        island.removeAll(keepingCapacity: true)
        island.append(start)
        padded[start] = 2
        var next = 0
        while next < island.count {
            let here = island[next]
            next += 1
            // One after the other: a list of the eight would be walked with checks, ten thousands of times.
            func look(_ step: Int) {
                guard padded[here + step] == 1 else { return }
                padded[here + step] = 2
                island.append(here + step)
            }
            look(-stride - 1)
            look(-stride)
            look(-stride + 1)
            look(-1)
            look(1)
            look(stride - 1)
            look(stride)
            look(stride + 1)
        }
    }
}
