// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An entry of a gettext catalog (.po).
package struct GettextEntry: Sendable, Equatable {
    package var context: String?
    package var id = ""
    package var plural: String?
    /// One, or one for each plural form.
    package var translations: [String] = []

    /// Reads a catalog; `nil` for what is none. Its header, the entry without an id, is left out.
    package static func read(_ text: String) -> [GettextEntry]? {
        var reader = GettextReader()
        for line in text.split(separator: "\n") {
            guard reader.take(line) else { return nil }
        }
        reader.end()
        return reader.entries
    }
}

private struct GettextReader {
    private enum Field { case none, context, id, plural, translation }

    var entries: [GettextEntry] = []
    private var entry = GettextEntry()
    private var field = Field.none

    mutating func take(_ line: Substring) -> Bool {
        if line.utf8.first == UInt8(ascii: "#") { return true }
        guard let start = line.utf8.firstIndex(of: UInt8(ascii: "\"")), line.utf8.last == UInt8(ascii: "\"") else {
            return line.allSatisfy(\.isWhitespace)
        }
        let text = Self.unescaped(line[line.utf8.index(after: start)...].dropLast())
        let keyword = line[..<start]
        if keyword.isEmpty {
            append(text)
        } else if keyword.hasPrefix("msgctxt") {
            end()
            field = .context
            entry.context = text
        } else if keyword.hasPrefix("msgid_plural") {
            field = .plural
            entry.plural = text
        } else if keyword.hasPrefix("msgid") {
            if field != .context { end() }
            field = .id
            entry.id = text
        } else if keyword.hasPrefix("msgstr") {
            field = .translation
            entry.translations.append(text)
        } else {
            return false
        }
        return true
    }

    mutating func end() {
        if !entry.id.isEmpty, !entry.translations.isEmpty { entries.append(entry) }
        entry = GettextEntry()
        field = .none
    }

    private mutating func append(_ text: String) {
        switch field {
        case .none: break
        case .context: entry.context = (entry.context ?? "") + text
        case .id: entry.id += text
        case .plural: entry.plural = (entry.plural ?? "") + text
        case .translation: entry.translations[entry.translations.count - 1] += text
        }
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
        var plain = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                plain.append(character == "n" ? "\n" : character == "t" ? "\t" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                plain.append(character)
            }
        }
        return plain
    }
}
