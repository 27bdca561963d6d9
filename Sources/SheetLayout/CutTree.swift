// SPDX-License-Identifier: Apache-2.0

/// A part of the page and what it was cut into.
struct CutNode {
    var box: PixelBox
    /// Indices of its parts, from top to bottom or from left to right.
    var parts: [Int] = []
    var axis = Axis.rows
    /// Strength of the separators between its parts: one fewer than there are parts.
    var gaps: [Int] = []
    /// A line runs along each of its edges.
    var isFramed = false
    /// Strength of the weakest separator around it, in pixels.
    var outerGap = 0
    /// Cuts above it.
    var depth = 0
    /// Index of the part it was cut from.
    var parent: Int?
    /// Parts that were cut from the same part.
    var siblings = 1
    var isFirst = true
    var isLast = true
}

/// Recursive XY-cut (Nagy and Seth, 1984): a page is cut along its widest gaps, each part again, and so on. A rule that
/// runs through a part counts as a gap; a frame is stepped over.
struct CutTree {
    private(set) var nodes: [CutNode] = []
    private let grid: InkGrid

    /// Depth at which cutting ends.
    private static let maximumDepth = 14
    /// Most parts of a page.
    private static let maximumNodes = 6_000
    /// A gap this much weaker than the strongest is cut along as well.
    private static let fellowGap = 0.45
    /// Part of the extent of a gap that ink may cross in large parts that have no other gap.
    private static let slack = 0.035
    /// Weakest gap, in pixels.
    private static let minimumGap = 2
    /// What a rule adds to the blank space around it, in pixels.
    fileprivate static let ruleBonus = 3
    /// Thickest rule; what is thicker is a bar.
    fileprivate static let ruleThickness = 4
    /// Parts of the extent that are covered in the midst of a bar, at its edge, and by a rule.
    private static let coverages = [0.55, 0.9, 0.93]
    /// Levels of those coverages; below the least there is some ink, or none.
    private static let (noInk, bar, barEdge, rule): (UInt8, UInt8, UInt8, UInt8) = (0, 2, 3, 4)

    init(grid: InkGrid) {
        self.grid = grid
        let page = PixelBox(left: 0, top: 0, right: grid.width, bottom: grid.height)
        let margin = max(grid.width, grid.height) / 20
        _ = cut(page, walls: Walls(), depth: 0, outerGap: margin)
        // Ornaments around the page hide every gap.
        if let inside = grid.insideOrnaments(), inside != nodes.first?.box {
            _ = cut(inside, walls: Walls(), depth: 1, outerGap: margin)
        }
        relate()
    }

    /// For each node, nodes of its size among its siblings.
    private(set) var similarity: [Int] = []

    private mutating func relate() {
        similarity = [Int](repeating: 0, count: nodes.count)
        for index in nodes.indices {
            let parts = nodes[index].parts
            for (place, part) in parts.enumerated() {
                nodes[part].depth = nodes[index].depth + 1
                nodes[part].parent = index
                nodes[part].siblings = parts.count
                nodes[part].isFirst = place == 0
                nodes[part].isLast = place == parts.count - 1
                let box = nodes[part].box
                similarity[part] = parts.prefix(64).count { other in
                    abs(nodes[other].box.width - box.width) <= 3 && abs(nodes[other].box.height - box.height) <= 3
                }
            }
        }
    }

    /// Which edges of a part are lines. Blank space up to a line belongs to the part: people write there.
    private struct Walls: Equatable {
        var left = false
        var top = false
        var right = false
        var bottom = false

        static let all = Walls(left: true, top: true, right: true, bottom: true)
    }

