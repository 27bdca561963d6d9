// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SheetCore

@Suite struct SlugTests {
    @Test(
        "a title becomes a slug",
        arguments: [
            ("Quest Sheet", "quest-sheet"), ("  --Héros & Légendes!  ", "heros-legendes"), ("D&D 5e", "d-d-5e"),
            ("The Wizard's Sheet", "the-wizards-sheet"), ("Łódź", "lodz"), ("ÆON", "aeon"),
            ("A__b", "a-b"), ("x", "x"), (String(repeating: "a", count: 90), String(repeating: "a", count: 64)),
            (String(repeating: "a", count: 63) + " bcd", String(repeating: "a", count: 63)),
        ])
    func slugs(title: String, slug: String) {
        #expect(Slug(slugging: title)?.text == slug)
    }

    @Test(
        "other scripts are written in Latin letters",
        arguments: [
            ("Лист персонажа", "list-personaza"), ("キャラクターシート", "kyarakutashito"), ("角色卡", "jiao-se-ka"),
            ("דף דמות", "dp-dmwt"), ("Ξίφος & Ασπίδα", "xiphos-aspida"), ("ورقة الشخصية", "wrqt-alshkhsyt"),
            ("캐릭터 시트", "kaeligteo-siteu"), ("कौशल", "kausala"), ("می\u{200C}شود", "myshwd"), ("ß", "ss"),
            ("i\u{307}", "i"), ("a\u{0}b", "a-b"),
        ])
    func transliterated(title: String, slug: String) throws {
        let made = try #require(Slug(slugging: title))
        #expect(made.text == slug)
        #expect(Slug(made.text) == made)
    }

    @Test func punctuationIsTakenAsTheTablesOfScriptsTakeIt() {
        for mark in Slug.punctuation.keys {
            let title = "Hero\(mark)s \(mark)Deeds\(mark) 1\(mark)2"
            #expect(Slug(slugging: title) == Slug(slugging: Slug.transliterated(title)), "\(mark)")
        }
    }

    @Test("nothing readable gives no slug", arguments: ["", "   ", "!!!", "🎲", "---"])
    func unreadable(title: String) {
        #expect(Slug(slugging: title) == nil)
    }

    @Test("only well-formed slugs are taken as they are")
    func strict() {
        for good in ["a", "5e", "call-of-cthulhu", String(repeating: "a", count: 64)] { #expect(Slug(good) != nil) }
        for bad in ["", "-a", "a-", "a--b", "A", "a b", "a/b", "..", "ä", String(repeating: "a", count: 65)] {
            #expect(Slug(bad) == nil, "\(bad)")
        }
    }
}

@Suite struct ContentHashTests {
    @Test(
        "hashes are those of the standard's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func standard(text: String, hex: String) throws {
        let hash = ContentHash(hashing: Data(text.utf8))
        #expect(hash.hex == hex)
        #expect(ContentHash(hex: hex) == hash)
        #expect(ContentHash(bytes: hash.bytes) == hash)
        #expect(try JSONDecoder().decode([ContentHash].self, from: JSONEncoder().encode([hash])) == [hash])
    }

    @Test("a hash has one spelling")
    func strict() {
        let hex = String(repeating: "ab", count: 32)
        #expect(ContentHash(hex: hex) != nil)
        let wrong = [
            "", hex.uppercased(), String(hex.dropLast()), String(hex.dropLast(2)), hex + "ab",
            " " + hex.dropFirst(), "g" + hex.dropFirst(),
        ]
        for text in wrong { #expect(ContentHash(hex: text) == nil, "\(text)") }
        #expect(ContentHash(bytes: [UInt8](repeating: 0, count: 31)) == nil)
    }
}

@Suite struct IdentifierTests {
    @Test("ids are UUIDs of version 7 that hold their time and sort by it")
    func version7() throws {
        let seconds = [0, 1_000, 1_700_000_000.123, 1_700_000_000.124, 4_102_444_800]
        let times = seconds.map { Date(timeIntervalSince1970: $0) }
        let ids = times.map { TemplateID.make(at: $0) }
        #expect(ids.map(\.description).sorted() == ids.map(\.description))
        for (id, time) in zip(ids, times) {
            let bytes = withUnsafeBytes(of: id.rawValue.uuid) { Array($0) }
            #expect(bytes[6] >> 4 == 7)
            #expect(bytes[8] >> 6 == 0b10)
            let milliseconds = bytes.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            #expect(abs(Double(milliseconds) - time.timeIntervalSince1970 * 1000) <= 1)
        }
        #expect(Set((0..<1000).map { _ in TemplateID.make(at: times[2]) }).count == 1000)
    }

    @Test("a time before 1970 makes an id all the same")
    func early() {
        #expect(TemplateID.make(at: Date(timeIntervalSince1970: -5)).description.hasPrefix("00000000-0000-7"))
    }

    @Test("ids are written in lower case and read in either")
    func spelling() throws {
        let id = UserID.make()
        #expect(id.description == id.description.lowercased())
        #expect(UserID(id.description.uppercased()) == id)
        #expect(UserID("{\(id)}") == nil)
        #expect(UserID("") == nil)
        #expect(try JSONDecoder().decode([UserID].self, from: JSONEncoder().encode([id])) == [id])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([UserID].self, from: Data(#"["x"]"#.utf8)) }
    }
}
