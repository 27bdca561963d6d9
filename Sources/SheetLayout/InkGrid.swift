// SPDX-License-Identifier: Apache-2.0

/// Ink counts of any rectangle in constant time (a summed-area table). The sums have sixteen bits and run over: differences
/// are right all the same where less than 65,536 is counted, as in every row and column, and half the memory is touched.
struct InkGrid {
    let width: Int
    let height: Int
    /// Pixels of ink in a row or column that count as none.
    let tolerance: Int
    private let sums: [UInt16]

    init(_ ink: InkMap) {
        tolerance = ink.tolerance
        width = ink.width
        height = ink.height
        let stride = width + 1
        sums = [UInt16](unsafeUninitializedCapacity: stride * (height + 1)) { sums, count in
            ink.cells.withUnsafeBytes { cells in
                for x in 0..<stride { sums[x] = 0 }
                for y in 0..<ink.height { Self.addRow(y, ink.width, cells, to: sums) }
            }
            count = stride * (ink.height + 1)
        }
    }

    /// Fills row `y + 1` of the sums from the one above and from row `y` of the ink.
    private static func addRow(
        _ y: Int, _ width: Int, _ cells: UnsafeRawBufferPointer, to sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        let (above, here) = (y * (width + 1) + 1, (y + 1) * (width + 1) + 1)
        let bytes = UnsafeMutableRawBufferPointer(sums)
        let size = MemoryLayout<UInt16>.stride
        sums[here - 1] = 0
        var row: UInt16 = 0
        var x = 0
        while x + 8 <= width {
            // Each byte is 0 or 1: one product adds up all that stand before each.
            let eight = cells.loadUnaligned(fromByteOffset: y * width + x, as: UInt64.self)
            let added = eight.littleEndian &* 0x0101_0101_0101_0101
            // Both are eight bytes, and any bytes are a vector.
            let before = unsafeBitCast(added.littleEndian, to: SIMD8<UInt8>.self)
            let old = bytes.loadUnaligned(fromByteOffset: (above + x) * size, as: SIMD8<UInt16>.self)
            let sum = old &+ SIMD8(repeating: row) &+ SIMD8<UInt16>(truncatingIfNeeded: before)
            bytes.storeBytes(of: sum, toByteOffset: (here + x) * size, as: SIMD8<UInt16>.self)
            row &+= UInt16(truncatingIfNeeded: added >> 56)
            x += 8
        }
        while x < width {
            row &+= UInt16(cells[y * width + x])
            sums[here + x] = sums[above + x] &+ row
            x += 1
        }
    }

    /// Pixels with ink in a box.
    func count(_ box: PixelBox) -> Int {
        guard !box.isEmpty else { return 0 }
        guard box.area > Self.most else { return Int(difference(box)) }
        let rows = max(1, Self.most / box.width)
        return Swift.stride(from: box.top, to: box.bottom, by: rows).reduce(0) { sum, top in
            let bottom = min(top + rows, box.bottom)
            return sum + Int(difference(PixelBox(left: box.left, top: top, right: box.right, bottom: bottom)))
        }
    }

    /// Pixels that can be counted at once.
    private static let most = Int(UInt16.max)

    private func difference(_ box: PixelBox) -> UInt16 {
        let stride = width + 1
        return sums[box.bottom * stride + box.right] &- sums[box.top * stride + box.right]
            &- sums[box.bottom * stride + box.left] &+ sums[box.top * stride + box.left]
    }

    /// Pixels with ink in each row of a box.
    func rowCounts(of box: PixelBox) -> [UInt16] {
        let stride = width + 1
        return [UInt16](unsafeUninitializedCapacity: max(0, box.height)) { counts, count in
            sums.withUnsafeBufferPointer { sums in
                var above = sums[box.top * stride + box.right] &- sums[box.top * stride + box.left]
                for row in 0..<max(0, box.height) {
                    let start = (box.top + row + 1) * stride
                    let here = sums[start + box.right] &- sums[start + box.left]
                    counts[row] = here &- above
                    above = here
                }
            }
            count = max(0, box.height)
        }
    }

    /// Pixels with ink in each column of a box.
    func columnCounts(of box: PixelBox) -> [UInt16] {
        let (top, bottom) = (box.top * (width + 1) + box.left, box.bottom * (width + 1) + box.left)
        return [UInt16](unsafeUninitializedCapacity: max(0, box.width)) { counts, count in
            sums.withUnsafeBufferPointer { sums in
                for column in 0..<max(0, box.width) {
                    let left = sums[bottom + column] &- sums[top + column]
                    counts[column] = sums[bottom + column + 1] &- sums[top + column + 1] &- left
                }
            }
            count = max(0, box.width)
        }
    }

    /// Part of a row of the box that has ink.
    func coverage(row: Int, of box: PixelBox) -> Double {
        coverage(count(PixelBox(left: box.left, top: row, right: box.right, bottom: row + 1)), of: box.width)
    }

    /// Part of a column of the box that has ink.
    func coverage(column: Int, of box: PixelBox) -> Double {
        coverage(count(PixelBox(left: column, top: box.top, right: column + 1, bottom: box.bottom)), of: box.height)
    }

