// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

struct TrustJSONTests {
    private func rewritten(_ text: String) throws -> String {
        String(decoding: try TrustJSON(reading: Data(text.utf8)).canonical, as: UTF8.self)
    }

    /// The right sides are what `securesystemslib.formats.encode_canonical` gives.
    @Test(arguments: [
        (#"{ "b" : 1, "a" : [ true, false, null ] }"#, #"{"a":[true,false,null],"b":1}"#),
        (#"{"a":"tab\there\u0001","é":"\"\\\/"}"#, "{\"a\":\"tab\there\u{1}\",\"é\":\"\\\"\\\\/\"}"),
        (#"{"\ud83c\udfb2":-5,"z":0,"Z":9223372036854775807}"#, #"{"Z":9223372036854775807,"z":0,"🎲":-5}"#),
        (#"{"ﬀ":1,"𐀀":2}"#, #"{"ﬀ":1,"𐀀":2}"#),
        ("{\"e\u{301}\":1,\"\u{e9}\":2}", "{\"e\u{301}\":1,\"\u{e9}\":2}"),
        (#""""#, #""""#), ("[]", "[]"), ("{}", "{}"),
    ])
    func isWrittenAsItWasSigned(_ text: String, _ canonical: String) throws {
        #expect(try Array(rewritten(text).utf8) == Array(canonical.utf8))
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "1.0", "1e3", "-0", "01",
        "9223372036854775808",
        "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\u{1}\"", "\"\\x\"", "[1] 2", "nul", "'a'", "\"\\u+123\"",
        String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    ])
    func anythingElseIsRefused(_ text: String) {
        #expect(throws: TrustJSON.Malformed.self) { try rewritten(text) }
    }

    @Test func whatIsNotUTF8IsRefused() {
        #expect(throws: TrustJSON.Malformed.self) { try TrustJSON(reading: Data([0x22, 0xC3, 0x28, 0x22])) }
        #expect(throws: TrustJSON.Malformed.self) { try TrustJSON(reading: Data([0x22, 0xED, 0xA0, 0x80, 0x22])) }
    }

    @Test(arguments: ["1970-01-01T00:00:00Z", "2026-11-25T13:58:43Z", "2024-02-29T23:59:59Z", "2100-03-01T00:00:00Z"])
    func timesAreReadAndWritten(_ text: String) throws {
        let date = try #require(TrustDate.date(text))
        #expect(TrustDate.text(date) == text)
        #expect(date == ISO8601DateFormatter().date(from: text))
    }

    @Test(arguments: [
        "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z", "2023-01-01T24:00:00Z", "2023-01-01 00:00:00Z", "x",
    ])
    func timesThatAreNone(_ text: String) {
        #expect(TrustDate.date(text) == nil)
    }

    /// A file's own bytes are taken as what was signed only where they are that.
    @Test(arguments: [
        #"{"a":1,"b":[{"c":"d"}],"é":"x"}"#, #"{"a": 1}"#, #"{"b":1,"a":2}"#, #"{"a":{"c":1,"b":2}}"#, #"{"a":"\/"}"#,
        #"{"a":"\u0062"}"#, #"{"a":"\"\\"}"#, #"{"a":"tab\t"}"#, #"{"a":[1, 2]}"#, "{}", " {}", #"{"e\u0301":1}"#,
        "{\"e\u{301}\":1,\"\u{e9}\":2}", #"{"a":-5,"b":0,"c":null,"d":true}"#, #"{"A":1,"a":2,"aa":3}"#,
    ])
    func whatWasSignedIsTheSameHoweverItStands(_ signed: String) throws {
        let parsed = try TrustJSON(reading: Data(signed.utf8))
        for file in [
            #"{"signatures":[],"signed":"# + signed + "}", #"{ "signed" : "# + signed + #", "signatures": []}"#,
            #"{"signed":"# + signed + #","a":{"signed":{"b": 1}},"signatures":[ ]}"#,
        ] {
            let metadata = try SignedMetadata(reading: Data(file.utf8), role: "timestamp")
            #expect(metadata.canonical == parsed.canonical && .object(metadata.signed) == parsed, "\(file)")
        }
    }

    @Test func membersThatNobodyKnowsStaySigned() throws {
        let key = TrustSigningKey()
        let signed: TrustJSON = ["_type": "timestamp", "x-later": ["a": [1, 2]], "version": 1]
        var metadata = SignedMetadata(try #require(signed.object))
        try metadata.sign(with: key)
        let read = try SignedMetadata(reading: metadata.file, role: "timestamp")
        let keys = TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1)
        #expect(keys.validSignatures(read, keys: [key.publicKey.id: key.publicKey]) == 1)
    }

    @Test(arguments: ["one\ntwo", "a\ttab", "\u{1}\u{0}\u{1f}", "\"\\", "\u{7f}é🎲"])
    func filesWithControlCharactersAreReadAgain(_ reason: String) throws {
        let key = TrustSigningKey()
        var metadata = SignedMetadata(try #require(TrustJSON(members: [(reason, .string(reason))]).object))
        try metadata.sign(with: key)
        let read = try SignedMetadata(reading: metadata.file, role: "bin-00")
        #expect(read.signed == metadata.signed)
        #expect(metadata.file.allSatisfy { $0 >= 0x20 })
        let keys = TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1)
        #expect(keys.validSignatures(read, keys: [key.publicKey.id: key.publicKey]) == 1)
    }

    /// From RFC 8032, section 7.1, test 2.
    @Test func verifiesAKnownSignature() throws {
        let bytes = try #require(ContentHash(hex: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        let signature = [
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ].compactMap { ContentHash(hex: $0)?.bytes }.flatMap { $0 }
        #expect(TrustKey(ed25519: bytes.bytes).isValid(signature, for: [0x72]))
        #expect(!TrustKey(ed25519: bytes.bytes).isValid(signature, for: [0x73]))
    }
}
