// SPDX-License-Identifier: Apache-2.0
import SheetCore
import Testing

@testable import SheetLayout

@Suite("Regions on pages of many kinds")
struct PageKindTests {
    /// How much two rectangles have in common.
    private func overlap(_ left: NormalizedRect, _ right: NormalizedRect) -> Double {
        let shared = left.intersection(right)?.area ?? 0
        return shared / (left.area + right.area - shared)
    }

    private func rect(_ x: Double, _ y: Double, _ wide: Double, _ high: Double) -> NormalizedRect {
        NormalizedRect(x: x / 612, y: y / 792, width: wide / 612, height: high / 792)
    }

    private func framedSheet() -> PageSketch {
        var sketch = PageSketch()
        sketch.block("Skills", 40, 60, 250, 320)
        sketch.block("Combat", 320, 60, 250, 320)
        sketch.block("Equipment", 40, 420, 250, 320)
        sketch.block("Spells", 320, 420, 250, 320)
        return sketch
    }

    @Test("a page without a text layer has the regions of its ink, and no names to give them")
    func imageOnly() {
        var page = framedSheet().finished()
        page.words = []
        let regions = RegionFinder().regions(on: page)
        for (x, y) in [(40.0, 60.0), (320, 60), (40, 420), (320, 420)] {
            let place = rect(x, y, 250, 320)
            #expect(regions.contains { overlap($0.rect, place) > 0.8 })
        }
    }

    @Test("open blocks between white gaps are regions")
    func open() {
        var sketch = PageSketch()
        let blocks = [("Skills", 40, 60), ("Combat", 320, 60), ("Equipment", 40, 420), ("Notes", 320, 420)]
        for (heading, x, y) in blocks {
            sketch.text(heading, x, y, size: 16, isBold: true)
            for line in stride(from: y + 30, to: y + 300, by: 18) { sketch.text("an entry of the long list", x, line) }
        }
        let regions = RegionFinder().regions(on: sketch.finished())
        #expect(Set(regions.map(\.name)).isSuperset(of: ["Skills", "Combat", "Equipment", "Notes"]))
        #expect(regions.first { $0.name == "Combat" }?.kind == "combat")
    }

    @Test("a sheet laid sideways has the same regions, turned", arguments: 1...3)
    func turned(_ turns: Int) {
        let upright = framedSheet().finished()
        // `upright(_:turns:)` turns back; turning back by the rest of a full turn turns on.
        var page = Orientation.upright(upright, turns: 4 - turns)
        for index in page.words.indices { page.words[index].turns = turns }
        let expected = RegionFinder().regions(on: upright)
        let regions = RegionFinder().regions(on: page)
        #expect(regions.map(\.name) == expected.map(\.name))
        for (region, other) in zip(regions, expected) {
            #expect(overlap(region.rect, Orientation.displayed(other.rect, turns: turns)) > 0.99)
        }
    }

    @Test("a frame around the page hides nothing")
    func pageFrame() {
        var sketch = framedSheet()
        for inset in stride(from: 4, to: 16, by: 3) { sketch.frame(inset, inset, 612 - 2 * inset, 792 - 2 * inset) }
        let regions = RegionFinder().regions(on: sketch.finished())
        #expect(Set(regions.map(\.name)).isSuperset(of: ["Skills", "Combat", "Equipment", "Spells"]))
    }

    @Test("a painted page shows its edges, specks are no ink")
    func painted() {
        // A dark ground with a light panel in which a dark stroke stands, and noise.
        let (width, height) = (200, 200)
        var grey = [UInt8](repeating: 30, count: width * height)
        for y in 50..<150 { for x in 50..<150 { grey[y * width + x] = 230 } }
        for x in 70..<130 { for y in 98..<102 { grey[y * width + x] = 10 } }
        grey[20 * width + 20] = 200
        let ink = InkMap(grey: grey, width: width, height: height)
        #expect(ink.cells[20 * width + 20] == 0)
        #expect(ink.cells[100 * width + 70] == 1)
        #expect(ink.cells[50 * width + 100] == 1)
        #expect(ink.cells[70 * width + 60] == 0 && ink.cells[10 * width + 100] == 0)
    }
}
