// SPDX-License-Identifier: Apache-2.0

/// Text of strangers that is to be shown on one line: no characters that hide, reorder or control.
public enum PlainText {
    /// Whether `text` has none of them; with `lines` it may have line feeds.
    public static func isPlain(_ text: String, lines: Bool = false) -> Bool {
        text.unicodeScalars.allSatisfy { isPlain($0, lines: lines) }
    }

    /// The text without them, white space at the ends or, without `lines`, line breaks; at most `most` characters.
    public static func cleaned(_ text: String, most: Int, lines: Bool = false) -> String {
        var scalars = String.UnicodeScalarView()
        var isBehindSpace = true
        for scalar in text.unicodeScalars {
            if lines, scalar == "\n" {
                scalars.append(scalar)
                isBehindSpace = true
            } else if scalar.properties.isWhitespace {
                if !isBehindSpace { scalars.append(" ") }
                isBehindSpace = true
            } else if isPlain(scalar, lines: lines) {
                scalars.append(scalar)
                isBehindSpace = false
            }
            // A character may have any number of marks on it.
            if scalars.count >= 4 * most { break }
        }
        var made = String(String(scalars).prefix(most))
        while let last = made.last, last.isWhitespace { made.removeLast() }
        return made
    }

    private static func isPlain(_ scalar: Unicode.Scalar, lines: Bool) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: lines && scalar == "\n"
        case .format, .surrogate, .privateUse, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
