// SPDX-License-Identifier: Apache-2.0

/// A rectangle of pixels; right and bottom are not part of it.
struct PixelBox: Hashable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
    var isEmpty: Bool { width <= 0 || height <= 0 }

    func union(_ other: PixelBox) -> PixelBox {
        PixelBox(
            left: min(left, other.left),
            top: min(top, other.top),
            right: max(right, other.right),
            bottom: max(bottom, other.bottom)
        )
    }

    func contains(_ other: PixelBox) -> Bool {
        left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
    }

    func overlap(_ other: PixelBox) -> Int {
        max(0, min(right, other.right) - max(left, other.left))
            * max(0, min(bottom, other.bottom) - max(top, other.top))
    }

    var area: Int { max(0, width) * max(0, height) }

    /// The edges in one number, for boxes of pictures: none has 65,536 pixels on a side. The first set or table of any type
    /// of its own costs the runtime a search through all types there are.
    var key: UInt64 {
        func part(_ edge: Int) -> UInt64 { UInt64(truncatingIfNeeded: edge) & 0xffff }
        return part(left) << 48 | part(top) << 32 | part(right) << 16 | part(bottom)
    }
}

/// Direction of a cut.
enum Axis {
    /// Between rows: the parts are stacked.
    case rows
    /// Between columns: the parts stand side by side.
    case columns
}
