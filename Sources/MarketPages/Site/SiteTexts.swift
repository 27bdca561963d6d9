// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// The texts that an operator may replace, read once at the start: Markdown, a file for each, in a folder for its
/// language. An operator's own folder, laid out alike, wins over ours.
struct SiteTexts: Sendable {
    enum Name: String, CaseIterable, Sendable {
        case about, privacy, terms
    }

    /// The longest text that is read.
    private static let largest = 256 << 10

    private var texts: [PageLanguage: [Name: Source]] = [:]

    private struct Source: Sendable {
        let text: String
        let language: PageLanguage
    }

    /// Reads `folder` and, over it, `own`; throws `AssetError`. What an operator has in English alone is better in every
    /// language than what we would say.
    init(folder: URL, own: URL?) throws {
        for language in PageLanguage.allCases {
            for name in Name.allCases {
                let wanted: [(URL?, PageLanguage)] = [
                    (own, language), (own, .english), (folder, language), (folder, .english),
                ]
                for (place, spoken) in wanted {
                    guard let file = place?.appendingPathComponent("\(spoken.rawValue)/\(name.rawValue).md"),
                        place == folder && spoken == .english || FileManager.default.fileExists(atPath: file.path)
                    else { continue }
                    texts[language, default: [:]][name] = Source(text: try Self.read(file), language: spoken)
                    break
                }
            }
        }
    }

    private static func read(_ file: URL) throws -> String {
        guard let data = try? Data(contentsOf: file), data.count <= largest,
            let text = String(data: data, encoding: .utf8), text.hasPrefix("# ")
        else {
            throw AssetError(
                description: "\(file.path) cannot be read as a text: it is Markdown that begins with '# ' and a title")
        }
        return text
    }

    /// A text with its places filled in: `{name}`, `{address}` and `{contact}`.
    func page(_ name: Name, _ settings: SiteSettings, address: String, language: PageLanguage) -> SiteText {
        let source = texts[language]?[name] ?? Source(text: "# \(name.rawValue)", language: .english)
        let filled = source.text
            .replacing("{name}", with: settings.name).replacing("{address}", with: address)
            .replacing("{contact}", with: Self.contact(settings, source.language))
        let parts = filled.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return SiteText(
            title: parts[0].dropFirst(2).trimmingCharacters(in: .whitespaces),
            text: MarkdownBlocks(parts.count > 1 ? String(parts[1]) : ""), textLanguage: source.language.rawValue)
    }

    private static func contact(_ settings: SiteSettings, _ language: PageLanguage) -> String {
        guard let contact = settings.contact else { return "" }
        let link = contact.hasPrefix("https://") ? "[\(contact)](\(contact))" : contact
        return switch language {
        case .english: "You reach them at \(link)."
        case .german: "Du erreichst ihn unter \(link)."
        }
    }
}

/// A text as its page shows it.
struct SiteText: Sendable {
    let title: String
    let text: MarkdownBlocks
    /// In which it is written, which may be another than the page's.
    let textLanguage: String
}
