// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The texts of a language by the English ones, and how it counts.
package struct PhraseCatalog: Sendable {
    /// English needs no texts but its own.
    package static let english = PhraseCatalog(language: .english, entries: [])

    package let language: PageLanguage
    private var texts: [String: String] = [:]
    private var plurals: [String: [String]] = [:]
    /// The English for one by that for many.
    private var singulars: [String: String] = [:]
    /// Texts with values in them, cut at the values, to know whole texts by.
    private var patterns: [(pieces: [Substring], text: String)] = []

    package init(language: PageLanguage, entries: [GettextEntry]) {
        self.language = language
        for entry in entries where !entry.translations.contains("") {
            if entry.plural == nil {
                texts[entry.context.map { Self.key($0, entry.id) } ?? entry.id] = entry.translations[0]
            } else {
                plurals[entry.id] = entry.translations
                singulars[entry.plural ?? entry.id] = entry.id
            }
            // Only sentences and what has a colon: "{} to {}" would fit too much.
            if entry.plural == nil, entry.id.contains("{}"), entry.id.contains(where: { ".:…".contains($0) }) {
                let pieces = entry.id.split(separator: "{}", omittingEmptySubsequences: false)
                // Without words of its own a pattern would fit everything.
                if pieces.contains(where: { $0.contains(where: \.isLetter) }) {
                    patterns.append((pieces, entry.translations[0]))
                }
            }
        }
        // The one that says most fits best.
        func said(_ pieces: [Substring]) -> Int { pieces.reduce(0) { $0 + $1.count } }
        patterns.sort { said($0.pieces) > said($1.pieces) }
    }

    /// The text for an English one; `nil` where there is none.
    package subscript(_ english: String) -> String? { texts[english] }

    /// The same where it has another meaning in one place.
    package subscript(_ english: String, in context: String) -> String? {
        texts[Self.key(context, english)] ?? texts[english]
    }

    private static func key(_ context: String, _ id: String) -> String { "\(context)\u{4}\(id)" }

    /// English and German have one form for one, and another for all other numbers.
    func plural(_ number: Int, one: String, many: String) -> String {
        let forms = plurals[one] ?? [one, many]
        return Self.fill(number == 1 ? forms[0] : forms.last ?? many, [self.number(number)])
    }

    func number(_ value: Int) -> String { value.formatted(.number.locale(language.locale)) }

    /// The text for a whole English one that holds its values already.
    func told(_ english: String) -> String? {
        if language == .english { return nil }
        if let text = texts[english] { return text }
        for (pieces, text) in patterns {
            if let values = Self.values(in: english, between: pieces) {
                return Self.fill(text, values.map(value))
            }
        }
        return nil
    }

    /// A value within such a text, which may be words itself: `published`, `3 days`.
    private func value(_ english: String) -> String {
        if let text = texts[english] { return text }
        let parts = english.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0].filter { $0 != "," }) else { return english }
        let counted = "{} \(parts[1])"
        let one = singulars[counted] ?? counted
        return plurals[one] == nil ? english : plural(number, one: one, many: counted)
    }

    /// What stands between the pieces, where the text is made of them.
    private static func values(in text: String, between pieces: [Substring]) -> [String]? {
        guard let first = pieces.first, let last = pieces.last, text.hasPrefix(first), text.hasSuffix(last) else {
            return nil
        }
        var rest = text.dropFirst(first.count)
        var values: [String] = []
        for (place, piece) in pieces.enumerated().dropFirst() {
            if place == pieces.count - 1 {
                guard rest.count >= piece.count, !rest.isEmpty || piece.isEmpty else { return nil }
                values.append(String(rest.dropLast(piece.count)))
            } else {
                guard let found = rest.firstRange(of: piece) else { return nil }
                values.append(String(rest[..<found.lowerBound]))
                rest = rest[found.upperBound...]
            }
        }
        return values
    }

    /// Puts values into the places of `{}`, in order, and of `{1}`, `{2}`.
    static func fill(_ text: String, _ values: [String]) -> String {
        var filled = ""
        var next = 0
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            let name = rest[rest.index(after: open)..<close]
            if name.isEmpty, values.indices.contains(next) {
                filled += values[next]
                next += 1
            } else if let number = Int(name), values.indices.contains(number - 1) {
                filled += values[number - 1]
            } else {
                filled += rest[open...close]
            }
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }
}
