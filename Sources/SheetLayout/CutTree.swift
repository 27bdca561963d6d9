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
    private static let minimumGap = 3
    /// What a rule adds to the blank space around it, in pixels.
    private static let ruleBonus = 4
    /// Thickest rule; what is thicker is a bar.
    private static let ruleThickness = 5
    /// Part of the extent that a rule covers.
    private static let ruleCoverage = 0.93

    init(grid: InkGrid) {
        self.grid = grid
        let page = PixelBox(left: 0, top: 0, right: grid.width, bottom: grid.height)
        _ = cut(page, depth: 0, outerGap: max(grid.width, grid.height) / 20)
    }

    /// Index of the new node, or `nil` for an empty part.
    private mutating func cut(_ box: PixelBox, depth: Int, outerGap: Int) -> Int? {
        let tight = grid.tightened(box)
        guard !tight.isEmpty, nodes.count < Self.maximumNodes else { return nil }
        let index = nodes.count
        nodes.append(CutNode(box: tight, outerGap: outerGap))
        guard depth < Self.maximumDepth, tight.width >= 12, tight.height >= 8 else { return index }
        var inside = tight
        if let framed = grid.insideFrame(tight) {
            nodes[index].isFramed = true
            inside = grid.tightened(framed)
            guard !inside.isEmpty else { return index }
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
        split(index, inside, along: axis, at: chosen, depth: depth, outerGap: outerGap)
        return index
    }

    private mutating func split(
        _ index: Int, _ box: PixelBox, along axis: Axis, at separators: [Separator], depth: Int, outerGap: Int
    ) {
        var start = axis == .rows ? box.top : box.left
        var before = outerGap
        var pending: Int?
        for next in separators + [nil] {
            let end = next?.range.lowerBound ?? (axis == .rows ? box.bottom : box.right)
            let after = next?.strength ?? outerGap
            var part = box
            if axis == .rows { (part.top, part.bottom) = (start, end) } else { (part.left, part.right) = (start, end) }
            if let child = cut(part, depth: depth + 1, outerGap: min(before, after)) {
                if let pending, !nodes[index].parts.isEmpty { nodes[index].gaps.append(pending) }
                nodes[index].parts.append(child)
                pending = after
            }
            before = after
            start = next?.range.upperBound ?? end
        }
    }

    private struct Separator {
        var range: Range<Int>
        var strength: Int
    }

    /// Runs of blank lines and thin rules that go through the box; not those along its edges.
    private func separators(of box: PixelBox, axis: Axis) -> [Separator] {
        let range = axis == .rows ? box.top..<box.bottom : box.left..<box.right
        var found: [Separator] = []
        var runStart: Int?
        var blanks = 0
        var rule = 0
        var rules = 0
        func close(at end: Int) {
            if let start = runStart, start > range.lowerBound, rule <= Self.ruleThickness {
                found.append(Separator(range: start..<end, strength: blanks + (rules > 0 ? Self.ruleBonus : 0)))
            }
            (runStart, blanks, rule, rules) = (nil, 0, 0, 0)
        }
        for position in range {
            let coverage = axis == .rows ? grid.coverage(row: position, of: box) : grid.coverage(column: position, of: box)
            if coverage == 0 {
                if runStart == nil { runStart = position }
                if rule > Self.ruleThickness {
                    (runStart, blanks, rules) = (position, 0, 0)
                }
                rule = 0
                blanks += 1
            } else if coverage >= Self.ruleCoverage {
                if runStart == nil { runStart = position }
                rule += 1
                if rule == 1 { rules += 1 }
                if rule > Self.ruleThickness { (runStart, blanks, rules) = (nil, 0, 0) }
            } else {
                close(at: position)
            }
        }
        return found
    }
}
