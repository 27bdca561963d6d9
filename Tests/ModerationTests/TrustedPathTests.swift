// SPDX-License-Identifier: Apache-2.0
import SheetCore
import Testing

@testable import Moderation

@Suite("The trusted path")
struct TrustedPathTests {
    private struct Situation {
        var assessment = RiskAssessment(rulesVersion: "t", hits: [])
        var record: AuthorRecord = {
            var record = RiskScene.trusted
            record.approvals = 5
            return record
        }()
        var change: ChangeSummary? = ChangeSummary(ink: .compatible, pagesBefore: 4, pagesChanged: 1)
        var findings: [Finding] = [Finding(.tinyType, .info, message: "Small.")]
        var isUpdate = true
        var terms = TrustedPath.Terms()
        var draw = 0.5

        var decision: TrustedPath.Decision {
            TrustedPath.decision(
                for: assessment, record: record, change: change, findings: findings, isUpdate: isUpdate, terms: terms,
                draw: draw)
        }
    }

    private static func hit(_ weight: Int, shadow: Bool = false) -> RiskHit {
        RiskHit(code: "x", weight: weight, evidence: [RiskEvidence("y")], isShadow: shadow)
    }

    private static let table: [(TrustedPath.Obstacle, @Sendable (inout Situation) -> Void)] = [
        (.off, { $0.terms.isOn = false }),
        (
            .newTemplate,
            {
                $0.isUpdate = false; $0.change = nil
            }
        ),
        (.unknownChange, { $0.change = nil }),
        (.warning, { $0.findings = [Finding(.privateMetadata, .warning, message: "A path.")] }),
        (.warning, { $0.findings.append(Finding(.javascript, .blocker, message: "A script.")) }),
        (.risk, { $0.assessment = RiskAssessment(rulesVersion: "t", hits: [hit(1)]) }),
        (.risk, { $0.assessment = RiskAssessment(rulesVersion: "t", hits: [hit(1), hit(-50)]) }),
        (.approvals, { $0.record.approvals = 4 }),
        (.accountAge, { $0.record.accountDays = 29 }),
        (.record, { $0.record.strikes = 0.26 }),
        (.record, { $0.record.refusals = 1 }),
        (.record, { $0.record.takeDowns = 1 }),
        (.reports, { $0.record.openReports = 1 }),
        (.largeChange, { $0.change?.pagesAdded = 2 }),
        (.largeChange, { $0.change?.ink = .incompatible }),
        (.metadata, { $0.change?.metadata = ["license"] }),
    ]

    @Test("a small update of a trusted author is approved, a share of them with an audit")
    func approved() {
        var situation = Situation()
        #expect(situation.decision == .approve)
        situation.draw = 0.0999
        #expect(situation.decision == .approveAndAudit)
        situation.draw = 0.1
        #expect(situation.decision == .approve)
        situation.assessment = RiskAssessment(rulesVersion: "t", hits: [Self.hit(80, shadow: true), Self.hit(-10)])
        #expect(situation.decision == .approve, "what is tried, and what speaks for it, are no objections")
    }

    @Test("each obstacle alone leads to a moderator, and is named", arguments: table.indices)
    func obstacles(row: Int) {
        var situation = Situation()
        Self.table[row].1(&situation)
        #expect(situation.decision == .moderator([Self.table[row].0]))
    }

    @Test("every obstacle has a row")
    func complete() {
        #expect(Set(Self.table.map(\.0)) == Set(TrustedPath.Obstacle.allCases))
    }

    @Test("nothing with a warning, or with a rule against it, is ever approved", arguments: 0..<20)
    func never(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let rules = try RiskScene.shipped()
        var approvals = 0
        for _ in 0..<200 {
            let facts = Self.facts(&random)
            let assessment = rules.assess(facts)
            var terms = TrustedPath.Terms()
            terms.auditShare = Double.random(in: 0...1, using: &random)
            let decision = TrustedPath.decision(
                for: assessment, record: facts.author, change: facts.change, findings: facts.findings,
                isUpdate: facts.isUpdate, terms: terms, draw: .random(in: 0..<1, using: &random))
            if case .moderator(let obstacles) = decision {
                #expect(!obstacles.isEmpty)
                continue
            }
            approvals += 1
            #expect(facts.findings.allSatisfy { $0.severity == .info })
            #expect(assessment.score == 0)
            #expect(assessment.hits.allSatisfy { $0.isShadow || $0.weight <= 0 })
            #expect(facts.isUpdate && facts.change != nil && facts.author.strikes <= terms.mostStrikes)
            #expect(facts.author.approvals >= terms.leastApprovals)
        }
        #expect(approvals > 0, "some must get through, or this proves nothing")
    }

    private static func facts(_ random: inout SplitMix) -> RiskFacts {
        var facts = RiskScene.harmless
        facts.names = []
        facts.isUpdate = Int.random(in: 0..<10, using: &random) > 0
        facts.author.approvals = .random(in: 3...30, using: &random)
        facts.author.accountDays = .random(in: 5...500, using: &random)
        facts.author.strikes = Bool.random(using: &random) ? 0 : .random(in: 0...2, using: &random)
        if facts.isUpdate, Int.random(in: 0..<10, using: &random) > 0 {
            facts.change = ChangeSummary(
                ink: InkVerdict.allCases.randomElement(using: &random) ?? .compatible, pagesBefore: 8,
                pagesChanged: .random(in: 0...4, using: &random))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let severity = Finding.Severity.allCases.randomElement(using: &random) ?? .info
            let code = [FindingCode.tinyType, .privateMetadata, .nearDuplicate, .cleaned].randomElement(using: &random)
            facts.findings.append(Finding(code ?? .tinyType, severity, message: "Seen."))
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            facts.links = [.init(.page, page: 0, target: "https://bit.ly/x")]
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            facts.passages.append(.init(.changelog, "All rights reserved"))
        }
        return facts
    }
}

/// Random numbers that a seed brings back.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
