// SPDX-License-Identifier: Apache-2.0

/// Which pixels of a drawn page differ from its background.
package struct InkMap: Sendable {
    /// Pixels from left to right.
    package let width: Int
    /// Pixels from top to bottom.
    package let height: Int
    /// Row by row: 1 where there is ink.
    package let cells: [UInt8]

    /// Difference from the background that counts, of 255 levels.
    private static let threshold = 28

    /// Pixels of ink in a row or column that may be texture.
    let tolerance: Int

    /// Takes a mask as it is.
    package init(width: Int, height: Int, cells: [UInt8]) {
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
    package init(grey: some RandomAccessCollection<UInt8>, width: Int, height: Int) {
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
        var edges = edges(grey, width, height)
        edges.withUnsafeMutableBufferPointer { removeSpecks(from: $0, width + 2) }
        var frame = InkFrame(cells: withoutBorder(edges, width, height), width: width, height: height)
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
    private static let speck = 5

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

    /// Where one pixel differs much from the one to the left or above. With a border of no ink: every pixel then has eight
    /// neighbours.
    private static func edges(_ grey: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int) -> [UInt8] {
        func differ(_ one: UInt8, _ other: UInt8) -> UInt8 { max(one, other) &- min(one, other) }
        let stride = width + 2
        var padded = [UInt8](repeating: 0, count: stride * (height + 2))
        padded.withUnsafeMutableBufferPointer { cells in
            for y in 0..<height where width > 0 {
                // Slices that begin at the row: the compiler then makes many pixels at a time.
                let row = UnsafeBufferPointer(rebasing: grey[y * width..<(y + 1) * width])
                let above = UnsafeBufferPointer(rebasing: grey[max(0, y - 1) * width..<max(1, y) * width])
                let start = (y + 1) * stride + 1
                let marks = UnsafeMutableBufferPointer(rebasing: cells[start..<start + width])
                marks[0] = differ(row[0], above[0]) > edgeContrast ? 1 : 0
                for x in 1..<max(1, width) {
                    let jump = max(differ(row[x], row[x &- 1]), differ(row[x], above[x]))
                    marks[x] = jump > edgeContrast ? 1 : 0
                }
            }
        }
        return padded
    }

    /// Clears small islands of ink; what stays becomes 2.
    private static func removeSpecks(from padded: UnsafeMutableBufferPointer<UInt8>, _ stride: Int) {
        var island: [Int] = []
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
                // Most pixels touch one that was kept before.
                let above = start - stride
                if (padded[start - 1] | padded[above - 1] | padded[above] | padded[above + 1]) & 2 != 0 {
                    padded[start] = 2
                } else {
                    let mark: UInt8 = isKept(start, in: padded, stride, walked: &island) ? 2 : 0
                    for place in island { padded[place] = mark }
                }
            }
            start += 1
        }
    }

    /// Whether a pixel belongs to an island of more than a speck. The rest of a large one is not walked: each of its pixels
    /// that comes later touches one that is kept. What was walked is gathered, and becomes 3.
    private static func isKept(
        _ start: Int, in padded: UnsafeMutableBufferPointer<UInt8>, _ stride: Int, walked island: inout [Int]
    ) -> Bool {
        island.removeAll(keepingCapacity: true)
        island.append(start)
        padded[start] = 3
        var next = 0
        while next < island.count, island.count <= speck {
            let here = island[next]
            next += 1
            func touchesKept(_ step: Int) -> Bool {
                let neighbour = padded[here + step]
                if neighbour == 1 {
                    padded[here + step] = 3
                    island.append(here + step)
                }
                return neighbour == 2
            }
            // One after the other: a list of the eight would be walked with checks, thousands of times.
            if touchesKept(-stride - 1) || touchesKept(-stride) || touchesKept(-stride + 1) || touchesKept(-1)
                || touchesKept(1) || touchesKept(stride - 1) || touchesKept(stride) || touchesKept(stride + 1)
            {
                return true
            }
        }
        return island.count > speck
    }

    /// What is kept, without the border.
    private static func withoutBorder(_ padded: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        let stride = width + 2
        return [UInt8](unsafeUninitializedCapacity: width * height) { cells, count in
            padded.withUnsafeBufferPointer { padded in
                for y in 0..<height {
                    let start = (y + 1) * stride + 1
                    let row = UnsafeBufferPointer(rebasing: padded[start..<start + width])
                    let kept = UnsafeMutableBufferPointer(rebasing: cells[y * width..<(y + 1) * width])
                    for x in 0..<width { kept[x] = row[x] >> 1 }
                }
            }
            count = width * height
        }
    }
}
