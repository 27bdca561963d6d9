// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketPlatform

/// Time-based one-time passwords (RFC 6238) as all authenticator apps make them: HMAC-SHA-1, six digits, 30 seconds.
struct OneTimeCode: Sendable {
    static let digits = 6
    static let stepSeconds = 30.0
    /// 160 bits, as RFC 4226 recommends.
    static let secretBytes = 20
    /// How many steps before and after the present one count: clocks differ, and people type slowly.
    static let tolerance: Int64 = 1

    let secret: [UInt8]

    /// A new secret.
    init() {
        var generator = SystemRandomNumberGenerator()
        secret = (0..<Self.secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    init(secret: [UInt8]) {
        self.secret = secret
    }

    /// The step that `date` is in.
    static func step(at date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 / stepSeconds).rounded(.down))
    }

    /// The code of a step.
    func code(step: Int64) -> String {
        let counter = withUnsafeBytes(of: step.bigEndian) { Data($0) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
        let offset = Int((mac.last ?? 0) & 0x0F)
        let word = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(word % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// The step, after `used`, whose code this is; `nil` when there is none about `date`.
    func step(of code: String, at date: Date, after used: Int64) -> Int64? {
        let now = Self.step(at: date)
        var found: Int64?
        // All are computed, whichever is right.
        for step in (now - Self.tolerance)...(now + Self.tolerance) where step > used {
            if SymmetricKey(data: Array(self.code(step: step).utf8)) == SymmetricKey(data: Array(code.utf8)) {
                found = step
            }
        }
        return found
    }

    /// The secret for typing, in base 32 (RFC 4648, section 6) without padding.
    var base32: String { Base32.encode(secret) }

    /// What apps read from a QR code (Google Authenticator's key URI format).
    func uri(account: String, issuer: String) -> String {
        func encoded(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "" }
        return "otpauth://totp/\(encoded(issuer)):\(encoded(account))?secret=\(base32)&issuer=\(encoded(issuer))"
            + "&algorithm=SHA1&digits=\(Self.digits)&period=\(Int(Self.stepSeconds))"
    }
}

/// RFC 4648, section 6, without padding.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> bits & 31)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (5 - bits) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Codes on paper that take an app's place, each once.
enum RecoveryCode {
    static let count = 10
    /// Letters and digits that are not taken for each other: 5 bits each.
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
    private static let length = 12

    /// Ten new ones of 60 bits: `abcd-efgh-ijkm`.
    static func make() -> [String] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in
            let bytes = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            return stride(from: 0, to: length, by: 4)
                .map { String(decoding: bytes[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
        }
    }

    /// What a code (as `normal` gives it) is recognized by: without the second factor's secret nobody can search for
    /// it.
    static func mark(_ code: String, secret: [UInt8]) -> Data {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), info: Data("sheetmarket recovery codes".utf8),
            outputByteCount: 32)
        return Data(HMAC<SHA256>.authenticationCode(for: Data(code.utf8), using: key))
    }

    /// The code's own letters, however it was typed; `nil` for what was never one.
    static func normal(_ text: String) -> String? {
        let bytes = text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard bytes.count == length, bytes.allSatisfy(alphabet.contains) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
