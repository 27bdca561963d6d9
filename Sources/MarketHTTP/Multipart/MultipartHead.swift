// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What a part's header fields say of it.
package struct MultipartHead: Equatable, Sendable {
    /// The form field's name.
    package var name: String
    /// The name that the sender gives the file; `nil` when the part is no file, empty when no file was chosen.
    package var fileName: String?
    /// The media type that the sender claims, in lower case.
    package var contentType: String?

    /// Takes the parts as they are.
    package init(name: String, fileName: String? = nil, contentType: String? = nil) {
        self.name = name
        self.fileName = fileName
        self.contentType = contentType
    }

    /// Reads header lines without their line breaks.
    package init(lines: [Substring]) throws(MultipartError) {
        var disposition: HeaderValue?
        var contentType: String?
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].utf8.allSatisfy(HeaderValue.isTokenByte),
                line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else { throw .malformed("a line of a part's head is no header field") }
            let value = Substring(line.utf8[line.utf8.index(after: colon)...])
            switch line[..<colon].lowercased() {
            case "content-disposition":
                guard disposition == nil else { throw .malformed("a part has two Content-Disposition fields") }
                disposition = HeaderValue(value)
                if disposition == nil { throw .malformed("a part's Content-Disposition cannot be read") }
            case "content-type":
                contentType = HeaderValue(value)?.value
            case "content-transfer-encoding":
                // RFC 7578, section 4.7: deprecated; only the encodings that change nothing are taken.
                guard ["7bit", "8bit", "binary"].contains(HeaderValue(value)?.value) else {
                    throw .malformed("a part has a Content-Transfer-Encoding")
                }
            default: continue
            }
        }
        guard let disposition, disposition.value == "form-data", let name = disposition.parameters["name"] else {
            throw .malformed("a part lacks 'Content-Disposition: form-data; name=…'")
        }
        self.name = name
        self.contentType = contentType
        fileName =
            disposition.parameters["filename*"].flatMap(HeaderValue.extended) ?? disposition.parameters["filename"]
    }
}

/// The boundary of a multipart body.
package struct MultipartBoundary: Equatable, Sendable {
    /// The text between `--` and the line's end.
    package let text: String

    /// Takes 1 to 70 of the characters that RFC 2046 (section 5.1.1) allows, the last no blank.
    package init?(_ text: String) {
        let allowed = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'()+_,-./:=? ".utf8)
        guard (1...70).contains(text.utf8.count), text.utf8.allSatisfy(allowed.contains), !text.hasSuffix(" ") else {
            return nil
        }
        self.text = text
    }

    /// Reads it from a `Content-Type` field.
    package init(contentType: String) throws(MultipartError) {
        guard let field = HeaderValue(contentType[...]), field.value == "multipart/form-data",
            let boundary = field.parameters["boundary"].flatMap(MultipartBoundary.init(_:))
        else { throw .badBoundary }
        self = boundary
    }
}

/// A header field's value with parameters: `form-data; name="file"; filename="a b.pdf"`.
struct HeaderValue: Equatable {
    /// What stands before the first semicolon, in lower case.
    let value: String
    /// By name in lower case; of repeated ones the first.
    let parameters: [String: String]

    /// Reads the value; `nil` when it breaks the grammar.
    init?(_ text: Substring) {
        var rest = text
        Self.skipBlanks(&rest)
        value = Self.trimmed(Self.take(&rest) { $0 != UInt8(ascii: ";") }).lowercased()
        var parameters: [String: String] = [:]
        while !rest.isEmpty {
            Self.dropByte(&rest)
            Self.skipBlanks(&rest)
            if rest.isEmpty { break }
            let name = Self.take(&rest, while: Self.isTokenByte).lowercased()
            Self.skipBlanks(&rest)
            guard !name.isEmpty, rest.utf8.first == UInt8(ascii: "=") else { return nil }
            Self.dropByte(&rest)
            Self.skipBlanks(&rest)
            guard let value = Self.parameterValue(&rest) else { return nil }
            if parameters[name] == nil { parameters[name] = value }
            Self.skipBlanks(&rest)
            guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ";") else { return nil }
        }
        self.parameters = parameters
    }

    private static func parameterValue(_ rest: inout Substring) -> String? {
        guard rest.utf8.first == UInt8(ascii: "\"") else {
            return trimmed(take(&rest) { $0 != UInt8(ascii: ";") })
        }
        var bytes: [UInt8] = []
        var iterator = rest.utf8.dropFirst().indices.makeIterator()
        while let index = iterator.next() {
            let byte = rest.utf8[index]
            if byte == UInt8(ascii: "\"") {
                rest = Substring(rest.utf8[rest.utf8.index(after: index)...])
                // What browsers write for a quotation mark (WHATWG HTML, multipart/form-data encoding).
                return String(decoding: bytes, as: UTF8.self).replacing("%22", with: "\"")
            }
            let following = rest.utf8[rest.utf8.index(after: index)...].first
            if byte == UInt8(ascii: "\\"), following == UInt8(ascii: "\"") || following == UInt8(ascii: "\\") {
                // Any other backslash is itself: old browsers send whole Windows paths.
                guard let escaped = iterator.next() else { return nil }
                bytes.append(rest.utf8[escaped])
            } else {
                bytes.append(byte)
            }
        }
        return nil
    }

    /// Decodes an extended value, `UTF-8''a%20b.pdf` (RFC 8187, section 3.2); `nil` for other character sets.
    static func extended(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return String(parts[2]).removingPercentEncoding
    }

    /// RFC 9110, section 5.6.2.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func take(_ rest: inout Substring, while condition: (UInt8) -> Bool) -> Substring {
        let taken = Substring(rest.utf8.prefix(while: condition))
        rest = rest[taken.endIndex...]
        return taken
    }

    /// By bytes: a combining mark after a semicolon would make one character of both.
    private static func dropByte(_ rest: inout Substring) {
        rest = Substring(rest.utf8.dropFirst())
    }

    private static func skipBlanks(_ rest: inout Substring) {
        _ = take(&rest) { $0 == 0x20 || $0 == 0x09 }
    }

    private static func trimmed(_ text: Substring) -> String {
        text.trimmingCharacters(in: .whitespaces)
    }
}
