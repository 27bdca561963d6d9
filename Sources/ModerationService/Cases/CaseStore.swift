// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

/// SQL of cases: their rows, and what the rules ask about them. `CaseStore+Subjects.swift` has what cases are about,
/// `+Decisions` what is decided in them, `+Reports` the reports that they answer, `+Deadlines` what time does to them.
package enum CaseStore {
    /// A case's own row.
    struct Row: Sendable {
        var id: CaseID
        var kind: CaseKind
        var subject: CaseSubject
        var status: CaseStatus
        var isAudit: Bool
        var submission: SubmissionID?
        var template: TemplateID?
        var respondent: UserID?
        var appealOf: CaseID?
    }

    /// What the rules ask about a case beside its own row.
    struct Facts: Sendable {
        var parties: Set<UserID>
        var reporters: Set<UserID>
        var deciders: Set<UserID>
        var proposal: CaseFile.Proposal?
        var past: CaseFile.Past?
        var decision: UUID?
        var installs: Int
        var isTakenDown: Bool
    }

    /// Locks a case until the transaction ends.
    static func lock(_ id: CaseID, in connection: PostgresConnection) async throws -> Row? {
        try await connection.first("\(fragment: selected(id)) FOR UPDATE", row)
    }

    /// A case as it stands.
    static func fetch(_ id: CaseID, in database: some PostgresExecutor) async throws -> Row? {
        try await database.first(selected(id), row)
    }

    private static func selected(_ id: CaseID) -> PostgresQuery {
        """
        SELECT id, kind, state, claimed_by, claim_expires_at, is_audit, submission_id, template_id, respondent_id,
            appeal_of, subject_kind, subject_id,
            CASE WHEN subject_kind = 'version' THEN (SELECT v.number FROM versions AS v WHERE v.id = subject_id) END
                AS number
        FROM cases WHERE id = \(id)
        """
    }

    /// The most urgent case that `moderator` could take, locked; those that others have locked are passed over.
    static func lockNext(
        for moderator: UserID, kind: CaseKind?, at now: Date, in connection: PostgresConnection
    ) async throws -> CaseID? {
        let ofKind: PostgresQuery = kind.map { "AND kind = \($0)" } ?? ""
        return try await connection.first(
            """
            SELECT id FROM cases
            WHERE state IN ('open', 'claimed') AND (state = 'open' OR claim_expires_at <= \(now))
                AND NOT (\(moderator)::uuid = ANY(excluded_moderators)) \(fragment: ofKind)
                AND NOT EXISTS (SELECT FROM case_proposals AS p WHERE p.case_id = cases.id AND p.moderator_id = \(moderator))
            ORDER BY queue_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
            """
        ) { try $0.get("id") }
    }

    /// Stores another status.
    static func set(
        _ status: CaseStatus, of id: CaseID, at now: Date, in connection: PostgresConnection
    ) async throws {
        let statement: PostgresQuery
        switch status {
        case .open: statement = "state = 'open', claimed_by = NULL, claim_expires_at = NULL"
        case .claimed(let holder, let until):
            statement = "state = 'claimed', claimed_by = \(holder), claim_expires_at = \(until)"
        // `claimed_by` stays: who asked the uploader still has the case among their own.
        case .waiting: statement = "state = 'waiting', claim_expires_at = NULL"
        case .decided: statement = "state = 'decided', claim_expires_at = NULL"
        case .appealed: statement = "state = 'appealed', claim_expires_at = NULL"
        case .closed: statement = "state = 'closed', claim_expires_at = NULL, closed_at = \(now)"
        }
        try await connection.execute("UPDATE cases SET \(fragment: statement) WHERE id = \(id)")
    }

    /// Keeps the case from being offered to somebody again.
    static func bar(_ person: UserID, from id: CaseID, in connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE cases SET excluded_moderators = excluded_moderators || \(person)::uuid
            WHERE id = \(id) AND NOT (\(person)::uuid = ANY(excluded_moderators))
            """)
    }

    /// What the rules ask about a case; for an act, under its lock.
    static func facts(_ row: Row, in database: some PostgresExecutor) async throws -> Facts {
        let id = row.id
        return try await database.one(
            """
            SELECT
                ARRAY(\(fragment: parties("\(row.respondent)::uuid", authorsOf: "\(row.authored)::uuid"))) AS parties,
                ARRAY(SELECT DISTINCT r.reporter_id FROM reports AS r WHERE r.case_id = \(row.appealOf ?? id)) AS reporters,
                ARRAY(
                    SELECT d.moderator_id FROM decisions AS d
                        WHERE d.case_id = \(row.appealOf) AND d.moderator_id IS NOT NULL
                    UNION SELECT d.proposed_by FROM decisions AS d
                        WHERE d.case_id = \(row.appealOf) AND d.proposed_by IS NOT NULL
                ) AS deciders,
                p.moderator_id AS proposed_by, p.decision AS proposed, p.reason_code, p.message, p.evidence, p.ends_at,
                last.id AS decision_id, last.decision, last.decided_at, last.was_appealed,
                \(fragment: installs(row)) AS installs,
                \(fragment: takenDown(row)) AS is_taken_down
            FROM (SELECT) AS nothing
            LEFT JOIN case_proposals AS p ON p.case_id = \(id)
            LEFT JOIN LATERAL (
                SELECT d.id, d.decision, d.decided_at, EXISTS (SELECT FROM appeals AS a WHERE a.decision_id = d.id) AS was_appealed
                FROM decisions AS d WHERE d.case_id = \(id) ORDER BY d.decided_at DESC, d.id DESC LIMIT 1
            ) AS last ON true
            """
        ) { row in
            var facts = Facts(
                parties: Set(try row.get("parties", as: [UserID].self)),
                reporters: Set(try row.get("reporters", as: [UserID].self)),
                deciders: Set(try row.get("deciders", as: [UserID].self)), decision: try row.get("decision_id"),
                installs: try row.get("installs"), isTakenDown: try row.get("is_taken_down"))
            facts.proposal = try proposal(row)
            if let verdict = try row.get("decision", as: Verdict?.self) {
                facts.past = CaseFile.Past(
                    verdict: verdict, at: try row.get("decided_at"), wasAppealed: try row.get("was_appealed"))
            }
            return facts
        }
    }

    /// Selects whom a case is about: the respondent, and the owner and authors of a template.
    private static func parties(_ respondent: PostgresQuery, authorsOf template: PostgresQuery) -> PostgresQuery {
        """
        SELECT \(fragment: respondent) WHERE \(fragment: respondent) IS NOT NULL
        UNION SELECT t.owner_id FROM templates AS t WHERE t.id = \(fragment: template)
        UNION SELECT a.user_id FROM template_authors AS a WHERE a.template_id = \(fragment: template)
        """
    }

    /// Whether somebody is among those whom the case is about. A review concerns its writer alone.
    static func concerns(_ id: CaseID, _ person: UserID, in database: some PostgresExecutor) async throws -> Bool {
        let template: PostgresQuery =
            "CASE WHEN c.subject_kind IN ('submission', 'template', 'version') THEN c.template_id END"
        return try await database.scalar(
            """
            SELECT EXISTS (SELECT FROM cases AS c
                WHERE c.id = \(id) AND \(person) IN (\(fragment: parties("c.respondent_id", authorsOf: template))))
            """, as: Bool.self)
    }

    /// Downloads of the template in question, or of all templates of the person.
    private static func installs(_ row: Row) -> PostgresQuery {
        if case .user(let id) = row.subject {
            return "(SELECT coalesce(sum(t.downloads), 0)::bigint FROM templates AS t WHERE t.owner_id = \(id))"
        }
        return "coalesce((SELECT t.downloads FROM templates AS t WHERE t.id = \(row.template)), 0)"
    }

    /// Whether exactly this is taken down: not by a take-down of something larger that holds it, or of a part of it.
    private static func takenDown(_ row: Row) -> PostgresQuery {
        let (kind, id): (String, PostgresQuery) =
            switch row.subject {
            case .submission(let id): ("version", "(SELECT v.id FROM versions AS v WHERE v.submission_id = \(id))")
            case .template(let id): ("template", "\(id)")
            case .version(let id, let number):
                ("version", "(SELECT v.id FROM versions AS v WHERE v.template_id = \(id) AND v.number = \(number))")
            case .review(let id): ("review", "\(id)")
            case .user(let id): ("user", "\(id)")
            case .collection(let id): ("collection", "\(id)")
            case .profile(let id): ("profile", "\(id)")
            }
        return """
            EXISTS (SELECT FROM takedowns AS d
                WHERE d.subject_kind = \(kind) AND d.subject_id = \(fragment: id) AND d.restored_at IS NULL)
            """
    }

    private static func proposal(_ row: PostgresRow) throws -> CaseFile.Proposal? {
        guard let by = try row.get("proposed_by", as: UserID?.self) else { return nil }
        let (verdict, message) = (try row.get("proposed", as: Verdict.self), try row.get("message", as: String.self))
        let (reasonCode, until) = (try row.get("reason_code", as: String.self), try row.get("ends_at", as: Date?.self))
        let evidence = try row.get("evidence", as: PostgresJSON<[String]>.self).value
        // It was checked when it was proposed. If the rules have become stricter since, it counts as none.
        let decision = try? Decision(
            verdict, reasonCode: reasonCode, message: message, evidence: evidence, until: until)
        return decision.map { CaseFile.Proposal(by: by, decision: $0) }
    }

    private static func row(_ row: PostgresRow) throws -> Row {
        let status = CaseStatus(
            try row.get("state"), holder: try row.get("claimed_by"), until: try row.get("claim_expires_at"))
        let template = try row.get("template_id", as: TemplateID?.self)
        let id = try row.get("subject_id", as: UUID.self)
        let subject: CaseSubject =
            switch try row.get("subject_kind", as: String.self) {
            case "template": .template(TemplateID(rawValue: id))
            case "version":
                if let template, let number = try row.get("number", as: SemanticVersion?.self) {
                    .version(template, number)
                } else {
                    .template(template ?? TemplateID(rawValue: id))
                }
            case "review": .review(ReviewID(rawValue: id))
            case "user": .user(UserID(rawValue: id))
            case "collection": .collection(MemberCollectionID(rawValue: id))
            case "profile": .profile(UserID(rawValue: id))
            default: .submission(SubmissionID(rawValue: id))
            }
        return Row(
            id: try row.get("id"), kind: try row.get("kind"), subject: subject, status: status,
            isAudit: try row.get("is_audit"), submission: try row.get("submission_id"), template: template,
            respondent: try row.get("respondent_id"), appealOf: try row.get("appeal_of"))
    }
}

extension CaseStatus {
    /// The state as stored in the row; a claim counts only with a holder and an expiry.
    init(_ state: String, holder: UserID? = nil, until: Date? = nil) {
        self =
            switch state {
            case "claimed": holder.flatMap { holder in until.map { .claimed(by: holder, until: $0) } } ?? .open
            case "waiting": .waiting
            case "decided": .decided
            case "appealed": .appealed
            case "closed": .closed
            default: .open
            }
    }
}

extension CaseStore.Row {
    /// The template whose authors are concerned; a review concerns its writer alone.
    var authored: TemplateID? {
        subject.isPersonal ? nil : template
    }
}
