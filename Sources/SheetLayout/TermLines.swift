// SPDX-License-Identifier: Apache-2.0

/// Words that ship with the program, as lines: `[heading]` begins a paragraph, `name: term, term` says what belongs to a name,
/// and what begins with `#` is a remark. They are read at every start, and lines take a fifth of the time of JSON.
package enum TermLines {
    /// Hands over each term with its name and the heading that it stands below (empty before the first). Terms are words with
    /// single spaces between them. All other lines are passed over.
    package static func read(
        _ text: [UInt8],
        _ take: (_ heading: String, _ name: String, _ term: ArraySlice<UInt8>) -> Void
    ) {
        var heading = ""
        forEachPart(of: text[...], UInt8(ascii: "\n")) { line in
            guard let first = line.first, first != UInt8(ascii: "#") else { return }
            if first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
                heading = String(decoding: line.dropFirst().dropLast(), as: UTF8.self)
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                let name = String(decoding: line[..<colon], as: UTF8.self)
                forEachPart(of: line[(colon + 1)...], UInt8(ascii: ",")) { term in
                    let term = term.first == UInt8(ascii: " ") ? term.dropFirst() : term
                    if !term.isEmpty { take(heading, name, term) }
                }
            }
        }
    }

    /// Hands over what stands between separators, one part after the other.
    static func forEachPart(of text: ArraySlice<UInt8>, _ separator: UInt8, _ take: (ArraySlice<UInt8>) -> Void) {
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: separator) ?? text.endIndex
            take(text[start..<end])
            start = end + 1
        }
    }
}
