// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SheetCore

@Suite("Unicode's forms of a text")
struct UnicodeTextTests {
    private static let texts = [
        "", "plain", "e\u{301}", "\u{e9}", "A\u{30A}\u{323}", "\u{1E9B}\u{323}", "\u{212B}ngstr\u{F6}m", "가각힣",
        "\u{1112}\u{1161}\u{11AB}", "\u{FB2C}", "\u{1D160}", "क़", "🎲é🎲",
        String(repeating: "\u{390}", count: 5_000), String(repeating: "\u{FB2C}", count: 5_000),
    ]

    @Test("forms are those that Foundation makes, unit by unit", arguments: texts)
    func forms(text: String) {
        let composed = UnicodeText.composed(text).unicodeScalars
        #expect(Array(composed) == Array(text.precomposedStringWithCanonicalMapping.unicodeScalars))
        let decomposed = UnicodeText.decomposed(text).unicodeScalars
        #expect(Array(decomposed) == Array(text.decomposedStringWithCanonicalMapping.unicodeScalars))
    }

    @Test("letters are those that Foundation makes", arguments: texts + ["Лист", "角色卡", "シート", "Æ", "a\u{0}b", "ﷺ"])
    func letters(text: String) throws {
        let latin = try #require(text.applyingTransform(.toLatin, reverse: false))
        let ascii = try #require(latin.applyingTransform(StringTransform("Latin-ASCII"), reverse: false))
        #expect(UnicodeText.latin(text) == ascii)
    }

    @Test("what is simple is composed, and each of its scalars a character")
    func simple() {
        let scalars = (0...0x3_FFFF).compactMap { Unicode.Scalar(UInt32($0)) }
        let simple = scalars.filter { UnicodeText.isSimple(String($0)) }
        #expect(simple.count > 1_000)
        for scalar in simple {
            let text = String(scalar)
            #expect(Array(text.precomposedStringWithCanonicalMapping.unicodeScalars) == [scalar])
            #expect("e\(text)e".count == 3, "\(scalar.value)")
            #expect("\(text)\(text)".count == 2, "\(scalar.value)")
        }
        for joined in ["e\u{301}", "\r\n", "각", "👩‍🚀", "🇪🇺", "क्ष"] { #expect(!UnicodeText.isSimple(joined)) }
    }
}
