// SPDX-License-Identifier: Apache-2.0

/// How a candidate came about.
enum CandidateOrigin: Int {
    case node
    case run
    case captioned
    case heading
    case shape
    case written
}

/// A part of the page that may be a region, before it is judged.
struct CandidateBox {
    var box: PixelBox
    var origin: CandidateOrigin
    var depth = 0
    /// Parts it is made of; 1 for a part by itself.
    var run = 1
    /// Parts of the node it comes from.
    var siblings = 1
    /// It begins with the first, ends with the last part.
    var isFirst = true
    var isLast = true
    /// Weakest separator around it and strongest within it, in pixels.
    var outerGap = 0
    var innerGap = 0
    var isFramed = false
    var parentArea = 0
    /// Parts of about its size among its siblings.
    var similarity = 0
}

/// All parts of a page that may be regions: the parts of the cut tree, runs of neighbours among the parts of one node,
/// parts with a caption above, below or beside them, and the areas of headings. Each box once, in a fixed order.
struct CandidateBoxes {
    private(set) var all: [CandidateBox] = []
    private var seen: Set<UInt64> = []
    private let pageArea: Int
    /// Where runs are found at present.
    private var origin = CandidateOrigin.run

    /// Longest run of neighbours that may be one region.
    private static let longestRun = 8
    /// Most candidates; a dense honest page has two thousand.
    private static let limit = 2_600
    /// Most outlines that are taken for frames.
    private static let shapes = 600
    /// Most candidates from what is written, after which other kinds still find room.
    private static let written = 700

    init(
        tree: CutTree, areas: [PixelBox], shapes: [PixelBox], written: CutTree?, lines: [PlacedLine], grid: InkGrid
    ) {
        pageArea = grid.width * grid.height
        for (index, node) in tree.nodes.enumerated() {
            add(
                CandidateBox(
                    box: node.box, origin: .node, depth: node.depth, siblings: node.siblings, isFirst: node.isFirst,
                    isLast: node.isLast, outerGap: node.outerGap, innerGap: node.gaps.max() ?? 0,
                    isFramed: node.isFramed,
                    parentArea: node.parent.map { tree.nodes[$0].box.area } ?? node.box.area,
                    similarity: tree.similarity[index])
            )
        }
        for box in areas { add(CandidateBox(box: box, origin: .heading)) }
        for box in shapes.prefix(Self.shapes) { add(CandidateBox(box: box, origin: .shape, isFramed: true)) }
        for node in tree.nodes {
            addRuns(of: node, in: tree)
            addLongRuns(of: node, in: tree, lines)
        }
        addCaptioned(lines, grid)
        if let written { addWritten(written, lines) }
    }

    private mutating func add(_ candidate: CandidateBox) {
        let box = candidate.box
        guard all.count < Self.limit, box.width >= 16, box.height >= 7, box.area * 10_000 >= 20 * pageArea,
            box.area * 100 <= 78 * pageArea
        else { return }
        // Boxes that differ by a pixel or two are one.
        func coarse(_ value: Int) -> Int { (value + 1) / 3 }
        let key = PixelBox(
            left: coarse(box.left), top: coarse(box.top), right: coarse(box.right), bottom: coarse(box.bottom))
        if seen.insert(key.key).inserted { all.append(candidate) }
    }

    private mutating func addRuns(of node: CutNode, in tree: CutTree) {
        let count = node.parts.count
        guard count > 1 else { return }
        for start in 0..<count {
            var box = tree.nodes[node.parts[start]].box
            var inner = 0
            let last = min(count, start + Self.longestRun)
            for end in (start + 1)..<max(start + 1, last) {
                box = box.union(tree.nodes[node.parts[end]].box)
                inner = max(inner, node.gaps[end - 1])
                addRun(start...end, of: node, box: box, innerGap: inner)
            }
        }
    }

