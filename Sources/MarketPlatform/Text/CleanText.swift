// SPDX-License-Identifier: Apache-2.0
import Foundation

extension String {
    /// What people wrote, fit to be stored and shown on one line: composed (NFC), without control characters and
    /// without the marks that turn the direction of what stands around them; blanks at the ends cut off.
    package func cleanedLine() -> String {
        cleaned { _ in false }.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The same for text of many lines, which keeps its line breaks (as line feeds) and tabulators.
    package func cleanedText() -> String {
        replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .cleaned { $0 == "\n" || $0 == "\t" }.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func cleaned(keeping isKept: (Unicode.Scalar) -> Bool) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars where isKept(scalar) || !scalar.isUnwanted { scalars.append(scalar) }
        return String(scalars).precomposedStringWithCanonicalMapping
    }
}

extension Unicode.Scalar {
    /// Control characters, direction overrides and isolates (the "Trojan Source" marks), byte order marks, and
    /// what is no character at all.
    fileprivate var isUnwanted: Bool {
        if properties.generalCategory == .control || properties.isNoncharacterCodePoint { return true }
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029, 0xFEFF: return true
        default: return false
        }
    }
}
