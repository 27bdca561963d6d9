// SPDX-License-Identifier: Apache-2.0

/// Words that tell what a part of a sheet is for, per game system and language: read from `Data/terms.json`.
struct RegionTerms: Sendable {
    /// What the part that says who a character is asks for.
    let identity: Set<String>
    /// The names of ability scores, which look like headings and are none.
    let abilities: Set<String>
    /// The kind of section that a heading of these words has.
    private let kinds: [String: String]
    /// Kinds of the single words that headings are made of.
    private let wordKinds: [String: String]

    /// The terms that ship.
    static let standard = RegionTerms(json: PackageResources.terms_json) ?? RegionTerms()

    private init() {
        (identity, abilities, kinds, wordKinds) = ([], [], [:], [:])
    }

    /// `nil` for what is not a file of terms.
    init?(json: [UInt8]) {
        guard let vocabularies = ShippedJSON(json)?["vocabularies"]?.items else { return nil }
        func words(_ name: String) -> [String] {
            vocabularies.flatMap { $0[name]?.texts ?? [] }.flatMap(Self.words(of:))
        }
        identity = Set(words("identityFields"))
        abilities = Set(words("abilityNames"))
        var kinds: [String: String] = [:]
        var wordKinds: [String: String] = [:]
        for vocabulary in vocabularies {
            // What two kinds claim goes to the first of the vocabulary, in the order of their names.
            for (kind, terms) in vocabulary["kinds"]?.members ?? [] {
                for term in terms.texts {
                    let words = Self.words(of: term)
                    let phrase = words.joined(separator: " ")
                    kinds[phrase] = kinds[phrase] ?? kind
                    if words.count == 1, phrase.count > 3 { wordKinds[phrase] = wordKinds[phrase] ?? kind }
                }
            }
        }
        self.kinds = kinds
        self.wordKinds = wordKinds
    }

    /// Whether a line of these words names a known section of a sheet.
    func isSection(_ words: [String]) -> Bool {
        guard !words.isEmpty, words.count <= 6 else { return false }
        if kinds[words.joined(separator: " ")] != nil { return true }
        return words.count <= 4 && 2 * words.count(where: { wordKinds[$0] != nil }) >= words.count
    }

    /// The kind of section that a heading names, or `nil`.
    func kind(ofHeading heading: String) -> String? {
        let words = Self.words(of: heading)
        if let kind = kinds[words.joined(separator: " ")] { return kind }
        return words.lazy.compactMap { wordKinds[$0] }.first
    }

    /// The words of a line, bare and in lower case.
    static func words(of line: TextLine) -> [String] { words(of: line.text) }

    /// The words of a text, bare and in lower case.
    static func words(of text: String) -> [String] {
        // Most terms are a word as it is to be.
        if !text.isEmpty, text.utf8.allSatisfy({ (97...122).contains($0) }) { return [text] }
        guard text.isPlain else { return text.lowercased().split { !$0.isLetter }.map(String.init) }
        return text.lowercased().utf8.split { !(97...122).contains($0) }.map { String(Substring($0)) }
    }
}
