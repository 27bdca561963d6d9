// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform

/// What can be chosen for a sheet's entry, at upload and later.
enum EntryChoices {
    /// A group of licences, each with what it means.
    struct Licences: Sendable {
        struct Licence: Sendable {
            let value: String
            let label: String
            let meaning: Phrase
            let isSelected: Bool
        }

        let title: Phrase
        let entries: [Licence]
    }

    /// Every licence, those that fit sheets in the first group.
    static func licences(chosen: String?) -> [Licences] {
        LicenceGuide.groups.map { group in
            Licences(
                title: group.title,
                entries: group.entries.map {
                    .init(value: $0.id, label: $0.title, meaning: $0.meaning, isSelected: $0.id == chosen)
                })
        }
    }

    /// Languages by their names in English, each with its own name and its tag; the field takes any of the three.
    static let languages: [Choice] = LanguageRegistry.standard.named.compactMap { tag, names in
        let english = Self.name(tag)
        let candidates = [english] + names.map(\.localizedCapitalized) + [tag]
        guard let value = candidates.first(where: { LanguageRegistry.standard.tag(for: $0)?.text == tag })
        else { return nil }
        let own = Locale(identifier: tag).localizedString(forIdentifier: tag)
        let label = [own, tag].compactMap { $0 }.filter { $0 != value }.joined(separator: ", ")
        return Choice(value: value, label: Phrase(verbatim: label))
    }.sorted { $0.value < $1.value }

    /// In English, as the field takes it in every language of the pages.
    private static func name(_ tag: String) -> String {
        Locale(identifier: "en_GB").localizedString(forIdentifier: tag) ?? tag
    }

    /// What the field of languages shows for a tag: the name, where the field takes it.
    static func language(_ tag: String) -> String {
        let name = Self.name(tag)
        return LanguageRegistry.standard.tag(for: name)?.text == tag ? name : tag
    }
}
