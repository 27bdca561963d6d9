// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A region before it has an id.
public struct FoundRegion: Sendable, Equatable {
    /// From the heading; empty when there is none.
    public var name: String
    /// Where it is, 0…1.
    public var rect: NormalizedRect
    /// How sure, 0…1.
    public var confidence: Double
    /// What it is for, where its words tell: `skills`, `combat` and so on.
    public var kind: String?

    /// All parts as they are.
    public init(name: String, rect: NormalizedRect, confidence: Double, kind: String? = nil) {
        self.kind = kind
        self.name = name
        self.rect = rect
        self.confidence = confidence
    }
}

/// Finds the regions of a page: candidates from cutting the drawn page along gaps and rules, a learned score for
/// each, and the best set that does not overlap. The same page gives the same regions.
public struct RegionFinder: Sendable {
    /// With standard settings.
    public init() {}

    /// Regions in reading order.
    public func regions(on page: PageContent) -> [FoundRegion] {
        let turns = Orientation.turns(of: page)
        return regions(onUpright: Orientation.upright(page, turns: turns)).map { region in
            FoundRegion(
                name: region.name,
                rect: Orientation.displayed(region.rect, turns: turns).rounded,
                confidence: region.confidence,
                kind: region.kind
            )
        }
    }

    /// All parts of a page that are weighed, with their measures: what the scores are learned from.
    public func candidates(on page: PageContent) -> (names: [String], found: [MeasuredCandidate]) {
        let turns = Orientation.turns(of: page)
        let upright = Orientation.upright(page, turns: turns)
        guard let search = RegionSearch(upright) else { return ([], []) }
        let names = search.boxes.all.first.map { search.measures.names(of: $0) } ?? []
        let found = search.boxes.all.map { candidate in
            MeasuredCandidate(
                rect: Orientation.displayed(search.surroundings.normalized(candidate.box), turns: turns),
                box: [candidate.box.left, candidate.box.top, candidate.box.right, candidate.box.bottom],
                measures: search.measures.values(of: [candidate], each: names.count) ?? [])
        }
        return (names, found)
    }

    private func regions(onUpright page: PageContent) -> [FoundRegion] {
        guard let search = RegionSearch(page) else { return [] }
        let surroundings = search.surroundings
        let choice = RegionChoice(candidates: search.scored())
        let names = RegionNaming(
            headings: surroundings.headings, lines: surroundings.lines, text: search.measures.text)
        let absorption = HeadingAbsorption(lines: search.measures.text.lines)
        return ReadingOrder.sorted(absorption.applied(to: choice.best())).map { candidate in
            let name = names.name(of: candidate.box, isAtTop: candidate.box.top * 3 < surroundings.height)
            return FoundRegion(
                name: name.name,
                rect: surroundings.normalized(candidate.box),
                confidence: candidate.confidence,
                kind: name.kind
            )
        }
    }
}

/// A part of a page that may be a region, with what is measured of it.
public struct MeasuredCandidate: Sendable {
    /// Where it is on the displayed page.
    public var rect: NormalizedRect
    /// Left, top, right and bottom in pixels of the upright page.
    public var box: [Int]
    /// Its measures in the order of their names.
    public var measures: [Int16]
}

/// The search on one upright page, up to the scores.
struct RegionSearch {
    let surroundings: Surroundings
    let boxes: CandidateBoxes
    let measures: CandidateMeasures

    /// `nil` for a page without ink.
    init?(_ page: PageContent) {
        guard let ink = page.ink, page.width > 0, page.height > 0 else { return nil }
        let grid = InkGrid(ink)
        let tree = CutTree(grid: grid)
        guard !tree.nodes.isEmpty else { return nil }
        surroundings = Surroundings(page: page, ink: ink, grid: grid)
        let text = PlacedText(surroundings)
        let placed = surroundings
        let shapes = page.shapes.map { placed.pixels($0.box) }
        let areas = HeadingAreas(grid: grid, surroundings: surroundings, shapes: shapes).boxes()
        let frames = shapes.filter { $0.width >= 16 && $0.height >= 7 && $0.area * 500 >= grid.width * grid.height }
        boxes = CandidateBoxes(tree: tree, areas: areas, shapes: frames, lines: text.lines, grid: grid)
        measures = CandidateMeasures(
            ink: InkMeasures(ink, grid: grid), text: text, fields: placed.fields.map { placed.pixels($0) }, tree: tree)
    }
}

extension RegionSearch {
    /// Candidates with their scores, without most of those that would not be chosen.
    func scored() -> [RegionCandidate] {
        guard let forest = ScoreForest.standard else { return [] }
        let likely = sifted()
        guard let values = measures.values(of: likely, each: forest.featureCount) else { return [] }
        return zip(likely, forest.scores(values)).map { RegionCandidate(box: $0.box, score: $1) }
    }

