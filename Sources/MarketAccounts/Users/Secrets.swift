// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Random letters and digits that nobody can guess.
enum SecretText {
    static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// `count` characters, 5.95 bits each, from the system's generator.
    static func random(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether all of `text` is of the alphabet.
    static func isWellFormed(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    }
}

/// A program's credential: `smk_`, 42 random characters (250 bits), and 6 of their checksum, so that a scanner of
/// source code can tell a leaked token from a word that looks like one, and a typing error costs no query.
struct TokenSecret: Equatable, Sendable {
    static let mark = "smk_"
    static let randomLength = 42
    static let checksumLength = 6

    /// What goes behind `Authorization: Bearer`.
    let text: String

    init() {
        let random = SecretText.random(Self.randomLength)
        text = Self.mark + random + Self.checksum(of: random)
    }

    /// Reads a token; `nil` for anything that was never one.
    init?(_ text: some StringProtocol) {
        guard text.hasPrefix(Self.mark),
            text.utf8.count == Self.mark.utf8.count + Self.randomLength + Self.checksumLength
        else { return nil }
        let body = text.dropFirst(Self.mark.count)
        guard SecretText.isWellFormed(body) else { return nil }
        guard body.suffix(Self.checksumLength) == Self.checksum(of: body.prefix(Self.randomLength)) else { return nil }
        self.text = String(text)
    }

    /// The stored hash. A plain SHA-256 is enough, since the secret has 250 random bits.
    var hash: ContentHash { ContentHash(hashing: Data(text.utf8)) }

    /// CRC-32 (as in ZIP) of the characters, in base 62.
    static func checksum(of text: some StringProtocol) -> String {
        var crc = UInt32.max
        for byte in text.utf8 {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        var rest = ~crc
        var digits: [UInt8] = []
        for _ in 0..<checksumLength {
            digits.append(SecretText.alphabet[Int(rest % 62)])
            rest /= 62
        }
        return String(decoding: digits.reversed(), as: UTF8.self)
    }
}

/// What a browser's cookie holds: 43 random characters (256 bits).
package struct SessionSecret: Equatable, Sendable {
    package static let length = 43

    /// The cookie's value.
    package let text: String

    package init() {
        text = SecretText.random(Self.length)
    }

    /// Reads a cookie's value; `nil` for anything that was never one.
    package init?(_ text: String) {
        guard text.utf8.count == Self.length, SecretText.isWellFormed(text) else { return nil }
        self.text = text
    }

    /// What is stored.
    package var hash: ContentHash { ContentHash(hashing: Data(text.utf8)) }
}
