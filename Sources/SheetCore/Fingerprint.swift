// SPDX-License-Identifier: Apache-2.0

/// 64 bits that stay nearly the same when what they were taken of stays nearly the same: what a page looks like, or
/// what it says. Written as 16 hexadecimal digits.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// Two alike differ in few of the 64.
    public let bits: UInt64

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

/// By what a page is known again in another file: its size, what it looks like, what it says.
public struct PageSignature: Hashable, Sendable {
    /// Width of the displayed page, in points.
    public let width: Double
    /// Height of the displayed page, in points.
    public let height: Double
    /// What it looks like.
    public let look: Fingerprint
    /// What it says; `nil` when it says nothing.
    public let text: Fingerprint?

    /// In at most so many bits the looks of the same page differ. (Half of the bits are set, so that looks differ in an
    /// even number of bits.)
    public static let lookDistance = 8
    /// The same for pages that say nothing: with only frames and lines, two sheets of one family can be 6 bits apart.
    public static let silentLookDistance = 2
    /// In at most so many bits the texts of the same page differ; short texts change much with one word.
    public static let textDistance = 16
    /// By at most so many points its sides differ: programs round them.
    public static let sizeTolerance = 1.0

    public init(width: Double, height: Double, look: Fingerprint, text: Fingerprint?) {
        self.width = width
        self.height = height
        self.look = look
        self.text = text
    }

    /// Whether both are the same page, saved again or slightly changed: same size, looks and text alike. A page that
    /// says something is never the same as one that says nothing, and empty pages are not told from each other.
    public func isSamePage(as other: PageSignature) -> Bool {
        guard !isEmpty, !other.isEmpty, abs(width - other.width) <= Self.sizeTolerance,
            abs(height - other.height) <= Self.sizeTolerance, look.distance(to: other.look) <= Self.lookDistance
        else { return false }
        switch (text, other.text) {
        case (nil, nil): return look.distance(to: other.look) <= Self.silentLookDistance
        case (let mine?, let theirs?): return mine.distance(to: theirs) <= Self.textDistance
        default: return false
        }
    }

    /// Whether nothing is to be seen.
    public var isEmpty: Bool { look.bits == 0 }

    /// How unlike two pages are, for choosing the nearest of several.
    public func distance(to other: PageSignature) -> Int {
        let texts = [text, other.text].compactMap { $0 }
        return 64 * look.distance(to: other.look) + (texts.count == 2 ? texts[0].distance(to: texts[1]) : 0)
    }
}
