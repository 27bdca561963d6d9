// SPDX-License-Identifier: Apache-2.0

/// Candidates that headings claim: from the heading down to the next one in its column.
struct HeadingAreas {
    let grid: InkGrid
    let context: LayoutContext
    /// Outlines; a heading may stand on a bar among them.
    let bars: [PixelBox]
    /// All that is on the page, without a frame around it.
    let content: PixelBox

    init(grid: InkGrid, context: LayoutContext, shapes: [PixelBox], content: PixelBox) {
        self.content = content
        self.grid = grid
        self.context = context
        bars = shapes.filter { $0.height >= 5 && $0.height <= 48 && $0.width >= 24 }
    }

    /// Blank column that separates, in pixels.
    private static let gutter = 5
    /// How far below a heading its column is looked for, as a part of the page's height.
    private static let band = 0.045

    /// What each heading may govern.
    func boxes() -> [PixelBox] {
        let headings = context.headings.all.filter { ($0.line.words.first?.turns ?? 0) == 0 }
        return headings.flatMap { areas(of: $0, among: headings) }
    }

    /// Down to the next heading, and down to each rule on the way that leaves the column.
    private func areas(of heading: Headings.Heading, among headings: [Headings.Heading]) -> [PixelBox] {
        let text = context.pixels(heading.line.box)
        guard text.width > 2, text.height > 2 else { return [] }
        let columns =
            [drawnBar(around: text), bar(around: text), column(of: text), cell(of: text)].compactMap { $0 }
            + rows(of: heading, text, among: headings)
        var different: [Range<Int>] = []
        for column in columns where !different.contains(column) { different.append(column) }
        return different.flatMap { areas(of: heading, text, in: $0, among: headings) }
    }

    private func areas(
        of heading: Headings.Heading,
        _ text: PixelBox,
        in column: Range<Int>,
        among headings: [Headings.Heading]
    ) -> [PixelBox] {
        var box = PixelBox(left: column.lowerBound, top: text.top, right: column.upperBound, bottom: grid.height)
        let below = headings.filter { other in
            let place = context.pixels(other.line.box)
            let middle = (place.left + place.right) / 2
            return place.top > text.bottom && column.contains(middle) && other.prominence >= heading.prominence - 0.2
        }
        var blank = min(content.bottom, grid.height)
        if let next = below.map({ context.pixels($0.line.box).top }).min() {
            box.bottom = lastGap(above: next, in: box)
            blank = box.bottom - text.height / 2
        }
        box.top = firstInk(above: text.top, in: box)
        let stops = rules(leaving: box, below: text.bottom + text.height / 2) + [box.bottom]
        let tight = stops.compactMap { stop in
            var part = box
            part.bottom = stop
            let tight = grid.tightened(part)
            return tight.isEmpty ? nil : tight
        }
        // Blank space below belongs to the heading too where people write there.
        guard let last = tight.last, (blank - last.bottom) * 4 > last.height else { return tight }
        var roomy = last
        roomy.bottom = blank
        return tight + [roomy]
    }

    /// From the heading to the next one in its row, from its own left edge and from halfway to the one before.
    private func rows(
        of heading: Headings.Heading, _ text: PixelBox, among headings: [Headings.Heading]
    ) -> [Range<Int>] {
        let beside = headings.filter { abs($0.prominence - heading.prominence) <= 0.25 }.map {
            context.pixels($0.line.box)
        }.filter { abs($0.top - text.top) <= text.height && $0 != text }
        let next = beside.filter { $0.left >= text.right }.map(\.left).min()
        let last = beside.filter { $0.right <= text.left }.map(\.right).max()
        guard next != nil || last != nil else {
            return content.right > text.right ? [max(0, text.left - 2)..<min(grid.width, content.right)] : []
        }
        let right = next.map { $0 - 3 } ?? content.right
        let middle = next.map { (text.right + $0) / 2 } ?? content.right
        let left = last.map { ($0 + text.left) / 2 } ?? content.left
        return [(text.left - 2, right), (left, middle)].compactMap { left, right in
            let (left, right) = (max(0, left), min(grid.width, right))
            return right - left > text.width / 2 ? left..<right : nil
        }
    }

