// SPDX-License-Identifier: Apache-2.0
import Crypto
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key that signs archives: Ed25519, in a file as OpenSSL writes it (PKCS #8 in PEM; RFC 8410, RFC 7468).
public struct ArchiveKey: Sendable {
    public let key: Curve25519.Signing.PrivateKey

    /// What stands before the 32 bytes of such a key.
    private static let head = Data([
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ])
    private static let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----")

    /// A new one.
    public init() {
        key = Curve25519.Signing.PrivateKey()
    }

    /// Reads a file.
    public init(pem: String) throws(FormatFailure) {
        let lines = pem.split(whereSeparator: \.isNewline).map { String($0.filter { !$0.isWhitespace }) }
        let (first, last) = [Self.begin, Self.end].map { mark in
            lines.firstIndex(of: mark.filter { !$0.isWhitespace })
        }.reduce(into: (Int?.none, Int?.none)) { ends, place in ends = (ends.1, place) }
        guard let first, let last, first < last, let bytes = Data(base64Encoded: lines[(first + 1)..<last].joined()),
            bytes.count == Self.head.count + 32, bytes.starts(with: Self.head),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes.dropFirst(Self.head.count))
        else {
            throw FormatFailure(
                "", "This is no private Ed25519 key in PEM, as `sheets archive new-key` or OpenSSL write it.")
        }
        self.key = key
    }

    /// The file.
    public var pem: String {
        "\(Self.begin)\n\((Self.head + key.rawRepresentation).base64EncodedString())\n\(Self.end)\n"
    }

    /// What people compare, in hexadecimal digits.
    public var publicKey: String { Self.text(key.publicKey.rawRepresentation) }

    /// A public key in hexadecimal digits.
    public static func text(_ publicKey: Data) -> String {
        publicKey.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
