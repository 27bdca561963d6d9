// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import SheetCore
import Testing

@Suite("The audit chain")
struct AuditChainTests {
    static func log(_ count: Int) -> [AuditRecord] {
        var records: [AuditRecord] = []
        for index in 0..<count {
            let last = records.last.map { (sequence: $0.sequence, hash: $0.hash) }
            records.append(
                AuditRecord(
                    following: last, at: Date(timeIntervalSince1970: 1_800_000_000 + Double(index) / 1000),
                    actorID: index.isMultiple(of: 2) ? .make() : nil, actor: "ada", action: "case.decided",
                    subject: "submission:\(index)", details: #"{"decision":"approve"}"#,
                    requestID: index.isMultiple(of: 3) ? "r\(index)" : nil))
        }
        return records
    }

    func fault(_ records: [AuditRecord]) -> AuditFault? {
        do {
            _ = try AuditVerifier.verify(records)
            return nil
        } catch {
            return error
        }
    }

    @Test("a log that nobody touched verifies")
    func intact() throws {
        let log = Self.log(50)
        let verifier = try AuditVerifier.verify(log)
        #expect(verifier.count == 50 && verifier.head == log.last?.hash)
        #expect(try AuditVerifier.verify([]).count == 0)
    }

    @Test("a change to any field is found at its record")
    func changes() {
        let edits: [(String, (inout AuditRecord) -> Void)] = [
            ("at", { $0.at.addTimeInterval(0.000_001) }),
            ("actorID", { $0.actorID = $0.actorID == nil ? .make() : nil }),
            ("actor", { $0.actor = "adb" }), ("action", { $0.action += " " }), ("subject", { $0.subject = "" }),
            ("details", { $0.details = #"{"decision":"reject"}"# }),
            ("requestID", { $0.requestID = $0.requestID == nil ? "" : nil }),
        ]
        for (name, edit) in edits {
            var log = Self.log(20)
            edit(&log[7])
            #expect(fault(log) == AuditFault(sequence: 8, kind: .changed), "\(name)")
        }
    }

    @Test("a record rehashed after a change betrays itself by the next")
    func rehashed() {
        var log = Self.log(20)
        log[7].actor = "eve"
        log[7].hash = log[7].computedHash
        #expect(fault(log) == AuditFault(sequence: 9, kind: .broken))
    }

    @Test("a record removed, repeated or put in another's place is found")
    func orders() {
        var removed = Self.log(20)
        removed.remove(at: 4)
        #expect(fault(removed) == AuditFault(sequence: 6, kind: .gap))
        var swapped = Self.log(20)
        swapped.swapAt(4, 5)
        #expect(fault(swapped) == AuditFault(sequence: 6, kind: .gap))
        var withoutFirst = Self.log(3)
        withoutFirst.removeFirst()
        #expect(fault(withoutFirst) == AuditFault(sequence: 2, kind: .gap))
        var other = Self.log(20)
        other[10] = Self.log(20)[10]
        #expect(fault(other)?.sequence == 11)
    }

    @Test("fields cannot flow into each other: the bytes of different records differ")
    func canonicalForm() {
        var left = Self.log(1)[0]
        var right = left
        left.actor = "ab"
        left.action = "c"
        right.actor = "a"
        right.action = "bc"
        #expect(left.canonicalBytes != right.canonicalBytes)
        left = right
        left.requestID = nil
        right.requestID = ""
        #expect(left.canonicalBytes != right.canonicalBytes)
    }

    @Test("the canonical form is the one that logs were written with")
    func knownHash() throws {
        let record = AuditRecord(
            following: nil, at: Date(timeIntervalSince1970: 1_800_000_000.5),
            actorID: UserID("0190d5c0-0000-7000-8000-000000000001"), actor: "ada", action: "case.decided",
            subject: "submission:1", details: "{}", requestID: nil)
        #expect(record.hash.hex == "7f0907924902e415f8d91eddcff57a85ac5d4cce20aba651c8a7a5fe6fa0a468")
    }
}
