// SPDX-License-Identifier: Apache-2.0

/// The measures of candidates, one after the other, that their scores rest on: whole numbers, each with a name, in a fixed
/// order.
struct CandidateFeatures {
    private let room: UnsafeMutableBufferPointer<Int16>
    /// How many there are; more than there was room for when too many were added.
    private(set) var count = 0
    private(set) var names: [String] = []
    private let keepsNames: Bool

    /// Writes them where there is room.
    init(in room: UnsafeMutableBufferPointer<Int16>, keepsNames: Bool = false) {
        self.room = room
        self.keepsNames = keepsNames
    }

    mutating func add(_ name: @autoclosure () -> String, _ value: Int) {
        if count < room.count { room[count] = Int16(clamping: value) }
        count += 1
        if keepsNames { names.append(name()) }
    }
}

/// Measures candidates of one page.
struct CandidateMeasures {
    let ink: InkMeasures
    let text: PlacedText
    let fields: [PixelBox]
    let frames: FrameMeasures
    let page: PageMeasures

    init(ink: InkMeasures, text: PlacedText, fields: [PixelBox], frames: [PixelBox], tree: CutTree) {
        self.ink = ink
        self.text = text
        self.fields = fields
        page = PageMeasures(ink: ink, text: text, tree: tree)
        self.frames = FrameMeasures(frames, text: text, tree: tree, content: page.content)
    }

    /// Their names, in their order.
    func names(of candidate: CandidateBox) -> [String] {
        var features = CandidateFeatures(in: UnsafeMutableBufferPointer(start: nil, count: 0), keepsNames: true)
        add(candidate, to: &features)
        return features.names
    }

    /// The measures of some candidates, each of which has so many; `nil` when that is not how many there are.
    func values(of candidates: [CandidateBox], each count: Int) -> [Int16]? {
        Self.values(of: candidates, each: count) { add($0, to: &$1) }
    }

    /// Only those that take little to measure, which are the first of all.
    func outlines(of candidates: [CandidateBox], each count: Int) -> [Int16]? {
        Self.values(of: candidates, each: count) { _ = addOutline($0, to: &$1) }
    }

    private static func values(
        of candidates: [CandidateBox], each count: Int, add: (CandidateBox, inout CandidateFeatures) -> Void
    ) -> [Int16]? {
        let all = candidates.count * count
        let values = [Int16](unsafeUninitializedCapacity: all) { room, made in
            var features = CandidateFeatures(in: UnsafeMutableBufferPointer(rebasing: room[..<all]))
            for candidate in candidates { add(candidate, &features) }
            made = features.count == all ? all : 0
        }
        return values.count == all ? values : nil
    }

    private func add(_ candidate: CandidateBox, to features: inout CandidateFeatures) {
        let clear = addOutline(candidate, to: &features)
        addProfiles(candidate.box, clear, to: &features)
        addText(candidate.box, to: &features)
        addPage(to: &features)
        addEdges(candidate.box, to: &features)
        frames.measure(candidate.box) { features.add($0, $1) }
    }

    private func addOutline(_ candidate: CandidateBox, to features: inout CandidateFeatures) -> InkMeasures.Clearances {
        addGeometry(candidate, to: &features)
        let clear = ink.clearances(of: candidate.box, reach: 32)
        addSurroundings(candidate.box, clear, to: &features)
        return clear
    }

    private func addGeometry(_ candidate: CandidateBox, to features: inout CandidateFeatures) {
        let box = candidate.box
        let (width, height) = (ink.grid.width, ink.grid.height)
        let content = page.content
        features.add("area", box.area * 10_000 / (width * height))
        features.add("width", box.width * 1000 / width)
        features.add("height", box.height * 1000 / height)
        features.add("aspect", min(3000, box.width * 100 / max(1, box.height)))
        features.add("top", (box.top - content.top) * 1000 / height)
        features.add("left", (box.left - content.left) * 1000 / width)
        features.add("below", (content.bottom - box.bottom) * 1000 / height)
        features.add("right", (content.right - box.right) * 1000 / width)
        features.add("widthOfContent", box.width * 1000 / max(1, content.width))
        features.add("heightInLines", box.height * 10 / max(1, page.lineHeight))
        features.add("origin", candidate.origin.rawValue)
        features.add("depth", candidate.depth)
        features.add("run", candidate.run)
        features.add("siblings", candidate.siblings)
        features.add("atEnds", (candidate.isFirst ? 1 : 0) + (candidate.isLast ? 2 : 0))
        features.add("treeOuterGap", candidate.outerGap)
        features.add("treeInnerGap", candidate.innerGap)
        features.add("treeGapRatio", (candidate.outerGap + 2) * 100 / (candidate.innerGap + 2))
        features.add("framed", candidate.isFramed ? 1 : 0)
        features.add("shareOfParent", box.area * 1000 / max(1, candidate.parentArea))
        features.add("likeness", candidate.similarity)
        features.add("sameSize", page.boxesLike(box))
        features.add("sameWidthAbove", page.alignedAbove(box))
    }

