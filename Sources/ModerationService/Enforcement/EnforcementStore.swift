// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

enum EnforcementStore {
    /// What a take-down is of, as its row names it. One that a copyright notice causes is stored under the notice.
    struct Target: Equatable, Sendable {
        enum Kind: String, Sendable {
            case template, version, review, user, notice, collection, profile
        }

        var kind: Kind
        var id: UUID

        static func notice(_ id: CopyrightNoticeID) -> Target { Target(kind: .notice, id: id.rawValue) }
    }

    /// What goes down or comes back with it.
    struct Items: Sendable {
        var templates: [UUID] = []
        var versions: [UUID] = []
        var reviews: [UUID] = []
        var collections: [UUID] = []
        var profiles: [UUID] = []
        /// Templates of these versions.
        var offering: [TemplateID] = []
        /// All templates that are touched; they are locked first.
        var touched: [TemplateID] = []
    }

    /// The row that a case is about; `nil` when there is none that could be taken down.
    static func target(of subject: CaseSubject, in database: some PostgresExecutor) async throws -> Target? {
        let (kind, query): (Target.Kind, PostgresQuery) =
            switch subject {
            case .submission(let id): (.version, "SELECT id FROM versions WHERE submission_id = \(id)")
            case .template(let id):
                (
                    .template,
                    """
                    SELECT t.id FROM templates AS t
                    WHERE t.id = \(id) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
                    """
                )
            case .version(let template, let number):
                (.version, "SELECT id FROM versions WHERE template_id = \(template) AND number = \(number)")
            case .review(let id): (.review, "SELECT id FROM reviews WHERE id = \(id)")
            case .user(let id): (.user, "SELECT id FROM users WHERE id = \(id)")
            case .collection(let id): (.collection, "SELECT id FROM member_collections WHERE id = \(id)")
            case .profile(let id): (.profile, "SELECT user_id AS id FROM profiles WHERE user_id = \(id)")
            }
        return try await database.first(query) { Target(kind: kind, id: try $0.get(0)) }
    }

    /// Everything that a take-down of `target` covers.
    static func items(of target: Target, in connection: PostgresConnection) async throws -> Items {
        let id = target.id
        let selection: PostgresQuery =
            switch target.kind {
            case .template:
                """
                SELECT 'template' AS kind, t.id, t.id AS template_id FROM templates AS t WHERE t.id = \(id)
                UNION ALL SELECT 'version', v.id, v.template_id FROM versions AS v WHERE v.template_id = \(id)
                """
            case .version: "SELECT 'version' AS kind, v.id, v.template_id FROM versions AS v WHERE v.id = \(id)"
            case .review: "SELECT 'review' AS kind, r.id, r.template_id FROM reviews AS r WHERE r.id = \(id)"
            case .user:
                """
                SELECT 'template' AS kind, t.id, t.id AS template_id FROM templates AS t WHERE t.owner_id = \(id)
                    AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
                UNION ALL
                SELECT 'version', v.id, v.template_id FROM versions AS v JOIN templates AS t ON t.id = v.template_id
                WHERE t.owner_id = \(id)
                UNION ALL SELECT 'review', r.id, r.template_id FROM reviews AS r WHERE r.user_id = \(id)
                UNION ALL SELECT 'collection', c.id, NULL FROM member_collections AS c WHERE c.owner_id = \(id)
                UNION ALL SELECT 'profile', p.user_id, NULL FROM profiles AS p WHERE p.user_id = \(id)
                """
            case .collection, .profile:
                "SELECT \(target.kind.rawValue)::text AS kind, \(id)::uuid AS id, NULL::uuid AS template_id"
            // What a notice takes down is found by the work that it names.
            case .notice: "SELECT '' AS kind, NULL::uuid AS id, NULL::uuid AS template_id WHERE false"
            }
        return try await read(selection, in: connection)
    }

    /// Everything that a take-down covers.
    static func items(takedown: UUID, in connection: PostgresConnection) async throws -> Items {
        try await read(
            """
            SELECT i.item_kind AS kind, i.item_id AS id, CASE WHEN i.item_kind NOT IN ('collection', 'profile')
                THEN coalesce(v.template_id, r.template_id, i.item_id) END AS template_id
            FROM takedown_items AS i
            LEFT JOIN versions AS v ON i.item_kind = 'version' AND v.id = i.item_id
            LEFT JOIN reviews AS r ON i.item_kind = 'review' AND r.id = i.item_id
            WHERE i.takedown_id = \(takedown)
            """, in: connection)
    }

    private static func read(_ selection: PostgresQuery, in connection: PostgresConnection) async throws -> Items {
        let rows = try await connection.all("\(fragment: selection) ORDER BY 3, 2") { row in
            (
                kind: try row.get(0, as: String.self), id: try row.get(1, as: UUID.self),
                template: try row.get(2, as: TemplateID?.self)
            )
        }
        var items = Items()
        for row in rows {
            switch row.kind {
            case "template": items.templates.append(row.id)
            case "version":
                items.versions.append(row.id)
                if let template = row.template, items.offering.last != template { items.offering.append(template) }
            case "collection": items.collections.append(row.id)
            case "profile": items.profiles.append(row.id)
            default: items.reviews.append(row.id)
            }
            if let template = row.template, items.touched.last != template { items.touched.append(template) }
        }
        return items
    }

    /// Enters a take-down; `false` when the same is down already.
    static func insertTakedown(
        _ id: UUID, of target: Target, decision: UUID?, reasonCode: String, message: String, at now: Date,
        in connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            INSERT INTO takedowns (id, subject_kind, subject_id, decision_id, reason_code, message, taken_down_at)
            VALUES (\(id), \(target.kind.rawValue), \(target.id), \(decision), \(reasonCode), \(message), \(now))
            ON CONFLICT (subject_kind, subject_id) WHERE restored_at IS NULL DO NOTHING
            """) > 0
    }

    static func insert(_ items: Items, of takedown: UUID, in connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            INSERT INTO takedown_items (takedown_id, item_kind, item_id)
            SELECT \(takedown), 'template', n FROM unnest(\(items.templates)::uuid[]) AS n
            UNION ALL SELECT \(takedown), 'version', n FROM unnest(\(items.versions)::uuid[]) AS n
            UNION ALL SELECT \(takedown), 'review', n FROM unnest(\(items.reviews)::uuid[]) AS n
            UNION ALL SELECT \(takedown), 'collection', n FROM unnest(\(items.collections)::uuid[]) AS n
            UNION ALL SELECT \(takedown), 'profile', n FROM unnest(\(items.profiles)::uuid[]) AS n
            """)
    }

    static func openTakedown(
        of target: Target, in connection: PostgresConnection
    ) async throws -> (id: UUID, decision: UUID?)? {
        try await connection.first(
            """
            SELECT id, decision_id FROM takedowns
            WHERE subject_kind = \(target.kind.rawValue) AND subject_id = \(target.id) AND restored_at IS NULL
            """
        ) { (id: try $0.get(0), decision: try $0.get(1)) }
    }

    /// Ends a take-down; `false` when it is over already.
    static func endTakedown(
        _ id: UUID, decision: UUID?, at now: Date, in connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE takedowns SET restored_at = \(now), restored_by = \(decision)
            WHERE id = \(id) AND restored_at IS NULL
            """) > 0
    }

    /// Hides or shows everything among these as the take-downs in force have it; collections and profiles are hidden
    /// by views that look at the take-downs themselves.
    static func applyTakedowns(_ items: Items, in connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            SELECT apply_takedowns(\(items.templates)::uuid[], \(items.versions)::uuid[], \(items.reviews)::uuid[])
            """)
    }
}
