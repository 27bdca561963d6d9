// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Unpacks Deflate (RFC 1951): never more than is promised, whatever the bytes say.
struct Inflate {
    /// Codes by their lengths, shortest first: how many there are of each, and what they stand for.
    private struct Codes {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int]

        /// `nil` if more codes are told than there can be.
        init?(_ lengths: ArraySlice<Int>) {
            for length in lengths { counts[length] += 1 }
            var left = 1
            for length in 1...15 {
                left = left << 1 - counts[length]
                if left < 0 { return nil }
            }
            var places = [Int](repeating: 0, count: 16)
            for length in 1..<15 { places[length + 1] = places[length] + counts[length] }
            symbols = [Int](repeating: 0, count: lengths.count)
            for (symbol, length) in lengths.enumerated() where length > 0 {
                symbols[places[length]] = symbol
                places[length] += 1
            }
            counts[0] = 0
        }
    }

    private var feed: ArchiveFeed
    private var held: UInt32 = 0
    private var bits = 0
    private var made: [UInt8] = []
    private let most: Int

    private init(_ feed: ArchiveFeed, most: Int) {
        self.feed = feed
        self.most = most
        made.reserveCapacity(min(most, 16 << 20))
    }

    /// The bytes that were packed; `nil` if the packing is damaged, goes on, or makes another number of bytes.
    static func unpack(_ feed: ArchiveFeed, count: Int) -> [UInt8]? {
        var inflate = Inflate(feed, most: count)
        guard inflate.unpack(), inflate.made.count == count, inflate.feed.isAtEnd else { return nil }
        return inflate.made
    }

    private mutating func unpack() -> Bool {
        while true {
            guard let isLast = take(1), let kind = take(2) else { return false }
            let isRead =
                switch kind {
                case 0: stored()
                case 1: packed(Self.fixedCodes)
                case 2: tables().map { packed($0) } ?? false
                default: false
                }
            guard isRead else { return false }
            if isLast == 1 { return true }
        }
    }

    private mutating func take(_ count: Int) -> Int? {
        while bits < count {
            guard let byte = feed.next() else { return nil }
            held |= UInt32(byte) << UInt32(bits)
            bits += 8
        }
        defer {
            held >>= UInt32(count)
            bits -= count
        }
        return Int(held & (1 << UInt32(count) - 1))
    }

    private mutating func stored() -> Bool {
        (held, bits) = (0, 0)
        guard let length = take(16), let check = take(16), length == ~check & 0xFFFF, made.count + length <= most
        else { return false }
        for _ in 0..<length {
            guard let byte = feed.next() else { return false }
            made.append(byte)
        }
        return true
    }

    private mutating func symbol(_ codes: Codes) -> Int? {
        var (code, first, index) = (0, 0, 0)
        for length in 1...15 {
            guard let bit = take(1) else { return nil }
            code |= bit
            let count = codes.counts[length]
            if code - count < first { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        return nil
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private static let fixedCodes: (Codes, Codes)? = {
        let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
        guard let letters = Codes(lengths[...]), let distances = Codes([Int](repeating: 5, count: 30)[...]) else {
            return nil
        }
        return (letters, distances)
    }()

    private mutating func packed(_ codes: (Codes, Codes)?) -> Bool {
        guard let (letters, distances) = codes else { return false }
        while true {
            guard let letter = symbol(letters) else { return false }
            if letter < 256 {
                guard made.count < most else { return false }
                made.append(UInt8(letter))
                continue
            }
            if letter == 256 { return true }
            guard letter - 257 < Self.lengthBases.count, let more = take(Self.lengthBits[letter - 257]),
                let far = symbol(distances), far < Self.distanceBases.count,
                let moreFar = take(far < 4 ? 0 : far / 2 - 1)
            else { return false }
            let length = Self.lengthBases[letter - 257] + more
            let distance = Self.distanceBases[far] + moreFar
            guard distance <= made.count, made.count + length <= most else { return false }
            for _ in 0..<length { made.append(made[made.count - distance]) }
        }
    }

    private mutating func tables() -> (Codes, Codes)? {
        guard let letters = take(5), let distances = take(5), let told = take(4), letters <= 29, distances <= 29 else {
            return nil
        }
        var lengths = [Int](repeating: 0, count: 19)
        for place in 0..<told + 4 {
            guard let length = take(3) else { return nil }
            lengths[Self.lengthOrder[place]] = length
        }
        guard let codes = Codes(lengths[...]) else { return nil }
        let count = letters + 257 + distances + 1
        var all: [Int] = []
        while all.count < count {
            guard let symbol = symbol(codes) else { return nil }
            switch symbol {
            case ..<16: all.append(symbol)
            case 16:
                guard let last = all.last, let more = take(2) else { return nil }
                all += [Int](repeating: last, count: 3 + more)
            default:
                guard let more = take(symbol == 17 ? 3 : 7) else { return nil }
                all += [Int](repeating: 0, count: (symbol == 17 ? 3 : 11) + more)
            }
        }
        guard all.count == count, all[256] > 0, let first = Codes(all[..<(letters + 257)]),
            let second = Codes(all[(letters + 257)...])
        else { return nil }
        return (first, second)
    }
}