    private func addSurroundings(
        _ box: PixelBox, _ clear: InkMeasures.Clearances, to features: inout CandidateFeatures
    ) {
        let sides = [clear.left, clear.top, clear.right, clear.bottom]
        features.add("clearLeft", clear.left)
        features.add("clearTop", clear.top)
        features.add("clearRight", clear.right)
        features.add("clearBottom", clear.bottom)
        features.add("clearLeast", sides.min() ?? 0)
        features.add("clearSides", sides.count { $0 >= 2 })
        let borders = ink.borders(of: box)
        let edges = [borders.left, borders.top, borders.right, borders.bottom]
        features.add("borderLeft", borders.left)
        features.add("borderTop", borders.top)
        features.add("borderRight", borders.right)
        features.add("borderBottom", borders.bottom)
        features.add("borderLeast", edges.min() ?? 0)
        features.add("borderCount", edges.count { $0 >= 860 })
        let top = ink.crossings(row: box.top, from: box.left, to: box.right)
        let bottom = ink.crossings(row: box.bottom, from: box.left, to: box.right)
        let left = ink.crossings(column: box.left, from: box.top, to: box.bottom)
        let right = ink.crossings(column: box.right, from: box.top, to: box.bottom)
        features.add("crossTop", top)
        features.add("crossBottom", bottom)
        features.add("crossLeft", left)
        features.add("crossRight", right)
        features.add("crossAll", (top + bottom + left + right) * 1000 / (2 * (box.width + box.height)))
        features.add("ink", ink.grid.count(box) * 1000 / max(1, box.area))
        var strip = box
        strip.bottom = min(box.bottom, box.top + max(8, page.lineHeight * 3 / 2))
        features.add("inkOfTop", ink.grid.count(strip) * 1000 / max(1, strip.area))
        var rest = box
        rest.top = strip.bottom
        features.add("inkOfRest", rest.isEmpty ? 0 : ink.grid.count(rest) * 1000 / max(1, rest.area))
        var foot = box
        foot.top = max(box.top, box.bottom - max(8, page.lineHeight * 3 / 2))
        features.add("inkOfFoot", ink.grid.count(foot) * 1000 / max(1, foot.area))
    }

    private func addProfiles(_ box: PixelBox, _ clear: InkMeasures.Clearances, to features: inout CandidateFeatures) {
        let rows = InkProfile(ink.grid.rowCounts(of: box), across: box.width)
        let columns = InkProfile(ink.grid.columnCounts(of: box), across: box.height)
        features.add("rowGaps", rows.gaps)
        features.add("rowGap", rows.widestGap)
        features.add("rowGapSecond", rows.secondGap)
        features.add("rowSeparator", rows.widestSeparator)
        features.add("rowRules", rows.rules)
        features.add("rowPitchLeast", rows.narrowestPitch)
        features.add("rowPitchMost", rows.widestPitch)
        features.add("rowBars", rows.bars)
        features.add("rowFirstBar", rows.firstBar)
        features.add("rowBlanks", rows.blanks * 1000 / max(1, box.height))
        features.add("columnGaps", columns.gaps)
        features.add("columnGap", columns.widestGap)
        features.add("columnSeparator", columns.widestSeparator)
        features.add("columnRules", columns.rules)
        features.add("columnBars", columns.bars)
        features.add("columnFirstBar", columns.firstBar)
        features.add("columnBlanks", columns.blanks * 1000 / max(1, box.width))
        let outerRow = min(clear.top, clear.bottom)
        let outerColumn = min(clear.left, clear.right)
        features.add("rowGapRatio", (outerRow + 2) * 100 / (rows.widestGap + 2))
        features.add("columnGapRatio", (outerColumn + 2) * 100 / (columns.widestGap + 2))
        features.add("gapRatio", (min(outerRow, outerColumn) + 2) * 100 / (max(rows.widestGap, columns.widestGap) + 2))
    }

