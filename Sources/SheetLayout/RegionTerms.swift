// SPDX-License-Identifier: Apache-2.0

/// Words that tell what a part of a sheet is for, per game system and language: read from `Data/terms.txt`.
struct RegionTerms: Sendable {
    /// What the part that says who a character is asks for.
    private(set) var identity: Set<String> = []
    /// The names of ability scores, which look like headings and are none.
    private(set) var abilities: Set<String> = []
    /// The kind of section that a heading of these words has.
    private var kinds: [String: String] = [:]

    /// The terms that ship.
    static let standard = RegionTerms(PackageResources.terms_txt)

    /// Takes `TermLines` whose names are those above or kinds of sections, and whose terms are in lower case.
    init(_ text: [UInt8]) {
        kinds.reserveCapacity(1_200)
        identity.reserveCapacity(300)
        abilities.reserveCapacity(300)
        TermLines.read(text) { _, name, term in
            switch name {
            case "identityFields": Self.forEachWord(of: term) { identity.insert($0) }
            case "abilityNames": Self.forEachWord(of: term) { abilities.insert($0) }
            default:
                let phrase = String(decoding: term, as: UTF8.self)
                // What two kinds claim goes to the first.
                if kinds[phrase] == nil { kinds[phrase] = name }
            }
        }
    }

    private static func forEachWord(of term: ArraySlice<UInt8>, _ take: (String) -> Void) {
        TermLines.forEachPart(of: term, UInt8(ascii: " ")) { take(String(decoding: $0, as: UTF8.self)) }
    }

    /// Whether a line of these words names a known section of a sheet.
    func isSection(_ words: [String]) -> Bool {
        guard !words.isEmpty, words.count <= 6 else { return false }
        if kinds[words.joined(separator: " ")] != nil { return true }
        return words.count <= 4 && 2 * words.count(where: { kind(ofWord: $0) != nil }) >= words.count
    }

    /// The kind of section that a heading names, or `nil`.
    func kind(ofHeading heading: String) -> String? {
        let words = Self.words(of: heading)
        if let kind = kinds[words.joined(separator: " ")] { return kind }
        return words.lazy.compactMap { kind(ofWord: $0) }.first
    }

    /// Of one word among others. Short words mean much, but for those of scripts in which two characters are a word.
    private func kind(ofWord word: String) -> String? {
        let isDense = word.unicodeScalars.first.map { (0x3040...0x9FFF).contains($0.value) } ?? false
        return word.characterCount > (isDense ? 1 : 3) ? kinds[word] : nil
    }

    /// The words of a text, bare and in lower case.
    static func words(of text: String) -> [String] {
        // Most terms are a word as it is to be.
        if !text.isEmpty, text.utf8.allSatisfy({ (97...122).contains($0) }) { return [text] }
        guard text.isPlain else { return text.lowercased().split { !$0.isLetter }.map(String.init) }
        return text.lowercased().utf8.split { !(97...122).contains($0) }.map { String(Substring($0)) }
    }
}
