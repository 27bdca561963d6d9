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
        for place in cells.indices where cells[place] > 1 { cells[place] = 1 }
    }

    private func firstInk(row: Int) -> Int? {
        for column in 0..<width / Self.depth where cells[row * width + column] == 1 { return row * width + column }
        return nil
    }

    /// Clears the piece of ink that holds a place when it is an ornament; what is none is marked as seen.
    private mutating func clear(from start: Int, keepsPlain: Bool) -> Bool {
        var piece = [start]
        cells[start] = 2
        var next = 0
        var box = PixelBox(left: width, top: height, right: 0, bottom: 0)
        let middle = PixelBox(
            left: width / Self.depth, top: height / Self.depth, right: width - width / Self.depth,
            bottom: height - height / Self.depth)
        var inMiddle = 0
        while next < piece.count {
            let (x, y) = (piece[next] % width, piece[next] / width)
            next += 1
            box = box.union(PixelBox(left: x, top: y, right: x + 1, bottom: y + 1))
            if x >= middle.left, x < middle.right, y >= middle.top, y < middle.bottom { inMiddle += 1 }
            for row in max(0, y - 1)...min(height - 1, y + 1) {
                for column in max(0, x - 1)...min(width - 1, x + 1) where cells[row * width + column] == 1 {
                    cells[row * width + column] = 2
                    piece.append(row * width + column)
                }
            }
        }
        let goesAround = box.width * 100 >= 85 * width && box.height * 100 >= 85 * height
        let isPlain = piece.count < 7 * (width + height)
        guard goesAround, inMiddle * 50 <= piece.count, !(isPlain && keepsPlain) else { return !goesAround }
        for place in piece { cells[place] = 0 }
        return true
    }
}
