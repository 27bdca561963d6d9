// SPDX-License-Identifier: Apache-2.0

/// Words that ship with the program, as lines: `[heading]` begins a paragraph, `name: term, term` says what belongs to a name,
/// and what begins with `#` is a remark. They are read at every start, and lines take a fifth of the time of JSON.
public enum TermLines {
    /// Hands over each line with terms, and the heading it stands below (empty before the first). Terms are words with
    /// single spaces between them. All other lines are passed over.
    public static func read(
        _ text: [UInt8],
        _ take: (_ heading: String, _ name: String, _ terms: [ArraySlice<UInt8>]) -> Void
    ) {
        var heading = ""
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            if line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") {
                heading = String(decoding: line.dropFirst().dropLast(), as: UTF8.self)
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                let terms = line[(colon + 1)...].split(separator: UInt8(ascii: ","))
                let name = String(decoding: line[..<colon], as: UTF8.self)
                take(heading, name, terms.map { $0.drop { $0 == UInt8(ascii: " ") } })
            }
        }
    }
}
