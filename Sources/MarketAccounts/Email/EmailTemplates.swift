// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Mustache

/// The e-mails' texts, read once at the start: a folder for each language, a Mustache file for each e-mail. A file's
/// first line is `Subject: …`, then an empty line, then the text. An operator's own folder, laid out alike, wins over
/// ours.
package struct EmailTemplates: Sendable {
    private var libraries: [String: MustacheLibrary] = [:]
    private var names: [String: Set<String>] = [:]

    /// The language that has every e-mail.
    package static let standard = "en"

    /// A subject and a text.
    package struct RenderedEmail: Sendable, Equatable {
        package let subject: String
        package let body: String
    }

    /// Languages that there are e-mails in.
    package var languages: [String] { names.keys.sorted() }

    /// Reads `folder` and, over it, `own`; throws `AssetError`.
    package init(folder: URL, own: URL? = nil) throws {
        for folder in [folder, own].compactMap({ $0 }) {
            for language in try Self.entries(of: folder) where Self.isFolder(language) {
                try read(language)
            }
        }
        guard libraries[Self.standard] != nil else {
            throw AssetError(description: "\(folder.path) has no folder '\(Self.standard)' with e-mails")
        }
    }

    private mutating func read(_ folder: URL) throws {
        let language = folder.lastPathComponent
        var library = libraries[language] ?? MustacheLibrary()
        for file in try Self.entries(of: folder) where file.pathExtension == "mustache" {
            let name = file.deletingPathExtension().lastPathComponent
            guard let text = try? String(contentsOf: file, encoding: .utf8) else {
                throw AssetError(description: "\(file.path) cannot be read")
            }
            // Parts that e-mails share have no subject.
            guard !name.hasPrefix("_") else {
                try Self.register(text, as: name, from: file, in: &library)
                continue
            }
            let parts = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].hasPrefix("Subject: "), parts[1].isEmpty else {
                throw AssetError(description: "\(file.path) does not begin with 'Subject: …' and an empty line")
            }
            let subject = String(parts[0].dropFirst("Subject: ".count))
            try Self.register(subject, as: "\(name) subject", from: file, in: &library)
            try Self.register(String(parts[2]), as: name, from: file, in: &library)
            names[language, default: []].insert(name)
        }
        libraries[language] = library
    }

    private static func register(
        _ text: String, as name: String, from file: URL, in library: inout MustacheLibrary
    ) throws {
        do {
            library.register(try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}" + text), named: name)
        } catch let error as MustacheTemplate.ParserError {
            throw AssetError(description: "\(file.path):\(error.context.lineNumber): \(error.error)")
        }
    }

    private static func entries(of folder: URL) throws -> [URL] {
        do {
            return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .sorted { $0.path < $1.path }
        } catch {
            throw AssetError(description: "\(folder.path) cannot be read")
        }
    }

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The e-mail in `language`, else in its base language, else in English; `nil` when there is no template of that
    /// name.
    package func message(_ template: EmailTemplate, language: String?, values: [String: String]) -> RenderedEmail? {
        let wanted = [language, language?.split(separator: "-").first.map(String.init), Self.standard]
        let found = wanted.compactMap { $0 }.first { names[$0]?.contains(template.rawValue) == true }
        guard let found, let library = libraries[found],
            let subject = library.render(values, withTemplate: "\(template.rawValue) subject"),
            let body = library.render(values, withTemplate: template.rawValue)
        else { return nil }
        return RenderedEmail(subject: DisplayText.oneLine(subject), body: body)
    }

    /// The best of our languages for what a browser asks for (`Accept-Language`, RFC 9110, section 12.5.4).
    package func language(for accept: String?) -> String? {
        let wishes = (accept ?? "").prefix(200).split(separator: ",").prefix(10).map { wish -> (String, Double) in
            let parts = wish.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return ((parts.first ?? "").lowercased(), weight)
        }
        for (tag, weight) in wishes.sorted(by: { $0.1 > $1.1 }) where weight > 0 {
            for candidate in [tag, tag.split(separator: "-").first.map(String.init) ?? ""]
            where names[candidate] != nil { return candidate }
        }
        return nil
    }
}
