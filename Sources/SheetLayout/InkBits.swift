// SPDX-License-Identifier: Apache-2.0

/// Ink with one bit for each pixel, once row by row and once column by column: lines are compared 64 pixels at a time.
struct InkBits: Sendable {
    private let rows: [UInt64]
    private let columns: [UInt64]
    private let wordsOfRow: Int
    private let wordsOfColumn: Int

    init(_ ink: InkMap) {
        let (width, height) = (ink.width, ink.height)
        (wordsOfRow, wordsOfColumn) = ((width + 63) / 64, (height + 63) / 64)
        var rows = [UInt64](repeating: 0, count: wordsOfRow * height)
        // Whole blocks of 64 by 64 pixels, also beyond the last column.
        var columns = [UInt64](repeating: 0, count: wordsOfRow * 64 * wordsOfColumn)
        Self.pack(ink, wordsOfRow, into: &rows)
        var block = [UInt64](repeating: 0, count: 64)
        for down in 0..<wordsOfColumn {
            for across in 0..<wordsOfRow {
                let full = min(64, height - down * 64)
                for row in 0..<full { block[row] = rows[(down * 64 + row) * wordsOfRow + across] }
                for row in full..<64 { block[row] = 0 }
                Self.transpose(&block)
                for column in 0..<64 { columns[(across * 64 + column) * wordsOfColumn + down] = block[column] }
            }
        }
        (self.rows, self.columns) = (rows, columns)
    }

    /// Pixels that are ink in two rows, from one column up to another.
    func common(row: Int, _ other: Int, from: Int, to: Int) -> Int {
        Self.common(rows, row * wordsOfRow, other * wordsOfRow, from, to)
    }

    /// Pixels that are ink in two columns, from one row up to another.
    func common(column: Int, _ other: Int, from: Int, to: Int) -> Int {
        Self.common(columns, column * wordsOfColumn, other * wordsOfColumn, from, to)
    }

    private static func common(_ words: [UInt64], _ one: Int, _ other: Int, _ from: Int, _ to: Int) -> Int {
        guard from < to else { return 0 }
        return words.withUnsafeBufferPointer { words in
            let (first, last) = (from / 64, (to - 1) / 64)
            var count = 0
            for place in first...last {
                var both = words[one + place] & words[other + place]
                if place == first { both &= ~0 << UInt64(from % 64) }
                if place == last { both &= ~0 >> UInt64(63 - (to - 1) % 64) }
                count += both.nonzeroBitCount
            }
            return count
        }
    }

    private static func pack(_ ink: InkMap, _ wordsOfRow: Int, into rows: inout [UInt64]) {
        ink.cells.withUnsafeBytes { cells in
            rows.withUnsafeMutableBufferPointer { rows in
                for y in 0..<ink.height {
                    for word in 0..<wordsOfRow {
                        let start = y * ink.width + word * 64
                        let count = min(64, ink.width - word * 64)
                        var bits: UInt64 = 0
                        var bit = 0
                        while bit + 8 <= count {
                            // Each byte is 0 or 1: the product brings byte i to bit 56 + i, and nothing else up there.
                            let eight = cells.loadUnaligned(fromByteOffset: start + bit, as: UInt64.self).littleEndian
                            bits |= ((eight &* 0x0102_0408_1020_4080) >> 56) << UInt64(bit)
                            bit += 8
                        }
                        while bit < count {
                            bits |= UInt64(cells[start + bit]) << UInt64(bit)
                            bit += 1
                        }
                        rows[y * wordsOfRow + word] = bits
                    }
                }
            }
        }
    }

    /// Swaps rows and columns of 64 words of 64 bits: halves, then quarters and so on (H. Warren, *Hacker's Delight*, 7-3).
    private static func transpose(_ block: inout [UInt64]) {
        block.withUnsafeMutableBufferPointer { block in
            var width = 32
            var mask: UInt64 = 0xffff_ffff
            while width > 0 {
                var row = 0
                while row < 64 {
                    let swapped = (block[row] >> UInt64(width) ^ block[row + width]) & mask
                    block[row] ^= swapped << UInt64(width)
                    block[row + width] ^= swapped
                    row = (row + width + 1) & ~width
                }
                width /= 2
                mask ^= mask << UInt64(width)
            }
        }
    }
}
