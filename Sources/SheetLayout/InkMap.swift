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

    /// Finds the ink on a grey picture: what differs from its commonest grey. On a page painted over with a texture or
    /// a picture there is no such grey, and ink is what is darker than its surroundings.
    public init(grey: some RandomAccessCollection<UInt8>, width: Int, height: Int) {
        let grey = ContiguousArray(grey)
        var histogram = [Int](repeating: 0, count: 256)
        for level in grey { histogram[Int(level)] += 1 }
        let background = histogram.indices.max { histogram[$0] < histogram[$1] } ?? 255
        let marks = (0..<256).map { UInt8(abs($0 - background) > Self.threshold ? 1 : 0) }
        let plain = (max(0, background - Self.threshold)...min(255, background + Self.threshold))
            .reduce(0) { $0 + histogram[$1] }
        if Double(plain) >= Self.plainShare * Double(grey.count) {
            self.init(width: width, height: height, cells: grey.map { marks[Int($0)] })
        } else {
            self.init(width: width, height: height, cells: Self.strokes(grey, width, height))
        }
    }

    /// Part of the page that has its commonest grey when it is not painted over.
    private static let plainShare = 0.45
    /// Half the side of the surroundings that a stroke is compared with, in pixels.
    private static let reach = 12
    /// How much darker a stroke is than its surroundings.
    private static let strokeContrast = 34

    private static func strokes(_ grey: ContiguousArray<UInt8>, _ width: Int, _ height: Int) -> [UInt8] {
        let stride = width + 1
        var sums = [Int32](repeating: 0, count: stride * (height + 1))
        for y in 0..<height {
            var row: Int32 = 0
            for x in 0..<width {
                row += Int32(grey[y * width + x])
                sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1] + row
            }
        }
        var cells = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            let (top, bottom) = (max(0, y - reach), min(height, y + reach + 1))
            for x in 0..<width {
                let (left, right) = (max(0, x - reach), min(width, x + reach + 1))
                let sum =
                    sums[bottom * stride + right] - sums[top * stride + right] - sums[bottom * stride + left]
                    + sums[top * stride + left]
                let mean = Int(sum) / ((right - left) * (bottom - top))
                if Int(grey[y * width + x]) < mean - strokeContrast { cells[y * width + x] = 1 }
            }
        }
        return cells
    }
}