    /// For each row or column of a box, how many of these coverages it reaches; they rise, and the least is any ink at all, or
    /// more than a slack part.
    func levels(_ axis: Axis, of box: PixelBox, _ coverages: [Double], slack: Double = 0) -> [UInt8] {
        let length = axis == .rows ? box.width : box.height
        let some = max(length > 48 ? tolerance + 1 : 1, slack > 0 ? Self.least(slack, of: length) : 1)
        let least = [some] + coverages.map { max(some, Self.least($0, of: length)) }
        return (axis == .rows ? rowCounts(of: box) : columnCounts(of: box)).withUnsafeBufferPointer { counts in
            [UInt8](unsafeUninitializedCapacity: counts.count) { levels, count in
                count = counts.count
                levels.update(repeating: 0)
                for limit in least {
                    let limit = UInt16(clamping: limit)
                    for place in 0..<count { levels[place] &+= counts[place] >= limit ? 1 : 0 }
                }
            }
        }
    }

    /// The least ink that is such a part of a length.
    private static func least(_ part: Double, of length: Int) -> Int {
        let whole = Double(max(1, length))
        var ink = Int((part * whole).rounded(.up))
        while ink > 0, Double(ink - 1) / whole >= part { ink -= 1 }
        while Double(ink) / whole < part { ink += 1 }
        return ink
    }

    private func coverage(_ ink: Int, of length: Int) -> Double {
        ink <= tolerance && length > 48 ? 0 : Double(ink) / Double(max(1, length))
    }

    /// The box without its empty margins.
    func tightened(_ box: PixelBox) -> PixelBox {
        var tight = box
        while !tight.isEmpty, coverage(row: tight.top, of: tight) == 0 { tight.top += 1 }
        while !tight.isEmpty, coverage(row: tight.bottom - 1, of: tight) == 0 { tight.bottom -= 1 }
        while !tight.isEmpty, coverage(column: tight.left, of: tight) == 0 { tight.left += 1 }
        while !tight.isEmpty, coverage(column: tight.right - 1, of: tight) == 0 { tight.right -= 1 }
        return tight
    }

    /// The largest box with blank edges near the edges of the page, when there is ink all around it.
    func insideOrnaments() -> PixelBox? {
        func clear(_ positions: [Int], extent: Int, _ ink: (Int) -> Int) -> Int? {
            guard let first = positions.firstIndex(where: { ink($0) * 50 > extent }) else { return nil }
            // The clearest place behind the ornament; of equals the outermost.
            let behind = positions[first...]
            guard let best = behind.min(by: { ink($0) < ink($1) }), ink(best) * 50 <= extent else { return nil }
            return best
        }
        let (marginX, marginY) = (width / 7, height / 7)
        let middle = PixelBox(left: marginX, top: marginY, right: width - marginX, bottom: height - marginY)
        func row(_ y: Int) -> Int { count(PixelBox(left: middle.left, top: y, right: middle.right, bottom: y + 1)) }
        func column(_ x: Int) -> Int { count(PixelBox(left: x, top: middle.top, right: x + 1, bottom: middle.bottom)) }
        let top = clear(Array(0..<marginY), extent: middle.width, row)
        let bottom = clear((height - marginY..<height).reversed(), extent: middle.width, row)
        let left = clear(Array(0..<marginX), extent: middle.height, column)
        let right = clear((width - marginX..<width).reversed(), extent: middle.height, column)
        guard left != nil || right != nil || top != nil || bottom != nil else { return nil }
        return PixelBox(
            left: left ?? 0, top: top ?? 0, right: right.map { $0 + 1 } ?? width,
            bottom: bottom.map { $0 + 1 } ?? height)
    }

    /// Whether a line of text stands in a strip: a rule close above it and one close below, both clearly wider, and
    /// more room below the strip than a row of a table has.
    func isInStrip(_ text: PixelBox) -> Bool {
        guard text.width > 3, text.height > 2 else { return false }
        let reach = text.height
        func rule(in rows: some Sequence<Int>) -> Int? {
            rows.first { row in
                guard row >= 0, row < height else { return false }
                let wide = PixelBox(
                    left: max(0, text.left - 2),
                    top: row,
                    right: min(width, text.right + text.width / 2 + 10),
                    bottom: row + 1
                )
                return Double(count(wide)) >= 0.97 * Double(wide.width)
            }
        }
        guard let above = rule(in: (text.top - reach..<text.top).reversed()),
            let below = rule(in: text.bottom..<text.bottom + reach)
        else { return false }
        let room = (below - above) * 8 / 5
        return rule(in: below + 5..<below + max(6, room)) == nil
    }

    /// The inside of a box that has a line along each of its four edges, or `nil`.
    func insideFrame(_ box: PixelBox) -> PixelBox? {
        let reach = 5
        guard box.width > 3 * reach, box.height > 3 * reach else { return nil }
        guard let top = lineEnd(box.top..<box.top + reach, { coverage(row: $0, of: box) }),
            let bottom = lineEnd((box.bottom - reach..<box.bottom).reversed(), { coverage(row: $0, of: box) }),
            let left = lineEnd(box.left..<box.left + reach, { coverage(column: $0, of: box) }),
            let right = lineEnd((box.right - reach..<box.right).reversed(), { coverage(column: $0, of: box) })
        else { return nil }
        let inside = PixelBox(left: left + 1, top: top + 1, right: right, bottom: bottom)
        return inside.isEmpty ? nil : inside
    }

    /// The last position of the first line met, when there is one; rounded corners take a part of it.
    private func lineEnd(_ positions: some Sequence<Int>, _ coverage: (Int) -> Double) -> Int? {
        var last: Int?
        for position in positions {
            if coverage(position) >= 0.86 { last = position } else if last != nil { break }
        }
        return last
    }
}
