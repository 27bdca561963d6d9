// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

/// The word of a key that the log had this head at this record: whoever writes the log anew, or cuts its end off, would
/// have to sign anew, too. Copies kept elsewhere show even that.
package struct AuditCheckpoint: Hashable, Sendable, Codable {
    /// The last record that it covers.
    package var sequence: Int64
    /// That record's hash.
    package var head: ContentHash
    /// When it was signed, to the millisecond.
    package var at: Date
    package var keyID: String
    /// Ed25519 (RFC 8032).
    package var signature: Data

    /// A checkpoint as it is stored.
    package init(sequence: Int64, head: ContentHash, at: Date, keyID: String, signature: Data) {
        self.sequence = sequence
        self.head = head
        self.at = at
        self.keyID = keyID
        self.signature = signature
    }

    package var signedBytes: [UInt8] {
        var bytes = AuditBytes("sheetmarket.audit.checkpoint.1\n")
        bytes.append(sequence)
        bytes.append(raw: head.bytes)
        bytes.append(AuditBytes.microseconds(at))
        bytes.append(keyID)
        return bytes.bytes
    }
}

/// The keys of checkpoints: the first signs, all verify. Of a key that shall not sign any more the public half will do.
package struct AuditKeys: Sendable {
    private struct Key: Sendable {
        let id: String
        /// `nil` for a key that only verifies.
        let secret: Curve25519.Signing.PrivateKey?
        let shared: Curve25519.Signing.PublicKey
    }

    /// Why a setting is refused; the text is for the operator and holds no secret.
    package struct Malformed: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    private let keys: [Key]

    private static let publicMark = "public:"

    /// Reads `id:BASE64,…`, where the BASE64 is of 32 bytes; `id:public:BASE64` is a public half.
    package init(setting: String) throws(Malformed) {
        var made: [Key] = []
        for part in setting.split(separator: ",") {
            let fields = part.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            guard fields.count == 2, (1...32).contains(fields[0].utf8.count),
                fields[0].utf8.allSatisfy({ $0 > 32 && $0 < 127 }), let key = Self.key(fields[0], fields[1])
            else {
                throw Malformed(
                    description: "a key looks like 'id:BASE64' of 32 bytes; several are separated by commas")
            }
            guard !made.contains(where: { $0.id == fields[0] }) else {
                throw Malformed(description: "the key id '\(fields[0])' occurs twice")
            }
            made.append(key)
        }
        guard let first = made.first else { throw Malformed(description: "there is no key") }
        guard first.secret != nil else { throw Malformed(description: "the first key must be able to sign") }
        keys = made
    }

    /// Nil for what is no key; the caller says so.
    private static func key(_ id: String, _ text: String) -> Key? {
        if text.hasPrefix(publicMark) {
            return Data(base64Encoded: String(text.dropFirst(publicMark.count)))
                .flatMap { try? Curve25519.Signing.PublicKey(rawRepresentation: $0) }
                .map { Key(id: id, secret: nil, shared: $0) }
        }
        return Data(base64Encoded: text)
            .flatMap { try? Curve25519.Signing.PrivateKey(rawRepresentation: $0) }
            .map { Key(id: id, secret: $0, shared: $0.publicKey) }
    }

    /// A new key as the setting takes it.
    package static func makeSetting(id: String) -> String {
        "\(id):\(Curve25519.Signing.PrivateKey().rawRepresentation.base64EncodedString())"
    }

    /// The public key of each, for whoever verifies elsewhere: id and 32 bytes.
    package var publicKeys: [(id: String, key: Data)] {
        keys.map { ($0.id, $0.shared.rawRepresentation) }
    }

    /// Signs the log's head; `nil` when signing fails, which it does only without randomness.
    package func sign(sequence: Int64, head: ContentHash, at now: Date) -> AuditCheckpoint? {
        guard let key = keys.first, let secret = key.secret else { return nil }
        let milliseconds = Date(timeIntervalSince1970: (now.timeIntervalSince1970 * 1000).rounded() / 1000)
        var checkpoint = AuditCheckpoint(
            sequence: sequence, head: head, at: milliseconds, keyID: key.id, signature: Data())
        guard let signature = try? secret.signature(for: checkpoint.signedBytes) else { return nil }
        checkpoint.signature = signature
        return checkpoint
    }

    /// Whether one of the keys signed it.
    package func verifies(_ checkpoint: AuditCheckpoint) -> Bool {
        guard let key = keys.first(where: { $0.id == checkpoint.keyID }) else { return false }
        return key.shared.isValidSignature(checkpoint.signature, for: checkpoint.signedBytes)
    }
}
