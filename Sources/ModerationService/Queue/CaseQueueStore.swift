// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// The current time and the warning period that decide when a case counts as due.
struct CaseDueTimes: Sendable {
    var now: Date
    /// How long before the promised time a case counts as due soon, in seconds.
    var warningSeconds: TimeInterval
}

extension ModerationDependencies {
    var caseDueTimes: CaseDueTimes { CaseDueTimes(now: now(), warningSeconds: limits.slaWarningSeconds) }
}

/// Which cases a part of the queue shows.
package struct QueueFilter: Sendable {
    /// In this state; without one all that wait.
    package var state: CaseState?
    package var kind: CaseSummary.Kind?
    package var gameSystem: String?
    package var due: CaseSummary.Due?
    /// Claimed by this moderator, or waiting for the answer to their question.
    package var holder: UserID?
    package var minimumRisk: Int?
    package var isAudit: Bool?
    /// Somewhere in the name of the sheet or collection, or in the handle of whose work it is.
    package var text: String?

    package init(state: CaseState? = nil) {
        self.state = state
    }
}

enum CaseQueueStore {
    /// Where a page of the queue begins.
    struct Position: Equatable, Sendable {
        var place: Date
        var id: CaseID
    }

    /// Cases that the filter lets through, the most urgent first. A case whose claim ran out shows as open.
    static func cases(
        _ filter: QueueFilter, after position: Position?, limit: Int, terms: CaseDueTimes,
        in database: some PostgresExecutor
    ) async throws -> [(summary: CaseSummary, position: Position)] {
        let after: PostgresQuery = position.map { "AND (cases.queue_at, cases.id) > (\($0.place), \($0.id))" } ?? ""
        return try await database.all(
            """
            SELECT \(fragment: summaryColumns(terms)) FROM \(fragment: summaryTables)
            WHERE \(fragment: condition(filter, terms)) \(fragment: after)
            ORDER BY cases.queue_at, cases.id LIMIT \(literal: limit)
            """
        ) { row in
            let summary = try CaseSummary(row)
            return (summary, Position(place: try row.get("queue_at"), id: summary.id))
        }
    }

    /// One case as the queue shows it.
    static func summary(
        _ id: CaseID, terms: CaseDueTimes, in database: some PostgresExecutor
    ) async throws -> CaseSummary? {
        try await database.first(
            """
            SELECT \(fragment: summaryColumns(terms)) FROM \(fragment: summaryTables)
            WHERE cases.id = \(id)
            """, CaseSummary.init)
    }

    /// Cases as the queue shows them, in the order of their ids.
    static func summaries(
        _ ids: [CaseID], terms: CaseDueTimes, in database: some PostgresExecutor
    ) async throws -> [CaseSummary] {
        if ids.isEmpty { return [] }
        return try await database.all(
            """
            SELECT \(fragment: summaryColumns(terms)) FROM \(fragment: summaryTables)
            WHERE cases.id = ANY(\(ids)) ORDER BY array_position(\(ids)::uuid[], cases.id)
            """, CaseSummary.init)
    }

    /// The file of the case's submission: name, size, hash and version.
    static func artifact(
        _ id: CaseID, in database: some PostgresExecutor
    ) async throws -> (hash: ContentHash, fileName: String, sizeBytes: Int, version: SemanticVersion)? {
        try await database.first(
            """
            SELECT submissions.artifact_sha256, submissions.file_name, submissions.size_bytes, submissions.version
            FROM \(fragment: summaryTables) WHERE cases.id = \(id) AND submissions.id IS NOT NULL
            """
        ) {
            (
                hash: try $0.get("artifact_sha256"), fileName: try $0.get("file_name"),
                sizeBytes: try $0.get("size_bytes"), version: try $0.get("version")
            )
        }
    }

    /// Cases of one kind and state that wait.
    struct WaitingCount: Sendable {
        var kind: String
        var state: String
        var cases: Int
        /// Those whose promised time is past, and near.
        var over: Int
        var soon: Int
        /// How long the oldest has waited for a moderator, in seconds.
        var oldest: Double
    }

