// SPDX-License-Identifier: Apache-2.0
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A public key as metadata has it (section 4.2 of The Update Framework 1.0). Keys of other kinds than Ed25519 are kept
/// as they are, and never verify anything.
public struct TrustKey: Sendable, Equatable {
    /// As it stands in metadata, with members that nobody knows.
    public let json: TrustJSON
    /// The 32 bytes of an Ed25519 key; `nil` for other kinds.
    public let ed25519: [UInt8]?

    /// Keeps a key as it stands in metadata; of another kind than Ed25519 it verifies nothing.
    public init(json: TrustJSON) {
        self.json = json
        let isEd25519 = json.object?["keytype"]?.string == "ed25519" && json.object?["scheme"]?.string == "ed25519"
        let bytes = json.object?["keyval"]?.object?["public"]?.string.flatMap(ContentHash.init(hex:))?.bytes
        ed25519 = isEd25519 ? bytes : nil
    }

    /// The key of these 32 bytes.
    public init(ed25519 bytes: some Collection<UInt8>) {
        let hex = ContentHash(bytes: bytes)?.hex ?? ""
        self.init(json: ["keytype": "ed25519", "scheme": "ed25519", "keyval": ["public": .string(hex)]])
    }

    /// The SHA-256 of its canonical form (section 4.2).
    public var id: String { ContentHash(hashing: json.canonical).hex }

    /// Whether `signature` is this key's for `message`.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        // A key that is no point of the curve verifies nothing.
        guard let ed25519, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: ed25519) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

/// A private key of a role.
public struct TrustSigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// A new one.
    public init() { key = Curve25519.Signing.PrivateKey() }

    /// One that was kept: its 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        // Any other count of bytes is no key.
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: Array(bytes)) else { return nil }
        self.key = key
    }

    /// The secret: who has these 32 bytes signs.
    public var bytes: [UInt8] { Array(key.rawRepresentation) }
    /// What others verify with.
    public var publicKey: TrustKey { TrustKey(ed25519: key.publicKey.rawRepresentation) }

    /// Signs the canonical form of some metadata (section 4.2).
    public func signature(of canonical: [UInt8]) throws -> SignedMetadata.Signature {
        SignedMetadata.Signature(keyID: publicKey.id, bytes: Array(try key.signature(for: canonical)))
    }
}

/// Which keys stand for a role, and how many of them must sign (section 4.3).
public struct TrustRoleKeys: Sendable, Equatable {
    /// Ids of the keys that count.
    public var keyIDs: [String]
    /// How many of them must sign.
    public var threshold: Int

    public init(keyIDs: [String], threshold: Int) {
        self.keyIDs = keyIDs
        self.threshold = threshold
    }

    init(_ object: TrustObject, role: String) throws(TrustError) {
        guard let ids = object["keyids"]?.array?.map(\.string), let threshold = object["threshold"]?.integer else {
            throw .malformed(role: role, reason: "a role has no keys or no threshold")
        }
        keyIDs = ids.compactMap { $0 }
        guard keyIDs.count == ids.count, Set(keyIDs).count == ids.count else {
            throw .malformed(role: role, reason: "a role names a key twice")
        }
        guard (1...1024).contains(threshold) else {
            throw .malformed(role: role, reason: "a threshold is not between 1 and 1024")
        }
        self.threshold = Int(threshold)
    }

    var json: [(String, TrustJSON)] {
        [("keyids", .array(keyIDs.map { .string($0) })), ("threshold", .integer(Int64(threshold)))]
    }

    /// How many of these keys signed it. A key counts once, under whatever names it goes (section 5.3.4 and elsewhere).
    public func validSignatures(_ metadata: SignedMetadata, keys: [String: TrustKey]) -> Int {
        var counted: Set<[UInt8]> = []
        let own = Set(keyIDs)
        for signature in metadata.signatures where own.contains(signature.keyID) {
            guard let key = keys[signature.keyID], let bytes = key.ed25519, !counted.contains(bytes) else { continue }
            if key.isValid(signature.bytes, for: metadata.canonical) { counted.insert(bytes) }
        }
        return counted.count
    }

    /// Throws when too few of these keys signed it.
    public func verify(_ metadata: SignedMetadata, as role: String, keys: [String: TrustKey]) throws(TrustError) {
        let valid = validSignatures(metadata, keys: keys)
        guard valid >= threshold else { throw .tooFewSignatures(role: role, valid: valid, threshold: threshold) }
    }
}

/// Metadata with its signatures, as a file has it (section 4.2.1).
public struct SignedMetadata: Sendable {
    /// Of one key.
    public struct Signature: Sendable, Equatable {
        /// The id of the key that signed.
        public let keyID: String
        /// The signature itself.
        public let bytes: [UInt8]

        public init(keyID: String, bytes: [UInt8]) {
            self.keyID = keyID
            self.bytes = bytes
        }
    }

    /// What is signed, with members that nobody knows.
    public let signed: TrustObject
    /// The bytes that signatures are for.
    public let canonical: [UInt8]
    /// By whom it is signed.
    public private(set) var signatures: [Signature]

    /// Reads a file's bytes.
    public init(reading bytes: some Collection<UInt8>, role: String) throws(TrustError) {
        let read: (json: TrustJSON, canonical: [UInt8]?)
        do {
            read = try TrustJSON.read(bytes, locating: "signed")
        } catch {
            throw .malformed(role: role, reason: error.reason)
        }
        guard let signed = read.json.object?["signed"]?.object, let list = read.json.object?["signatures"]?.array else {
            throw .malformed(role: role, reason: "'signed' or 'signatures' is missing")
        }
        self.signed = signed
        canonical = read.canonical ?? TrustJSON.object(signed).canonical
        signatures = []
        var signers: Set<String> = []
        for element in list {
            guard let id = element.object?["keyid"]?.string, let text = element.object?["sig"]?.string else {
                throw .malformed(role: role, reason: "a signature has no key or no value")
            }
            guard signers.insert(id).inserted else {
                throw .malformed(role: role, reason: "a key signed it twice")
            }
            signatures.append(Signature(keyID: id, bytes: Hex.bytes(text) ?? []))
        }
    }

    /// Metadata to be signed.
    public init(_ signed: TrustObject) {
        self.signed = signed
        canonical = TrustJSON.object(signed).canonical
        signatures = []
    }

    /// Signs it, in the place of what the same key signed before.
    public mutating func sign(with key: TrustSigningKey) throws {
        let signature = try key.signature(of: canonical)
        signatures.removeAll { $0.keyID == signature.keyID }
        signatures.append(signature)
    }

    /// The bytes of its file.
    public var file: Data {
        let list = signatures.map { signature -> TrustJSON in
            ["keyid": .string(signature.keyID), "sig": .string(Hex.text(signature.bytes))]
        }
        let envelope: TrustJSON = ["signatures": .array(list), "signed": .object(signed)]
        return Data(envelope.text)
    }
}

/// Bytes as hexadecimal digits.
enum Hex {
    static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { text += [HexDigit.lowercase(byte >> 4), HexDigit.lowercase(byte & 15)] }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` unless `text` is lower-case digits, two for each byte.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[place]), let low = value(digits[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 97...102: digit - 87
        default: nil
        }
    }
}
