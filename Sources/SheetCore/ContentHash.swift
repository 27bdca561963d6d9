// SPDX-License-Identifier: Apache-2.0
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The SHA-256 of some bytes (FIPS 180-4), which is also the name they are stored under.
public struct ContentHash: Hashable, Sendable {
    /// Always 32, as SHA-256 has them.
    public let bytes: [UInt8]

    /// Takes 32 bytes; `nil` for any other count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads 64 hexadecimal digits, lower case only: one hash has one spelling.
    public init?(hex: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var high: UInt8?
        for character in hex.utf8 {
            let digit: UInt8
            switch character {
            case 48...57: digit = character - 48
            case 97...102: digit = character - 87
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard bytes.count == 32, high == nil else { return nil }
        self.bytes = bytes
    }

    /// The finished digest.
    public init(_ digest: SHA256.Digest) {
        bytes = Array(digest)
    }

    /// Hashes bytes held in memory; for streams use `SHA256` and `init(_:)`.
    public init(hashing data: some DataProtocol) {
        self.init(SHA256.hash(data: data))
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (place, byte) in bytes.enumerated() {
                text[2 * place] = HexDigit.lowercase(byte >> 4)
                text[2 * place + 1] = HexDigit.lowercase(byte & 15)
            }
            return 2 * bytes.count
        }
    }
}

/// Hexadecimal digits as ASCII.
enum HexDigit {
    /// The digit of a value below 16.
    static func lowercase(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
}

extension ContentHash: CustomStringConvertible, Codable {
    /// The hexadecimal digits.
    public var description: String { hex }

    /// Reads hexadecimal digits; throws `DecodingError.dataCorrupted` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let hash = ContentHash(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a SHA-256 is 64 lower-case hexadecimal digits")
        }
        self = hash
    }

    /// Writes the hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
