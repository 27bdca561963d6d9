// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SheetLayout

@Suite("Where candidates come from")
struct CandidateTests {
    private func column(_ left: Int, _ count: Int) -> [PixelBox] {
        (0..<count).map { PixelBox(left: left, top: 20 + 20 * $0, right: left + 100, bottom: 32 + 20 * $0) }
    }

    @Test("fields and lines are cut by themselves, whatever is painted around them; a few tell nothing")
    func written() throws {
        let fields = column(20, 5) + column(200, 5)
        let tree = try #require(WrittenParts(lines: [], fields: fields, width: 400, height: 400).tree)
        #expect(tree.nodes.first?.parts.count == 2)
        #expect(WrittenParts(lines: [], fields: column(20, 5), width: 400, height: 400).tree == nil)
    }

    /// Two grey blocks side by side; lines across the gap between them take so many rows.
    private func blocks(joinedBy rows: Int) -> CutTree {
        let side = 400
        let cells = (0..<side * side).map { place -> UInt8 in
            let (x, y) = (place % side, place / side)
            guard (20..<380).contains(x), (20..<380).contains(y) else { return 0 }
            if (190..<210).contains(x) { return y >= 100 && y < 100 + rows ? 1 : 0 }
            return (x + y) % 4 == 0 ? 1 : 0
        }
        return CutTree(grid: InkGrid(InkMap(width: side, height: side, cells: cells)))
    }

    @Test("large parts that hardly reach into one another are apart", arguments: [(0, 2), (4, 2), (40, 0)])
    func slack(_ rows: Int, _ parts: Int) {
        #expect(blocks(joinedBy: rows).nodes.first?.parts.count == parts)
    }

    @Test("a region that fills most of an outline becomes it, unless that would reach into another")
    func snap() {
        let frame = PixelBox(left: 10, top: 10, right: 110, bottom: 110)
        let inside = RegionCandidate(box: PixelBox(left: 12, top: 14, right: 108, bottom: 108), score: 9_000)
        let half = RegionCandidate(box: PixelBox(left: 12, top: 12, right: 60, bottom: 108), score: 9_000)
        let snap = FrameSnap(frames: [PixelBox(left: 0, top: 0, right: 400, bottom: 400), frame])
        #expect(snap.applied(to: [inside]).map(\.box) == [frame])
        #expect(snap.applied(to: [half]) == [half])
        let beside = RegionCandidate(box: PixelBox(left: 10, top: 0, right: 110, bottom: 13), score: 9_000)
        #expect(snap.applied(to: [inside, beside]) == [inside, beside])
    }

    @Test("a region whose edge runs through a line grows around it; titles, others' lines and other regions stop it")
    func wholeLines() {
        func line(_ left: Int, _ top: Int, _ right: Int) -> PlacedLine {
            PlacedLine(
                box: PixelBox(left: left, top: top, right: right, bottom: top + 10), size: 10, letters: 8, digits: 0,
                prominence: 150, fellows: 1, style: 0, isHeading: true, isMain: true, isLight: false, isUpright: true,
                endsWithColon: false, isMarked: false, isSectionTerm: false, identityWords: 0, abilityWords: 0, words: 1
            )
        }
        let region = RegionCandidate(box: PixelBox(left: 10, top: 104, right: 110, bottom: 200), score: 9_000)
        func grown(_ line: PlacedLine, beside others: [RegionCandidate] = []) -> PixelBox? {
            WholeLines(lines: [line]).applied(to: [region] + others).first?.box
        }
        #expect(grown(line(40, 100, 80)) == PixelBox(left: 10, top: 100, right: 110, bottom: 200))
        #expect(grown(line(5, 194, 115)) == PixelBox(left: 5, top: 104, right: 115, bottom: 204))
        // The middle is elsewhere, a title goes on, or the room is taken.
        #expect(grown(line(40, 96, 80)) == region.box)
        #expect(grown(line(10, 100, 180)) == region.box)
        let above = RegionCandidate(box: PixelBox(left: 10, top: 20, right: 110, bottom: 103), score: 9_000)
        #expect(grown(line(40, 100, 80), beside: [above]) == region.box)
    }
}