    /// How many cases wait that the filter lets through, by what the tabs of the queue are called after.
    static func counts(
        _ filter: QueueFilter, for moderator: UserID, terms: CaseDueTimes, in database: some PostgresExecutor
    ) async throws -> QueueCounts {
        var filter = filter
        (filter.state, filter.holder, filter.due) = (nil, nil, nil)
        var mine = QueueFilter()
        mine.holder = moderator
        var over = QueueFilter()
        over.due = .over
        return try await database.one(
            """
            SELECT count(*) AS waiting,
                count(*) FILTER (WHERE \(fragment: state(.open, terms))) AS open,
                count(*) FILTER (WHERE \(fragment: state(.claimed, terms))) AS claimed,
                count(*) FILTER (WHERE \(fragment: state(.waiting, terms))) AS asked,
                count(*) FILTER (WHERE \(fragment: condition(mine, terms))) AS mine,
                count(*) FILTER (WHERE \(fragment: condition(over, terms))) AS over
            FROM \(fragment: summaryTables) WHERE \(fragment: condition(filter, terms))
            """
        ) { row in
            QueueCounts(
                all: try row.get("waiting"), open: try row.get("open"), claimed: try row.get("claimed"),
                waiting: try row.get("asked"), mine: try row.get("mine"), over: try row.get("over"))
        }
    }

    static func waitingCounts(
        _ terms: CaseDueTimes, in database: some PostgresExecutor
    ) async throws -> [WaitingCount] {
        let soon = terms.now.addingTimeInterval(terms.warningSeconds)
        return try await database.all(
            """
            SELECT kind, state, count(*) AS cases,
                count(*) FILTER (WHERE state <> 'waiting' AND due_at <= \(terms.now)) AS over,
                count(*) FILTER (WHERE state <> 'waiting' AND due_at > \(terms.now) AND due_at <= \(soon)) AS soon,
                extract(epoch FROM \(terms.now)::timestamptz - min(opened_at) FILTER (WHERE state <> 'waiting'))::float8
                    AS oldest
            FROM cases WHERE state IN ('open', 'claimed', 'waiting') GROUP BY kind, state ORDER BY kind, state
            """
        ) { row in
            WaitingCount(
                kind: try row.get("kind"), state: try row.get("state"), cases: try row.get("cases"),
                over: try row.get("over"), soon: try row.get("soon"),
                oldest: try row.get("oldest", as: Double?.self) ?? 0)
        }
    }

    // MARK: Parts of statements

    private static func condition(_ filter: QueueFilter, _ terms: CaseDueTimes) -> PostgresQuery {
        var parts: [PostgresQuery] = [state(filter.state, terms)]
        if let kind = filter.kind { parts.append("cases.kind = \(kind)") }
        if let system = filter.gameSystem {
            parts.append("COALESCE(submissions.metadata ->> 'gameSystem', templates.game_system) = \(system)")
        }
        switch filter.due {
        case nil: break
        case .over: parts.append("cases.state IN ('open', 'claimed') AND cases.due_at <= \(terms.now)")
        case .soon:
            parts.append(
                """
                cases.state IN ('open', 'claimed') AND cases.due_at > \(terms.now)
                AND cases.due_at <= \(terms.now.addingTimeInterval(terms.warningSeconds))
                """)
        }
        if let holder = filter.holder {
            parts.append(
                """
                cases.claimed_by = \(holder) AND (cases.state = 'waiting'
                    OR cases.state = 'claimed' AND cases.claim_expires_at > \(terms.now))
                """)
        }
        if let risk = filter.minimumRisk { parts.append("cases.risk >= \(risk)") }
        if let text = filter.text {
            parts.append(
                """
                (strpos(lower(concat_ws(' ', submissions.metadata ->> 'name', templates.name, collection.title)),
                        lower(\(text))) > 0
                    OR strpos(respondent.handle, lower(\(text))) > 0)
                """)
        }
        if let isAudit = filter.isAudit { parts.append("cases.is_audit = \(isAudit)") }
        return parts.dropFirst().reduce(parts[0]) { "\(fragment: $0) AND \(fragment: $1)" }
    }

    private static func state(_ state: CaseState?, _ terms: CaseDueTimes) -> PostgresQuery {
        switch state {
        case nil: "cases.state IN ('open', 'claimed', 'waiting')"
        case .decided: "cases.state = 'decided'"
        case .waiting: "cases.state = 'waiting'"
        case .appealed: "cases.state = 'appealed'"
        case .closed: "cases.state = 'closed'"
        case .open:
            "cases.state IN ('open', 'claimed') AND (cases.state = 'open' OR cases.claim_expires_at <= \(terms.now))"
        case .claimed: "cases.state = 'claimed' AND cases.claim_expires_at > \(terms.now)"
        }
    }

