// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

/// SQL of what a case is and of what is decided in it.
package enum CaseStore {
    /// A case's own row.
    package struct Row: Sendable {
        package var id: CaseID
        package var kind: CaseKind
        package var subject: CaseSubject
        package var status: CaseStatus
        package var isAudit: Bool
        package var submission: SubmissionID?
        package var template: TemplateID?
        var respondent: UserID?
        var appealOf: CaseID?

        package init(
            id: CaseID, kind: CaseKind, subject: CaseSubject, status: CaseStatus, isAudit: Bool,
            submission: SubmissionID? = nil, template: TemplateID? = nil, respondent: UserID? = nil,
            appealOf: CaseID? = nil
        ) {
            self.id = id
            self.kind = kind
            self.subject = subject
            self.status = status
            self.isAudit = isAudit
            self.submission = submission
            self.template = template
            self.respondent = respondent
            self.appealOf = appealOf
        }
    }

    /// What the rules ask besides.
    package struct Facts: Sendable {
        var parties: Set<UserID>
        var reporters: Set<UserID>
        var deciders: Set<UserID>
        package var proposal: CaseFile.Proposal?
        var past: CaseFile.Past?
        package var decision: UUID?
        package var installs: Int
        package var isTakenDown: Bool
    }

    /// Something that a case can be about, as it stands in a case's row.
    package struct Subject: Sendable {
        package var kind: String
        package var id: UUID
        package var template: TemplateID?
        var respondent: UserID?
        var parties: [UserID]
        package var reach: Int64

        package init(
            kind: String, id: UUID, template: TemplateID? = nil, respondent: UserID? = nil, parties: [UserID],
            reach: Int64
        ) {
            self.kind = kind
            self.id = id
            self.template = template
            self.respondent = respondent
            self.parties = parties
            self.reach = reach
        }
    }

    /// Locks a case until the transaction ends.
    package static func lock(_ id: CaseID, in connection: PostgresConnection) async throws -> Row? {
        try await connection.first(
            """
            SELECT id, kind, state, claimed_by, claim_expires_at, is_audit, submission_id, template_id, respondent_id,
                appeal_of, subject_kind, subject_id,
                CASE WHEN subject_kind = 'version' THEN (SELECT v.number FROM versions AS v WHERE v.id = subject_id) END
                    AS number
            FROM cases WHERE id = \(id) FOR UPDATE
            """, row)
    }

    /// The most urgent case that `moderator` could take, locked; those that others are about to take are passed over.
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

    /// Offers the case to somebody no more.
    static func bar(_ person: UserID, from id: CaseID, in connection: PostgresConnection) async throws {
        try await connection.execute(
            "UPDATE cases SET excluded_moderators = excluded_moderators || \(person)::uuid WHERE id = \(id) AND NOT (\(person)::uuid = ANY(excluded_moderators))"
        )
    }

    /// What the rules ask about a case under lock.
    package static func facts(_ row: Row, in connection: PostgresConnection) async throws -> Facts {
        let id = row.id
        return try await connection.one(
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
        let template: PostgresQuery = "CASE WHEN c.subject_kind NOT IN ('review', 'user') THEN c.template_id END"
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

    /// Whether exactly this is taken down: not only by what holds more than it, or less.
    private static func takenDown(_ row: Row) -> PostgresQuery {
        let (kind, id): (String, PostgresQuery) =
            switch row.subject {
            case .submission(let id): ("version", "(SELECT v.id FROM versions AS v WHERE v.submission_id = \(id))")
            case .template(let id): ("template", "\(id)")
            case .version(let id, let number):
                ("version", "(SELECT v.id FROM versions AS v WHERE v.template_id = \(id) AND v.number = \(number))")
            case .review(let id): ("review", "\(id)")
            case .user(let id): ("user", "\(id)")
            }
        return """
            EXISTS (SELECT FROM takedowns AS d
                WHERE d.subject_kind = \(kind) AND d.subject_id = \(fragment: id) AND d.restored_at IS NULL)
            """
    }

    private static func proposal(_ row: PostgresRow) throws -> CaseFile.Proposal? {
        guard let by = try row.get("proposed_by", as: UserID?.self),
            let decision = try? Decision(
                try row.get("proposed", as: Verdict.self), reasonCode: try row.get("reason_code"),
                message: try row.get("message"),
                evidence: try row.get("evidence", as: PostgresJSON<[String]>.self).value,
                until: try row.get("ends_at"))
        else { return nil }
        return CaseFile.Proposal(by: by, decision: decision)
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
            default: .submission(SubmissionID(rawValue: id))
            }
        return Row(
            id: try row.get("id"), kind: try row.get("kind"), subject: subject, status: status,
            isAudit: try row.get("is_audit"), submission: try row.get("submission_id"), template: template,
            respondent: try row.get("respondent_id"), appealOf: try row.get("appeal_of"))
    }

    // MARK: Subjects

    /// What is behind a subject; `nil` when there is no such thing.
    package static func subject(_ subject: CaseSubject, in connection: PostgresConnection) async throws -> Subject? {
        let query: PostgresQuery
        let kind: String
        switch subject {
        case .submission(let id):
            kind = "submission"
            query = """
                SELECT s.id, t.id AS template_id, s.uploader_id AS respondent, t.downloads FROM submissions AS s
                JOIN templates AS t ON t.id = s.template_id WHERE s.id = \(id)
                """
        case .template(let id):
            kind = "template"
            query = """
                SELECT t.id, t.id AS template_id, t.owner_id AS respondent, t.downloads FROM templates AS t
                WHERE t.id = \(id)
                """
        case .version(let id, let number):
            kind = "version"
            query = """
                SELECT v.id, t.id AS template_id, t.owner_id AS respondent, t.downloads FROM templates AS t
                JOIN versions AS v ON v.template_id = t.id AND v.number = \(number) WHERE t.id = \(id)
                """
        case .review(let id):
            kind = "review"
            query = """
                SELECT r.id, r.template_id, r.user_id AS respondent, 0::bigint AS downloads FROM reviews AS r
                WHERE r.id = \(id)
                """
        case .user(let id):
            kind = "user"
            query = """
                SELECT u.id, NULL::uuid AS template_id, u.id AS respondent, 0::bigint AS downloads FROM users AS u
                WHERE u.id = \(id)
                """
        }
        return try await connection.first(
            """
            SELECT f.id, f.template_id, f.respondent, f.downloads,
                ARRAY(
                    SELECT f.respondent UNION SELECT a.user_id FROM template_authors AS a
                    WHERE a.template_id = f.template_id AND \(kind)::text <> 'review'
                ) AS parties
            FROM (\(fragment: query)) AS f
            """
        ) { row in
            Subject(
                kind: kind, id: try row.get("id"), template: try row.get("template_id"),
                respondent: try row.get("respondent"), parties: try row.get("parties"), reach: try row.get("downloads"))
        }
    }

    /// Which version of which template has this id.
    package static func version(
        _ id: UUID, in database: some PostgresExecutor
    ) async throws -> (template: TemplateID, number: SemanticVersion)? {
        try await database.first("SELECT template_id, number FROM versions WHERE id = \(id)") {
            (template: try $0.get("template_id"), number: try $0.get("number"))
        }
    }

    // MARK: Decisions

    /// Keeps a decision for good, and returns its id; a `nil` moderator is the service itself.
    @discardableResult
    static func insertDecision(
        _ decision: Decision, on id: CaseID, by moderator: UserID?, proposedBy: UserID? = nil, at now: Date,
        in connection: PostgresConnection
    ) async throws -> UUID {
        let key = UUID.version7(at: now)
        try await connection.execute(
            """
            WITH noted AS (UPDATE cases SET decided_at = \(now) WHERE id = \(id))
            INSERT INTO decisions (id, case_id, moderator_id, decision, reason_code, message, decided_at, evidence,
                ends_at, proposed_by)
            VALUES (\(key), \(id), \(moderator), \(decision.verdict), \(decision.reasonCode), \(decision.message),
                \(now), \(PostgresJSON(decision.evidence)), \(decision.until), \(proposedBy))
            """)
        return key
    }

    static func insertProposal(
        _ decision: Decision, on id: CaseID, by moderator: UserID, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO case_proposals (case_id, moderator_id, decision, reason_code, message, evidence, ends_at,
                proposed_at)
            VALUES (\(id), \(moderator), \(decision.verdict), \(decision.reasonCode), \(decision.message),
                \(PostgresJSON(decision.evidence)), \(decision.until), \(now))
            """)
    }

    static func deleteProposal(_ id: CaseID, in connection: PostgresConnection) async throws {
        try await connection.execute("DELETE FROM case_proposals WHERE case_id = \(id)")
    }

    /// Moves a submission on.
    static func setSubmission(
        _ id: SubmissionID, to state: SubmissionState, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE submissions SET state = \(state), updated_at = \(now),
                step = CASE WHEN \(state) = 'awaiting_review' THEN 'waiting for a moderator' ELSE step END
            WHERE id = \(id)
            """)
    }

    /// Closes the reports of a case that are open.
    static func closeReports(
        of id: CaseID, upheld: Bool, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE reports SET state = 'closed', closed_at = \(now), outcome = \(upheld ? "upheld" : "dismissed")
            WHERE case_id = \(id) AND state = 'open'
            """)
    }

    /// Opens the reports of a case again, but for those whose writer has reported the same again meanwhile.
    static func reopenReports(of id: CaseID, in connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE reports AS r SET state = 'open', closed_at = NULL, outcome = NULL
            WHERE r.case_id = \(id) AND r.state = 'closed' AND NOT EXISTS (
                SELECT FROM reports AS o WHERE o.state = 'open' AND o.reporter_id = r.reporter_id
                    AND o.subject_kind = r.subject_kind AND o.subject_id = r.subject_id)
            """)
    }

    /// Who made a decision; `nil` for the service itself.
    static func decider(of decision: UUID, in connection: PostgresConnection) async throws -> UserID? {
        try await connection.first("SELECT moderator_id FROM decisions WHERE id = \(decision)") {
            try $0.get("moderator_id", as: UserID?.self)
        } ?? nil
    }

    /// Marks a decision as undone.
    static func setOverturned(_ decision: UUID, at now: Date, in connection: PostgresConnection) async throws {
        try await connection.execute("UPDATE decisions SET overturned_at = \(now) WHERE id = \(decision)")
    }

    /// Brings what cases that wait say of downloads to what it is now; returns how many changed.
    @discardableResult
    package static func refreshDownloadCounts(in database: some PostgresExecutor) async throws -> Int {
        try await database.execute(
            """
            UPDATE cases AS c SET reach = t.downloads FROM templates AS t
            WHERE t.id = c.template_id AND c.state IN ('open', 'claimed', 'waiting') AND c.subject_kind <> 'review'
                AND c.reach <> t.downloads
            """)
    }

    /// Closes some cases whose time for appeals is over; returns how many.
    package static func closeAppealable(before: Date, at now: Date, in database: some PostgresExecutor) async throws
        -> Int
    {
        try await database.execute(
            """
            UPDATE cases SET state = 'closed', closed_at = \(now) WHERE id IN (
                SELECT id FROM cases WHERE state = 'decided' AND decided_at <= \(before)
                ORDER BY decided_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
            """)
    }
}

extension CaseStatus {
    /// The state as stored in the row; a claim counts only with a holder and an expiry.
    package init(_ state: String, holder: UserID? = nil, until: Date? = nil) {
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
        switch subject {
        case .review, .user: nil
        case .submission, .template, .version: template
        }
    }
}
