// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// A decision that concerns somebody, as they may see it.
package struct UserDecision: Sendable {
    /// The id of the decision.
    package var id: UUID
    /// The case in which it was decided; an appeal names it.
    package var caseID: CaseID
    package var decision: SubmissionStatus.Decision
    /// What it is about.
    package var subject: CaseSummary.Subject
    /// What of the person's it is about, where it is not the account.
    package var part: ReportSubject.Part?
    /// The subject's name.
    package var title: String
    package var version: SemanticVersion?
    /// The upload that it is about, where it is the person's own.
    package var submission: SubmissionID?
    /// The sanction that it imposed on the person.
    package var sanction: SanctionID?
    /// The person's report that it answers.
    package var report: ReportID?
    /// Its appeal; somebody else whom it concerns may have filed it.
    package var appeal: EarlierAppeal?
    /// Whether an appeal undid it.
    package var isUndone: Bool
    /// Until when it can be appealed; `nil` when it cannot, or no more.
    package var appealEnds: Date?

    package init(
        id: UUID, caseID: CaseID, decision: SubmissionStatus.Decision, subject: CaseSummary.Subject, title: String,
        version: SemanticVersion? = nil, submission: SubmissionID? = nil, sanction: SanctionID? = nil,
        report: ReportID? = nil, appeal: EarlierAppeal? = nil, isUndone: Bool, appealEnds: Date? = nil
    ) {
        self.id = id
        self.caseID = caseID
        self.decision = decision
        self.subject = subject
        self.title = title
        self.version = version
        self.submission = submission
        self.sanction = sanction
        self.report = report
        self.appeal = appeal
        self.isUndone = isUndone
        self.appealEnds = appealEnds
    }
}