    static func summaryColumns(_ terms: CaseDueTimes) -> PostgresQuery {
        """
        cases.id AS case_id, cases.kind AS case_kind, cases.queue_at,
        CASE WHEN cases.subject_kind IN ('collection', 'profile') THEN 'user' ELSE cases.subject_kind END
            AS subject_kind,
        CASE WHEN cases.subject_kind IN ('collection', 'profile') THEN coalesce(cases.respondent_id, cases.subject_id)
            ELSE cases.subject_id END AS subject_id,
        CASE WHEN cases.subject_kind IN ('collection', 'profile') THEN cases.subject_kind END AS part,
        CASE WHEN cases.subject_kind = 'collection' THEN cases.subject_id END AS collection_id,
        CASE WHEN cases.state = 'claimed' AND cases.claim_expires_at <= \(terms.now) THEN 'open' ELSE cases.state END
            AS case_state,
        CASE WHEN cases.state = 'waiting' OR cases.state = 'claimed' AND cases.claim_expires_at > \(terms.now)
            THEN claimer.handle END AS claimed_by,
        CASE WHEN cases.state = 'claimed' AND cases.claim_expires_at > \(terms.now) THEN cases.claim_expires_at END
            AS claim_expires_at,
        cases.opened_at, cases.submission_id AS own_submission_id, cases.template_id,
        CASE WHEN cases.subject_kind IN ('submission', 'version') THEN submissions.version END AS shown_version,
        COALESCE(CASE WHEN cases.subject_kind = 'submission' THEN submissions.metadata ->> 'name' END, templates.name,
            collection.title, respondent.handle, '') AS template_name,
        COALESCE(submissions.metadata ->> 'gameSystem', templates.game_system) AS game_system,
        COALESCE(respondent.handle, '') AS uploader, cases.risk, cases.report_count, cases.reach, cases.due_at,
        CASE WHEN cases.state NOT IN ('open', 'claimed') THEN NULL WHEN cases.due_at <= \(terms.now) THEN 'over'
            WHEN cases.due_at <= \(terms.now.addingTimeInterval(terms.warningSeconds)) THEN 'soon' END AS due,
        cases.is_audit, cases.appeal_of,
        EXISTS (SELECT FROM case_proposals AS p WHERE p.case_id = cases.id) AS is_proposed,
        (SELECT CASE max(array_position('{info,warning,blocker}'::text[], finding ->> 'severity'))
                WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'blocker' END
         FROM jsonb_array_elements(submissions.findings) AS finding) AS severity
        """
    }

    /// `submissions` is the upload that a case is about, or that the version in question was made of.
    static let summaryTables: PostgresQuery = """
        cases
        LEFT JOIN templates ON templates.id = cases.template_id
        LEFT JOIN submissions ON submissions.id = CASE cases.subject_kind
            WHEN 'submission' THEN cases.subject_id
            WHEN 'version' THEN (SELECT v.submission_id FROM versions AS v WHERE v.id = cases.subject_id)
            WHEN 'template' THEN (
                SELECT v.submission_id FROM versions AS v WHERE v.template_id = cases.subject_id
                ORDER BY v.id IS NOT DISTINCT FROM templates.latest_version_id DESC, v.published_at DESC, v.id LIMIT 1)
            END
        LEFT JOIN member_collections AS collection
            ON cases.subject_kind = 'collection' AND collection.id = cases.subject_id
        LEFT JOIN users AS respondent ON respondent.id = cases.respondent_id
        LEFT JOIN users AS claimer ON claimer.id = cases.claimed_by
        """
}

extension CaseSummary {
    init(_ row: PostgresRow) throws {
        self.init(
            id: try row.get("case_id"), state: try row.get("case_state"), kind: try row.get("case_kind"),
            subject: try row.get("subject_kind"),
            subjectId: try row.get("subject_id", as: UUID.self).lowercaseText,
            submissionId: try row.get("own_submission_id"), templateId: try row.get("template_id"),
            templateName: try row.get("template_name"), gameSystem: try row.get("game_system"),
            version: try row.get("shown_version"), uploader: try row.get("uploader"),
            claimedBy: try row.get("claimed_by"), claimExpiresAt: try row.get("claim_expires_at"),
            severity: try row.get("severity"), risk: try row.get("risk"), reportCount: try row.get("report_count"),
            reach: try row.get("reach"), openedAt: try row.get("opened_at"), promisedAt: try row.get("due_at"),
            due: try row.get("due"), isAudit: try row.get("is_audit"), isProposed: try row.get("is_proposed"),
            appealOf: try row.get("appeal_of"), part: try row.get("part"), collectionId: try row.get("collection_id"))
    }
}