    /// Index of the new node, or `nil` for an empty part.
    private mutating func cut(_ box: PixelBox, walls: Walls, depth: Int, outerGap: Int) -> Int? {
        let tight = tightened(box, walls)
        guard !tight.isEmpty, nodes.count < Self.maximumNodes else { return nil }
        let index = nodes.count
        nodes.append(CutNode(box: tight, outerGap: outerGap))
        guard depth < Self.maximumDepth, tight.width >= 10, tight.height >= 6 else { return index }
        var inside = tight
        var walls = walls
        if let framed = grid.insideFrame(tight) {
            nodes[index].isFramed = true
            inside = framed
            walls = .all
        }
        var rows = separators(of: inside, axis: .rows)
        var columns = separators(of: inside, axis: .columns)
        var strongestRow = rows.map(\.strength).max() ?? 0
        var strongestColumn = columns.map(\.strength).max() ?? 0
        if max(strongestRow, strongestColumn) < Self.minimumGap, isLarge(inside) {
            // What hardly reaches into one another is apart.
            rows = separators(of: inside, axis: .rows, slack: Self.slack)
            columns = separators(of: inside, axis: .columns, slack: Self.slack)
            strongestRow = rows.map(\.strength).max() ?? 0
            strongestColumn = columns.map(\.strength).max() ?? 0
        }
        let axis: Axis = strongestRow >= strongestColumn ? .rows : .columns
        let strongest = max(strongestRow, strongestColumn)
        guard strongest >= Self.minimumGap else { return index }
        let weakest = max(Self.minimumGap, Int((Double(strongest) * Self.fellowGap).rounded(.up)))
        let chosen = (axis == .rows ? rows : columns).filter { $0.strength >= weakest }
        nodes[index].axis = axis
        split(index, inside, walls: walls, at: chosen, depth: depth, outerGap: outerGap)
        return index
    }

    /// Whether a part is worth a second look when it has no gap.
    private func isLarge(_ box: PixelBox) -> Bool { box.area * 20 >= grid.width * grid.height }

    /// Without empty margins that end at no line. Empty space between lines all around stays.
    private func tightened(_ box: PixelBox, _ walls: Walls) -> PixelBox {
        let tight = grid.tightened(box)
        if tight.isEmpty { return walls == .all ? box : tight }
        var kept = tight
        if walls.left, isEnclosed(PixelBox(left: box.left, top: box.top, right: tight.left, bottom: box.bottom), .rows)
        {
            kept.left = box.left
        }
        if walls.right,
            isEnclosed(PixelBox(left: tight.right, top: box.top, right: box.right, bottom: box.bottom), .rows)
        {
            kept.right = box.right
        }
        if walls.top, isEnclosed(PixelBox(left: box.left, top: box.top, right: box.right, bottom: tight.top), .columns)
        {
            kept.top = box.top
        }
        if walls.bottom,
            isEnclosed(PixelBox(left: box.left, top: tight.bottom, right: box.right, bottom: box.bottom), .columns)
        {
            kept.bottom = box.bottom
        }
        return kept
    }

    /// Whether lines run along both ends of an empty margin, so that it is a part of a cell.
    private func isEnclosed(_ margin: PixelBox, _ axis: Axis) -> Bool {
        guard !margin.isEmpty else { return false }
        let reach = 5
        func hasLine(_ positions: Range<Int>) -> Bool {
            positions.contains { position in
                switch axis {
                case .rows:
                    position >= 0 && position < grid.height && grid.coverage(row: position, of: margin) >= 0.8
                case .columns:
                    position >= 0 && position < grid.width && grid.coverage(column: position, of: margin) >= 0.8
                }
            }
        }
        return axis == .rows
            ? hasLine(margin.top - reach..<margin.top + reach) && hasLine(margin.bottom - reach..<margin.bottom + reach)
            : hasLine(margin.left - reach..<margin.left + reach) && hasLine(margin.right - reach..<margin.right + reach)
    }

    private mutating func split(
        _ index: Int,
        _ box: PixelBox,
        walls: Walls,
        at separators: [Separator],
        depth: Int,
        outerGap: Int
    ) {
        let axis = nodes[index].axis
        // Between two lines across it, blank space up to a rule is a cell; elsewhere the rule is the other side's edge.
        let isWalled = axis == .rows ? walls.left && walls.right : walls.top && walls.bottom
        var start = axis == .rows ? box.top : box.left
        var before = outerGap
        var hasLineBefore = axis == .rows ? walls.top : walls.left
        var pending: Int?
        for next in separators + [nil] {
            let last = axis == .rows ? box.bottom : box.right
            let after = next?.strength ?? outerGap
            let ownsLine = next.map { $0.hasLine && (isWalled || $0.blanksBefore == 0) }
            let end =
                next.map { ownsLine == true ? $0.firstLine?.upperBound ?? $0.range.lowerBound : $0.range.lowerBound }
                ?? last
            let hasLineAfter = ownsLine ?? (axis == .rows ? walls.bottom : walls.right)
            var part = box
            var partWalls = walls
            if axis == .rows {
                (part.top, part.bottom) = (start, end)
                (partWalls.top, partWalls.bottom) = (hasLineBefore, hasLineAfter)
            } else {
                (part.left, part.right) = (start, end)
                (partWalls.left, partWalls.right) = (hasLineBefore, hasLineAfter)
            }
            if let child = cut(part, walls: partWalls, depth: depth + 1, outerGap: min(before, after)) {
                if let pending, !nodes[index].parts.isEmpty { nodes[index].gaps.append(pending) }
                nodes[index].parts.append(child)
                pending = after
            }
            guard let next else { break }
            before = after
            hasLineBefore = next.hasLine && (isWalled || next.blanksAfter == 0)
            start = hasLineBefore ? next.lastLine?.lowerBound ?? next.range.upperBound : next.range.upperBound
        }
    }

