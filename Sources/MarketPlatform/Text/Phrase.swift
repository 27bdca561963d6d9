// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Words of a page before it is known in which language. A literal is the English text, and the key by which catalogs know
/// it: values that are put into it stay apart. `"Page \(number) of \(name)"` is `Page {} of {}` with two values.
///
/// A literal makes a phrase wherever one is expected. What people wrote must not be translated: it comes in as a value, or
/// as `Phrase(verbatim:)`.
package struct Phrase: Sendable {
    indirect enum Content: Sendable {
        case words(String, [Phrase])
        /// A number with what it counts: `{} page`, `{} pages`.
        case plural(Int, one: String, many: String)
        case verbatim(String)
        /// A whole English text of another module, with its values in it.
        case told(String)
        case sequence([Phrase])
        case number(Int)
        case decimal(Double, digits: ClosedRange<Int>)
        case time(Double, TimeStyle)
        case language(String)
    }

    /// How a time is told.
    package enum TimeStyle: String, Sendable {
        /// `21 November 2026`.
        case day = "d"
        /// `21 Nov 2026`.
        case shortDay = "s"
        /// `21 Nov 2026, 13:04 UTC`.
        case exact = "e"
        /// `November 2026`.
        case month = "m"
    }

    let content: Content

    init(content: Content) { self.content = content }

    /// Text that is the same in every language, or is of somebody else's.
    package init(verbatim text: some StringProtocol) { content = .verbatim(String(text)) }

    /// An English text that another module made: translated where catalogs have it or its pattern.
    package init(told text: String) { content = .told(text) }

    /// `3 pages`.
    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> Phrase {
        Phrase(content: .plural(number, one: one, many: many ?? "\(one)s"))
    }

    /// `1,204`.
    package static func number(_ value: Int) -> Phrase { Phrase(content: .number(value)) }

    /// `4.3`.
    package static func decimal(_ value: Double, digits: ClosedRange<Int> = 1...1) -> Phrase {
        Phrase(content: .decimal(value, digits: digits))
    }

    package static func time(_ date: Date, _ style: TimeStyle) -> Phrase {
        Phrase(content: .time(date.timeIntervalSince1970, style))
    }

    /// A language by its tag.
    package static func language(_ tag: String) -> Phrase { Phrase(content: .language(tag)) }

    /// Words that were broken over two lines are one text; all else stays apart.
    package static func + (first: Phrase, second: Phrase) -> Phrase {
        if case .words(let key, let values) = first.content, case .words(let more, let others) = second.content {
            return Phrase(content: .words(key + more, values + others))
        }
        return Phrase(content: .sequence([first, second]))
    }

    package static func += (first: inout Phrase, second: Phrase) { first = first + second }

    /// Whether there is nothing to be read.
    package var isEmpty: Bool { description.isEmpty }
}

extension [Phrase] {
    package func joined(separator: Phrase = "") -> Phrase {
        var parts: [Phrase] = []
        for part in self {
            if !parts.isEmpty { parts.append(separator) }
            parts.append(part)
        }
        return Phrase(content: .sequence(parts))
    }
}

extension Phrase: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { content = .words(value, []) }

    package init(stringInterpolation: Interpolation) {
        content = .words(stringInterpolation.key, stringInterpolation.values)
    }

    /// Keeps values apart from the words around them.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var values: [Phrase] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { key += literal }

        package mutating func appendInterpolation(_ phrase: Phrase) {
            key += "{}"
            values.append(phrase)
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            key += "{}"
            values.append(Phrase(verbatim: value.description))
        }
    }
}

/// By what they say in English, whichever way they came about.
extension Phrase: Hashable {
    package static func == (first: Phrase, second: Phrase) -> Bool { first.description == second.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// In English, for logs, feeds and programs.
extension Phrase: CustomStringConvertible {
    package var description: String { text(in: .english) }
}

extension Phrase: CustomReflectable {
    /// Templates look names up in whatever surrounds them: a phrase has none.
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}

extension Phrase {
    /// The phrase in the words of a language.
    package func text(in words: PhraseCatalog) -> String {
        switch content {
        case .words(let key, let values): fill(words[key] ?? key, values, words)
        case .plural(let number, let one, let many): words.plural(number, one: "{} \(one)", many: "{} \(many)")
        case .verbatim(let text): text
        case .told(let text): words.told(text) ?? text
        case .sequence(let parts): parts.map { $0.text(in: words) }.joined()
        case .number(let number): words.number(number)
        case .decimal(let value, let digits):
            value.formatted(.number.precision(.fractionLength(digits)).locale(words.language.locale))
        case .time(let seconds, let style): Self.text(Date(timeIntervalSince1970: seconds), style, words.language)
        case .language(let tag): words.language.locale.localizedString(forIdentifier: tag) ?? tag
        }
    }

    /// Puts values into the places of `{}`, in order, and of `{2}`.
    private func fill(_ text: String, _ values: [Phrase], _ words: PhraseCatalog) -> String {
        guard !values.isEmpty else { return text }
        return PhraseCatalog.fill(text, values.map { $0.text(in: words) })
    }

    private static func text(_ date: Date, _ style: TimeStyle, _ language: PageLanguage) -> String {
        let format = Date.FormatStyle(locale: language.locale, timeZone: .gmt)
        func shortDay() -> String { date.formatted(format.day().month(.abbreviated).year()) }
        switch style {
        case .day: return date.formatted(format.day().month(.wide).year())
        case .shortDay: return shortDay()
        case .month: return date.formatted(format.month(.wide).year())
        case .exact:
            return "\(shortDay()), \(date.formatted(format.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits))) UTC"
        }
    }
}
