// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore
import Testing

@testable import DictionaryCoding

@Suite("Files compressed with an older one as their dictionary")
struct DictionaryCodingTests {
    /// Decodes a frame that comes in pieces; throws as the decoder does, and where more than `limit` bytes come of it.
    static func decode(_ frame: Data, dictionary: Data, pieces: Int = .max, limit: Int = .max) throws -> Data {
        let path = NSTemporaryDirectory() + "/dictionary-\(UUID().uuidString)"
        try dictionary.write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let decoder = try FrameDecoder(dictionary: path)
        var made = Data()
        var rest = frame
        while !rest.isEmpty {
            try decoder.decode(rest.prefix(pieces)) { piece in
                made.append(piece)
                guard made.count <= limit else { throw TooLong() }
            }
            rest = rest.dropFirst(pieces)
        }
        guard decoder.isComplete else { throw TooShort() }
        return made
    }

    struct TooLong: Error {}
    struct TooShort: Error {}

    @Test("what was compressed comes out as it was, in pieces of any size", arguments: [1, 7, 1000, .max])
    func roundTrip(pieces: Int) throws {
        let old = Data(SampleSheet.bytes(300_000, seed: 7))
        let new = old.prefix(100_000) + Data(SampleSheet.bytes(900, seed: 8)) + old.dropFirst(100_050)
        let frame = try #require(try DictionaryEncoder.encode(new, dictionary: old, limit: new.count / 2))
        #expect(frame.count < 1200)
        #expect(try Self.decode(frame, dictionary: old, pieces: pieces) == new)
    }

    @Test("the largest files keep all of the dictionary in reach, in a window that every client has")
    func largest() throws {
        let old = Data(SampleSheet.bytes(DictionaryCompression.maximumBytes, seed: 3))
        let new = Data(old.reversed().prefix(500)) + old.dropFirst(500)
        #expect(DictionaryCompression.fits(new.count, dictionary: old.count))
        let frame = try #require(try DictionaryEncoder.encode(new, dictionary: old, limit: new.count / 2))
        #expect(frame.count < 2000)
        #expect(try Self.decode(frame, dictionary: old) == new)
    }

    @Test("what saves nothing is none")
    func unrelated() throws {
        let (old, new) = (Data(SampleSheet.bytes(50_000, seed: 1)), Data(SampleSheet.bytes(50_000, seed: 2)))
        #expect(try DictionaryEncoder.encode(new, dictionary: old, limit: new.count / 2) == nil)
    }

    @Test("whatever is wrong with a frame, it ends with an error or with other bytes, within the limit")
    func damaged() throws {
        let old = Data(SampleSheet.bytes(20_000, seed: 7))
        let new = old.dropFirst(50) + Data(SampleSheet.bytes(300, seed: 8))
        let frame = try #require(try DictionaryEncoder.encode(Data(new), dictionary: old, limit: new.count / 2))
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var other = frame
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                other[Int.random(in: 0..<other.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) { other = other.prefix(.random(in: 0..<other.count, using: &generator)) }
            // That it comes back is the test.
            _ = try? Self.decode(other, dictionary: old, pieces: 64, limit: new.count)
        }
        #expect(throws: ZstandardFailure.self) { try Self.decode(frame + [0], dictionary: old) }
        #expect(throws: TooShort.self) { try Self.decode(frame.dropLast(), dictionary: old) }
        #expect(throws: ZstandardFailure.self) { try FrameDecoder(dictionary: "/nonexistent") }
    }

    @Test("a few bytes that stand for very many are cut off, and a window of more than 16 MB is refused")
    func bomb() throws {
        let old = Data(SampleSheet.bytes(1000, seed: 1))
        let zeros = Data(count: 30 << 20)
        let frame = try #require(try DictionaryEncoder.encode(zeros, dictionary: old, limit: 100_000))
        #expect(throws: ZstandardFailure.self) { try Self.decode(frame, dictionary: old) }
        let small = try #require(try DictionaryEncoder.encode(zeros.prefix(10 << 20), dictionary: old, limit: 100_000))
        #expect(throws: TooLong.self) { try Self.decode(small, dictionary: old, limit: 300_000) }
    }

    @Test("the field that names a dictionary is read as it is written, and nothing else")
    func field() {
        let hash = ContentHash(hashing: Data("test".utf8))
        let text = DictionaryCompression.fieldValue(of: hash)
        #expect(text == ":n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:")
        #expect(DictionaryCompression.dictionary(fieldValue: text) == hash)
        let none = ":" + String(repeating: "=", count: 44) + ":"
        for other in ["", "::", hash.hex, String(text.dropFirst()), text + ";a", none] {
            #expect(DictionaryCompression.dictionary(fieldValue: other) == nil)
        }
        #expect(!DictionaryCompression.fits(9 << 20, dictionary: 5 << 20), "not all clients have such a window")
        #expect(DictionaryCompression.fits(8 << 20, dictionary: 100))
        #expect(!DictionaryCompression.fits((12 << 20) + 1, dictionary: 12 << 20))
    }
}
