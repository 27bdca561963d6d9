// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SheetLayout

@Suite("Ink is counted eight and sixty-four pixels at a time")
struct InkTests {
    /// The same scattered ink on every run; widths that no block of pixels fits.
    private static func ink(width: Int, height: Int) -> InkMap {
        var state: UInt32 = 7
        let cells = (0..<width * height).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return state >> 30 == 0 ? 1 : 0
        }
        return InkMap(width: width, height: height, cells: cells)
    }

    @Test("a box holds as much ink as its pixels do", arguments: [(1, 1), (7, 3), (8, 8), (67, 21), (131, 70)])
    func counts(width: Int, height: Int) {
        let ink = Self.ink(width: width, height: height)
        let grid = InkGrid(ink)
        for left in stride(from: 0, to: width, by: 5) {
            for right in stride(from: left + 1, through: width, by: 3) {
                let box = PixelBox(left: left, top: height / 3, right: right, bottom: height)
                let rows = (box.top..<box.bottom).map { row in
                    (left..<right).reduce(0) { $0 + Int(ink.cells[row * width + $1]) }
                }
                #expect(grid.count(box) == rows.reduce(0, +))
                #expect(grid.rowCounts(of: box).map(Int.init) == rows)
            }
        }
    }

    @Test("a box may hold more ink than a sum of sixteen bits")
    func largeBox() {
        let grid = InkGrid(InkMap(width: 300, height: 400, cells: [UInt8](repeating: 1, count: 300 * 400)))
        #expect(grid.count(PixelBox(left: 1, top: 1, right: 300, bottom: 400)) == 299 * 399)
    }

    @Test("ink that goes through a line is that of both sides", arguments: [(67, 21), (131, 130)])
    func crossings(width: Int, height: Int) {
        let ink = Self.ink(width: width, height: height)
        let bits = InkBits(ink)
        func at(_ x: Int, _ y: Int) -> Int { Int(ink.cells[y * width + x]) }
        for y in 1..<height {
            let both = (3..<width).reduce(0) { $0 + at($1, y - 1) * at($1, y) }
            #expect(bits.common(row: y - 1, y, from: 3, to: width) == both)
        }
        for x in 1..<width {
            let both = (2..<height).reduce(0) { $0 + at(x - 1, $1) * at(x, $1) }
            #expect(bits.common(column: x - 1, x, from: 2, to: height) == both)
        }
    }

    @Test("ink is what differs from the commonest grey, however the page is wide", arguments: [61, 64, 77])
    func background(width: Int) {
        var grey = [UInt8](repeating: 250, count: width * 90)
        for place in stride(from: 5, to: grey.count, by: 11) { grey[place] = UInt8(place % 251) }
        let ink = InkMap(grey: grey, width: width, height: 90)
        #expect(ink.cells == grey.map { $0 < 222 ? 1 : 0 })
    }

    @Test("words, letters and numbers are the same with and without Unicode's tables")
    func plainText() {
        for text in [
            "", "AC 15", "Hit Points:", "STR\r\nDEX", "é", "Stärke 12", "\tA b\n", "NAÏVE", "ABC", "ABc", "12", "ﬁ ½",
        ] {
            #expect(text.characterCount == text.count)
            #expect(text.letterCount == text.count(where: \.isLetter))
            #expect(text.digitCount == text.count { $0.isNumber })
            #expect(text.visibleCount == text.count { !$0.isWhitespace })
            #expect(text.isWithoutSmallLetters == (text == text.uppercased() && text != text.lowercased()))
        }
    }
}
