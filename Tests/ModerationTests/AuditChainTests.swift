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

    func fault(_ records: [AuditRecord]) -> AuditViolation? {
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
            ("actor", { $0.actorPart.fields = ["adb"] }),
            ("actor's salt", { $0.actorPart.salt = Data(repeating: 0, count: 32) }),
            ("actor's hash", { $0.actorPart.hash = .init(hashing: []) }),
            ("action", { $0.action += " " }), ("subject", { $0.subject = "" }),
            ("details", { $0.wordsPart.fields = [$0.reason, #"{"decision":"reject"}"#] }),
            ("reason", { $0.wordsPart.fields = ["", $0.details] }),
            ("words' salt", { $0.wordsPart.salt = nil }), ("words' hash", { $0.wordsPart.hash = nil }),
            ("tokenID", { $0.tokenID = .make() }), ("format", { $0.format = .plain }),
            ("requestID", { $0.requestID = $0.requestID == nil ? "" : nil }),
        ]
        for (name, edit) in edits {
            var log = Self.log(20)
            edit(&log[7])
            #expect(fault(log) == AuditViolation(sequence: 8, kind: .changed), "\(name)")
        }
    }

    @Test("a record rehashed after a change betrays itself by the next")
    func rehashed() {
        var log = Self.log(20)
        log[7].subject = "submission:other"
        log[7].hash = log[7].computedHash
        #expect(fault(log) == AuditViolation(sequence: 9, kind: .broken))
    }

    @Test("a part that is erased leaves the chain whole, if a later record says so")
    func erasure() throws {
        var log = Self.log(20)
        for index in [3, 4, 9] {
            log[index].actorPart.fields = nil
            log[index].actorPart.salt = nil
        }
        log[5].wordsPart.fields = nil
        log[5].wordsPart.salt = nil
        #expect(fault(log) == AuditViolation(sequence: 4, kind: .erased))
        func telling(_ details: String) -> AuditRecord {
            AuditRecord(
                following: log.last.map { (sequence: $0.sequence, hash: $0.hash) },
                at: Date(timeIntervalSince1970: 1_800_000_001), actorID: nil, actor: "system",
                action: AuditVerifier.erasure, subject: "user:1", details: details, requestID: nil)
        }
        #expect(AuditRanges.text([10, 4, 5, 4]) == "4-5,10")
        #expect(fault(log + [telling(#"{"actors":"4-5,10"}"#)]) == AuditViolation(sequence: 6, kind: .erased))
        #expect(fault(log + [telling(#"{"actors":"4-6,10"}"#)]) == AuditViolation(sequence: 6, kind: .erased))
        #expect(fault(log + [telling(#"{"actors":"4-5,10","words":"6"}"#)]) == nil)
        #expect(fault(log + [telling(#"{"actors":"1-20,x,-","words":"6,8-7,99999999999999999999"}"#)]) == nil)
        // Nobody can erase what tells of erasing.
        var silent = telling(#"{"actors":"4-5,10","words":"6"}"#)
        silent.wordsPart.fields = nil
        silent.wordsPart.salt = nil
        #expect(fault(log + [silent]) == AuditViolation(sequence: 21, kind: .erased))
        // What is erased cannot be said to have said something else.
        log[3].actorPart.fields = ["eve"]
        #expect(fault(log) == AuditViolation(sequence: 4, kind: .changed))
    }

    @Test("signed checkpoints show a log that was written anew, one whose end was cut off, and a strange key")
    func checkpoints() throws {
        let keys = try AuditKeys(setting: AuditKeys.makeSetting(id: "a1"))
        let others = try AuditKeys(setting: AuditKeys.makeSetting(id: "a1"))
        let log = Self.log(20)
        func sign(_ index: Int, _ keys: AuditKeys) throws -> AuditCheckpoint {
            try #require(keys.sign(sequence: log[index].sequence, head: log[index].hash, at: Date()))
        }
        let signed = [try sign(4, keys), try sign(14, keys)]
        func fault(_ records: [AuditRecord], _ checkpoints: [AuditCheckpoint]) -> AuditViolation? {
            do {
                _ = try AuditVerifier.verify(records, checkpoints: checkpoints, keys: keys)
                return nil
            } catch {
                return error
            }
        }
        #expect(try AuditVerifier.verify(log, checkpoints: signed, keys: keys).checkpoints == 2)
        #expect(fault(Self.log(20), signed) == AuditViolation(sequence: 5, kind: .replaced))
        #expect(fault(Array(log.prefix(14)), signed) == AuditViolation(sequence: 15, kind: .cutOff))
        #expect(fault(log, [try sign(4, others)]) == AuditViolation(sequence: 5, kind: .badSignature))
        let edits: [(inout AuditCheckpoint) -> Void] = [
            { $0.sequence += 1 }, { $0.head = log[0].hash }, { $0.at.addTimeInterval(0.001) }, { $0.keyID = "a2" },
            { $0.signature[0] ^= 1 },
        ]
        for edit in edits {
            var checkpoint = signed[0]
            edit(&checkpoint)
            #expect(fault(log, [checkpoint])?.kind == .badSignature)
        }
    }

    @Test("records of before there was erasing go on verifying, and lose their details only")
    func plainFormat() throws {
        func plain(_ details: String) -> AuditRecord {
            var record = AuditRecord(
                format: .plain, sequence: 1, at: Date(timeIntervalSince1970: 1_800_000_000.5),
                actorID: UserID("0190d5c0-0000-7000-8000-000000000001"),
                actorPart: .init(fields: ["ada"], salt: nil, hash: nil), action: "case.decided",
                subject: "submission:1", wordsPart: .init(fields: [nil, details], salt: nil, hash: nil), tokenID: nil,
                requestID: nil, previousHash: AuditRecord.genesis, hash: AuditRecord.genesis)
            record.hash = record.computedHash
            return record
        }
        var record = plain("{}")
        #expect(record.hash.hex == "7f0907924902e415f8d91eddcff57a85ac5d4cce20aba651c8a7a5fe6fa0a468")
        #expect(fault([record]) == nil)
        record.wordsPart.hash = .init(hashing: Array("{}".utf8))
        #expect(fault([record]) == AuditViolation(sequence: 1, kind: .changed), "nothing stands where nothing stood")
        record.wordsPart.fields = nil
        #expect(fault([record]) == AuditViolation(sequence: 1, kind: .erased), "whole, but untold")
        var stranger = plain("{}")
        stranger.actorPart.fields = ["eve"]
        #expect(fault([stranger]) == AuditViolation(sequence: 1, kind: .changed))
    }

    @Test("a record removed, repeated or put in another's place is found")
    func orders() {
        var removed = Self.log(20)
        removed.remove(at: 4)
        #expect(fault(removed) == AuditViolation(sequence: 6, kind: .gap))
        var swapped = Self.log(20)
        swapped.swapAt(4, 5)
        #expect(fault(swapped) == AuditViolation(sequence: 6, kind: .gap))
        var withoutFirst = Self.log(3)
        withoutFirst.removeFirst()
        #expect(fault(withoutFirst) == AuditViolation(sequence: 2, kind: .gap))
        var other = Self.log(20)
        other[10] = Self.log(20)[10]
        #expect(fault(other)?.sequence == 11)
    }

    @Test("fields cannot flow into each other: the bytes of different records differ")
    func canonicalForm() {
        var left = Self.log(1)[0]
        var right = left
        left.action = "ab"
        left.subject = "c"
        right.action = "a"
        right.subject = "bc"
        #expect(left.canonicalBytes != right.canonicalBytes)
        left = right
        left.requestID = nil
        right.requestID = ""
        #expect(left.canonicalBytes != right.canonicalBytes)
    }

    @Test("the canonical form is the one that logs are written with")
    func knownHash() throws {
        let salt = Data(repeating: 7, count: 32)
        var record = AuditRecord(
            format: .erasable, sequence: 1, at: Date(timeIntervalSince1970: 1_800_000_000.5),
            actorID: UserID("0190d5c0-0000-7000-8000-000000000001"),
            actorPart: .init(fields: ["ada"], salt: salt, hash: nil), action: "case.decided", subject: "submission:1",
            wordsPart: .init(fields: ["Why.", "{}"], salt: salt, hash: nil), tokenID: nil, requestID: "r1",
            previousHash: AuditRecord.genesis, hash: AuditRecord.genesis)
        record.actorPart.hash = ContentHash(hashing: Self.part("actor", salt, ["ada"]))
        record.wordsPart.hash = ContentHash(hashing: Self.part("words", salt, ["Why.", "{}"]))
        record.hash = record.computedHash
        #expect(fault([record]) == nil)
    }

    /// The bytes of a part, written down once more.
    private static func part(_ name: String, _ salt: Data, _ fields: [String]) -> [UInt8] {
        fields.reduce(Array("sheetmarket.audit.2.\(name)\n".utf8) + Array(salt)) { bytes, field in
            bytes + [0, 0, 0, UInt8(field.utf8.count)] + Array(field.utf8)
        }
    }
}
