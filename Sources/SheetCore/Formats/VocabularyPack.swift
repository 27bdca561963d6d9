// SPDX-License-Identifier: Apache-2.0

/// Words and phrase structures of a language, for players and tables that make names and phrases of them.
public struct VocabularyPack: JSONFormat, Equatable {
    /// How hard a word is: packs say it as a number or in a word.
    public enum Difficulty: Sendable, Codable, Equatable, CustomStringConvertible {
        /// 0…100; what a step means is for the pack to say.
        case level(Int)
        /// As the pack has it, such as `hard`; for people.
        case word(String)

        /// Reads a whole number or text.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // What is no number is text, or an error.
            if let level = try? container.decode(Int.self) {
                self = .level(level)
            } else {
                self = .word(try container.decode(String.self))
            }
        }

        /// Writes what was read.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .level(let level): try container.encode(level)
            case .word(let word): try container.encode(word)
            }
        }

        /// For people.
        public var description: String {
            switch self {
            case .level(let level): "level \(level)"
            case .word(let word): word
            }
        }

        var isSound: Bool {
            switch self {
            case .level(let level): (0...100).contains(level)
            case .word(let word): (1...40).contains(word.count) && word.utf8.count <= 320 && PlainText.isPlain(word)
            }
        }
    }

    /// One word of a language.
    public struct Word: Sendable, Codable, Equatable {
        /// In its own script.
        public var word: String
        /// How it is written in Latin letters.
        public var romanization: String
        /// What it means.
        public var meaning: String
        /// A word that groups them.
        public var category: String?
        /// How hard it is to learn.
        public var difficulty: Difficulty?

        public init(
            word: String, romanization: String, meaning: String, category: String? = nil,
            difficulty: Difficulty? = nil
        ) {
            self.word = word
            self.romanization = romanization
            self.meaning = meaning
            self.category = category
            self.difficulty = difficulty
        }

        private enum CodingKeys: String, CodingKey {
            case word, korean, hangul, romanization, meaning, category, difficulty
        }

        /// Reads a word; packs in the wild call it `word`, `korean` or `hangul`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            word =
                try container.decodeIfPresent(String.self, forKey: .korean)
                ?? container.decodeIfPresent(String.self, forKey: .hangul)
                ?? container.decode(String.self, forKey: .word)
            romanization = try container.decode(String.self, forKey: .romanization)
            meaning = try container.decode(String.self, forKey: .meaning)
            category = try container.decodeIfPresent(String.self, forKey: .category)
            difficulty = try container.decodeIfPresent(Difficulty.self, forKey: .difficulty)
        }

        /// Writes the word as `word`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(word, forKey: .word)
            try container.encode(romanization, forKey: .romanization)
            try container.encode(meaning, forKey: .meaning)
            try container.encodeIfPresent(category, forKey: .category)
            try container.encodeIfPresent(difficulty, forKey: .difficulty)
        }
    }

    /// One piece of a phrase: a fixed word, or a place for any word of a category.
    public struct Component: Sendable, Codable, Equatable {
        /// What it is in the phrase: `subject`, `particle`, `verb`, …
        public var type: String
        /// Its text, when it is always the same.
        public var text: String?
        /// The category of words that may stand here.
        public var category: String?

        public init(type: String, text: String? = nil, category: String? = nil) {
            self.type = type
            self.text = text
            self.category = category
        }

        private enum CodingKeys: String, CodingKey { case type, text, category }

        /// Reads a component; a plain text stands for its type.
        public init(from decoder: any Decoder) throws {
            // What is no text is an object, or an error.
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                type = text
                return
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            text = try container.decodeIfPresent(String.self, forKey: .text)
            category = try container.decodeIfPresent(String.self, forKey: .category)
        }
    }

    /// How a phrase is made.
    public struct Phrase: Sendable, Codable, Equatable {
        /// What people call it.
        public var name: String
        /// What it means.
        public var meaning: String?
        /// A word that groups them.
        public var category: String?
        /// How hard it is to learn.
        public var difficulty: Difficulty?
        /// The parts of which it is built.
        public var components: [Component]

        public init(
            name: String, meaning: String? = nil, category: String? = nil, difficulty: Difficulty? = nil,
            components: [Component]
        ) {
            self.name = name
            self.meaning = meaning
            self.category = category
            self.difficulty = difficulty
            self.components = components
        }
    }

    /// What people call it; unchanged or none where absent.
    public var name: String?
    /// More about it.
    public var description: String?
    /// The pack's version.
    public var version: String?
    /// The words, in their order.
    public var words: [Word]
    /// The phrases, in their order.
    public var phrases: [Phrase]

    private enum CodingKeys: String, CodingKey {
        case name, description, version
        case words = "korean_words"
        case phrases = "phrase_structures"
    }

    /// What the market calls a template that holds one.
    public static let kind = TemplateKind.vocabulary
    /// 8 MiB.
    public static let maximumBytes = 8 << 20
    /// Most words, and most phrases.
    public static let maximumEntries = 20_000

    public init(
        name: String? = nil, description: String? = nil, version: String? = nil, words: [Word], phrases: [Phrase]
    ) {
        self.name = name
        self.description = description
        self.version = version
        self.words = words
        self.phrases = phrases
    }

    /// Reads a pack; either list may be absent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        description = try container.decodeIfPresent(String.self, forKey: .description)
        version = try container.decodeIfPresent(String.self, forKey: .version)
        words = try container.decodeIfPresent([Word].self, forKey: .words) ?? []
        phrases = try container.decodeIfPresent([Phrase].self, forKey: .phrases) ?? []
    }

    /// Throws what is wrong with it first.
    public func check() throws(FormatFailure) {
        var check = FormatCheck()
        check.line(name, most: 120, "/name", isNeeded: false)
        check.text(description, most: 20_000, "/description")
        check.line(version, most: 64, "/version", isNeeded: false)
        check.require(
            !words.isEmpty || !phrases.isEmpty, "/korean_words", "A pack has words or phrase structures; here are none."
        )
        for (list, count) in [("korean_words", words.count), ("phrase_structures", phrases.count)] {
            check.require(count <= Self.maximumEntries, "/\(list)", "At most \(Self.maximumEntries) entries.")
        }
        for (index, word) in words.prefix(Self.maximumEntries).enumerated() {
            let place = "/korean_words/\(index)"
            check.line(word.word, most: 80, "\(place)/word")
            check.line(word.romanization, most: 120, "\(place)/romanization")
            check.line(word.meaning, most: 300, "\(place)/meaning")
            check.line(word.category, most: 80, "\(place)/category", isNeeded: false)
            check.require(
                word.difficulty?.isSound ?? true, "\(place)/difficulty", "A number from 0 to 100, or a short word.")
        }
        for (index, phrase) in phrases.prefix(Self.maximumEntries).enumerated() {
            Self.check(phrase, "/phrase_structures/\(index)", &check)
        }
        try check.finish()
    }

    private static func check(_ phrase: Phrase, _ place: String, _ check: inout FormatCheck) {
        check.line(phrase.name, most: 120, "\(place)/name")
        check.line(phrase.meaning, most: 300, "\(place)/meaning", isNeeded: false)
        check.line(phrase.category, most: 80, "\(place)/category", isNeeded: false)
        check.require(
            phrase.difficulty?.isSound ?? true, "\(place)/difficulty", "A number from 0 to 100, or a short word.")
        check.require(
            (1...50).contains(phrase.components.count), "\(place)/components", "A phrase is made of 1 to 50 components."
        )
        for (index, component) in phrase.components.prefix(50).enumerated() {
            check.line(component.type, most: 80, "\(place)/components/\(index)/type")
            check.line(component.text, most: 120, "\(place)/components/\(index)/text", isNeeded: false)
            check.line(component.category, most: 80, "\(place)/components/\(index)/category", isNeeded: false)
        }
    }

    /// Words by category, then phrases.
    public var outline: ContentOutline {
        var order: [String] = []
        var rows: [String: [ContentOutline.Row]] = [:]
        for word in words {
            let title = word.category.flatMap { $0.isEmpty ? nil : $0 } ?? "Words"
            if rows[title] == nil { order.append(title) }
            let parts = [word.romanization, word.meaning] + (word.difficulty.map { [$0.description] } ?? [])
            rows[title, default: []].append(.init(word.word, parts.joined(separator: "; ")))
        }
        let phraseRows = phrases.map { phrase in
            let pieces = phrase.components.map { piece in
                piece.text ?? piece.category.map { "\(piece.type): \($0)" } ?? piece.type
            }
            let meaning = phrase.meaning.map { "; \($0)" } ?? ""
            return ContentOutline.Row(phrase.name, pieces.joined(separator: " + ") + meaning)
        }
        return ContentOutline(
            cutting: "\(words.count) words and \(phrases.count) phrase structures.",
            sections: order.map { .init(title: $0, rows: rows[$0] ?? []) }
                + [.init(title: "Phrase structures", rows: phraseRows)])
    }

    /// What the file says of itself.
    public var metadata: DraftMetadata {
        DraftMetadata(name: name, summary: outline.summary, description: description, version: version)
    }
}
