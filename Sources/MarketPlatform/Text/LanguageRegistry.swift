// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Which language tags there are, by IANA's Language Subtag Registry, and what people call languages instead.
package struct LanguageRegistry: Sendable {
    /// What this build knows; `scripts/make-language-registry` writes it anew.
    package static let standard = LanguageRegistry(String(decoding: PackageResources.languages_txt, as: UTF8.self))

    private var languages: Set<Substring> = []
    /// Languages that may stand behind another: `zh-yue`.
    private var extended: Set<Substring> = []
    private var scripts: Set<Substring> = []
    private var regions: Set<Substring> = []
    private var variants: Set<Substring> = []
    /// What replaces a withdrawn subtag, or a code that is none because there is a shorter one: `iw`, `deu`.
    private var preferred: [Substring: Substring] = [:]
    /// By what people call a language, in lower case.
    private var tags: [String: String] = [:]
    /// The tags that have names, each with its names in lower case.
    package private(set) var named: [(tag: String, names: [String])] = []

    /// Reads lines of a word and its values; what is not understood is passed over.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let word = words.first else { continue }
            let values = words.dropFirst()
            switch word {
            case "languages": languages.formUnion(values)
            case "extended": extended.formUnion(values)
            case "scripts": scripts.formUnion(values)
            case "regions": regions.formUnion(values)
            case "variants": variants.formUnion(values)
            case "preferred" where values.count == 3:
                preferred["\(values[1])-\(values[2])"] = values[3]
            case "name":
                guard let tag = values.first else { continue }
                let all = line.dropFirst(word.count + tag.count + 2).split(separator: "|").map(String.init)
                for name in all { tags[name] = String(tag) }
                named.append((String(tag), all))
            default: continue
            }
        }
    }

    /// The tag that somebody means by `text`: a tag whose subtags are all registered, in its preferred and usual spelling,
    /// or a language's name in English or in itself. `nil` for anything else.
    package func tag(for text: String) -> LanguageTag? {
        if let tag = tags[text.lowercased()] { return LanguageTag(tag) }
        guard let tag = LanguageTag(text) else { return nil }
        var subtags = tag.text.split(separator: "-", omittingEmptySubsequences: false)
        // An extended language is preferred alone (RFC 5646, section 4.5): `yue`.
        if extended.contains(subtags.prefix(2).joined(separator: "-")[...]) { subtags.removeFirst() }
        guard let language = registered(subtags[0], "language", languages) else { return nil }
        subtags[0] = language
        for index in subtags.indices.dropFirst() {
            // What follows a single letter is an extension's, or private; the registry does not list it.
            if subtags[index].count == 1 { break }
            guard let subtag = registered(subtags[index], at: index) else { return nil }
            subtags[index] = subtag
        }
        return LanguageTag(subtags.joined(separator: "-"))
    }

    private func registered(_ subtag: Substring, at index: Int) -> Substring? {
        switch subtag.count {
        case 2: registered(subtag, "region", regions)
        case 3 where subtag.allSatisfy(\.isNumber): regions.contains(subtag) ? subtag : nil
        case 3: nil
        case 4 where subtag.first?.isLetter == true: scripts.contains(subtag) ? subtag : nil
        default: variants.contains(subtag) ? subtag : nil
        }
    }

    private func registered(_ subtag: Substring, _ kind: String, _ known: Set<Substring>) -> Substring? {
        preferred["\(kind)-\(subtag)"] ?? (known.contains(subtag) ? subtag : nil)
    }
}
