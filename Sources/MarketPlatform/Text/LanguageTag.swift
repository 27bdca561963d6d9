// SPDX-License-Identifier: Apache-2.0

/// A language tag that is well-formed by BCP 47 (RFC 5646, section 2.1), in its usual spelling: `de`, `pt-BR`,
/// `zh-Hant`.
package struct LanguageTag: Equatable, Sendable {
    package let text: String

    /// Longest tag that is taken; RFC 5646 (section 4.4.1) advises to provide for 35 characters.
    static let maximumLength = 35

    /// Reads a tag; `nil` for anything that is not well-formed. `LanguageRegistry` says which there are.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        var subtags = text.split(separator: "-", omittingEmptySubsequences: false).map { $0.lowercased() }[...]
        let all = subtags
        guard all.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isAlphanumeric) }),
            let language = subtags.popFirst(), (2...8).contains(language.count), Self.isAlphabetic(language)
        else { return nil }
        var made = [language]
        if language.count <= 3 {
            while made.count < 4, let next = subtags.first, next.count == 3, Self.isAlphabetic(next) {
                made.append(next)
                subtags.removeFirst()
            }
        }
        if let next = subtags.first, next.count == 4, Self.isAlphabetic(next) {
            made.append(DisplayText.sentence(next))
            subtags.removeFirst()
        }
        if let next = subtags.first, Self.isRegion(next) {
            made.append(next.uppercased())
            subtags.removeFirst()
        }
        while let next = subtags.first, Self.isVariant(next) {
            made.append(next)
            subtags.removeFirst()
        }
        guard Self.areExtensions(subtags) else { return nil }
        self.text = (made + subtags).joined(separator: "-")
    }

    private static func isRegion(_ subtag: String) -> Bool {
        subtag.count == 2 && isAlphabetic(subtag) || subtag.count == 3 && subtag.utf8.allSatisfy(isDigit)
    }

    private static func isVariant(_ subtag: String) -> Bool {
        subtag.count >= 5 || subtag.count == 4 && subtag.utf8.first.map(isDigit) == true
    }

    /// Whether what is left is `singleton subtag+` any number of times, `x` (private use) being the last.
    private static func areExtensions(_ subtags: ArraySlice<String>) -> Bool {
        var isPrivate = false
        var needsMore = false
        for subtag in subtags {
            if subtag.count == 1 && !isPrivate {
                if needsMore { return false }
                isPrivate = subtag == "x"
                needsMore = true
            } else {
                let mayStand = isPrivate || (subtag.count >= 2 && subtag != subtags.first)
                guard mayStand else { return false }
                needsMore = false
            }
        }
        return !needsMore
    }

    private static func isAlphabetic(_ subtag: String) -> Bool { subtag.utf8.allSatisfy { (97...122).contains($0) } }
    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isDigit(byte) || (97...122).contains(byte) || (65...90).contains(byte)
    }
}