    /// Parts of what is written, and runs of them.
    private mutating func addWritten(_ tree: CutTree, _ lines: [PlacedLine]) {
        let before = all.count
        for (index, node) in tree.nodes.enumerated() where node.parts.count > 1 {
            add(
                CandidateBox(
                    box: node.box, origin: .written, depth: node.depth, siblings: node.siblings,
                    isFirst: node.isFirst, isLast: node.isLast, outerGap: node.outerGap,
                    innerGap: node.gaps.max() ?? 0,
                    parentArea: node.parent.map { tree.nodes[$0].box.area } ?? node.box.area,
                    similarity: tree.similarity[index])
            )
        }
        for node in tree.nodes where all.count - before < Self.written {
            origin = .written
            addRuns(of: node, in: tree)
            addLongRuns(of: node, in: tree, lines)
        }
        origin = .run
    }

    private mutating func addRun(_ run: ClosedRange<Int>, of node: CutNode, box: PixelBox, innerGap: Int) {
        let last = node.parts.count - 1
        let before = run.lowerBound > 0 ? node.gaps[run.lowerBound - 1] : node.outerGap
        let after = run.upperBound < last ? node.gaps[run.upperBound] : node.outerGap
        add(
            CandidateBox(
                box: box, origin: origin, depth: node.depth + 1, run: run.count, siblings: node.parts.count,
                isFirst: run.lowerBound == 0, isLast: run.upperBound == last, outerGap: min(before, after),
                innerGap: innerGap, parentArea: node.box.area)
        )
    }

    /// Runs of any length from a part with a heading, or a bar, to the next such parts.
    private mutating func addLongRuns(of node: CutNode, in tree: CutTree, _ lines: [PlacedLine]) {
        let count = node.parts.count
        guard count > Self.longestRun / 2 else { return }
        let starts = node.parts.indices.filter { index in
            let box = tree.nodes[node.parts[index]].box
            return lines.contains { ($0.isHeading || $0.isSectionTerm) && $0.isCentered(in: box) }
        }
        for (place, start) in starts.prefix(60).enumerated() {
            for ahead in 1...3 {
                let end = place + ahead < starts.count ? starts[place + ahead] - 1 : count - 1
                guard end > start else { continue }
                var inner = 0
                var box = tree.nodes[node.parts[start]].box
                for part in (start + 1)...end {
                    box = box.union(tree.nodes[node.parts[part]].box)
                    inner = max(inner, node.gaps[part - 1])
                }
                addRun(start...end, of: node, box: box, innerGap: inner)
                if place + ahead >= starts.count { break }
            }
        }
    }

    /// Parts together with a line that stands just above, below or beside them.
    private mutating func addCaptioned(_ lines: [PlacedLine], _ grid: InkGrid) {
        let bases = all.filter {
            ($0.origin == .node || $0.origin == .shape) && ($0.isFramed || $0.box.area * 100 >= pageArea)
        }
        for base in bases {
            for line in lines where line.letters >= 2 && line.size < 32 {
                guard let box = Self.captioned(base.box, line) else { continue }
                var candidate = base
                candidate.box = box
                candidate.origin = .captioned
                add(candidate)
            }
        }
    }

    private static func captioned(_ box: PixelBox, _ line: PlacedLine) -> PixelBox? {
        let reach = line.size * 5 / 4 + 3
        let shared = min(line.box.right, box.right) - max(line.box.left, box.left)
        if shared * 10 >= 6 * line.box.width {
            let above = box.top - line.box.bottom
            let below = line.box.top - box.bottom
            guard (-line.size / 2...reach).contains(above) || (-line.size / 2...reach).contains(below) else {
                return nil
            }
            return box.union(line.box)
        }
        let level = min(line.box.bottom, box.bottom) - max(line.box.top, box.top)
        guard !line.isUpright, level * 10 >= 6 * line.box.height else { return nil }
        let beside = max(box.left - line.box.right, line.box.left - box.right)
        return (-2...reach).contains(beside) ? box.union(line.box) : nil
    }
}
