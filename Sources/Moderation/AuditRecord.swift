// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

/// One act in the audit log. Its hash covers all of it and the hash of the one before, so that none can be changed,
/// removed or put in between without every later hash showing it.
///
/// What may name a person stands in two parts, the actor's name and the words. The chain covers each by a hash of its own
/// with random salt: a part can be erased, and what is left neither breaks the chain nor lets anybody guess it back.
package struct AuditRecord: Hashable, Sendable {
    /// How the hashed bytes are made. The numbers are stored.
    package enum Format: Int, Sendable {
        /// The actor's name is in the clear, the details by an unsalted hash. Of before there was erasing.
        case plain = 1
        /// Both parts can be erased.
        case erasable = 2
    }

    /// A part that can be erased: what it says, and what the chain covers of it.
    package struct Part: Hashable, Sendable {
        /// What it says, field by field; `nil` once it is erased.
        package var fields: [String?]?
        /// Random bytes; none once it is erased.
        package var salt: Data?
        /// The hash of both.
        package var hash: ContentHash?

        /// A part as the log has it.
        package init(fields: [String?]?, salt: Data?, hash: ContentHash?) {
            self.fields = fields
            self.salt = salt
            self.hash = hash
        }

        init(_ name: String, _ fields: [String?]) {
            let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
            self.init(fields: fields, salt: salt, hash: Self.hash(name, salt, fields))
        }

        /// Whether nothing is left of it but its hash.
        package var isErased: Bool { fields == nil }

        static func hash(_ name: String, _ salt: Data, _ fields: [String?]) -> ContentHash {
            var bytes = AuditBytes("sheetmarket.audit.2.\(name)\n")
            bytes.append(raw: salt)
            for field in fields { bytes.append(field) }
            return ContentHash(hashing: bytes.bytes)
        }

        /// Whether the hash is that of what it says; an erased one says nothing.
        func holds(_ name: String) -> Bool {
            guard let fields else { return salt == nil && hash != nil }
            guard let salt, salt.count == 32 else { return false }
            return hash == Self.hash(name, salt, fields)
        }
    }

    /// How its bytes are made.
    package var format: Format
    /// Counts from 1 without gaps.
    package var sequence: Int64
    /// When, to the microsecond.
    package var at: Date
    /// The account that acted; `nil` for the service itself.
    package var actorID: UserID?
    /// The account's handle at that time, or `system`.
    package var actorPart: Part
    /// A stable word: `case.decided`, …
    package var action: String
    /// What it was done to: `submission:<id>`, …
    package var subject: String
    /// The reason, and more of it as JSON text.
    package var wordsPart: Part
    /// The token that was used, if one was.
    package var tokenID: TokenID?
    /// The request it came from.
    package var requestID: String?
    /// The hash of the record before; `genesis` for the first.
    package var previousHash: ContentHash
    /// What the log says this record's hash is.
    package var hash: ContentHash

    /// What stands before the first record: a hash of nothing in the log.
    package static let genesis = ContentHash(SHA256.hash(data: Data("sheetmarket audit log".utf8)))

    /// A record as the log has it.
    package init(
        format: Format, sequence: Int64, at: Date, actorID: UserID?, actorPart: Part, action: String, subject: String,
        wordsPart: Part, tokenID: TokenID?, requestID: String?, previousHash: ContentHash, hash: ContentHash
    ) {
        self.format = format
        self.sequence = sequence
        self.at = at
        self.actorID = actorID
        self.actorPart = actorPart
        self.action = action
        self.subject = subject
        self.wordsPart = wordsPart
        self.tokenID = tokenID
        self.requestID = requestID
        self.previousHash = previousHash
        self.hash = hash
    }

    /// The record that follows `previous`: the last one's sequence and hash, or `nil` when the log is empty.
    package init(
        following previous: (sequence: Int64, hash: ContentHash)?, at: Date, actorID: UserID?, actor: String,
        action: String, subject: String, reason: String? = nil, details: String, tokenID: TokenID? = nil,
        requestID: String?
    ) {
        let previousHash = previous?.hash ?? Self.genesis
        self.init(
            format: .erasable, sequence: (previous?.sequence ?? 0) + 1, at: at, actorID: actorID,
            actorPart: Part("actor", [actor]), action: action, subject: subject,
            wordsPart: Part("words", [reason, details]), tokenID: tokenID, requestID: requestID,
            previousHash: previousHash, hash: previousHash)
        hash = computedHash
    }

    /// The actor's name; `nil` once it is erased.
    package var actor: String? { actorPart.fields?.first ?? nil }
    /// Why, in the actor's words.
    package var reason: String? { wordsPart.fields?.first ?? nil }
    /// More of it, as JSON text; `nil` once it is erased.
    package var details: String? { wordsPart.fields?.last ?? nil }

    /// The bytes that are hashed: a tag, then each field with its length (big-endian), so that no two records share
    /// their bytes.
    package var canonicalBytes: [UInt8] {
        var bytes = AuditBytes("sheetmarket.audit.\(format.rawValue)\n")
        bytes.append(sequence)
        bytes.append(AuditBytes.microseconds(at))
        bytes.append(actorID?.description)
        switch format {
        case .plain: bytes.append(actor)
        case .erasable: bytes.append(raw: actorPart.hash?.bytes ?? [])
        }
        bytes.append(action)
        bytes.append(subject)
        bytes.append(raw: wordsHash?.bytes ?? [])
        if format == .erasable { bytes.append(tokenID?.description) }
        bytes.append(requestID)
        bytes.append(raw: previousHash.bytes)
        return bytes.bytes
    }

    /// What the chain covers of the words.
    private var wordsHash: ContentHash? {
        if format == .plain, let details { return ContentHash(hashing: Array(details.utf8)) }
        return wordsPart.hash
    }

    /// What this record's hash must be.
    package var computedHash: ContentHash { ContentHash(hashing: canonicalBytes) }

    /// Whether all of it is what was hashed.
    var holds: Bool {
        guard hash == computedHash else { return false }
        switch format {
        case .plain:
            // There is nothing beside what the hash covers.
            let hasBareActor = actor != nil && actorPart.salt == nil && actorPart.hash == nil
            let hasBareWords = wordsPart.salt == nil && (wordsPart.isErased || wordsPart.hash == nil)
            return hasBareActor && hasBareWords && tokenID == nil && reason == nil
        case .erasable: return actorPart.holds("actor") && wordsPart.holds("words")
        }
    }
}

/// Bytes that are hashed or signed.
struct AuditBytes {
    private(set) var bytes: [UInt8]

    init(_ tag: String) {
        bytes = Array(tag.utf8)
    }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Text with its length; `nil` is no length that text can have.
    mutating func append(_ text: String?) {
        guard let text else { return append(UInt32.max) }
        append(UInt32(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Bytes of a known length.
    mutating func append(raw data: some Sequence<UInt8>) {
        bytes.append(contentsOf: data)
    }

    static func microseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) ?? .min
    }
}
