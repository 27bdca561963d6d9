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
    /// Weakest gap, in pixels.
    private static let minimumGap = 2
    /// What a rule adds to the blank space around it, in pixels.
    fileprivate static let ruleBonus = 3
    /// Thickest rule; what is thicker is a bar.
    fileprivate static let ruleThickness = 4
    /// Part of the extent that a rule covers.
    private static let ruleCoverage = 0.93
    /// Part of the extent that the edge of a bar covers.
    private static let barCoverage = 0.9

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
    private(set) var likeness: [Int] = []

    private mutating func relate() {
        likeness = [Int](repeating: 0, count: nodes.count)
        for index in nodes.indices {
            let parts = nodes[index].parts
            for (place, part) in parts.enumerated() {
                nodes[part].depth = nodes[index].depth + 1
                nodes[part].parent = index
                nodes[part].siblings = parts.count
                nodes[part].isFirst = place == 0
                nodes[part].isLast = place == parts.count - 1
                let box = nodes[part].box
                likeness[part] = parts.prefix(64).count { other in
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
        let rows = separators(of: inside, axis: .rows)
        let columns = separators(of: inside, axis: .columns)
        let strongestRow = rows.map(\.strength).max() ?? 0
        let strongestColumn = columns.map(\.strength).max() ?? 0
        let axis: Axis = strongestRow >= strongestColumn ? .rows : .columns
        let strongest = max(strongestRow, strongestColumn)
        guard strongest >= Self.minimumGap else { return index }
        let weakest = max(Self.minimumGap, Int((Double(strongest) * Self.fellowGap).rounded(.up)))
        let chosen = (axis == .rows ? rows : columns).filter { $0.strength >= weakest }
        nodes[index].axis = axis
        split(index, inside, walls: walls, at: chosen, depth: depth, outerGap: outerGap)
        return index
    }

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
    private func separators(of box: PixelBox, axis: Axis) -> [Separator] {
        let range = axis == .rows ? box.top..<box.bottom : box.left..<box.right
        var found: [Separator] = []
        var run: Run?
        let coverages = axis == .rows ? grid.rowCoverages(of: box) : grid.columnCoverages(of: box)
        for position in range {
            let coverage = coverages[position - range.lowerBound]
            let isLine = coverage >= Self.ruleCoverage && isThinLine(position - range.lowerBound, coverages)
            if coverage == 0 || isLine {
                run = run ?? Run(start: position)
                run?.add(position, isLine: isLine)
            }
            if let edge = barEdge(position - range.lowerBound, coverages), coverage > 0, position > range.lowerBound {
                found.append(
                    Separator(range: position..<position, strength: Self.ruleBonus + min(edge, 8)))
            }
            if coverage > 0 && !isLine {
                if let separator = run?.separator, separator.range.lowerBound > range.lowerBound {
                    found.append(separator)
                }
                run = nil
            }
        }
        // A rule close to the end leaves no part behind it; blank space before it is no gap then.
        return found
    }

    /// Where a thick bar begins or ends without a gap: blank lines before it, or `nil`.
    private func barEdge(_ position: Int, _ coverages: [Double]) -> Int? {
        guard position > 1, position < coverages.count - 2 else { return nil }
        let here = coverages[position]
        let before = coverages[position - 1]
        let step = 2 * Self.ruleThickness
        if here >= Self.barCoverage, before < 0.55, before > 0 || coverages[position - 2] > 0 {
            let end = min(coverages.count, position + step)
            return coverages[position..<end].allSatisfy { $0 >= 0.55 } && end - position == step ? 1 : nil
        }
        if before >= Self.barCoverage, here < 0.55 {
            let start = max(0, position - step)
            return coverages[start..<position].allSatisfy { $0 >= 0.55 } && position - start == step ? 0 : nil
        }
        return nil
    }

    /// A rule has light on both sides; the edge of a bar with letters on it has not.
    private func isThinLine(_ position: Int, _ coverages: [Double]) -> Bool {
        var first = position
        var last = position
        func isThin() -> Bool { last - first < Self.ruleThickness }
        while first > 0, isThin(), coverages[first - 1] >= Self.ruleCoverage { first -= 1 }
        while last < coverages.count - 1, isThin(), coverages[last + 1] >= Self.ruleCoverage { last += 1 }
        guard isThin() else { return false }
        let before = first > 0 ? coverages[first - 1] : 0
        let after = last < coverages.count - 1 ? coverages[last + 1] : 0
        return before < 0.55 && after < 0.55
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
