// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Mustache
import Synchronization

/// The templates in each language. English is read at the start; the others are made of it and of their catalogs when
/// they are first asked for, and kept.
final class PageLibraries: Sendable {
    private let sources: [String: String]
    private let catalogs: URL
    private let english: MustacheLibrary
    private let others = Mutex<[PageLanguage: MustacheLibrary]>([:])

    /// Takes templates by their names, and the folder of catalogs; throws `AssetError`.
    init(sources: [String: String], catalogs: URL) throws {
        self.sources = sources
        self.catalogs = catalogs
        english = try Self.library(sources, .english)
    }

    /// The templates in `language`.
    func library(_ language: PageLanguage) throws -> MustacheLibrary {
        if language == .english { return english }
        return try others.withLock { others in
            if let made = others[language] { return made }
            let library = try Self.library(sources, try Self.catalog(language, in: catalogs))
            others[language] = library
            return library
        }
    }

    /// Reads a language's catalogs.
    static func catalog(_ language: PageLanguage, in folder: URL) throws -> PhraseCatalog {
        var entries: [GettextEntry] = []
        for name in ["templates", "program", "told"] {
            let place = "\(language.rawValue)/\(name).po"
            guard let text = try? String(contentsOf: folder.appendingPathComponent(place), encoding: .utf8),
                let read = GettextEntry.read(text)
            else { throw AssetError(description: "web/texts/\(place) cannot be read as a catalog of gettext") }
            entries += read
        }
        return PhraseCatalog(language: language, entries: entries)
    }

    private static func library(_ sources: [String: String], _ words: PhraseCatalog) throws -> MustacheLibrary {
        let page = EscapedHTML(words: words)
        MustacheContentTypes.register(page, named: page.name)
        MustacheContentTypes.register(EscapedData(), named: EscapedData.name)
        var library = MustacheLibrary()
        for (name, source) in sources {
            let pragma = name == EscapedData.template ? EscapedData.pragma : page.pragma
            do {
                library.register(try MustacheTemplate(string: pragma + translated(source, name, words)), named: name)
            } catch let error as MustacheTemplate.ParserError {
                throw AssetError(
                    description:
                        "web/templates/\(name).mustache:\(error.context.lineNumber): \(error.error) "
                        + "(\(words.language.rawValue)): \(error.context.line)")
            }
        }
        return library
    }

    private static func translated(_ source: String, _ name: String, _ words: PhraseCatalog) -> String {
        guard words.language != .english else { return source }
        return TemplateTexts { words[$0, in: name] }.replaced(in: source)
    }
}
