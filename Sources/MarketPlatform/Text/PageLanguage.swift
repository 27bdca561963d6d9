// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A language that the pages are written in.
package enum PageLanguage: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case german = "de"

    /// What its speakers call it.
    package var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        }
    }

    /// For numbers and dates.
    package var locale: Locale {
        switch self {
        case .english: Locale(identifier: "en_GB")
        case .german: Locale(identifier: "de_DE")
        }
    }

    /// The best of ours for what a browser asks for (`Accept-Language`, RFC 9110, section 12.5.4); `nil` where it names
    /// none of them.
    package init?(accepting field: String?) {
        guard let field, !field.isEmpty else { return nil }
        var best: (language: PageLanguage, weight: Double)?
        for wish in field.prefix(200).split(separator: ",").prefix(10) {
            let parts = wish.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            let base = (parts.first ?? "").split(separator: "-").first.map { $0.lowercased() } ?? ""
            guard weight > best?.weight ?? 0, let language = PageLanguage(rawValue: base) else { continue }
            best = (language, weight)
        }
        guard let best else { return nil }
        self = best.language
    }
}
