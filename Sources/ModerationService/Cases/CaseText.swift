// SPDX-License-Identifier: Apache-2.0
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire

/// Text of notes, messages and appeals.
enum CaseText {
    /// The text fit to be kept; throws `validation_failed`.
    static func checked(_ text: String, at pointer: String) throws(APIError) -> String {
        let cleaned = text.cleanedText()
        guard (1...NoteRequest.maximumLength).contains(cleaned.unicodeScalars.count) else {
            throw .validation([.init(pointer: pointer, detail: "One to \(NoteRequest.maximumLength) characters.")])
        }
        return cleaned
    }
}
