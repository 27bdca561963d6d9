// SPDX-License-Identifier: Apache-2.0

extension PageSignature {
    /// What looks and texts of near-duplicates may differ in together; unrelated pages differ in about 64 bits.
    /// docs/near-duplicates.md has the measurements behind these numbers.
    public static let togetherDistance = 28
    /// A text that differs in no more bits is the same, whatever the page looks like now.
    public static let sameTextDistance = 7
    /// Texts of fewer characters say too little to know a page by.
    public static let leastCharacters = 60
    /// How far looks of pages may differ of which one has no text: a scan has none.
    public static let scanLookDistance = 6
    /// The same where neither has any. Sheets of one family can be 6 bits apart.
    public static let silentNearLookDistance = 4
    /// How much the proportions of two pages may differ: a margin cut off.
    public static let proportionTolerance = 0.06
    /// The same where only looks are compared.
    public static let silentProportionTolerance = 0.012

    /// Whether one page could be made of the other: saved again, printed, with other colours, a margin cut off, another
    /// size of paper, some words changed. Says yes more often than `isSamePage`, for a person to look.
    /// `characters` is the smaller count of the two texts.
    public func isNearDuplicate(of other: PageSignature, characters: Int) -> Bool {
        guard !isEmpty, !other.isEmpty else { return false }
        if isSamePage(as: other) { return true }
        let looks = look.distance(to: other.look)
        guard let mine = text, let theirs = other.text else {
            let limit = text == nil && other.text == nil ? Self.silentNearLookDistance : Self.scanLookDistance
            return looks <= limit && hasProportions(of: other, within: Self.silentProportionTolerance)
        }
        let texts = mine.distance(to: theirs)
        let isCandidate =
            looks <= Self.lookDistance || texts <= Self.sameTextDistance && characters >= Self.leastCharacters
        return isCandidate && looks + texts <= Self.togetherDistance
            && hasProportions(of: other, within: Self.proportionTolerance)
    }

    private func hasProportions(of other: PageSignature, within tolerance: Double) -> Bool {
        abs(width * other.height - other.width * height) <= tolerance * other.width * height
    }
}