    /// How much of each edge has any ink within a few pixels: frames that are ornate or round have no straight line.
    private func addEdges(_ box: PixelBox, to features: inout CandidateFeatures) {
        let (outer, inner) = (3, min(6, box.width / 4, box.height / 4))
        func share(_ counts: [UInt16]) -> Int { counts.count { $0 > 0 } * 1000 / max(1, counts.count) }
        let whole = PixelBox(left: 0, top: 0, right: ink.grid.width, bottom: ink.grid.height)
        var (left, top, right, bottom) = (box, box, box, box)
        (left.left, left.right) = (max(0, box.left - outer), box.left + inner)
        (right.left, right.right) = (box.right - inner, min(whole.right, box.right + outer))
        (top.top, top.bottom) = (max(0, box.top - outer), box.top + inner)
        (bottom.top, bottom.bottom) = (box.bottom - inner, min(whole.bottom, box.bottom + outer))
        let edges = [
            share(ink.grid.rowCounts(of: left)), share(ink.grid.columnCounts(of: top)),
            share(ink.grid.rowCounts(of: right)), share(ink.grid.columnCounts(of: bottom)),
        ]
        features.add("edgeLeft", edges[0])
        features.add("edgeTop", edges[1])
        features.add("edgeRight", edges[2])
        features.add("edgeBottom", edges[3])
        features.add("edgeLeast", edges.min() ?? 0)
    }

    private func addPage(to features: inout CandidateFeatures) {
        features.add("pageLines", text.lines.count)
        features.add("pageMains", page.mains)
        features.add("pageHeadings", page.headings)
        features.add("pageMainLevel", text.mainLevel)
        features.add("pageFields", fields.count)
        features.add("pageInk", page.inkShare)
        features.add("pageBars", page.bars)
        features.add("pageSections", page.sections)
        features.add("pageWide", ink.grid.width * 100 / max(1, ink.grid.height))
    }
}

/// What is measured once for a page.
struct PageMeasures {
    /// The box around all ink, without a frame around the page.
    let content: PixelBox
    /// Height of body text, in pixels.
    let lineHeight: Int
    let mains: Int
    let headings: Int
    let sections: Int
    let bars: Int
    let inkShare: Int
    private var sizes: [UInt64: Int] = [:]
    private var stacks: [UInt64: Int] = [:]

    init(ink: InkMeasures, text: PlacedText, tree: CutTree) {
        let whole = PixelBox(left: 0, top: 0, right: ink.grid.width, bottom: ink.grid.height)
        var content = tree.nodes.first?.box ?? whole
        if let framed = ink.grid.insideFrame(content) { content = ink.grid.tightened(framed) }
        self.content = content.isEmpty ? whole : content
        lineHeight = text.bodySize > 0 ? text.bodySize : 10
        mains = text.lines.count(where: \.isMain)
        headings = text.lines.count(where: \.isHeading)
        sections = text.lines.count(where: \.isSectionTerm)
        bars = text.lines.count { $0.isLight && $0.isHeading }
        inkShare = ink.grid.count(whole) * 1000 / max(1, whole.area)
        for node in tree.nodes where node.box.area >= 96 {
            sizes[Self.size(node.box).key, default: 0] += 1
            stacks[Self.stack(node.box).key, default: 0] += 1
        }
    }

    private static func size(_ box: PixelBox) -> PixelBox {
        PixelBox(left: 0, top: 0, right: (box.width + 1) / 3, bottom: (box.height + 1) / 3)
    }

    private static func stack(_ box: PixelBox) -> PixelBox {
        PixelBox(left: (box.left + 1) / 3, top: 0, right: (box.right + 1) / 3, bottom: 0)
    }

    /// Parts of the page of the same size.
    func boxesLike(_ box: PixelBox) -> Int { min(50, sizes[Self.size(box).key] ?? 0) }

    /// Parts of the page with the same left and right edge.
    func alignedAbove(_ box: PixelBox) -> Int { min(50, stacks[Self.stack(box).key] ?? 0) }
}
