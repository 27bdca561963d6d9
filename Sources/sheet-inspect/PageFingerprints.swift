// SPDX-License-Identifier: Apache-2.0
import Glibc
import SheetCore
import SheetLayout

/// Fingerprints of pages that stay nearly the same when a sheet is saved again, compressed or slightly changed.
/// All arithmetic is in whole numbers, so that every machine gets the same bits.
enum PageFingerprints {
    // MARK: - What a page looks like

    /// Side of the picture that the cosine transform sees.
    private static let side = 32
    /// Side of the corner of low frequencies that is kept.
    private static let corner = 8

    /// Row by row the cosines of the frequencies 0 to 7 over 32 samples, times 4096.
    private static let cosines: [Int] = (0..<corner * side).map { place in
        let (frequency, sample) = (place / side, place % side)
        let angle = Double.pi * Double(frequency) * (Double(sample) + 0.5) / Double(side)
        return Int((cos(angle) * 4096).rounded())
    }

    /// The signs of the lowest frequencies of a page's picture against their median (a pHash).
    static func look(grey: UnsafeBufferPointer<UInt8>, width: Int, height: Int) -> Fingerprint {
        let (small, cosines) = (shrunk(grey, width, height), cosines)
        var rows = [Int](repeating: 0, count: side * corner)
        for y in 0..<side {
            for u in 0..<corner {
                var sum = 0
                for x in 0..<side { sum += small[y * side + x] * cosines[u * side + x] }
                rows[y * corner + u] = sum >> 8
            }
        }
        var waves = [Int](repeating: 0, count: corner * corner)
        for v in 0..<corner {
            for u in 0..<corner {
                var sum = 0
                for y in 0..<side { sum += rows[y * corner + u] * cosines[v * side + y] }
                waves[v * corner + u] = sum
            }
        }
        // The first is the mean brightness: it would drown the others.
        let median = waves.dropFirst().sorted()[31]
        var bits: UInt64 = 0
        for (place, wave) in waves.enumerated() where place > 0 && wave > median { bits |= 1 << UInt64(place) }
        return Fingerprint(bits: bits)
    }

    /// The mean brightness of each of 32 × 32 cells, times 16.
    private static func shrunk(_ grey: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int) -> [Int] {
        var cells = [Int](repeating: 0, count: side * side)
        for row in 0..<side {
            let top = row * height / side
            let bottom = max(top + 1, (row + 1) * height / side)
            for column in 0..<side {
                let left = column * width / side
                let right = max(left + 1, (column + 1) * width / side)
                var sum = 0
                for y in top..<min(bottom, height) {
                    // Thirty-two bits and no checks: so the compiler adds many at a time, and no row is too long.
                    var line: UInt32 = 0
                    for place in y * width + left..<y * width + max(left, min(right, width)) {
                        line &+= UInt32(grey[place])
                    }
                    sum += Int(line)
                }
                cells[row * side + column] = sum * 16 / ((bottom - top) * (right - left))
            }
        }
        return cells
    }

    // MARK: - What a page says

    /// Words in a shingle.
    private static let shingle = 3

    /// A SimHash over runs of three words; `nil` for a page that says nothing.
    static func text(_ words: [Substring]) -> Fingerprint? {
        let words = words.map(Fingerprints.hash)
        guard !words.isEmpty else { return nil }
        var votes = [Int](repeating: 0, count: 64)
        for start in 0...max(0, words.count - shingle) {
            var hash: UInt64 = 0
            for word in words[start..<min(words.count, start + shingle)] { hash = Fingerprints.mix(hash &* 31 &+ word) }
            for bit in 0..<64 { votes[bit] += hash >> UInt64(bit) & 1 == 1 ? 1 : -1 }
        }
        var bits: UInt64 = 0
        for (bit, vote) in votes.enumerated() where vote > 0 { bits |= 1 << UInt64(bit) }
        return Fingerprint(bits: bits)
    }
}

/// Hashing that is the same on every run, unlike `Hasher`.
private enum Fingerprints {
    /// FNV-1a over the letters in UTF-8.
    static func hash(_ word: Substring) -> UInt64 {
        word.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The finalizer of SplitMix64: every bit of the input reaches every bit of the output.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
