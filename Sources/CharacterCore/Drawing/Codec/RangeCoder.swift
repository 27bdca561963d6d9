// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How likely a bit is to be 0, learned as bits are coded: 16 bits of probability above 8 of the count, which gives the
/// rate. The first bits move it far, later ones little.
typealias BitCell = UInt32

/// Cells of adaptive bits, all undecided at first.
final class BitCells {
    let cells: UnsafeMutablePointer<BitCell>
    private let count: Int

    init(_ count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        cells.initialize(repeating: 1 << 23, count: count)
    }

    deinit {
        cells.deallocate()
    }

    /// Learns that a bit was 0 or 1.
    @inline(__always)
    static func learn(_ cell: UnsafeMutablePointer<BitCell>, _ isOne: Bool) {
        let (odds, seen) = (cell.pointee >> 8, cell.pointee & 0xFF)
        let rate = 32 - UInt32(truncatingIfNeeded: (seen | 1).leadingZeroBitCount)
        let next = isOne ? odds &- odds &>> rate : odds &+ (65536 &- odds) &>> rate
        cell.pointee = next &<< 8 | (seen < 16 ? seen &+ 1 : seen)
    }

    /// The part of a range that a 0 gets.
    @inline(__always)
    static func bound(_ cell: UnsafeMutablePointer<BitCell>, _ range: UInt32) -> UInt32 {
        (range &>> 12) &* (cell.pointee &>> 12)
    }
}

/// A binary range coder with carry (G. N. N. Martin, 1979; the arrangement is that of LZMA).
struct RangeEncoder {
    private var bytes: [UInt8] = []
    private var low: UInt64 = 0
    private var range = UInt32.max
    private var cache: UInt8 = 0
    private var pending = 1

    init() {
        bytes.reserveCapacity(1 << 12)
    }

    @inline(__always)
    mutating func encode(_ isOne: Bool, _ cell: UnsafeMutablePointer<BitCell>) {
        let bound = BitCells.bound(cell, range)
        if isOne {
            low &+= UInt64(bound)
            range &-= bound
        } else {
            range = bound
        }
        BitCells.learn(cell, isOne)
        while range < 1 << 24 { shift() }
    }

    /// Up to 16 bits of which nothing is known.
    @inline(__always)
    mutating func encode(plain value: UInt32, bits: UInt32) {
        range &>>= bits
        low &+= UInt64(value) &* UInt64(range)
        while range < 1 << 24 { shift() }
    }

    @inline(__always)
    private mutating func shift() {
        range &<<= 8
        put()
    }

    private mutating func put() {
        if low < 0xFF00_0000 || low > 0xFFFF_FFFF {
            let carry = UInt8(truncatingIfNeeded: low &>> 32)
            var byte = cache
            while pending > 0 {
                bytes.append(byte &+ carry)
                byte = 0xFF
                pending -= 1
            }
            cache = UInt8(truncatingIfNeeded: low &>> 24)
        }
        pending += 1
        low = (low & 0x00FF_FFFF) &<< 8
    }

    /// All bytes but the first, which is always 0.
    mutating func finish() -> [UInt8] {
        for _ in 0..<5 { put() }
        return Array(bytes.dropFirst())
    }
}

/// Reads what `RangeEncoder` wrote, and no more than is there.
struct RangeDecoder {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0
    private var range = UInt32.max
    private var code: UInt32 = 0

    /// The bytes have to outlive it.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        for _ in 0..<4 { code = code &<< 8 | next() }
    }

    /// Whether more was read than is there: an encoder writes just as many bytes as are read.
    var isBeyondEnd: Bool { place > bytes.count }

    @inline(__always)
    private mutating func next() -> UInt32 {
        defer { place &+= 1 }
        return place < bytes.count ? UInt32(bytes[place]) : 0
    }

    @inline(__always)
    mutating func decode(_ cell: UnsafeMutablePointer<BitCell>) -> Bool {
        let bound = BitCells.bound(cell, range)
        let isOne = code >= bound
        if isOne {
            code &-= bound
            range &-= bound
        } else {
            range = bound
        }
        BitCells.learn(cell, isOne)
        while range < 1 << 24 { shift() }
        return isOne
    }

    @inline(__always)
    mutating func decode(plainBits bits: UInt32) -> UInt32 {
        range &>>= bits
        let value = min(code / range, 1 &<< bits &- 1)
        code &-= value &* range
        while range < 1 << 24 { shift() }
        return value
    }

    @inline(__always)
    private mutating func shift() {
        range &<<= 8
        code = code &<< 8 | next()
    }
}
