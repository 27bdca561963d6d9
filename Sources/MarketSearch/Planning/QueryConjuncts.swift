// SPDX-License-Identifier: Apache-2.0

/// A `tsquery` as the parts of it that all have to fit.
enum QueryConjuncts {
    /// The parts of a query as PostgreSQL writes it; one part where they are alternatives.
    static func all(of query: String) -> [String] {
        let text = trimmed(Array(query.utf8)[...])
        guard let ends = ends(in: text) else { return [string(text)] }
        if ends.isEmpty {
            // Parentheses may hold all of it.
            guard let closing = closing(of: text), closing == text.endIndex - 1 else { return [string(text)] }
            return all(of: string(text.dropFirst().dropLast()))
        }
        var begin = text.startIndex
        var parts: [String] = []
        for end in ends + [text.endIndex] {
            parts += all(of: string(trimmed(text[begin..<end])))
            begin = end + 1
        }
        return parts
    }

    /// One query of several parts; `nil` of none.
    static func joined(_ parts: [String]) -> String? {
        parts.isEmpty ? nil : parts.map { "(\($0))" }.joined(separator: " & ")
    }

    /// The query with other text in place of some lexemes.
    static func replacing(_ query: String, _ replacement: (_ lexeme: String) -> String?) -> String {
        var text = Array(query.utf8)[...]
        var made: [UInt8] = []
        while let byte = text.popFirst() {
            guard byte == UInt8(ascii: "'") else {
                made.append(byte)
                continue
            }
            let start = text.startIndex
            let lexeme = lexeme(&text)
            // Weights stand behind the quote.
            if let lexeme, text.first != UInt8(ascii: ":"), let other = replacement(lexeme) {
                made += other.utf8
            } else {
                made.append(byte)
                made += Array(query.utf8)[start..<text.startIndex]
            }
        }
        return String(decoding: made, as: UTF8.self)
    }

    /// Takes a lexeme off a text, from behind the apostrophe that it begins with; `nil` where it has no end. Inside of
    /// apostrophes these are doubled, and backslashes go before what they protect.
    static func lexeme(_ text: inout ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        while let byte = text.popFirst() {
            if byte == UInt8(ascii: "\\"), let next = text.popFirst() {
                bytes.append(next)
            } else if byte != UInt8(ascii: "'") {
                bytes.append(byte)
            } else if text.first == byte {
                text = text.dropFirst()
                bytes.append(byte)
            } else {
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        return nil
    }

    /// Where `&` stands outside of quotes and parentheses; `nil` where `|` does.
    private static func ends(in text: ArraySlice<UInt8>) -> [Int]? {
        var ends: [Int] = []
        var isAlternative = false
        scan(text) { index, depth in
            guard depth == 0 else { return true }
            if text[index] == UInt8(ascii: "&") { ends.append(index) }
            isAlternative = isAlternative || text[index] == UInt8(ascii: "|")
            return true
        }
        return isAlternative ? nil : ends
    }

    /// Where the parenthesis is closed that a text begins with.
    private static func closing(of text: ArraySlice<UInt8>) -> Int? {
        guard text.first == UInt8(ascii: "(") else { return nil }
        var closing: Int?
        scan(text) { index, depth in
            guard depth == 0, text[index] == UInt8(ascii: ")") else { return true }
            closing = index
            return false
        }
        return closing
    }

    /// Goes through what stands outside of quotes, as far as it is wanted; tells the depth behind each sign.
    private static func scan(_ text: ArraySlice<UInt8>, _ body: (_ index: Int, _ depth: Int) -> Bool) {
        var (depth, index, isQuoted) = (0, text.startIndex, false)
        while index < text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: "'") { isQuoted.toggle() }
            if isQuoted {
                // Backslashes go before what they protect; doubled apostrophes end a quote and begin the next.
                if byte == UInt8(ascii: "\\") { index += 1 }
            } else {
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") { depth -= 1 }
                guard body(index, depth) else { return }
            }
            index += 1
        }
    }

    private static func trimmed(_ part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var part = part.drop { $0 == UInt8(ascii: " ") }
        while part.last == UInt8(ascii: " ") { part = part.dropLast() }
        return part
    }

    private static func string(_ part: ArraySlice<UInt8>) -> String { String(decoding: part, as: UTF8.self) }
}
