// SPDX-License-Identifier: Apache-2.0

/// A reason that moderators choose from, with the text that moderation offers for it. Data: a Markdown file with a
/// head.
///
///     ---
///     title: Wrong licence
///     decisions: request_changes, reject
///     ---
///     The licence does not fit what is on the sheet.
package struct CannedReason: Hashable, Sendable {
    /// What is wrong with a file.
    package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// For the operator.
        package let description: String
    }

    /// Longest text, in characters.
    package static let maximumTextLength = 4000

    package let code: String
    /// Its language, a BCP 47 tag.
    package let language: String
    /// A few words for a list.
    package let title: String
    /// The verdicts it can stand for.
    package let verdicts: [Verdict]
    /// What it says to the people concerned, in Markdown.
    package let text: String

    package init(code: String, language: String, markdown: String) throws(Malformed) {
        guard Self.isCode(code) else {
            throw Malformed(description: "'\(code)' is no word of up to 64 lower-case letters, digits and underscores")
        }
        let lines = markdown.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.first == "---", let end = lines.dropFirst().firstIndex(of: "---") else {
            throw Malformed(description: "the head between two lines '---' is missing")
        }
        var head: [String: String] = [:]
        for line in lines[1..<end] where !line.allSatisfy(\.isWhitespace) {
            guard let colon = line.firstIndex(of: ":") else {
                throw Malformed(description: "a line of the head has no colon")
            }
            head[Self.trimmed(line[..<colon])] = Self.trimmed(line[line.index(after: colon)...])
        }
        guard let title = head["title"], !title.isEmpty else { throw Malformed(description: "the title is missing") }
        var verdicts: [Verdict] = []
        for word in (head["decisions"] ?? "").split(separator: ",") {
            guard let verdict = Verdict(rawValue: Self.trimmed(word)) else {
                throw Malformed(description: "'\(Self.trimmed(word))' is no decision")
            }
            verdicts.append(verdict)
        }
        guard !verdicts.isEmpty else { throw Malformed(description: "'decisions' is missing") }
        let text = Self.trimmed(lines[(end + 1)...].joined(separator: "\n")[...])
        guard !text.isEmpty, text.count <= Self.maximumTextLength else {
            throw Malformed(description: "the text is missing, or longer than \(Self.maximumTextLength)")
        }
        self.code = code
        self.language = language
        self.title = title
        self.verdicts = verdicts
        self.text = text
    }

    /// Whether this is a reason's word.
    package static func isCode(_ code: String) -> Bool {
        (1...64).contains(code.utf8.count)
            && code.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// All canned reasons of a market. A market may use words of its own besides.
package struct ReasonBook: Hashable, Sendable {
    /// The language that everything falls back on.
    package static let fallback = "en"

    private var byLanguage: [String: [String: CannedReason]] = [:]

    /// The reasons; of two with one code and language the later stays.
    package init(_ reasons: [CannedReason] = []) {
        for reason in reasons { byLanguage[reason.language, default: [:]][reason.code] = reason }
    }

    /// The languages, sorted.
    package var languages: [String] { byLanguage.keys.sorted() }

    /// A reason in a language, or in the nearest there is.
    package func reason(_ code: String, language: String = fallback) -> CannedReason? {
        for language in Self.candidates(language) {
            if let found = byLanguage[language]?[code] { return found }
        }
        for language in languages {
            if let found = byLanguage[language]?[code] { return found }
        }
        return nil
    }

    /// Every reason once, in a language or the nearest there is, by title; the one that says nothing comes last.
    package func reasons(language: String = fallback) -> [CannedReason] {
        let codes = Set(byLanguage.values.flatMap(\.keys))
        return codes.compactMap { reason($0, language: language) }.sorted {
            ($0.code == "other" ? 1 : 0, $0.title, $0.code) < ($1.code == "other" ? 1 : 0, $1.title, $1.code)
        }
    }

    /// The one reason that a verdict usually has; `nil` where a moderator has to choose.
    package func usualReason(for verdict: Verdict, language: String = fallback) -> CannedReason? {
        let fitting = reasons(language: language).filter { $0.code != "other" && $0.verdicts.contains(verdict) }
        return fitting.count == 1 ? fitting.first : nil
    }

    /// `de-AT`, `de`, `en`.
    private static func candidates(_ language: String) -> [String] {
        var found = [language]
        if let dash = language.firstIndex(of: "-") { found.append(String(language[..<dash])) }
        return found + [fallback]
    }
}
