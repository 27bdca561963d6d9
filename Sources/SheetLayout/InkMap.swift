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

    /// Takes a mask as it is.
    public init(width: Int, height: Int, cells: [UInt8]) {
        self.width = width
        self.height = height
        self.cells = cells
    }

    /// Finds the ink on a grey picture: what differs from its commonest grey.
    public init(grey: some RandomAccessCollection<UInt8>, width: Int, height: Int) {
        var histogram = [Int](repeating: 0, count: 256)
        for level in grey { histogram[Int(level)] += 1 }
        let background = histogram.indices.max { histogram[$0] < histogram[$1] } ?? 255
        let marks = (0..<256).map { UInt8(abs($0 - background) > Self.threshold ? 1 : 0) }
        self.init(width: width, height: height, cells: grey.map { marks[Int($0)] })
    }
}
