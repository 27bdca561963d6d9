// SPDX-License-Identifier: Apache-2.0

/// A place in the log of all changes (PostgreSQL's LSN): whoever has got there has seen what was written before.
package struct LogPosition: Sendable, Comparable, Hashable, CustomStringConvertible {
    private let value: UInt64

    /// Nobody gets there: for what must be read from the primary, since it is unknown how far a replica must be.
    package static let unreachable = LogPosition(value: .max)

    private init(value: UInt64) {
        self.value = value
    }

    /// Reads `16/B374D848`, as PostgreSQL writes it.
    package init?(_ text: some StringProtocol) {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ (1...8).contains($0.utf8.count) && $0.first?.isHexDigit == true }),
            let high = UInt64(halves[0], radix: 16), let low = UInt64(halves[1], radix: 16)
        else { return nil }
        value = high << 32 | low
    }

    package static func < (one: Self, other: Self) -> Bool { one.value < other.value }

    package var description: String {
        "\(String(value >> 32, radix: 16, uppercase: true))/\(String(value & 0xFFFF_FFFF, radix: 16, uppercase: true))"
    }
}