    private struct Separator {
        var range: Range<Int>
        var strength: Int
        /// The rules in it, the first and the last; often the same.
        var firstLine: Range<Int>? = nil
        var lastLine: Range<Int>? = nil
        var hasLine: Bool { firstLine != nil }
        var blanksBefore: Int { firstLine.map { $0.lowerBound - range.lowerBound } ?? range.count }
        var blanksAfter: Int { lastLine.map { range.upperBound - $0.upperBound } ?? range.count }
    }

    /// Runs of blank lines and thin rules that go through the box; not those along its edges.
    private func separators(of box: PixelBox, axis: Axis, slack: Double = 0) -> [Separator] {
        let start = axis == .rows ? box.top : box.left
        var found: [Separator] = []
        var run: Run?
        grid.levels(axis, of: box, Self.coverages, slack: slack).withUnsafeBufferPointer { levels in
            for place in levels.indices {
                let level = levels[place]
                let isLine = level >= Self.rule && Self.isThinLine(place, levels)
                if level == Self.noInk || isLine {
                    run = run ?? Run(start: start + place)
                    run?.add(start + place, isLine: isLine)
                    continue
                }
                if place > 0, let strength = Self.strengthOfBar(at: place, levels) {
                    found.append(Separator(range: start + place..<start + place, strength: strength))
                }
                if let separator = run?.separator, separator.range.lowerBound > start { found.append(separator) }
                run = nil
            }
        }
        // A rule close to the end leaves no part behind it; blank space before it is no gap then.
        return found
    }

    /// How strongly a thick bar separates that begins or ends at a place without a gap; `nil` where none does.
    private static func strengthOfBar(at place: Int, _ levels: UnsafeBufferPointer<UInt8>) -> Int? {
        guard place > 1, place < levels.count - 2 else { return nil }
        let (here, before) = (levels[place], levels[place - 1])
        let step = 2 * ruleThickness
        if here >= barEdge, before < bar, before > noInk || levels[place - 2] > noInk {
            let isThick = place + step <= levels.count && levels[place..<place + step].allSatisfy { $0 >= bar }
            return isThick ? ruleBonus + 1 : nil
        }
        if before >= barEdge, here < bar {
            return place >= step && levels[place - step..<place].allSatisfy { $0 >= bar } ? ruleBonus : nil
        }
        return nil
    }

    /// A rule has light on both sides; the edge of a bar with letters on it has not.
    private static func isThinLine(_ place: Int, _ levels: UnsafeBufferPointer<UInt8>) -> Bool {
        var first = place
        var last = place
        func isThin() -> Bool { last - first < ruleThickness }
        while first > 0, isThin(), levels[first - 1] >= rule { first -= 1 }
        while last < levels.count - 1, isThin(), levels[last + 1] >= rule { last += 1 }
        guard isThin() else { return false }
        return (first == 0 || levels[first - 1] < bar) && (last == levels.count - 1 || levels[last + 1] < bar)
    }

    /// Blank lines and rules met one after the other.
    private struct Run {
        private let start: Int
        private var end: Int
        private var lines: [Range<Int>] = []

        init(start: Int) {
            self.start = start
            end = start
        }

        mutating func add(_ position: Int, isLine: Bool) {
            end = position + 1
            guard isLine else { return }
            if let last = lines.last, last.upperBound == position {
                lines[lines.count - 1] = last.lowerBound..<end
            } else {
                lines.append(position..<end)
            }
        }

        var separator: Separator {
            var separator = Separator(
                range: start..<end, strength: end - start, firstLine: lines.first, lastLine: lines.last)
            if let first = lines.first, let last = lines.last {
                // Blank space on one side of a rule is there to be written on; between two rules it is a gap.
                let blank =
                    lines.count > 1
                    ? last.lowerBound - first.upperBound : min(separator.blanksBefore, separator.blanksAfter)
                separator.strength = blank + CutTree.ruleBonus
            }
            return separator
        }
    }
}
