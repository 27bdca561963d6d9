// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Whole numbers that are mostly small, in adaptive bits: first how many bits a number has, one yes or no after the
/// other, then its two highest bits below the leading one, then the rest as it is. Each group of cells learns one kind
/// of numbers.
enum NumberCoder {
    /// Sizes told by yes and no; greater ones take six plain bits.
    private static let plainFrom = 20
    /// Cells of a group: those of the sizes, and three for the highest bits of each size.
    static let cellsPerGroup = plainFrom + 3 * (plainFrom + 1)

    /// 0, -1, 1, -2, … as 0, 1, 2, 3, …
    @inline(__always)
    static func folded(_ value: Int64) -> UInt64 { UInt64(bitPattern: value &<< 1 ^ value &>> 63) }

    @inline(__always)
    static func unfolded(_ value: UInt64) -> Int64 { Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1) }

    /// Gives the number's size in bits.
    @inline(__always)
    @discardableResult
    static func encode(_ signed: Int64, _ coder: inout RangeEncoder, _ cells: UnsafeMutablePointer<BitCell>) -> Int {
        let value = folded(signed)
        let size = 64 - value.leadingZeroBitCount
        for step in 0..<min(size, plainFrom) { coder.encode(true, cells + step) }
        if size < plainFrom {
            coder.encode(false, cells + size)
        } else {
            coder.encode(plain: UInt32(size - plainFrom), bits: 6)
        }
        guard size > 1 else { return size }
        var left = size - 1
        let high = cells + plainFrom + 3 * min(size, plainFrom)
        left -= 1
        let first = value &>> UInt64(left) & 1
        coder.encode(first == 1, high)
        if left > 0 {
            left -= 1
            coder.encode(value &>> UInt64(left) & 1 == 1, high + 1 + Int(first))
        }
        while left > 0 {
            let bits = min(left, 16)
            left -= bits
            coder.encode(plain: UInt32(value &>> UInt64(left) & (1 &<< UInt64(bits) &- 1)), bits: UInt32(bits))
        }
        return size
    }

    @inline(__always)
    static func decode(_ coder: inout RangeDecoder, _ cells: UnsafeMutablePointer<BitCell>) -> (value: Int64, size: Int)
    {
        var size = 0
        while size < plainFrom, coder.decode(cells + size) { size += 1 }
        if size == plainFrom { size = min(64, size + Int(coder.decode(plainBits: 6))) }
        guard size > 0 else { return (0, 0) }
        var value: UInt64 = 1
        var left = size - 1
        if left > 0 {
            let high = cells + plainFrom + 3 * min(size, plainFrom)
            let first = coder.decode(high)
            value = value &<< 1 | (first ? 1 : 0)
            left -= 1
            if left > 0 {
                value = value &<< 1 | (coder.decode(high + (first ? 2 : 1)) ? 1 : 0)
                left -= 1
            }
        }
        while left > 0 {
            let bits = min(left, 16)
            value = value &<< UInt64(bits) | UInt64(coder.decode(plainBits: UInt32(bits)))
            left -= bits
        }
        return (unfolded(value), size)
    }
}

/// Bytes of text, each told by the one before it.
enum TextCoder {
    static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var coder = RangeEncoder()
        let (sizes, letters) = (BitCells(NumberCoder.cellsPerGroup), BitCells(1 << 16))
        // The pointers into both must not outlive them.
        withExtendedLifetime((sizes, letters)) {
            NumberCoder.encode(Int64(bytes.count), &coder, sizes.cells)
            var before = 0
            for byte in bytes {
                var node = 1
                for bit in stride(from: 7, through: 0, by: -1) {
                    let isOne = byte >> UInt8(bit) & 1 == 1
                    coder.encode(isOne, letters.cells + before << 8 + node)
                    node = node << 1 | (isOne ? 1 : 0)
                }
                before = Int(byte)
            }
        }
        return coder.finish()
    }

    /// `nil` of what no encoder wrote, or of more than is left of `budget`, which it takes from.
    static func decode(_ coded: UnsafeBufferPointer<UInt8>, most: Int, budget: inout Int) -> [UInt8]? {
        var coder = RangeDecoder(coded)
        let (sizes, letters) = (BitCells(NumberCoder.cellsPerGroup), BitCells(1 << 16))
        return withExtendedLifetime((sizes, letters)) {
            let count = NumberCoder.decode(&coder, sizes.cells).value
            guard 0...Int64(min(most, max(0, budget))) ~= count else { return nil }
            budget -= Int(count)
            var bytes: [UInt8] = []
            var before = 0
            for _ in 0..<count {
                var node = 1
                for _ in 0..<8 { node = node << 1 | (coder.decode(letters.cells + before << 8 + node) ? 1 : 0) }
                before = node & 0xFF
                bytes.append(UInt8(before))
                if coder.isBeyondEnd { return nil }
            }
            return bytes
        }
    }
}
