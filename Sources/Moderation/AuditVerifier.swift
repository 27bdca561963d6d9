// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// The first thing that is wrong in an audit log.
package struct AuditViolation: Error, Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Records are missing before this one, or it stands in the wrong place.
        case gap
        /// It does not follow the record before: that one was replaced, or this one was put in.
        case broken
        /// Its content is not what was hashed.
        case changed
        /// A part of it is gone, and no record says that it was erased.
        case erased
        /// A signed checkpoint says that another record was here.
        case replaced
        /// A checkpoint's signature is not by a key of this market.
        case badSignature = "bad_signature"
        /// A signed checkpoint knows of this record, and it is not there: the end was cut off.
        case cutOff = "cut_off"
    }

    /// The record at which it shows.
    package let sequence: Int64
    package let kind: Kind

    package init(sequence: Int64, kind: Kind) {
        self.sequence = sequence
        self.kind = kind
    }
}

/// Checks a log record by record, holding none of it.
package struct AuditVerifier: Sendable {
    /// The action of records that tell what was erased.
    package static let erasure = "audit.erased"

    /// How many records held so far.
    package private(set) var count: Int64 = 0
    /// The hash of the last that held.
    package private(set) var head = AuditRecord.genesis
    /// How many signed checkpoints held.
    package private(set) var checkpoints = 0
    /// Records of which a part is gone, and those of which records say so.
    private var erased: [Part: Set<Int64>] = [.actors: [], .words: []]
    private var declared: [Part: Set<Int64>] = [.actors: [], .words: []]
    private var waiting: [AuditCheckpoint]

    /// As the records that tell of erasing name the parts.
    private enum Part: String, CaseIterable {
        case actors, words
    }

    /// Begins before the first record. `checkpoints` are what was signed of this log, here or in a copy elsewhere; with
    /// `keys` their signatures are checked.
    package init(checkpoints: [AuditCheckpoint] = [], keys: AuditKeys? = nil) throws(AuditViolation) {
        if let keys {
            for checkpoint in checkpoints where !keys.verifies(checkpoint) {
                throw AuditViolation(sequence: checkpoint.sequence, kind: .badSignature)
            }
        }
        waiting = checkpoints.sorted { $0.sequence > $1.sequence }
    }

    /// Checks the next record; throws when the chain is broken at it.
    package mutating func check(_ record: AuditRecord) throws(AuditViolation) {
        guard record.sequence == count + 1 else { throw AuditViolation(sequence: record.sequence, kind: .gap) }
        guard record.previousHash == head else { throw AuditViolation(sequence: record.sequence, kind: .broken) }
        guard record.holds else { throw AuditViolation(sequence: record.sequence, kind: .changed) }
        count = record.sequence
        head = record.hash
        if record.actorPart.isErased { erased[.actors]?.insert(record.sequence) }
        if record.wordsPart.isErased { erased[.words]?.insert(record.sequence) }
        if record.action == Self.erasure { try note(record) }
        while let checkpoint = waiting.last, checkpoint.sequence <= count {
            guard checkpoint.sequence == count, checkpoint.head == head else {
                throw AuditViolation(sequence: checkpoint.sequence, kind: .replaced)
            }
            waiting.removeLast()
            checkpoints += 1
        }
    }

    /// What a record says was erased.
    private mutating func note(_ record: AuditRecord) throws(AuditViolation) {
        guard let details = record.details,
            let members = try? JSONDecoder().decode([String: String].self, from: Data(details.utf8))
        else { throw AuditViolation(sequence: record.sequence, kind: .erased) }
        for part in Part.allCases {
            for sequences in AuditRanges.read(members[part.rawValue] ?? "") where sequences.upperBound < record.sequence
            {
                declared[part]?.formUnion(sequences)
            }
        }
    }

    /// Checks what can be said only at the end.
    package func finish() throws(AuditViolation) {
        let untold = Part.allCases.compactMap { (erased[$0] ?? []).subtracting(declared[$0] ?? []).min() }
        if let first = untold.min() { throw AuditViolation(sequence: first, kind: .erased) }
        if let newest = waiting.first { throw AuditViolation(sequence: newest.sequence, kind: .cutOff) }
    }

    /// Checks a whole log, oldest first; throws at the first record that is wrong.
    package static func verify(
        _ records: some Sequence<AuditRecord>, checkpoints: [AuditCheckpoint] = [], keys: AuditKeys? = nil
    ) throws(AuditViolation) -> AuditVerifier {
        var verifier = try AuditVerifier(checkpoints: checkpoints, keys: keys)
        for record in records { try verifier.check(record) }
        try verifier.finish()
        return verifier
    }
}

/// Numbers of records as text: `1-3,7`.
package enum AuditRanges {
    /// Most records that one range is believed to name.
    private static let maximumLength: Int64 = 1 << 24

    /// Writes numbers in ascending order.
    package static func text(_ numbers: [Int64]) -> String {
        var ranges: [ClosedRange<Int64>] = []
        for number in numbers.sorted() {
            if let last = ranges.last, number <= last.upperBound + 1 {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, number)
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    /// Reads them; what is none is passed over.
    static func read(_ text: String) -> [ClosedRange<Int64>] {
        text.split(separator: ",").compactMap { part in
            let ends = part.split(separator: "-").map { Int64($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first > 0, first <= last,
                last - first < maximumLength
            else { return nil }
            return first...last
        }
    }
}
