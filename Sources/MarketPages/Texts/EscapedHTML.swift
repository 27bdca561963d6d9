// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import Mustache

/// Puts phrases into the words of a language, and escapes by bytes. Mustache's own escaping goes by characters, and passes
/// a quotation mark over that carries a combining accent: to a browser that mark still ends the attribute.
struct EscapedHTML: MustacheContentType {
    var words = PhraseCatalog.english

    var name: String { "MARKET-\(words.language.rawValue)" }
    /// Stands at the head of each template.
    var pragma: String { "{{% CONTENT_TYPE:\(name)}}" }

    func escapeText(_ text: String) -> String {
        (Phrase(coded: text)?.text(in: words) ?? text).escapingBytes(Self.entity)
    }

    private static func entity(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}

extension Phrase: MustacheCustomRenderable {
    package var renderText: String { coded }
    package var isNull: Bool { false }
}

extension String {
    /// The text with what `replacement` says in place of single bytes. By bytes, since a character can hold a `<` together
    /// with what stands before or behind it.
    func escapingBytes(_ replacement: (UInt8) -> String?) -> String {
        guard utf8.contains(where: { replacement($0) != nil }) else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count + 32)
        for byte in utf8 {
            if let text = replacement(byte) { bytes.append(contentsOf: text.utf8) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
