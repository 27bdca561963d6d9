// SPDX-License-Identifier: Apache-2.0

/// Which pixels of a drawn page differ from its background.
public struct InkMap: Sendable {
    /// Pixels from left to right.
    public let width: Int
    /// Pixels from top to bottom.
    public let height: Int
    /// Row by row: 1 where there is ink.
    public let cells: [UInt8]

    /// Difference from the background that counts, of 255 levels.
    private static let threshold = 28

    /// Pixels of ink in a row or column that may be texture.
    let tolerance: Int

    /// Takes a mask as it is.
    public init(width: Int, height: Int, cells: [UInt8]) {
        self.init(width: width, height: height, cells: cells, tolerance: 0)
    }

    init(width: Int, height: Int, cells: [UInt8], tolerance: Int) {
        self.tolerance = tolerance
        self.width = width
        self.height = height
        self.cells = cells
    }

    /// Finds the ink on a grey picture: what differs from its commonest grey. On a page painted over with a texture or
    /// a picture there is no such grey, and ink is where the brightness jumps.
    public init(grey: some RandomAccessCollection<UInt8>, width: Int, height: Int) {
        let grey = ContiguousArray(grey)
        var histogram = [Int](repeating: 0, count: 256)
        for level in grey { histogram[Int(level)] += 1 }
        let background = histogram.indices.max { histogram[$0] < histogram[$1] } ?? 255
        let marks = (0..<256).map { UInt8(abs($0 - background) > Self.threshold ? 1 : 0) }
        let ink = marks.indices.reduce(0) { $0 + (marks[$1] == 1 ? histogram[$1] : 0) }
        if Double(ink) <= Self.plainShare * Double(grey.count), background >= Self.darkGround {
            let frame = InkFrame(cells: grey.map { marks[Int($0)] }, width: width, height: height)
            self.init(width: width, height: height, cells: frame.removed(keepsPlain: true))
        } else {
            let edges = Self.withoutSpecks(Self.edges(grey, width, height), width, height)
            let frame = InkFrame(cells: edges, width: width, height: height)
            self.init(width: width, height: height, cells: frame.removed(keepsPlain: false), tolerance: 2)
        }
    }

    /// Part of the page that may be ink when it is not painted over.
    private static let plainShare = 0.24
    /// Ground darker than this is night: light letters stand on it, and light panels with dark letters.
    private static let darkGround = 110
    /// Difference between neighbours that is an edge.
    private static let edgeContrast = 30
    /// Specks up to this many pixels are texture.
    private static let speck = 7

    /// Where one pixel differs much from the one to the left or above.
    private static func edges(_ grey: ContiguousArray<UInt8>, _ width: Int, _ height: Int) -> [UInt8] {
        var cells = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let here = Int(grey[y * width + x])
                let left = x > 0 ? Int(grey[y * width + x - 1]) : here
                let above = y > 0 ? Int(grey[(y - 1) * width + x]) : here
                if max(abs(here - left), abs(here - above)) > edgeContrast { cells[y * width + x] = 1 }
            }
        }
        return cells
    }

    /// Without small islands of ink.
    private static func withoutSpecks(_ cells: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        var cells = cells
        var island: [Int] = []
        // 2: seen and kept.
        for start in cells.indices where cells[start] == 1 {
            island.removeAll(keepingCapacity: true)
            island.append(start)
            cells[start] = 2
            var next = 0
            while next < island.count {
                let (x, y) = (island[next] % width, island[next] / width)
                next += 1
                for row in max(0, y - 1)...min(height - 1, y + 1) {
                    for column in max(0, x - 1)...min(width - 1, x + 1) where cells[row * width + column] == 1 {
                        cells[row * width + column] = 2
                        island.append(row * width + column)
                    }
                }
            }
            if island.count <= speck {
                for place in island { cells[place] = 0 }
            }
        }
        for place in cells.indices where cells[place] == 2 { cells[place] = 1 }
        return cells
    }
}
