// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Tables to draw from, made of vocabulary packs and skill libraries.
///
/// What is local overrides what is imported: a word with the same text and category, a phrase with the same name. Among
/// packs of one scope the earlier one wins.
public struct Oracle: Sendable {
    /// Names, meanings and so on that a table can give.
    public struct Entry: Sendable, Hashable, Codable {
        /// In its own script.
        public var text: String
        /// How it is written in Latin letters.
        public var romanization: String?
        /// What it means.
        public var meaning: String?
    }

    /// What was drawn.
    public struct Answer: Sendable, Hashable, Codable {
        /// The table or the phrase.
        public var source: String
        /// What was written, as plain text or Markdown.
        public var text: String
        /// How it is written in Latin letters.
        public var romanization: String?
        /// What it means.
        public var meaning: String?
        /// What it was made of.
        public var parts: [Entry]
    }

    /// A table by name.
    public struct Table: Sendable, Hashable, Codable {
        /// What people call it.
        public var name: String
        /// All entries, in their order.
        public var entries: [Entry]
    }

    /// Sorted by name.
    public let tables: [Table]
    /// Sorted by name.
    public let phrases: [VocabularyPack.Phrase]
    private let byName: [String: Int]

    /// The table of words without a category.
    public static let words = "words"

    /// Composes packs and libraries of both scopes; skills are tables by category.
    public init(
        local: [VocabularyPack] = [], imported: [VocabularyPack] = [], skills: [SkillLibrary.Skill] = []
    ) {
        var tables: [String: Table] = [:]
        var seen: Set<String> = []
        var phrases: [String: VocabularyPack.Phrase] = [:]
        for pack in local + imported {
            for word in pack.words {
                let category = word.category.flatMap { $0.isEmpty ? nil : $0 } ?? Self.words
                let key = Self.key(category)
                guard seen.insert("\(key)\n\(word.word)").inserted else { continue }
                tables[key, default: Table(name: category, entries: [])].entries.append(
                    Entry(text: word.word, romanization: word.romanization, meaning: word.meaning))
            }
            for phrase in pack.phrases where phrases[Self.key(phrase.name)] == nil {
                phrases[Self.key(phrase.name)] = phrase
            }
        }
        for skill in skills {
            let category = skill.category.flatMap { $0.isEmpty ? nil : $0 } ?? "skills"
            tables[Self.key(category), default: Table(name: category, entries: [])].entries.append(
                Entry(text: skill.name, romanization: nil, meaning: skill.description))
        }
        let sorted = tables.sorted { $0.key < $1.key }
        self.tables = sorted.map(\.value)
        byName = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1.key, $0) })
        self.phrases = phrases.sorted { $0.key < $1.key }.map(\.value)
    }

    /// A table by its name, in any case of letters.
    public func table(_ name: String) -> Table? {
        byName[Self.key(name)].map { tables[$0] }
    }

    /// Draws from the table of that name, or makes the phrase of that name; `nil` when there is neither.
    public func draw(_ name: String, using generator: inout some RandomNumberGenerator) -> Answer? {
        if let table = table(name) {
            let entry = table.entries[generator.number(below: table.entries.count)]
            return Answer(
                source: table.name, text: entry.text, romanization: entry.romanization, meaning: entry.meaning,
                parts: [entry])
        }
        return phrases.first { Self.key($0.name) == Self.key(name) }.map { make($0, &generator) }
    }

    /// Fills a phrase: fixed text stays, a category gives one of its words, and so does a type that is a category.
    /// Where nothing fits the type stands in brackets. Each `…` of the meaning takes one of the meanings that were
    /// drawn.
    private func make(
        _ phrase: VocabularyPack.Phrase, _ generator: inout some RandomNumberGenerator
    ) -> Answer {
        var parts: [Entry] = []
        var drawn: [String] = []
        for component in phrase.components {
            if let text = component.text {
                parts.append(Entry(text: text))
            } else if let table = table(component.category ?? component.type) {
                let entry = table.entries[generator.number(below: table.entries.count)]
                parts.append(entry)
                if let meaning = entry.meaning { drawn.append(meaning) }
            } else {
                parts.append(Entry(text: "[\(component.category ?? component.type)]"))
            }
        }
        let romanized = parts.map { $0.romanization ?? $0.text }.joined(separator: " ")
        var meaning = ""
        var left = drawn[...]
        for character in phrase.meaning ?? "" {
            meaning += character == "…" ? left.popFirst() ?? "…" : String(character)
        }
        let text = parts.map(\.text).joined(separator: " ")
        return Answer(
            source: phrase.name, text: text, romanization: romanized == text ? nil : romanized,
            meaning: phrase.meaning == nil ? nil : meaning, parts: parts)
    }

    /// Names are the same in any case of letters, composed or not.
    private static func key(_ name: String) -> String {
        UnicodeText.composed(name).lowercased()
    }
}

/// Skill libraries put together.
public enum SkillComposition {
    /// A library's skills, its imported ones filled in from the libraries that they name.
    ///
    /// A skill is found by its id in the library of the source's name, and of its version if it gives one. What the
    /// importing library says itself overrides what the source says; prerequisites are those of the importing library
    /// alone, where their ids mean something. A source that was imported itself is followed.
    public static func resolved(
        _ library: SkillLibrary, from libraries: [(library: SkillLibrary, version: String?)]
    ) -> (skills: [SkillLibrary.Skill], missing: [String]) {
        var missing: [String] = []
        let skills = library.templates.map { skill in
            var made = skill
            var source = skill.scope == .imported ? skill.source : nil
            // No chain is longer than there are libraries, unless it goes in a circle.
            var left = libraries.count
            while let wanted = source, left > 0 {
                left -= 1
                let origin = libraries.first {
                    $0.library.name == wanted.library && (wanted.version == nil || $0.version == wanted.version)
                }
                guard let found = origin?.library.templates.first(where: { $0.id == skill.id }) else { break }
                made.category = made.category ?? found.category
                made.attribute = made.attribute ?? found.attribute
                made.description = made.description ?? found.description
                made.maximumRank = made.maximumRank ?? found.maximumRank
                made.tags = made.tags ?? found.tags
                source = found.scope == .imported ? found.source : nil
                if source == nil { return made }
            }
            if source != nil { missing.append(skill.id) }
            return made
        }
        return (skills, missing)
    }
}
