// SPDX-License-Identifier: Apache-2.0
import Foundation

/// How pages and e-mails put values into words.
package enum DisplayText {
    /// `1 page`, `3 pages`.
    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> Phrase {
        .count(number, one, many)
    }

    /// `412 KB`.
    package static func size(_ bytes: Int) -> Phrase {
        func text(_ value: Double, digits: ClosedRange<Int>) -> Phrase { .decimal(value, digits: digits) }
        switch bytes {
        case ..<1000: return .count(bytes, "byte")
        case ..<1_000_000: return text(Double(bytes) / 1000, digits: 0...0) + Phrase(verbatim: " KB")
        case ..<10_000_000: return text(Double(bytes) / 1_000_000, digits: 0...1) + Phrase(verbatim: " MB")
        default: return Phrase(verbatim: "\(bytes / 1_000_000) MB")
        }
    }

    /// With a capital letter at its beginning.
    package static func sentence(_ text: some StringProtocol) -> String {
        text.prefix(1).uppercased() + text.dropFirst()
    }

    /// `4.3`.
    package static func tenths(_ value: Double) -> Phrase { .decimal((value * 10).rounded() / 10) }

    /// `1,204`.
    package static func number(_ value: Int) -> Phrase { .number(value) }

    /// `en`: `English`; the tag itself when it has no name.
    package static func language(_ tag: String) -> Phrase { .language(tag) }

    /// Without line ends and other control characters: a blank stands for each.
    package static func oneLine(_ text: String) -> String {
        let blanks: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            scalars.append(blanks.contains(scalar.properties.generalCategory) ? " " : scalar)
        }
        return String(scalars)
    }

    /// The paper that a page of so many points is for.
    package static func paper(width: Double, height: Double) -> Phrase {
        let known: [(name: String, short: Double, long: Double)] = [
            ("A3", 842, 1191), ("A4", 595, 842), ("A5", 420, 595), ("A6", 298, 420), ("Letter", 612, 792),
            ("Legal", 612, 1008), ("Tabloid", 792, 1224), ("Half Letter", 396, 612),
        ]
        let short = min(width, height)
        let long = max(width, height)
        let isWide = width > height
        if let paper = known.first(where: { abs($0.short - short) < 4 && abs($0.long - long) < 4 }) {
            return isWide ? "\(paper.name), landscape" : Phrase(verbatim: paper.name)
        }
        func millimetres(_ points: Double) -> Int { Int((points / 72 * 25.4).rounded()) }
        return Phrase(verbatim: "\(millimetres(width)) × \(millimetres(height)) mm")
    }
}

/// A time as pages show it.
package struct DisplayTime: Sendable {
    /// For programs.
    let iso: String
    /// `21 November 2026`.
    package let day: Phrase
    /// `21 Nov 2026, 13:04 UTC`.
    package let exact: Phrase
    /// `3 minutes ago`, up to a month; then the day.
    package let ago: Phrase

    package init(_ date: Date, now: Date) {
        iso = date.formatted(.iso8601)
        day = .time(date, .day)
        exact = .time(date, .exact)
        ago = Self.ago(now.timeIntervalSince(date)) ?? day
    }

    private static func ago(_ seconds: Double) -> Phrase? {
        switch seconds {
        case ..<60: "just now"
        case ..<3600: .count(Int(seconds / 60), "minute ago", "minutes ago")
        case ..<86_400: .count(Int(seconds / 3600), "hour ago", "hours ago")
        case ..<(30 * 86_400): .count(Int(seconds / 86_400), "day ago", "days ago")
        default: nil
        }
    }
}
