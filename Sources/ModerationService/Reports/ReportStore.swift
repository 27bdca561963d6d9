// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketWire
import Moderation
import Postgres
import SheetCore

package enum ReportStore {
    /// What is reported: its row, and what its case is about.
    package struct Subject: Sendable {
        package var id: UUID
        var ofCase: CaseSubject

        package init(id: UUID, ofCase: CaseSubject) {
            self.id = id
            self.ofCase = ofCase
        }
    }

    /// What a report names; `nil` when there is no such thing. Templates, versions and accounts are found also where
    /// they are taken down or disabled; hidden reviews are found for the team alone, which can put them back.
    package static func subject(
        _ subject: ReportSubject, forTeam: Bool = false, _ database: some PostgresExecutor
    ) async throws -> Subject? {
        // Text that cannot be a template's id or slug names none.
        switch subject.kind {
        case .template:
            guard let key = try? TemplateKey(subject.id) else { return nil }
            return try await database.first(
                """
                SELECT t.id FROM templates AS t
                WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
                """
            ) { Subject(id: try $0.get(0), ofCase: .template(try $0.get(0))) }
        case .version:
            guard let key = try? TemplateKey(subject.id), let number = subject.version.flatMap({ SemanticVersion($0) })
            else { return nil }
            return try await database.first(
                """
                SELECT v.id, t.id FROM templates AS t JOIN versions AS v ON v.template_id = t.id AND v.number = \(number)
                WHERE \(fragment: key.condition)
                """
            ) { Subject(id: try $0.get(0), ofCase: .version(try $0.get(1), number)) }
        case .review:
            guard let id = ReviewID(subject.id) else { return nil }
            let reviews: PostgresQuery =
                forTeam ? "reviews AS r WHERE r.deleted_at IS NULL AND" : "visible_reviews AS r WHERE"
            return try await database.first("SELECT r.id FROM \(fragment: reviews) r.id = \(id)") {
                Subject(id: try $0.get(0), ofCase: .review(id))
            }
        case .user: return try await user(subject, forTeam: forTeam, database)
        }
    }

    /// An account, or what of it a report names.
    private static func user(
        _ subject: ReportSubject, forTeam: Bool, _ database: some PostgresExecutor
    ) async throws -> Subject? {
        guard !subject.id.utf8.contains(0) else { return nil }
        let named: PostgresQuery = "(u.handle = lower(\(subject.id)) OR u.id = \(UserID(subject.id)))"
        switch subject.part {
        case nil:
            return try await database.first("SELECT u.id FROM users AS u WHERE \(fragment: named)") {
                Subject(id: try $0.get(0), ofCase: .user(try $0.get(0)))
            }
        case .collection:
            let collections: PostgresQuery = forTeam ? "member_collections" : "visible_member_collections"
            return try await database.first(
                """
                SELECT c.id FROM \(fragment: collections) AS c JOIN users AS u ON u.id = c.owner_id
                WHERE c.id = \(subject.collection) AND \(fragment: named)
                """
            ) { Subject(id: try $0.get(0), ofCase: .collection(try $0.get(0))) }
        case .profile:
            let profiles: PostgresQuery = forTeam ? "profiles" : "visible_profiles"
            return try await database.first(
                """
                SELECT p.user_id FROM \(fragment: profiles) AS p JOIN users AS u ON u.id = p.user_id
                WHERE \(fragment: named)
                """
            ) { Subject(id: try $0.get(0), ofCase: .profile(try $0.get(0))) }
        }
    }

    package static func insert(
        _ report: Report, on subject: UUID, by user: UserID, weight: Double, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO reports (id, reporter_id, subject_kind, subject_id, reason, text, created_at, weight)
            VALUES (\(report.id), \(user), \(report.subject.stored), \(subject), \(report.reason), \(report.text),
                \(report.createdAt), \(weight))
            """)
    }

    /// Serializes one person's reports with a lock, and returns the person's record as a reporter.
    static func lockReporter(
        _ id: UserID, at now: Date, in connection: PostgresConnection
    ) async throws -> ReporterRecord {
        try await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(\("report " + id.description), 0))")
        return try await connection.one(
            """
            SELECT (SELECT count(*) FROM reports AS r WHERE r.reporter_id = u.id AND r.outcome = 'upheld') AS upheld,
                (SELECT count(*) FROM reports AS r WHERE r.reporter_id = u.id AND r.outcome = 'dismissed') AS dismissed,
                u.created_at
            FROM users AS u WHERE u.id = \(id)
            """
        ) { row in
            ReporterRecord(
                upheld: try row.get("upheld"), dismissed: try row.get("dismissed"),
                accountAgeSeconds: now.timeIntervalSince(try row.get("created_at", as: Date.self)))
        }
    }

    /// When the oldest of somebody's last `count` reports came in; `nil` when there are fewer since `since`.
    static func oldestOfLast(
        _ count: Int, by user: UserID, since: Date, in connection: PostgresConnection
    ) async throws -> Date? {
        try await connection.first(
            """
            SELECT created_at FROM reports WHERE reporter_id = \(user) AND created_at > \(since)
            ORDER BY created_at DESC, id DESC OFFSET \(max(0, count - 1)) LIMIT 1
            """
        ) { try $0.get(0) }
    }

    /// Somebody's reports, newest first.
    package static func reports(
        of user: UserID, before: (at: Date, id: ReportID)?, limit: Int, in database: some PostgresExecutor
    ) async throws -> [ReportList.Item] {
        let position: PostgresQuery = before.map { "AND (r.created_at, r.id) < (\($0.at), \($0.id))" } ?? ""
        return try await database.all(
            """
            SELECT r.id, r.subject_kind, r.subject_id, v.template_id, v.number, r.reason, r.text, r.state, r.outcome,
                r.created_at, r.closed_at, (SELECT c.respondent_id FROM cases AS c WHERE c.id = r.case_id) AS person
            FROM reports AS r LEFT JOIN versions AS v ON r.subject_kind = 'version' AND v.id = r.subject_id
            WHERE r.reporter_id = \(user) \(fragment: position)
            ORDER BY r.created_at DESC, r.id DESC LIMIT \(literal: limit)
            """
        ) { row in
            ReportList.Item(
                id: try row.get("id"), subject: try ReportSubject(row),
                reason: try row.get("reason"), text: try row.get("text"), state: try row.get("state"),
                outcome: try row.get("outcome"), createdAt: try row.get("created_at"),
                closedAt: try row.get("closed_at"))
        }
    }

    /// What a report is about, by name.
    package struct Naming: Sendable {
        /// The template's or collection's name, or an account's handle.
        package var name: String?
        /// The template's slug.
        package var slug: String?

        package init(name: String? = nil, slug: String? = nil) {
            self.name = name
            self.slug = slug
        }
    }

    package static func names(
        of ids: [ReportID], in database: some PostgresExecutor
    ) async throws -> [ReportID: Naming] {
        let found = try await database.all(
            """
            SELECT r.id, coalesce(t.name, u.handle, c.title) AS name, t.slug
            FROM reports AS r
            LEFT JOIN versions AS v ON r.subject_kind = 'version' AND v.id = r.subject_id
            LEFT JOIN reviews AS w ON r.subject_kind = 'review' AND w.id = r.subject_id
            LEFT JOIN templates AS t ON t.id = CASE r.subject_kind WHEN 'template' THEN r.subject_id
                WHEN 'version' THEN v.template_id WHEN 'review' THEN w.template_id END
            LEFT JOIN users AS u ON r.subject_kind IN ('user', 'profile') AND u.id = r.subject_id
            LEFT JOIN member_collections AS c ON r.subject_kind = 'collection' AND c.id = r.subject_id
            WHERE r.id = ANY(\(ids)::uuid[])
            """
        ) { row in
            (
                try row.get("id", as: ReportID.self),
                Naming(name: try row.get("name", as: String?.self), slug: try row.get("slug", as: String?.self))
            )
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }
}

extension ReportSubject {
    /// As the row of a report names it.
    fileprivate var stored: String { part?.rawValue ?? kind.rawValue }

    /// Of the row of a report.
    fileprivate init(_ row: PostgresRow) throws {
        let stored = try row.get("subject_kind", as: String.self)
        let id: UUID = try row.get("subject_id")
        if let part = Part(rawValue: stored) {
            let person = try row.get("person", as: UUID?.self) ?? id
            self.init(
                kind: .user, id: person.lowercaseText, part: part,
                collection: part == .collection ? MemberCollectionID(rawValue: id) : nil)
        } else {
            let template = try row.get("template_id", as: UUID?.self)
            self.init(
                kind: Kind(rawValue: stored) ?? .template, id: (template ?? id).lowercaseText,
                version: try row.get("number", as: String?.self))
        }
    }
}
