// SPDX-License-Identifier: Apache-2.0

/// Candidates from what is written and filled in alone: on painted pages ornaments and textures close every gap of the ink,
/// but lines of text and form fields still stand apart.
struct WrittenParts {
    /// Parts of a page cut along the gaps between its lines and fields; `nil` where there is too little of them.
    let tree: CutTree?

    /// Fewest lines and fields that tell anything.
    private static let fewest = 6

    init(lines: [PlacedLine], fields: [PixelBox], width: Int, height: Int) {
        let boxes = lines.filter { $0.letters > 0 && $0.size * 6 < height }.map(\.box) + fields
        guard boxes.count >= Self.fewest else {
            tree = nil
            return
        }
        var cells = [UInt8](repeating: 0, count: width * height)
        cells.withUnsafeMutableBufferPointer { cells in
            for box in boxes where !box.isEmpty && box.right <= width && box.bottom <= height {
                for row in max(0, box.top)..<box.bottom {
                    cells[row * width + max(0, box.left)..<row * width + box.right].update(repeating: 1)
                }
            }
        }
        tree = CutTree(grid: InkGrid(InkMap(width: width, height: height, cells: cells)))
    }
}
