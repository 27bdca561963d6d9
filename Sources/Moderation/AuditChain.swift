// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

/// One act in the audit log. Its hash covers all of it and the hash of the one before, so that none can be changed,
/// removed or put in between without every later hash showing it.
public struct AuditRecord: Hashable, Sendable {
    /// Counts from 1 without gaps.
    public var sequence: Int64
    /// When, to the microsecond.
    public var at: Date
    /// The account that acted; `nil` for the service itself.
    public var actorID: UserID?
    /// Its handle at that time, or `system`.
    public var actor: String
    /// A stable word: `case.decided`, …
    public var action: String
    /// What it was done to: `submission:<id>`, …
    public var subject: String
    /// More of it, as JSON text.
    public var details: String
    /// The request it came from.
    public var requestID: String?
    /// The hash of the record before; `genesis` for the first.
    public var previousHash: ContentHash
    /// What the log says this record's hash is.
    public var hash: ContentHash

    /// What stands before the first record: a hash of nothing in the log.
    public static let genesis = ContentHash(SHA256.hash(data: Data("sheetmarket audit log".utf8)))

    /// A record as the log has it.
    public init(
        sequence: Int64, at: Date, actorID: UserID?, actor: String, action: String, subject: String, details: String,
        requestID: String?, previousHash: ContentHash, hash: ContentHash
    ) {
        self.sequence = sequence
        self.at = at
        self.actorID = actorID
        self.actor = actor
        self.action = action
        self.subject = subject
        self.details = details
        self.requestID = requestID
        self.previousHash = previousHash
        self.hash = hash
    }

    /// The record that follows `previous`: the last one's sequence and hash, or `nil` when the log is empty.
    public init(
        following previous: (sequence: Int64, hash: ContentHash)?, at: Date, actorID: UserID?, actor: String,
        action: String, subject: String, details: String, requestID: String?
    ) {
        let previousHash = previous?.hash ?? Self.genesis
        self.init(
            sequence: (previous?.sequence ?? 0) + 1, at: at, actorID: actorID, actor: actor, action: action,
            subject: subject, details: details, requestID: requestID, previousHash: previousHash, hash: previousHash)
        hash = computedHash
    }

    /// The bytes that are hashed, version 1: a tag, then each field with its length (big-endian), so that no two
    /// records share their bytes. `details` stands in by its own hash: a later erasure of personal data can keep that
    /// hash and leave the chain whole.
    public var canonicalBytes: [UInt8] {
        var bytes = Array("sheetmarket.audit.1\n".utf8)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        func append(_ text: String?) {
            guard let text else { return append(UInt32.max) }
            append(UInt32(truncatingIfNeeded: text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
        append(sequence)
        append(Self.microseconds(at))
        append(actorID?.description)
        append(actor)
        append(action)
        append(subject)
        bytes.append(contentsOf: SHA256.hash(data: Data(details.utf8)))
        append(requestID)
        bytes.append(contentsOf: previousHash.bytes)
        return bytes
    }

    /// What this record's hash must be.
    public var computedHash: ContentHash { ContentHash(hashing: canonicalBytes) }

    private static func microseconds(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1_000_000).rounded()) ?? .min
    }
}

/// The first thing that is wrong in an audit log.
public struct AuditFault: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Kind: String, Hashable, Sendable {
        /// Records are missing before this one, or it stands in the wrong place.
        case gap
        /// It does not follow the record before: that one was replaced, or this one was put in.
        case broken
        /// Its content is not what was hashed.
        case changed
    }

    /// The record at which it shows.
    public let sequence: Int64
    /// What is wrong.
    public let kind: Kind

    /// Both parts.
    public init(sequence: Int64, kind: Kind) {
        self.sequence = sequence
        self.kind = kind
    }
}

/// Checks a log record by record, holding none of it.
public struct AuditVerifier: Sendable {
    /// How many records held so far.
    public private(set) var count: Int64 = 0
    /// The hash of the last that held.
    public private(set) var head = AuditRecord.genesis

    /// Begins before the first record.
    public init() {}

    /// Checks the next record; throws when the chain is broken at it.
    public mutating func check(_ record: AuditRecord) throws(AuditFault) {
        guard record.sequence == count + 1 else { throw AuditFault(sequence: record.sequence, kind: .gap) }
        guard record.previousHash == head else { throw AuditFault(sequence: record.sequence, kind: .broken) }
        guard record.computedHash == record.hash else { throw AuditFault(sequence: record.sequence, kind: .changed) }
        count = record.sequence
        head = record.hash
    }

    /// Checks a whole log, oldest first; throws at the first record that is wrong.
    public static func verify(_ records: some Sequence<AuditRecord>) throws(AuditFault) -> AuditVerifier {
        var verifier = AuditVerifier()
        for record in records { try verifier.check(record) }
        return verifier
    }
}
