// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketPlatform
import MarketWire

/// Text of notes, messages and appeals.
enum CaseText {
    /// The cleaned text, as it is stored; throws `CaseError.badText`.
    static func checked(_ text: String, at pointer: String) throws(CaseError) -> String {
        let cleaned = text.cleanedText()
        guard (1...NoteRequest.maximumLength).contains(cleaned.unicodeScalars.count) else {
            throw .badText(pointer: pointer)
        }
        return cleaned
    }
}