/// What was decided about somebody's works, account and reports, for them to read and to appeal.
package struct OwnDecisionService: Sendable {
    package let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    private static let listName = "decisions.own"

    /// Decisions on a person's works, newest first: refusals, wanted changes, take-downs and what was put back. Throws
    /// `bad_cursor`.
    package func works(of person: UserID, _ pageRequest: PageRequest) async throws -> ListPage<UserDecision> {
        let before = try pageRequest.place(in: Self.listName, keys: 1) { UUID(uuidString: $0[0]) }
        let found = try await decisions(.works(before: before, limit: pageRequest.fetchLimit), of: person)
        return pageRequest.page(found, of: Self.listName) { [$0.id.uuidString] }
    }

    /// The decisions that imposed some of the person's sanctions.
    package func imposing(_ sanctions: [SanctionID], on person: UserID) async throws -> [SanctionID: UserDecision] {
        if sanctions.isEmpty { return [:] }
        let pairs = try await decisions(.sanctions(sanctions), of: person).compactMap { decision in
            decision.sanction.map { ($0, decision) }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The decisions that dismissed some of the person's reports.
    package func dismissing(_ reports: [ReportID], of person: UserID) async throws -> [ReportID: UserDecision] {
        if reports.isEmpty { return [:] }
        let pairs = try await decisions(.reports(reports), of: person).compactMap { decision in
            decision.report.map { ($0, decision) }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The last decision of a case; `nil` when it does not concern the person.
    package func last(of id: CaseID, for person: UserID) async throws -> UserDecision? {
        try await decisions(.last(id), of: person).first
    }

    private func decisions(_ which: OwnDecisionStore.Which, of person: UserID) async throws -> [UserDecision] {
        try await OwnDecisionStore.decisions(
            which, of: person, at: moderation.now(), rules: moderation.limits.caseRules, in: moderation.database)
    }
}

/// SQL of decisions as those whom they concern see them.
enum OwnDecisionStore {
    enum Which: Sendable {
        case works(before: UUID?, limit: Int)
        case sanctions([SanctionID])
        case reports([ReportID])
        case last(CaseID)
    }

    /// Who hears of what: of a sanction, the person alone; of a dismissal, those who reported; of a take-down, all
    /// authors; of anything else, the respondent.
    static func decisions(
        _ which: Which, of person: UserID, at now: Date, rules: CaseRules, in database: some PostgresExecutor
    ) async throws -> [UserDecision] {
        let templates: PostgresQuery = """
            SELECT o.id FROM templates AS o WHERE o.owner_id = \(person)
            UNION SELECT a.template_id FROM template_authors AS a WHERE a.user_id = \(person)
            """
        return try await database.all(
            """
            SELECT d.id, d.case_id, d.decision, d.reason_code, d.message, d.decided_at, d.overturned_at,
                c.kind, c.state,
                CASE WHEN c.subject_kind IN ('collection', 'profile') THEN 'user' ELSE c.subject_kind END
                    AS subject_kind,
                CASE WHEN c.subject_kind IN ('collection', 'profile') THEN c.subject_kind END AS part,
                CASE c.subject_kind
                    WHEN 'version' THEN (SELECT v.number FROM versions AS v WHERE v.id = c.subject_id)
                    WHEN 'submission' THEN s.version END AS number,
                CASE WHEN s.uploader_id = \(person) THEN s.id END AS submission_id,
                (SELECT z.id FROM sanctions AS z WHERE z.decision_id = d.id AND z.user_id = \(person)
                    ORDER BY z.imposed_at, z.id LIMIT 1) AS sanction_id,
                (SELECT r.id FROM reports AS r WHERE r.case_id = c.id AND r.reporter_id = \(person)
                    ORDER BY r.created_at DESC, r.id DESC LIMIT 1) AS report_id,
                p.appellant_id, p.outcome,
                \(fragment: isSuperseded) AS is_superseded,
                coalesce(s.metadata ->> 'name', t.name, u.handle, '') AS title
            FROM decisions AS d JOIN cases AS c ON c.id = d.case_id
            LEFT JOIN submissions AS s ON c.subject_kind = 'submission' AND s.id = c.subject_id
            LEFT JOIN templates AS t ON t.id = c.template_id
            LEFT JOIN users AS u ON u.id = c.respondent_id
            LEFT JOIN appeals AS p ON p.decision_id = d.id
            WHERE c.kind <> 'appeal'
                AND c.id IN (
                    SELECT k.id FROM cases AS k WHERE k.respondent_id = \(person)
                    UNION SELECT k.id FROM cases AS k WHERE k.template_id IN (\(fragment: templates))
                    UNION SELECT r.case_id FROM reports AS r WHERE r.reporter_id = \(person))
                AND CASE
                    WHEN d.decision = 'dismiss' THEN
                        EXISTS (SELECT FROM reports AS r WHERE r.case_id = c.id AND r.reporter_id = \(person))
                    WHEN d.decision IN ('take_down', 'restore')
                        AND c.subject_kind IN ('submission', 'template', 'version') THEN
                        c.respondent_id = \(person) OR c.template_id IN (\(fragment: templates))
                    ELSE c.respondent_id = \(person) END
                AND \(fragment: condition(which))
            """
        ) { try decision($0, of: person, at: now, rules) }
    }

    private static let isSuperseded: PostgresQuery = """
        EXISTS (SELECT FROM decisions AS l WHERE l.case_id = d.case_id AND (l.decided_at, l.id) > (d.decided_at, d.id))
        """

    /// The last part of the condition, with the order.
    private static func condition(_ which: Which) -> PostgresQuery {
        switch which {
        case .works(let before, let limit):
            let rest: PostgresQuery = before.map { "AND d.id < \($0)" } ?? ""
            return """
                d.decision IN ('reject', 'request_changes', 'take_down', 'restore') \(fragment: rest)
                ORDER BY d.id DESC LIMIT \(literal: limit)
                """
        case .sanctions(let ids):
            return "d.id IN (SELECT z.decision_id FROM sanctions AS z WHERE z.id = ANY(\(ids)::uuid[]))"
        case .reports(let ids):
            return """
                d.decision = 'dismiss'
                AND d.case_id IN (SELECT r.case_id FROM reports AS r WHERE r.id = ANY(\(ids)::uuid[]))
                ORDER BY d.id DESC
                """
        case .last(let id): return "d.case_id = \(id) AND NOT \(fragment: isSuperseded)"
        }
    }

    private static func decision(
        _ row: PostgresRow, of person: UserID, at now: Date, _ rules: CaseRules
    ) throws -> UserDecision {
        let told = SubmissionStatus.Decision(
            decision: try row.get("decision"), reasonCode: try row.get("reason_code"),
            message: try row.get("message"), decidedAt: try row.get("decided_at"))
        let outcome = try row.get("outcome", as: String?.self)
        let appeal = try row.get("appellant_id", as: UserID?.self).map { appellant in
            EarlierAppeal(
                state: outcome.flatMap { Appeal.State(rawValue: $0) } ?? .open, isOwn: appellant == person,
                isOfDismissal: told.decision == .dismiss)
        }
        var found = UserDecision(
            id: try row.get("id"), caseID: try row.get("case_id"), decision: told,
            subject: try row.get("subject_kind"), title: try row.get("title"), version: try row.get("number"),
            submission: try row.get("submission_id"), sanction: try row.get("sanction_id"),
            report: try row.get("report_id"), appeal: appeal,
            isUndone: try row.get("overturned_at", as: Date?.self) != nil, appealEnds: nil)
        found.part = try row.get("part")
        if try row.get("is_superseded", as: Bool.self) { return found }
        // Asks the rules that appeals are judged by: what they refuse cannot be appealed, or not any more.
        let file = CaseFile(
            kind: try row.get("kind"), subject: .user(person),
            status: CaseStatus(try row.get("state")), parties: [person], reporters: [person],
            past: CaseFile.Past(
                verdict: try row.get("decision", as: Verdict.self), at: told.decidedAt, wasAppealed: appeal != nil))
        if (try? file.after(.appeal, by: .person(person), at: now, rules: rules)) != nil {
            found.appealEnds = told.decidedAt.addingTimeInterval(rules.appealSeconds)
        }
        return found
    }
}
