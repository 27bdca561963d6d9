// SPDX-License-Identifier: Apache-2.0
import SheetCore
import SheetLayout
import Testing

/// Draws a page for the search for regions: ink, and the words that stand in it.
struct PageSketch {
    private(set) var page = PageContent()
    private var cells: [UInt8]
    private let width: Int
    private let height: Int
    private let isScan: Bool

    init(width: Int = 612, height: Int = 792, isScan: Bool = false) {
        self.isScan = isScan
        self.width = width
        self.height = height
        cells = [UInt8](repeating: 0, count: width * height)
        page.width = Double(width)
        page.height = Double(height)
    }

    mutating func fill(_ x: Int, _ y: Int, _ wide: Int, _ high: Int) {
        for row in max(0, y)..<min(height, y + high) {
            for column in max(0, x)..<min(width, x + wide) { cells[row * width + column] = 1 }
        }
    }

    /// A stroked rectangle; on a scan nothing but its ink.
    mutating func frame(_ x: Int, _ y: Int, _ wide: Int, _ high: Int) {
        if !isScan {
            let box = Box(left: Double(x), top: Double(y), right: Double(x + wide), bottom: Double(y + high))
            page.shapes.append(Shape(box: box, lineWidth: 1))
        }
        fill(x, y, wide, 1)
        fill(x, y + high - 1, wide, 1)
        fill(x, y, 1, high)
        fill(x + wide - 1, y, 1, high)
    }

    mutating func text(_ text: String, _ x: Int, _ y: Int, size: Int = 9, isBold: Bool = false) {
        let wide = text.count * size * 6 / 10
        // Letters: strokes with gaps between them.
        for stroke in stride(from: x, to: x + wide, by: 3) { fill(stroke, y, 2, size) }
        page.words.append(
            Word(
                text: text,
                box: Box(left: Double(x), top: Double(y), right: Double(x + wide), bottom: Double(y + size)),
                fontSize: Double(size),
                block: page.words.count,
                line: page.words.count,
                isBold: isBold
            )
        )
    }

    /// A framed block with a heading and some lines.
    mutating func block(_ heading: String, _ x: Int, _ y: Int, _ wide: Int, _ high: Int) {
        frame(x, y, wide, high)
        text(heading, x + 10, y + 8, size: 14, isBold: true)
        for line in stride(from: y + 36, to: y + high - 16, by: 18) { text("an entry of the list", x + 10, line) }
    }

    func finished() -> PageContent {
        var page = page
        page.ink = InkMap(width: width, height: height, cells: cells)
        return page
    }
}

@Suite("Finding regions on drawn pages")
struct RegionFinderTests {
    private func sheet(isScan: Bool = false) -> PageContent {
        var sketch = PageSketch(isScan: isScan)
        sketch.block("Skills", 40, 60, 250, 320)
        sketch.block("Combat", 320, 60, 250, 320)
        sketch.block("Equipment", 40, 420, 250, 320)
        sketch.block("Spells", 320, 420, 250, 320)
        return sketch.finished()
    }

    @Test("four framed blocks are four regions, named and in reading order")
    func blocks() {
        let regions = RegionFinder().regions(on: sheet())
        #expect(regions.map(\.name) == ["Skills", "Combat", "Equipment", "Spells"])
        #expect(regions.allSatisfy { $0.rect.isValid && (0...1).contains($0.confidence) })
        #expect(regions.first.map(edges) == [40, 60, 290, 380])
        // Of ink alone: rules that aligned frames share cut off their top edges, so that the heading begins the region.
        let scanned = RegionFinder().regions(on: sheet(isScan: true))
        #expect(scanned.map(\.name) == regions.map(\.name))
        #expect(scanned.first.map(edges) == [40, 68, 290, 380])
    }

    /// Left, top, right and bottom in points.
    private func edges(_ region: FoundRegion) -> [Int] {
        let rect = region.rect
        return [rect.x * 612, rect.y * 792, (rect.x + rect.width) * 612, (rect.y + rect.height) * 792].map {
            Int($0.rounded())
        }
    }

    @Test("regions hardly overlap")
    func overlap() {
        let rects = RegionFinder().regions(on: sheet()).map(\.rect)
        for (index, rect) in rects.enumerated() {
            for other in rects[(index + 1)...] {
                let shared = rect.intersection(other)?.area ?? 0
                #expect(shared <= 0.13 * min(rect.area, other.area))
            }
        }
    }

    @Test("the same page gives the same regions")
    func determinism() {
        let page = sheet()
        #expect(RegionFinder().regions(on: page) == RegionFinder().regions(on: page))
    }

    @Test("empty pages, pages without a picture and pages of noise do no harm")
    func oddPages() {
        #expect(RegionFinder().regions(on: PageContent()).isEmpty)
        #expect(RegionFinder().regions(on: PageSketch().finished()).isEmpty)
        var full = PageSketch()
        full.fill(0, 0, 612, 792)
        #expect(RegionFinder().regions(on: full.finished()).allSatisfy { $0.rect.isValid })
        var noise = PageSketch()
        var state: UInt64 = 1
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            noise.fill(Int(state >> 33) % 612, Int(state >> 13) % 792, 1, 1)
        }
        #expect(RegionFinder().regions(on: noise.finished()).allSatisfy { $0.rect.isValid })
    }

    @Test("ids are slugs, unique in the document, and a nameless region gets one too")
    func names() {
        var names = RegionNames()
        let rect = NormalizedRect(x: 0.1, y: 0.1, width: 0.5, height: 0.25)
        func found(_ name: String) -> FoundRegion { FoundRegion(name: name, rect: rect, confidence: 0.5) }
        let regions = ["Skills", "Skills", "", "!!!", "Fähigkeiten", String(repeating: "x", count: 200)]
            .enumerated().map { names.region(found($1), page: $0) }
        #expect(regions.prefix(5).map(\.id) == ["skills", "skills-2", "region", "region-2", "fahigkeiten"])
        #expect(regions.allSatisfy { Slug($0.id) != nil && $0.name.count <= ZoomRegion.maximumNameLength })
        #expect(regions.allSatisfy { $0.scale == 2 })
    }
}
