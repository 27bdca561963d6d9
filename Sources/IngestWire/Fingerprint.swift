// SPDX-License-Identifier: Apache-2.0

/// 64 bits that stay nearly the same when what they were taken of stays nearly the same: what a page looks like, or
/// what it says. Written as 16 hexadecimal digits.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The bits.
    public let bits: UInt64

    /// The bits as they are.
    public init(bits: UInt64) {
        self.bits = bits
    }

    /// Reads 16 hexadecimal digits in lower case; `nil` for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == 16,
            text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
            let bits = UInt64(text, radix: 16)
        else { return nil }
        self.bits = bits
    }

    /// 16 hexadecimal digits.
    public var description: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// In how many of the 64 bits two fingerprints differ; unrelated pages differ in about 32.
    public func distance(to other: Fingerprint) -> Int {
        (bits ^ other.bits).nonzeroBitCount
    }
}