    /// Candidates whose outlines do not rule out that they are regions: a cascade of two stages (Viola and Jones, 2001).
    private func sifted() -> [CandidateBox] {
        guard let sieve = ScoreForest.sieve, let outlines = measures.outlines(of: boxes.all, each: sieve.featureCount)
        else { return boxes.all }
        return zip(boxes.all, sieve.scores(outlines)).compactMap { $1 > ScoreForest.sieveFloor ? $0 : nil }
    }
}

/// The page in points and the drawn page in pixels.
struct Surroundings {
    let headings: Headings
    let lines: [TextLine]
    let fields: [Box]
    private let pointsPerPixelX: Double
    private let pointsPerPixelY: Double
    let width: Int
    let height: Int

    /// Most lines and fields that are looked at; a dense honest page has a few hundred.
    private static let maximumLines = 1_500
    /// Letters of any height can be written; larger ones are as good as these, in pixels.
    private static let tallest = 1_000_000

    var pageHeight: Double { Double(height) * pointsPerPixelY }

    init(page: PageContent, ink: InkMap, grid: InkGrid) {
        lines = TextLine.lines(of: page, atMost: Self.maximumLines)
        fields = Array(page.fields.prefix(Self.maximumLines))
        let perX = page.width / Double(ink.width)
        let perY = page.height / Double(ink.height)
        pointsPerPixelX = perX
        pointsPerPixelY = perY
        width = ink.width
        height = ink.height
        headings = Headings(lines) { line in
            grid.isInStrip(Self.pixels(line.box, perX, perY, ink.width, ink.height))
        }
    }

    func pixels(_ box: Box) -> PixelBox {
        Self.pixels(box, pointsPerPixelX, pointsPerPixelY, width, height)
    }

    private static func pixels(_ box: Box, _ perX: Double, _ perY: Double, _ width: Int, _ height: Int) -> PixelBox {
        func clamped(_ value: Double, _ limit: Int) -> Int { Int(min(max(value.rounded(), 0), Double(limit))) }
        return PixelBox(
            left: clamped(box.left / perX, width),
            top: clamped(box.top / perY, height),
            right: clamped(box.right / perX, width),
            bottom: clamped(box.bottom / perY, height)
        )
    }

    /// A length in points as pixels.
    func pixelHeight(_ points: Double) -> Int {
        // In this order what is no number becomes nothing.
        Int(min(Double(Self.tallest), max(0, (points / pointsPerPixelY).rounded())))
    }

    func points(_ box: PixelBox) -> Box {
        Box(
            left: Double(box.left) * pointsPerPixelX,
            top: Double(box.top) * pointsPerPixelY,
            right: Double(box.right) * pointsPerPixelX,
            bottom: Double(box.bottom) * pointsPerPixelY
        )
    }

    func normalized(_ box: PixelBox) -> NormalizedRect {
        NormalizedRect(
            x: Double(box.left) / Double(width),
            y: Double(box.top) / Double(height),
            width: Double(box.width) / Double(width),
            height: Double(box.height) / Double(height)
        )
    }

    /// Area as a part of the page.
    func share(_ box: PixelBox) -> Double {
        Double(box.area) / Double(width * height)
    }
}

/// From the top, and from the left where regions stand side by side.
enum ReadingOrder {
    static func sorted(_ candidates: [RegionCandidate]) -> [RegionCandidate] {
        var rest = candidates.sorted { ($0.box.top, $0.box.left) < ($1.box.top, $1.box.left) }
        var ordered: [RegionCandidate] = []
        while let first = rest.first {
            // A row: what begins before the middle of its first region.
            let middle = (first.box.top + first.box.bottom) / 2
            let row = rest.filter { $0.box.top < middle && $0.box.top - first.box.top < first.box.height / 2 }
            let leftmost = row.min { ($0.box.left, $0.box.top) < ($1.box.left, $1.box.top) } ?? first
            ordered.append(leftmost)
            rest.removeAll { $0.box == leftmost.box }
        }
        return ordered
    }
}

extension NormalizedRect {
    /// To five decimals, so that no machine's arithmetic shows.
    fileprivate var rounded: NormalizedRect {
        func rounded(_ part: Double) -> Double { (part * 1e5).rounded() / 1e5 }
        let (left, top) = (max(0, rounded(x)), max(0, rounded(y)))
        return NormalizedRect(
            x: left,
            y: top,
            width: rounded(min(1, x + width) - left),
            height: rounded(min(1, y + height) - top)
        )
    }
}
