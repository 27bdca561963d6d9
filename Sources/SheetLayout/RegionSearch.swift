// SPDX-License-Identifier: Apache-2.0

/// The search on one upright page, up to the scores.
struct RegionSearch {
    let context: LayoutContext
    let boxes: CandidateBoxes
    let measures: CandidateMeasures
    /// Outlines that are painted, and parts that rules run around.
    let frames: [PixelBox]

    /// `nil` for a page without ink.
    init?(_ page: PageContent) {
        guard let ink = page.ink, page.width > 0, page.height > 0 else { return nil }
        let grid = InkGrid(ink)
        let tree = CutTree(grid: grid)
        guard !tree.nodes.isEmpty else { return nil }
        context = LayoutContext(page: page, ink: ink, grid: grid)
        let text = PlacedText(context)
        let placed = context
        let shapes = page.shapes.map { placed.pixels($0.box) }
        let frames = shapes.filter { $0.width >= 16 && $0.height >= 7 && $0.area * 500 >= grid.width * grid.height }
        measures = CandidateMeasures(
            ink: InkMeasures(ink, grid: grid), text: text, fields: placed.fields.map { placed.pixels($0) },
            frames: frames, tree: tree)
        let areas = HeadingAreas(grid: grid, context: context, shapes: shapes, content: measures.page.content).boxes()
        let written = WrittenParts(lines: text.lines, fields: measures.fields, width: grid.width, height: grid.height)
        boxes = CandidateBoxes(
            tree: tree, areas: areas, shapes: frames, written: written.tree, lines: text.lines, grid: grid)
        self.frames = frames + tree.nodes.filter(\.isFramed).map(\.box)
    }
}
