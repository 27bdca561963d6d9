// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Moderation
import Postgres
import SheetCore

/// How well rules did: figures of those in use, and a trial of other rules on stored assessments.
package struct RiskReview: Sendable {
    private let moderation: ModerationDependencies

    package init(moderation: ModerationDependencies) {
        self.moderation = moderation
    }

    /// How many days figures cover, unless asked otherwise.
    package static let days = 30

    // MARK: Figures

    /// The rules in force and those that are tried, with what they did in the last `days`.
    package func rules(days: Int = days) async throws -> RiskRuleList {
        let since = moderation.now().addingTimeInterval(-86_400 * Double(days))
        let terms = moderation.risk.terms
        let trusted = try await RiskReviewStore.trusted(since: since, in: moderation.database)
        return RiskRuleList(
            days: days, current: try await edition(moderation.risk.rules, isShadow: false, since: since),
            shadow: try await edition(moderation.risk.shadow, isShadow: true, since: since),
            trusted: .init(
                isOn: terms.isOn, approvals: terms.leastApprovals, accountDays: terms.leastAccountDays,
                auditShare: terms.auditShare, approved: trusted.approved, audited: trusted.audited,
                auditsDecided: trusted.decided, auditsAgreed: trusted.agreed))
    }

    private func edition(_ rules: RiskRules?, isShadow: Bool, since: Date) async throws -> RiskRuleList.Edition? {
        guard let rules else { return nil }
        let means = try await RiskReviewStore.means(
            isShadow: isShadow, rules: rules.version, since: since, in: moderation.database)
        let hits = try await RiskReviewStore.hits(
            isShadow: isShadow, rules: rules.version, since: since, in: moderation.database)
        return RiskRuleList.Edition(
            version: rules.version, vocabulary: rules.vocabulary.versions,
            rules: rules.rules.map { rule in
                let figures = hits[rule.code]
                return .init(
                    code: rule.code, weight: rule.weight, mode: rule.mode.rawValue, hits: figures?.hits ?? 0,
                    published: figures?.published ?? 0, refused: figures?.refused ?? 0)
            },
            assessments: means.count, meanScore: means.all, meanScorePublished: means.published,
            meanScoreRefused: means.refused)
    }

    // MARK: Other rules

    /// What other rules say of submissions that were assessed, beside what the rules then said.
    package struct Comparison: Sendable, Equatable {
        package struct Change: Sendable, Equatable {
            package var submission: SubmissionID
            package var name: String
            package var before: Int
            package var after: Int
        }

        /// Submissions that were compared.
        package var count = 0
        /// Sums of scores, of all.
        package var before = 0
        package var after = 0
        /// How often each rule hit, before and after.
        package var hits: [String: (before: Int, after: Int)] = [:]
        /// The largest changes of the score.
        package var changes: [Change] = []
        /// Submissions that were published without a moderator, and would not be by the other rules.
        package var noLongerTrusted = 0

        // Tuples are not `Equatable`, so the compiler cannot write this.
        package static func == (left: Self, right: Self) -> Bool {
            (left.count, left.before, left.after, left.noLongerTrusted, left.changes)
                == (right.count, right.before, right.after, right.noLongerTrusted, right.changes)
                && left.hits.mapValues { [$0.before, $0.after] } == right.hits.mapValues { [$0.before, $0.after] }
        }
    }

    /// Most changes that are listed.
    private static let maximumChanges = 20

    /// Tries `rules` on what was assessed in the last `days`: on the facts as they were then.
    package func compare(_ rules: RiskRules, days: Int = days) async throws -> Comparison {
        let since = moderation.now().addingTimeInterval(-86_400 * Double(days))
        var comparison = Comparison()
        var last: SubmissionID?
        while true {
            let batch = try await RiskReviewStore.stored(after: last, since: since, in: moderation.database)
            for one in batch { comparison.add(one, rules.assess(one.facts)) }
            guard let end = batch.last else { break }
            last = end.submission
        }
        comparison.changes.sort { abs($0.after - $0.before) > abs($1.after - $1.before) }
        comparison.changes = Array(comparison.changes.prefix(Self.maximumChanges))
        return comparison
    }
}

extension RiskReview.Comparison {
    fileprivate mutating func add(_ stored: RiskReviewStore.Stored, _ now: RiskAssessment) {
        count += 1
        before += stored.score
        after += now.score
        for hit in stored.hits where !hit.isShadow { hits[hit.code, default: (0, 0)].before += 1 }
        for hit in now.hits where !hit.isShadow { hits[hit.code, default: (0, 0)].after += 1 }
        if stored.route != .moderator, now.hasObjection { noLongerTrusted += 1 }
        guard stored.score != now.score else { return }
        changes.append(
            .init(submission: stored.submission, name: stored.name, before: stored.score, after: now.score))
    }
}

