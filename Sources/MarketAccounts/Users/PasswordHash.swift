// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Foundation

/// A password as it is stored: scrypt (RFC 7914) with its own parameters and salt, in the PHC string format
/// `$scrypt$ln=15,r=8,p=1$<salt>$<key>` (base64 without padding).
package struct PasswordHash: Equatable, Sendable {
    /// What one derivation costs.
    package struct Parameters: Equatable, Sendable {
        /// Rounds as a power of two; memory is 128 · blockSize · 2^this bytes.
        var logRounds: Int
        /// scrypt's r.
        package var blockSize: Int
        /// scrypt's p.
        var parallelism: Int

        /// What new hashes are made with: 32 MiB for a moment.
        package static let current = Parameters(logRounds: 15, blockSize: 8, parallelism: 3)

        /// Whether this server would spend as much on a stored hash: a row must not be able to ask for gigabytes.
        var isAffordable: Bool {
            (1...20).contains(logRounds) && (1...32).contains(blockSize) && (1...16).contains(parallelism)
                && 128 * blockSize << logRounds <= 256 << 20
        }
    }

    static let keyBytes = 32
    static let saltBytes = 16

    package let parameters: Parameters
    package let salt: [UInt8]
    package let key: [UInt8]

    /// Hashes `password` with a new salt. Slow by design: call it through `PasswordHasher`.
    package init(hashing password: String, parameters: Parameters) throws {
        self.parameters = parameters
        salt = Self.random(Self.saltBytes)
        key = try Self.derive(password, salt: salt, parameters: parameters)
    }

    /// Stands in for an account that does not exist: costs as much to check as a real one, and no password fits.
    package init(standInWith parameters: Parameters) {
        self.parameters = parameters
        salt = Self.random(Self.saltBytes)
        key = Self.random(Self.keyBytes)
    }

    /// Reads the stored text; `nil` for anything that is not an affordable scrypt hash.
    package init?(_ text: String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0].isEmpty, fields[1] == "scrypt",
            let parameters = Self.parameters(fields[2]), parameters.isAffordable,
            let salt = Self.decode(fields[3]), (8...64).contains(salt.count),
            let key = Self.decode(fields[4]), key.count == Self.keyBytes
        else { return nil }
        self.parameters = parameters
        self.salt = salt
        self.key = key
    }

    /// What is stored.
    package var text: String {
        "$scrypt$ln=\(parameters.logRounds),r=\(parameters.blockSize),p=\(parameters.parallelism)"
            + "$\(Self.encode(salt))$\(Self.encode(key))"
    }

    /// Whether this is `password`'s hash, compared in constant time. Slow by design.
    package func matches(_ password: String) throws -> Bool {
        let derived = try Self.derive(password, salt: salt, parameters: parameters)
        // SymmetricKey compares in constant time.
        return SymmetricKey(data: derived) == SymmetricKey(data: key)
    }

    static func derive(_ password: String, salt: [UInt8], parameters: Parameters) throws -> [UInt8] {
        // The same characters in another normal form are the same password (RFC 8265 recommends NFC).
        let normal = Array(password.precomposedStringWithCanonicalMapping.utf8)
        let key = try KDF.Scrypt.deriveKey(
            from: normal, salt: salt, outputByteCount: keyBytes, rounds: 1 << parameters.logRounds,
            blockSize: parameters.blockSize, parallelism: parameters.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func parameters(_ text: Substring) -> Parameters? {
        let pairs = text.split(separator: ",", omittingEmptySubsequences: false)
        guard pairs.count == 3 else { return nil }
        func number(_ pair: Substring, _ name: String) -> Int? {
            pair.hasPrefix("\(name)=") ? Int(pair.dropFirst(name.count + 1)) : nil
        }
        guard let logRounds = number(pairs[0], "ln"), let blockSize = number(pairs[1], "r"),
            let parallelism = number(pairs[2], "p")
        else { return nil }
        return Parameters(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }
}
