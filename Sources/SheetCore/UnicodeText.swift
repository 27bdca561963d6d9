// SPDX-License-Identifier: Apache-2.0
// On Linux ICU is asked itself: all of Foundation lies in between otherwise, and it would take each reader of a sheet
// two to three milliseconds to start with it.
#if canImport(_FoundationICU)
    import _FoundationICU
#else
    import Foundation
#endif

/// What the tables of Unicode make of a text.
public enum UnicodeText {
    /// Letters with their accents as one (NFC; Unicode Standard Annex #15).
    public static func composed(_ text: String) -> String {
        if isSimple(text) { return text }
        #if canImport(_FoundationICU)
            return normalized(text, swift_unorm2_getNFCInstance)
        #else
            return text.precomposedStringWithCanonicalMapping
        #endif
    }

    /// Whether each scalar is a character of its own, and composed, so that nothing needs to be looked up: Latin letters,
    /// punctuation, arrows, boxes and the like, but nothing that joins what stands beside it, and no carriage return.
    public static func isSimple(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x0D: false
            case ..<0x300, 0x2010...0x2027, 0x2030...0x205E, 0x2190...0x22FF, 0x2500...0x27BF: true
            default: false
            }
        }
    }

    /// Text as it is compared: in small letters without accents.
    public static func folded(_ text: String) -> String {
        let letters = decomposed(text).lowercased().unicodeScalars.filter {
            $0.properties.generalCategory != .nonspacingMark
        }
        return String(String.UnicodeScalarView(letters))
    }

    /// Letters and their accents apart (NFD).
    static func decomposed(_ text: String) -> String {
        #if canImport(_FoundationICU)
            normalized(text, swift_unorm2_getNFDInstance)
        #else
            text.decomposedStringWithCanonicalMapping
        #endif
    }

    /// Other scripts in Latin letters, and these in ASCII where that can be (CLDR's `Any-Latin` and `Latin-ASCII`).
    static func latin(_ text: String) -> String {
        #if canImport(_FoundationICU)
            transliterated(text, "Any-Latin; Latin-ASCII")
        #else
            let latin = text.applyingTransform(.toLatin, reverse: false) ?? text
            return latin.applyingTransform(StringTransform("Latin-ASCII"), reverse: false) ?? latin
        #endif
    }
}

#if canImport(_FoundationICU)
    extension UnicodeText {
        private static func normalized(
            _ text: String,
            _ form: (UnsafeMutablePointer<UErrorCode>) -> OpaquePointer?
        ) -> String {
            var failure = U_ZERO_ERROR
            guard let form = form(&failure) else { return text }
            let units = Array(text.utf16)
            // No character grows to more than four units of UTF-16 in these forms (Annex #15, section 9).
            let most = 4 * units.count
            let made = [UInt16](unsafeUninitializedCapacity: most) { made, count in
                let length = swift_unorm2_normalize(
                    form, units, Int32(clamping: units.count), made.baseAddress, Int32(clamping: most), &failure)
                count = failure.rawValue <= 0 ? Int(length) : 0
            }
            return failure.rawValue <= 0 ? string(made) : text
        }

        /// The text of whole characters in UTF-16, letter by letter: Swift's general way takes a short run longer to get ready.
        private static func string(_ units: [UInt16]) -> String {
            var text = String.UnicodeScalarView()
            var place = 0
            while place < units.count {
                let unit = UInt32(units[place])
                place += 1
                if unit & 0xFC00 == 0xD800, place < units.count, UInt32(units[place]) & 0xFC00 == 0xDC00 {
                    let low = UInt32(units[place]) & 0x3FF
                    text.append(Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low) ?? "\u{FFFD}")
                    place += 1
                } else {
                    text.append(Unicode.Scalar(unit) ?? "\u{FFFD}")
                }
            }
            return String(text)
        }

        private static func transliterated(_ text: String, _ rules: String) -> String {
            var failure = U_ZERO_ERROR
            let id = Array(rules.utf16)
            let rules = swift_utrans_openU(id, Int32(id.count), UTRANS_FORWARD, nil, 0, nil, &failure)
            guard let rules, failure.rawValue <= 0 else { return text }
            defer { swift_utrans_close(rules) }
            let units = Array(text.utf16)
            // A character may become many letters; what needs more room than this stays as it is.
            let most = 64 + 32 * units.count
            let made = [UInt16](unsafeUninitializedCapacity: most) { made, count in
                for place in units.indices { made[place] = units[place] }
                var length = Int32(clamping: units.count)
                var end = length
                swift_utrans_transUChars(rules, made.baseAddress, &length, Int32(clamping: most), 0, &end, &failure)
                count = failure.rawValue <= 0 ? Int(length) : 0
            }
            return failure.rawValue <= 0 ? string(made) : text
        }
    }
#endif