    /// Rows below which something else begins: rules that go on beyond the column. At most four.
    private func rules(leaving box: PixelBox, below start: Int) -> [Int] {
        var found: [Int] = []
        var row = start
        while row < box.bottom, found.count < 4 {
            if grid.coverage(row: row, of: box) >= 0.95, isInk(box.left - 6, row) || isInk(box.right + 5, row) {
                var end = row
                while end < box.bottom, grid.coverage(row: end, of: box) >= 0.95 { end += 1 }
                found.append(end)
                row = end + 3
            } else {
                row += 1
            }
        }
        return found
    }

    /// The extent of the smallest drawn bar that the heading stands on.
    private func drawnBar(around text: PixelBox) -> Range<Int>? {
        let holding = bars.filter { bar in
            bar.left <= text.left + 2 && bar.right >= text.right - 2 && bar.top <= text.top + 2
                && bar.bottom >= text.bottom - 2 && bar.height <= 4 * text.height
        }
        return holding.min { ($0.area, $0.left) < ($1.area, $1.left) }.map { $0.left..<$0.right }
    }

    /// From the rule on the left to the rule on the right of the heading's own row.
    private func cell(of text: PixelBox) -> Range<Int>? {
        let band = PixelBox(left: 0, top: text.top, right: grid.width, bottom: text.bottom)
        func rule(from start: Int, by step: Int) -> Int? {
            var position = start
            while position >= 0, position < grid.width {
                if grid.coverage(column: position, of: band) >= 0.98 { return position }
                position += step
            }
            return nil
        }
        guard let left = rule(from: text.left - 2, by: -1), let right = rule(from: text.right + 1, by: 1),
            right - left < grid.width * 9 / 10
        else { return nil }
        return left..<right + 1
    }

    /// The extent of a filled bar that the heading stands on.
    private func bar(around text: PixelBox) -> Range<Int>? {
        let row = text.top - 1
        let middle = (text.left + text.right) / 2
        guard row > 0, isInk(middle, row), isInk(text.left, row), isInk(text.right - 1, row) else { return nil }
        var left = text.left
        var right = text.right - 1
        while left > 0, isInk(left - 1, row) { left -= 1 }
        while right < grid.width - 1, isInk(right + 1, row) { right += 1 }
        return right - left > text.width ? left..<right + 1 : nil
    }

    private func isInk(_ x: Int, _ y: Int) -> Bool {
        guard x >= 0, y >= 0, x < grid.width, y < grid.height else { return false }
        return grid.count(PixelBox(left: x, top: y, right: x + 1, bottom: y + 1)) > 0
    }

    /// From the nearest gutter or rule on the left to the nearest on the right.
    private func column(of text: PixelBox) -> Range<Int>? {
        let bottom = min(grid.height, text.bottom + Int(Double(grid.height) * Self.band))
        let band = PixelBox(left: 0, top: text.top, right: grid.width, bottom: bottom)
        func end(from start: Int, by step: Int) -> Int {
            var blank = 0
            var position = start
            while position >= 0, position < grid.width {
                let coverage = grid.coverage(column: position, of: band)
                if coverage >= 0.95 { return position }
                blank = coverage == 0 ? blank + 1 : 0
                if blank >= Self.gutter { return position - step * (blank - 1) }
                position += step
            }
            return position
        }
        let left = end(from: text.left - 1, by: -1)
        let right = end(from: text.right, by: 1)
        return left + 1 < right ? max(0, left + 1)..<min(grid.width, right) : nil
    }

    /// Where what belongs to the heading below begins.
    private func lastGap(above row: Int, in box: PixelBox) -> Int {
        var position = row
        while position > box.top + 1, grid.coverage(row: position - 1, of: box) > 0 { position -= 1 }
        return position
    }

    private func firstInk(above row: Int, in box: PixelBox) -> Int {
        var position = row
        while position > 0, row - position < grid.height / 25, grid.coverage(row: position - 1, of: box) > 0.3 {
            position -= 1
        }
        return position
    }
}
