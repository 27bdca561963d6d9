// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres

package enum TransparencyStore {
    /// Something that was counted in a month.
    package struct Line: Sendable {
        var month: String
        var topic: String
        var code: String
        var reason: String?
        var value: Double
    }

    /// One number for each month: how many rows of a table have their time in it.
    private struct Count {
        var topic: String
        var table: String
        var time: String
        var code: PostgresQuery = "''"
        var reason: PostgresQuery = "NULL"
        var only: PostgresQuery = "true"

        func lines(from: Date) -> PostgresQuery {
            """
            SELECT date_trunc('month', \(ident: time) AT TIME ZONE 'UTC') AS month, \(topic)::text AS topic,
                (\(fragment: code))::text AS code, (\(fragment: reason))::text AS reason, count(*)::double precision AS value
            FROM \(ident: table) WHERE \(ident: time) >= \(from) AND \(fragment: only) GROUP BY 1, 3, 4
            """
        }
    }

    private static let counts = [
        Count(topic: "submissions", table: "submissions", time: "created_at"),
        Count(topic: "decisions", table: "decisions", time: "decided_at", code: "decision", reason: "reason_code"),
        // Audits are left out: the rules had published these already.
        Count(
            topic: "approvals", table: "decisions", time: "decided_at", code: "'human'",
            only: """
                decision = 'approve'
                    AND NOT EXISTS (SELECT FROM cases AS c WHERE c.id = decisions.case_id AND c.is_audit)
                """),
        Count(
            topic: "approvals", table: "risk_assessments", time: "assessed_at", code: "'automatic'",
            only: "route <> 'moderator' AND NOT is_shadow"),
        Count(topic: "appeals", table: "appeals", time: "created_at", code: "'filed'"),
        Count(topic: "appeals", table: "appeals", time: "ended_at", code: "outcome"),
        Count(topic: "reports", table: "reports", time: "created_at", code: "'received'"),
        Count(topic: "reports", table: "reports", time: "closed_at", code: "outcome", only: "outcome IS NOT NULL"),
        Count(
            topic: "takeDowns", table: "takedowns", time: "taken_down_at", code: "'taken_down'", reason: "reason_code"),
        Count(topic: "takeDowns", table: "takedowns", time: "restored_at", code: "'restored'"),
        Count(topic: "sanctions", table: "sanctions", time: "imposed_at", code: "kind"),
        Count(topic: "sanctions", table: "sanctions", time: "lifted_at", code: "'lifted'"),
        Count(topic: "copyright", table: "copyright_notices", time: "received_at", code: "'received'"),
        Count(topic: "copyright", table: "copyright_notices", time: "countered_at", code: "'countered'"),
        Count(
            topic: "copyright", table: "copyright_notices", time: "changed_at", code: "'restored'",
            only: "state = 'restored'"),
    ]

    /// All that happened from `from` on, counted by month; one statement, one snapshot.
    static func lines(from: Date, _ database: some PostgresExecutor) async throws -> [Line] {
        let times: PostgresQuery = """
            SELECT t.month, 'times', p.code, NULL, p.value
            FROM (
                SELECT date_trunc('month', decided_at AT TIME ZONE 'UTC') AS month,
                    percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (
                        ORDER BY extract(epoch FROM decided_at - opened_at)::double precision) AS seconds
                FROM cases WHERE kind = 'submission' AND NOT is_audit AND decided_at >= \(from)
                GROUP BY 1 HAVING count(*) >= \(TransparencyService.fewest)
            ) AS t
            CROSS JOIN LATERAL (VALUES ('median', t.seconds[1]), ('p90', t.seconds[2])) AS p (code, value)
            """
        let all = counts.reduce(times) { "\(fragment: $1.lines(from: from)) UNION ALL \(fragment: $0)" }
        return try await database.all(
            """
            SELECT to_char(e.month, 'YYYY-MM'), e.topic, e.code, e.reason, e.value FROM (\(fragment: all)) AS e
            ORDER BY 1 DESC, 2, 3, 4
            """
        ) { row in
            Line(
                month: try row.get(0), topic: try row.get(1), code: try row.get(2), reason: try row.get(3),
                value: try row.get(4))
        }
    }

    static func queue(at now: Date, _ database: some PostgresExecutor) async throws -> ModerationStatistics.Queue {
        try await database.one(
            """
            SELECT count(*), count(*) FILTER (WHERE due_at < \(now)),
                coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM \(now) - opened_at)::double precision), 0),
                coalesce(max(extract(epoch FROM \(now) - opened_at)::double precision), 0),
                coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM \(now) - opened_at)::double precision), 0)
            FROM cases WHERE state IN ('open', 'claimed')
            """
        ) { row in
            ModerationStatistics.Queue(
                waiting: try row.get(0), overdue: try row.get(1),
                medianAgeSeconds: max(0, try row.get(2, as: Double.self)),
                oldestAgeSeconds: max(0, try row.get(3, as: Double.self)),
                p90AgeSeconds: max(0, try row.get(4, as: Double.self)))
        }
    }

    /// What was decided since then, and by when it was promised.
    static func kept(since: Date, _ database: some PostgresExecutor) async throws -> [KeptPromises] {
        try await database.all(
            """
            SELECT track, count(*), count(*) FILTER (WHERE decided_at <= due_at),
                coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM decided_at - opened_at)::double precision), 0)
            FROM cases
            WHERE track = ANY(ARRAY['first', 'update', 'trusted', 'report', 'appeal']) AND decided_at > \(since)
            GROUP BY track
            """
        ) { row in
            KeptPromises(
                track: try row.get(0), decided: try row.get(1), inTime: try row.get(2),
                medianSeconds: try row.get(3))
        }
    }

    /// What each moderator decided since then, what became of it where somebody else looked again, and what they said
    /// of what the rules published. A proposal that a second moderator declined is no decision: only the log has it.
    static func people(since: Date, _ database: some PostgresExecutor) async throws -> [ModerationStatistics.Person] {
        try await database.all(
            """
            WITH looks AS (
                SELECT d.moderator_id AS person, 'appeal' AS kind, a.outcome = 'upheld' AS stood
                FROM appeals AS a JOIN decisions AS d ON d.id = a.decision_id
                WHERE a.outcome IN ('upheld', 'overturned') AND a.ended_at >= \(since) AND d.moderator_id IS NOT NULL
                UNION ALL
                SELECT d.proposed_by, 'four_eyes', true
                FROM decisions AS d WHERE d.proposed_by IS NOT NULL AND d.decided_at >= \(since)
                UNION ALL
                SELECT (e.details::jsonb ->> 'proposedBy')::uuid, 'four_eyes', false
                FROM audit_entries AS e WHERE e.action = 'case.proposal_declined' AND e.at >= \(since) AND e.details IS NOT NULL
            ), decided AS (
                SELECT d.moderator_id AS person, count(*) AS decisions, count(*) FILTER (WHERE c.is_audit) AS audits,
                    count(*) FILTER (WHERE c.is_audit AND d.decision = 'approve') AS agreed
                FROM decisions AS d LEFT JOIN cases AS c ON c.id = d.case_id
                WHERE d.decided_at >= \(since) AND d.moderator_id IS NOT NULL GROUP BY 1
            ), looked AS (
                SELECT person, count(*) FILTER (WHERE kind = 'appeal') AS appeals,
                    count(*) FILTER (WHERE kind = 'appeal' AND stood) AS upheld,
                    count(*) FILTER (WHERE kind = 'four_eyes') AS seconds,
                    count(*) FILTER (WHERE kind = 'four_eyes' AND stood) AS confirmed
                FROM looks GROUP BY 1
            )
            SELECT u.handle, coalesce(d.decisions, 0), coalesce(l.appeals, 0), coalesce(l.upheld, 0),
                coalesce(l.seconds, 0), coalesce(l.confirmed, 0), coalesce(d.audits, 0), coalesce(d.agreed, 0)
            FROM decided AS d FULL JOIN looked AS l ON l.person = d.person
            JOIN users AS u ON u.id = coalesce(d.person, l.person)
            ORDER BY 2 DESC, 1 LIMIT 500
            """
        ) { row in
            ModerationStatistics.Person(
                handle: try row.get(0), decisions: try row.get(1),
                looks: [
                    .init(kind: "appeal", reviewed: try row.get(2), upheld: try row.get(3)),
                    .init(kind: "four_eyes", reviewed: try row.get(4), upheld: try row.get(5)),
                ], audits: try row.get(6), auditsAgreed: try row.get(7))
        }
    }

    /// Audits of what the rules for trusted authors published: how many, and how many moderators agreed with.
    static func audits(since: Date, _ database: some PostgresExecutor) async throws -> (all: Int, agreed: Int) {
        try await database.one(
            """
            SELECT count(*), count(*) FILTER (WHERE d.decision = 'approve')
            FROM cases AS c JOIN decisions AS d ON d.case_id = c.id
            WHERE c.is_audit AND d.decided_at >= \(since) AND d.moderator_id IS NOT NULL
            """
        ) { (all: try $0.get(0), agreed: try $0.get(1)) }
    }

    /// Cases that came and that were decided since then.
    static func flow(since: Date, _ database: some PostgresExecutor) async throws -> (came: Int, decided: Int) {
        try await database.one(
            """
            SELECT (SELECT count(*) FROM cases WHERE opened_at >= \(since)),
                (SELECT count(*) FROM cases WHERE decided_at >= \(since))
            """
        ) { (came: try $0.get(0), decided: try $0.get(1)) }
    }
}

/// Cases of one kind that were decided, and how many of them within what was promised.
package struct KeptPromises: Sendable {
    package let track: String
    package let decided: Int
    package let inTime: Int
    package let medianSeconds: Double
}
