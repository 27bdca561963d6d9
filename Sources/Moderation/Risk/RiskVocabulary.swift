// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Words and marks that rules look for: data of the market, in files of their own.
package struct RiskVocabulary: Sendable {
    /// How bad a prohibited word is.
    package enum Severity: String, Sendable, Codable, CaseIterable {
        case profane, sexual, hateful, extremist
    }

    /// Prohibited words of one language.
    package struct WordList: Sendable, Codable {
        package var language: String
        package var severity: Severity
        /// Words and phrases; a `*` at the end stands for any ending.
        package var words: [String]
    }

    /// The file `prohibited-words.json`.
    package struct WordFile: Sendable, Codable {
        package var format: String
        package var version: String
        package var lists: [WordList]
        /// Harmless words that begin like an open phrase.
        package var allowed: [String]
    }

    /// Somebody whose works and marks are not anybody's.
    package struct Publisher: Sendable, Codable {
        package var name: String
        /// Other names that copyright lines have.
        package var holders: [String]?
        /// Names of its games and settings.
        package var marks: [String]
    }

    /// A line that says under which terms something may be used.
    package struct Notice: Sendable, Codable {
        package var code: String
        package var patterns: [String]
        /// Licences that such a line goes with; a `*` at the end stands for anything.
        package var fits: [String]
    }

    /// The file `publishers.json`.
    package struct PublisherFile: Sendable, Codable {
        package var format: String
        package var version: String
        package var publishers: [Publisher]
        package var notices: [Notice]
        /// Words for "official" in the languages of the market.
        package var officialWords: [String]
        /// Licences that let everybody use and pass on; who holds all rights did not give these.
        package var openLicenses: [String]
    }

    /// All prohibited words at once, and of which list each is.
    let words: PhraseMatcher
    let wordLists: [WordList]
    let holders: PhraseMatcher
    let holderNames: [String]
    let marks: PhraseMatcher
    let markNames: [String]
    let notices: [(notice: Notice, matcher: PhraseMatcher)]
    let official: PhraseMatcher
    let openLicenses: [String]
    /// The names of publishers, as accounts must not be called.
    package let publisherNames: [String]
    /// The versions of both files.
    package let versions: [String]

    /// Formats that are read.
    static let wordFormat = "sheetmarket.words.1"
    static let publisherFormat = "sheetmarket.publishers.1"

    /// Checks the files; throws all that is wrong with them.
    package init(words wordFile: WordFile, publishers file: PublisherFile) throws(RiskRulesError) {
        var problems: [String] = []
        if wordFile.format != Self.wordFormat {
            problems.append("prohibited-words: the format is not \(Self.wordFormat)")
        }
        if file.format != Self.publisherFormat {
            problems.append("publishers: the format is not \(Self.publisherFormat)")
        }
        var phrases: [(file: String, words: [String])] = wordFile.lists.map { ("prohibited-words", $0.words) }
        for publisher in file.publishers {
            phrases.append(("publishers", publisher.marks + (publisher.holders ?? []) + [publisher.name]))
        }
        for notice in file.notices { phrases.append(("publishers", notice.patterns)) }
        phrases.append(("publishers", file.officialWords))
        for (file, list) in phrases {
            for phrase in list {
                let letters = FoldedText(phrase).words.reduce(0) { $0 + $1.text.count }
                if letters < 2 { problems.append("\(file): '\(phrase)' is too short to be looked for") }
                if phrase.hasSuffix("*"), letters < 4 {
                    problems.append("\(file): '\(phrase)' is too short for any ending to follow")
                }
            }
        }
        for notice in file.notices where notice.patterns.isEmpty {
            problems.append("publishers: the notice '\(notice.code)' has no patterns")
        }
        guard problems.isEmpty else { throw RiskRulesError(problems: problems) }
        let allowed = Set(wordFile.allowed.flatMap { FoldedText($0).words.map(\.text) })
        words = PhraseMatcher(wordFile.lists.flatMap(\.words), allowed: allowed)
        wordLists = wordFile.lists.flatMap { list in list.words.map { _ in list } }
        let named = file.publishers.flatMap { publisher in
            ([publisher.name] + (publisher.holders ?? [])).map { (phrase: $0, publisher: publisher.name) }
        }
        holders = PhraseMatcher(named.map(\.phrase))
        holderNames = named.map(\.publisher)
        let marked = file.publishers.flatMap { publisher in
            ([publisher.name] + publisher.marks).map { (phrase: $0, publisher: publisher.name) }
        }
        marks = PhraseMatcher(marked.map(\.phrase))
        markNames = marked.map(\.publisher)
        notices = file.notices.map { ($0, PhraseMatcher($0.patterns)) }
        official = PhraseMatcher(file.officialWords)
        openLicenses = file.openLicenses
        publisherNames = named.map(\.phrase)
        versions = [wordFile.version, file.version]
    }

    /// Whether a licence is one of `patterns`.
    static func license(_ license: String, isOneOf patterns: [String]) -> Bool {
        let license = license.lowercased()
        return patterns.contains { pattern in
            let pattern = pattern.lowercased()
            return pattern.hasSuffix("*") ? license.hasPrefix(pattern.dropLast()) : license == pattern
        }
    }
}

/// What is wrong with files of rules: all of it at once, for the operator.
package struct RiskRulesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence for each.
    package let problems: [String]

    package init(problems: [String]) {
        self.problems = problems
    }

    /// A line for each.
    package var description: String { problems.joined(separator: "\n") }
}