enum RiskReviewStore {
    /// Mean scores of all assessments, and of those whose submission was published or refused.
    struct Means: Sendable {
        var count: Int
        var all: Double?
        var published: Double?
        var refused: Double?
    }

    static func means(
        isShadow: Bool, rules: String, since: Date, in database: some PostgresExecutor
    ) async throws -> Means {
        try await database.one(
            """
            SELECT count(*) AS count, avg(r.score)::float8 AS mean,
                (avg(r.score) FILTER (WHERE s.state = 'published'))::float8 AS published,
                (avg(r.score) FILTER (WHERE s.state = 'rejected'))::float8 AS refused
            FROM risk_assessments AS r JOIN submissions AS s ON s.id = r.submission_id
            WHERE r.is_shadow = \(isShadow) AND r.rules_version = \(rules) AND r.assessed_at > \(since)
            """
        ) { row in
            Means(
                count: try row.get("count"), all: try row.get("mean"), published: try row.get("published"),
                refused: try row.get("refused"))
        }
    }

    static func hits(
        isShadow: Bool, rules: String, since: Date, in database: some PostgresExecutor
    ) async throws -> [String: (hits: Int, published: Int, refused: Int)] {
        let found = try await database.all(
            """
            SELECT hit ->> 'code' AS code, count(*) AS hits,
                count(*) FILTER (WHERE s.state = 'published') AS published,
                count(*) FILTER (WHERE s.state = 'rejected') AS refused
            FROM risk_assessments AS r JOIN submissions AS s ON s.id = r.submission_id
            CROSS JOIN jsonb_array_elements(r.hits) AS hit
            WHERE r.is_shadow = \(isShadow) AND r.rules_version = \(rules) AND r.assessed_at > \(since)
            GROUP BY 1
            """
        ) { row in
            (
                try row.get("code", as: String.self),
                (
                    hits: try row.get("hits", as: Int.self), published: try row.get("published", as: Int.self),
                    refused: try row.get("refused", as: Int.self)
                )
            )
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    static func trusted(
        since: Date, in database: some PostgresExecutor
    ) async throws -> (approved: Int, audited: Int, decided: Int, agreed: Int) {
        try await database.one(
            """
            SELECT count(*) AS approved, count(*) FILTER (WHERE r.route = 'audited') AS audited,
                count(a.agreed) AS decided, count(*) FILTER (WHERE a.agreed) AS agreed
            FROM risk_assessments AS r
            LEFT JOIN LATERAL (
                SELECT agreed FROM trusted_audits AS t WHERE t.submission_id = r.submission_id
                ORDER BY t.decided_at LIMIT 1
            ) AS a ON true
            WHERE NOT r.is_shadow AND r.route <> 'moderator' AND r.assessed_at > \(since)
            """
        ) { row in
            (
                approved: try row.get("approved"), audited: try row.get("audited"), decided: try row.get("decided"),
                agreed: try row.get("agreed")
            )
        }
    }

    /// What was assessed, with the facts that the rules were told then.
    struct Stored: Sendable {
        var submission: SubmissionID
        var name: String
        var score: Int
        var hits: [RiskHit]
        var route: RiskRoute
        var facts: RiskFacts
    }

    private static let batch = 100

    /// The next after `last`, with the texts put back.
    static func stored(
        after last: SubmissionID?, since: Date, in database: some PostgresExecutor
    ) async throws -> [Stored] {
        let found = try await database.all(
            """
            SELECT r.submission_id, COALESCE(s.metadata ->> 'name', t.name) AS name, r.score, r.hits, r.route, r.facts,
                s.metadata, s.file_name,
                ARRAY(SELECT page_text FROM submission_pages AS p WHERE p.submission_id = s.id ORDER BY page_index) AS texts
            FROM risk_assessments AS r
            JOIN submissions AS s ON s.id = r.submission_id
            JOIN templates AS t ON t.id = s.template_id
            WHERE NOT r.is_shadow AND r.facts IS NOT NULL AND r.assessed_at > \(since)
                AND (\(last)::uuid IS NULL OR r.submission_id > \(last))
            ORDER BY r.submission_id LIMIT \(batch)
            """
        ) { row in
            var facts = try row.get("facts", as: PostgresJSON<RiskFacts>.self).value
            let name = try row.get("name", as: String.self)
            let texts = try row.get("texts", as: [String].self)
            facts.passages =
                RiskFactCollector.passages(
                    try row.get("metadata", as: PostgresJSON<UploadMetadata>.self).value,
                    fileName: try row.get("file_name"), name: name)
                + RiskFactCollector.passages(texts.enumerated().map { ($0.offset, $0.element) })
            return Stored(
                submission: try row.get("submission_id"), name: name, score: try row.get("score"),
                hits: try row.get("hits", as: PostgresJSON<[RiskHit]>.self).value,
                route: RiskRoute(rawValue: try row.get("route", as: String.self)) ?? .moderator, facts: facts)
        }
        return found
    }
}
