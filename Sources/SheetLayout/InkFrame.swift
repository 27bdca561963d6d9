// SPDX-License-Identifier: Apache-2.0

/// Takes ornaments around the page off its ink: pieces of ink that run around the page and leave its middle free.
struct InkFrame {
    /// The ink, without what was removed.
    private(set) var cells: [UInt8]
    private let width: Int
    private let height: Int

    /// How deep into the page an ornament is looked for, and how often.
    private static let depth = 7
    private static let rounds = 8

    init(cells: [UInt8], width: Int, height: Int) {
        self.cells = cells
        self.width = width
        self.height = height
    }

    /// Clears ornaments around the page. Plain thin frames stay when `keepsPlain`: regions may lean on them.
    mutating func remove(keepsPlain: Bool) {
        guard width > 60, height > 60 else { return }
        for share in [35, 50, 65] {
            for _ in 0..<Self.rounds {
                guard let start = firstInk(row: height * share / 100) else { break }
                guard clear(from: start, keepsPlain: keepsPlain) else { break }
            }
        }
        guard holdsSeen else { return }
        cells.withUnsafeMutableBufferPointer { cells in
            for place in 0..<cells.count { cells[place] = min(cells[place], 1) }
        }
    }

    /// Whether a piece was looked at and left.
    private var holdsSeen = false

    private func firstInk(row: Int) -> Int? {
        for column in 0..<width / Self.depth where cells[row * width + column] == 1 { return row * width + column }
        return nil
    }

    /// Clears the piece of ink that holds a place when it is an ornament; what is none is marked as seen.
    private mutating func clear(from start: Int, keepsPlain: Bool) -> Bool {
        let piece = piece(from: start)
        var box = PixelBox(left: width, top: height, right: 0, bottom: 0)
        let middle = PixelBox(
            left: width / Self.depth, top: height / Self.depth, right: width - width / Self.depth,
            bottom: height - height / Self.depth)
        var inMiddle = 0
        for place in piece {
            let (x, y) = (Int(place.x), Int(place.y))
            box = box.union(PixelBox(left: x, top: y, right: x + 1, bottom: y + 1))
            if x >= middle.left, x < middle.right, y >= middle.top, y < middle.bottom { inMiddle += 1 }
        }
        let goesAround = box.width * 100 >= 85 * width && box.height * 100 >= 85 * height
        let isPlain = piece.count < 6 * (width + height)
        guard goesAround, inMiddle * 50 <= piece.count, !(isPlain && keepsPlain) else {
            holdsSeen = true
            return !goesAround
        }
        for place in piece { cells[Int(place.y) * width + Int(place.x)] = 0 }
        return true
    }

    private struct Place {
        var x: Int32
        var y: Int32
    }

    /// The piece of ink that holds a place, marked as seen.
    private mutating func piece(from start: Int) -> [Place] {
        let (width, height) = (width, height)
        var piece = [Place(x: Int32(start % width), y: Int32(start / width))]
        cells.withUnsafeMutableBufferPointer { cells in
            cells[start] = 2
            var next = 0
            func take(_ x: Int, _ y: Int) {
                guard cells[y * width + x] == 1 else { return }
                cells[y * width + x] = 2
                piece.append(Place(x: Int32(truncatingIfNeeded: x), y: Int32(truncatingIfNeeded: y)))
            }
            while next < piece.count {
                let (x, y) = (Int(piece[next].x), Int(piece[next].y))
                next += 1
                let (hasLeft, hasRight) = (x > 0, x < width - 1)
                var row = max(0, y - 1)
                while row <= min(height - 1, y + 1) {
                    if hasLeft { take(x - 1, row) }
                    take(x, row)
                    if hasRight { take(x + 1, row) }
                    row += 1
                }
            }
        }
        return piece
    }
}
