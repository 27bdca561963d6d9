// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Which bin signs for which path: as many bins as a power of two says, by the beginning of the SHA-256 of the path
/// (PEP 458 calls this hashed bins).
package struct BinLayout: Sendable, Equatable {
    /// With this many, a client reads least to learn of one version in markets of some ten thousand; docs/trust.md has
    /// the figures.
    package static let usualCount = 1024
    /// For a market on one machine: signed at its first start before the first client asks, and best for some 700 files.
    package static let smallCount = 64

    package let count: Int
    /// Hexadecimal digits that tell the bin.
    private let digits: Int

    /// `count` is 16, 32, … 16,384.
    package init?(count: Int) {
        guard (16...16_384).contains(count), count.nonzeroBitCount == 1 else { return nil }
        self.count = count
        digits = (count.trailingZeroBitCount + 3) / 4
    }

    /// The role's name.
    package func name(_ number: Int) -> String {
        let text = String(number, radix: 16)
        return "bin-" + String(repeating: "0", count: digits - text.count) + text
    }

    /// The bin of a path.
    package func bin(of path: String) -> Int {
        let hash = ContentHash(hashing: Data(path.utf8)).bytes
        return (Int(hash[0]) << 8 | Int(hash[1])) >> (16 - count.trailingZeroBitCount)
    }

    /// The beginnings of hashes that are a bin's.
    func prefixes(_ number: Int) -> [String] {
        let each = (1 << (4 * digits)) / count
        return (number * each..<(number + 1) * each).map { value in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: digits - text.count) + text
        }
    }

    /// All bins as the targets delegate to them.
    package func delegations(to keys: TrustRoleKeys) -> [DelegatedRole] {
        (0..<count).map { DelegatedRole(bin: name($0), keys: keys, pathHashPrefixes: prefixes($0)) }
    }
}
