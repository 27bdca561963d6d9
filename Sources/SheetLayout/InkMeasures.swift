// SPDX-License-Identifier: Apache-2.0

/// What can be read off the ink of a page at once: coverage of any box, and strokes that cross any edge.
struct InkMeasures {
    let grid: InkGrid
    private let bits: InkBits

    init(_ ink: InkMap, grid: InkGrid) {
        self.grid = grid
        bits = InkBits(ink)
    }

    /// Pixels of ink that go through the line between row `y - 1` and row `y`.
    func crossings(row y: Int, from left: Int, to right: Int) -> Int {
        guard y > 0, y < grid.height else { return 0 }
        return bits.common(row: y - 1, y, from: left, to: right)
    }

    /// Pixels of ink that go through the line between column `x - 1` and column `x`.
    func crossings(column x: Int, from top: Int, to bottom: Int) -> Int {
        guard x > 0, x < grid.width else { return 0 }
        return bits.common(column: x - 1, x, from: top, to: bottom)
    }

    /// Ink in a row of a box.
    func count(row: Int, from left: Int, to right: Int) -> Int {
        grid.count(PixelBox(left: left, top: row, right: right, bottom: row + 1))
    }

    /// Ink in a column of a box.
    func count(column: Int, from top: Int, to bottom: Int) -> Int {
        grid.count(PixelBox(left: column, top: top, right: column + 1, bottom: bottom))
    }

    /// Blank rows or columns next to each edge, outside.
    typealias Clearances = (left: Int, top: Int, right: Int, bottom: Int)

    /// Up to `reach` on each side.
    func clearances(of box: PixelBox, reach: Int) -> Clearances {
        var (left, top, right, bottom) = (0, 0, 0, 0)
        while left < reach, box.left - left > 0, count(column: box.left - left - 1, from: box.top, to: box.bottom) == 0
        {
            left += 1
        }
        while top < reach, box.top - top > 0, count(row: box.top - top - 1, from: box.left, to: box.right) == 0 {
            top += 1
        }
        while right < reach, box.right + right < grid.width,
            count(column: box.right + right, from: box.top, to: box.bottom) == 0
        {
            right += 1
        }
        while bottom < reach, box.bottom + bottom < grid.height,
            count(row: box.bottom + bottom, from: box.left, to: box.right) == 0
        {
            bottom += 1
        }
        if box.left - left <= 0 { left = reach }
        if box.top - top <= 0 { top = reach }
        if box.right + right >= grid.width { right = reach }
        if box.bottom + bottom >= grid.height { bottom = reach }
        return (left, top, right, bottom)
    }

    /// Best coverage of a line along each edge, within a few pixels inside, in thousandths.
    func borders(of box: PixelBox) -> (left: Int, top: Int, right: Int, bottom: Int) {
        let reach = min(4, box.width / 3, box.height / 3)
        var (left, top, right, bottom) = (0, 0, 0, 0)
        for step in 0..<max(reach, 1) {
            left = max(left, count(column: box.left + step, from: box.top, to: box.bottom))
            right = max(right, count(column: box.right - 1 - step, from: box.top, to: box.bottom))
            top = max(top, count(row: box.top + step, from: box.left, to: box.right))
            bottom = max(bottom, count(row: box.bottom - 1 - step, from: box.left, to: box.right))
        }
        return (
            left * 1000 / max(1, box.height), top * 1000 / max(1, box.width), right * 1000 / max(1, box.height),
            bottom * 1000 / max(1, box.width)
        )
    }
}

/// Rows or columns of a box one by one: gaps, rules and bars among them.
struct InkProfile {
    /// Runs of blank rows, at least two thick.
    private(set) var gaps = 0
    private(set) var widestGap = 0
    private(set) var secondGap = 0
    /// Thin full lines.
    private(set) var rules = 0
    /// Least and greatest distance between rules.
    private(set) var narrowestPitch = 0
    private(set) var widestPitch = 0
    /// Thick runs of mostly covered rows.
    private(set) var bars = 0
    /// Where the first bar begins, from the start; -1 without any.
    private(set) var firstBar = -1
    private(set) var blanks = 0
    /// Widest gap, where a thin full line before it counts for some more.
    private(set) var widestSeparator = 0

    private let count: Int
    private var lastRule = -1
    private var isAfterRule = false

    private static let ruleBonus = 3

    /// Takes the ink of each row or column; `across` is how much would fill one.
    init(_ ink: [UInt16], across: Int) {
        count = ink.count
        var blank = 0
        var full = 0
        var covered = 0
        // Hundredths rounded up, once for all rows.
        let (fullFrom, coveredFrom) = ((across * 93 + 99) / 100, (across * 55 + 99) / 100)
        ink.withUnsafeBufferPointer { ink in
            for position in 0..<ink.count {
                let value = Int(ink[position])
                if value == 0 {
                    blank += 1
                    blanks += 1
                } else if blank > 0 {
                    endGap(blank, at: position)
                    blank = 0
                }
                if value >= fullFrom {
                    full += 1
                } else if full > 0 {
                    endRule(full, at: position)
                    full = 0
                }
                if value >= coveredFrom {
                    covered += 1
                } else if covered > 0 {
                    endBar(covered, at: position)
                    covered = 0
                }
            }
        }
        // What lies behind the end is neither blank nor full, unless there is nothing to fill.
        if across / 2 == 0 { blanks += 1 } else if blank > 0 { endGap(blank, at: count) }
        if full > 0 { endRule(full, at: count) }
        endBar(covered, at: count)
    }

    private mutating func endGap(_ blank: Int, at position: Int) {
        if blank >= 2, blank < position {
            gaps += 1
            secondGap = max(secondGap, min(blank, widestGap))
            widestGap = max(widestGap, blank)
            widestSeparator = max(widestSeparator, blank + (isAfterRule ? Self.ruleBonus : 0))
        }
        isAfterRule = false
    }

    private mutating func endRule(_ full: Int, at position: Int) {
        guard full <= 4, position - full > 3, position < count - 3 else { return }
        rules += 1
        if lastRule >= 0 {
            let pitch = position - lastRule
            narrowestPitch = narrowestPitch == 0 ? pitch : min(narrowestPitch, pitch)
            widestPitch = max(widestPitch, pitch)
        }
        lastRule = position
        isAfterRule = true
        widestSeparator = max(widestSeparator, Self.ruleBonus)
    }

    private mutating func endBar(_ covered: Int, at position: Int) {
        guard covered >= 7, covered < 48 else { return }
        bars += 1
        if firstBar < 0 { firstBar = position - covered }
    }
}
