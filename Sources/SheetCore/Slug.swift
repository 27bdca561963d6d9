// SPDX-License-Identifier: Apache-2.0

/// A short name for addresses: lower-case ASCII letters, digits and single hyphens, 1 to 64 of them.
public struct Slug: Hashable, Sendable {
    /// The slug itself.
    public let text: String

    /// Longest slug, in characters.
    public static let maximumLength = 64

    /// Takes a well-formed slug as it is; `nil` for anything else.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let hyphen = UInt8(ascii: "-")
        // None stands at the beginning, at the end, or beside another.
        var last = hyphen
        for byte in text.utf8 {
            guard (97...122).contains(byte) || (48...57).contains(byte) || (byte == hyphen && last != hyphen) else {
                return nil
            }
            last = byte
        }
        guard last != hyphen else { return nil }
        self.text = text
    }

    /// Makes a slug of a title: accents are taken off, other scripts transliterated, the rest becomes hyphens.
    /// `nil` when nothing readable remains.
    public init?(slugging title: String) {
        let plain = Self.withoutAccents(title) ?? Self.transliterated(title)
        var made = ""
        for character in plain.lowercased().unicodeScalars {
            if ("a"..."z").contains(character) || ("0"..."9").contains(character) {
                made.unicodeScalars.append(character)
            } else if character != "'" && character != "\u{2019}", !made.isEmpty, !made.hasSuffix("-") {
                made.append("-")
            }
        }
        made = String(made.prefix(Self.maximumLength))
        while made.hasSuffix("-") { made.removeLast() }
        guard let slug = Slug(made) else { return nil }
        self = slug
    }

    /// The title without its accents, when it is ASCII then.
    private static func withoutAccents(_ title: String) -> String? {
        if title.utf8.allSatisfy({ $0 < 128 }) { return title }
        let letters = UnicodeText.decomposed(title).unicodeScalars.filter {
            $0.properties.generalCategory != .nonspacingMark
        }.map { $0.isASCII ? $0 : punctuation[$0] ?? $0 }
        return letters.allSatisfy(\.isASCII) ? String(String.UnicodeScalarView(letters)) : nil
    }

    /// What the tables make of the punctuation of books; three full stops are as good as one here. And boxes to tick and
    /// bullets, which stay what they are: no letters.
    static let punctuation: [Unicode.Scalar: Unicode.Scalar] = {
        let marks = "☐☑☒□■▢○●◯◦•‣▪▫❏❑❍"
        let book: [Unicode.Scalar: Unicode.Scalar] = [
            "\u{2013}": "-", "\u{2014}": "-", "\u{2018}": "'", "\u{2019}": "'", "\u{201C}": "\"", "\u{201D}": "\"",
            "\u{2026}": ".",
        ]
        return book.merging(marks.unicodeScalars.map { ($0, "-") }) { first, _ in first }
    }()

    /// Only for titles that need it: the tables of all scripts take milliseconds to load. What has no ASCII loses what is put
    /// on, around or between its letters.
    static func transliterated(_ title: String) -> String {
        let letters = UnicodeText.decomposed(UnicodeText.latin(title)).unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: false
            default: !scalar.properties.isJoinControl
            }
        }
        return String(String.UnicodeScalarView(letters))
    }
}

extension Slug: CustomStringConvertible {
    public var description: String { text }
}
