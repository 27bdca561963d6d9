// SPDX-License-Identifier: Apache-2.0
import Foundation
import Moderation
import Postgres
import SheetCore

// What a case can be about.
extension CaseStore {
    /// Something that a case can be about, as it stands in a case's row.
    struct Subject: Sendable {
        var kind: String
        var id: UUID
        var template: TemplateID?
        var respondent: UserID?
        var parties: [UserID]
        var reach: Int64
    }

    /// What is behind a subject; `nil` when there is no such thing.
    static func subject(_ subject: CaseSubject, in connection: PostgresConnection) async throws -> Subject? {
        let query: PostgresQuery
        switch subject {
        case .submission(let id):
            query = """
                SELECT s.id, t.id AS template_id, s.uploader_id AS respondent, t.downloads FROM submissions AS s
                JOIN templates AS t ON t.id = s.template_id WHERE s.id = \(id)
                """
        case .template(let id):
            query = """
                SELECT t.id, t.id AS template_id, t.owner_id AS respondent, t.downloads FROM templates AS t
                WHERE t.id = \(id)
                """
        case .version(let id, let number):
            query = """
                SELECT v.id, t.id AS template_id, t.owner_id AS respondent, t.downloads FROM templates AS t
                JOIN versions AS v ON v.template_id = t.id AND v.number = \(number) WHERE t.id = \(id)
                """
        case .review(let id):
            query = """
                SELECT r.id, r.template_id, r.user_id AS respondent, 0::bigint AS downloads FROM reviews AS r
                WHERE r.id = \(id)
                """
        case .user(let id):
            query = """
                SELECT u.id, NULL::uuid AS template_id, u.id AS respondent, 0::bigint AS downloads FROM users AS u
                WHERE u.id = \(id)
                """
        case .collection(let id):
            query = """
                SELECT c.id, NULL::uuid AS template_id, c.owner_id AS respondent, 0::bigint AS downloads
                FROM member_collections AS c WHERE c.id = \(id)
                """
        case .profile(let id):
            query = """
                SELECT p.user_id AS id, NULL::uuid AS template_id, p.user_id AS respondent, 0::bigint AS downloads
                FROM profiles AS p WHERE p.user_id = \(id)
                """
        }
        let kind = subject.kind
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
    static func version(
        _ id: UUID, in database: some PostgresExecutor
    ) async throws -> (template: TemplateID, number: SemanticVersion)? {
        try await database.first("SELECT template_id, number FROM versions WHERE id = \(id)") {
            (template: try $0.get("template_id"), number: try $0.get("number"))
        }
    }
}

extension CaseSubject {
    /// As a case's row names it.
    fileprivate var kind: String {
        switch self {
        case .submission: "submission"
        case .template: "template"
        case .version: "version"
        case .review: "review"
        case .user: "user"
        case .collection: "collection"
        case .profile: "profile"
        }
    }
}
