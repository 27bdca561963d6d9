// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of invitations. One that is open past its end counts as expired, whatever its row says.
enum InvitationStore {
    /// An invitation with whom it concerns.
    struct Record: Sendable {
        var invitation: Invitation
        var inviter: UserID
        var invitee: UserID
    }

    private static func columns(at now: Date) -> PostgresQuery {
        """
        i.id, i.template_id, t.slug, t.name, i.role, inviter.handle AS inviter, invitee.handle AS invitee,
        CASE WHEN i.state = 'open' AND i.expires_at <= \(now) THEN 'expired' ELSE i.state END AS state,
        i.created_at, i.expires_at, i.inviter_id, i.invitee_id
        """
    }

    private static let tables: PostgresQuery = """
        template_invitations AS i
        JOIN templates AS t ON t.id = i.template_id
        JOIN users AS inviter ON inviter.id = i.inviter_id
        JOIN users AS invitee ON invitee.id = i.invitee_id
        """

    private static func record(_ row: PostgresRow) throws -> Record {
        Record(
            invitation: Invitation(
                id: try row.get("id"), templateId: try row.get("template_id"), templateSlug: try row.get("slug"),
                templateName: try row.get("name"), role: try row.get("role"), inviter: try row.get("inviter"),
                invitee: try row.get("invitee"), state: try row.get("state"), createdAt: try row.get("created_at"),
                expiresAt: try row.get("expires_at")),
            inviter: try row.get("inviter_id"), invitee: try row.get("invitee_id"))
    }

    static func fetch(
        _ id: InvitationID, at now: Date, _ database: some PostgresExecutor
    ) async throws -> Record? {
        try await database.first(
            "SELECT \(fragment: columns(at: now)) FROM \(fragment: tables) WHERE i.id = \(id)", record)
    }

    /// What somebody can answer, newest first, beginning behind `last`.
    static func open(
        for user: UserID, at now: Date, before last: InvitationID?, limit: Int, _ database: some PostgresExecutor
    ) async throws -> [Invitation] {
        try await open("i.invitee_id = \(user)", at: now, before: last, limit: limit, database)
    }

    /// What is offered of a template, newest first, beginning behind `last`.
    static func open(
        of template: TemplateID, at now: Date, before last: InvitationID?, limit: Int,
        _ database: some PostgresExecutor
    ) async throws -> [Invitation] {
        try await open("i.template_id = \(template)", at: now, before: last, limit: limit, database)
    }

    private static func open(
        _ condition: PostgresQuery, at now: Date, before last: InvitationID?, limit: Int,
        _ database: some PostgresExecutor
    ) async throws -> [Invitation] {
        let start: PostgresQuery = last.map { "AND i.id < \($0)" } ?? ""
        return try await database.all(
            """
            SELECT \(fragment: columns(at: now)) FROM \(fragment: tables)
            WHERE \(fragment: condition) AND i.state = 'open' AND i.expires_at > \(now) \(fragment: start)
            ORDER BY i.id DESC LIMIT \(literal: limit)
            """, record
        ).map(\.invitation)
    }

    /// How many authors a locked template has or has asked, its owner not counted.
    static func places(of template: TemplateID, _ connection: PostgresConnection) async throws -> Int {
        try await connection.scalar(
            """
            SELECT (SELECT count(*) FROM template_authors WHERE template_id = \(template))
                + (SELECT count(*) FROM template_invitations WHERE template_id = \(template) AND state = 'open')
            """)
    }

    static func insert(
        _ id: InvitationID, of template: TemplateID, role: AuthorRole, inviter: UserID, invitee: UserID, at now: Date,
        until end: Date, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO template_invitations (id, template_id, inviter_id, invitee_id, role, created_at, expires_at)
            VALUES (\(id), \(template), \(inviter), \(invitee), \(role), \(now), \(end))
            """)
    }

    /// Ends an open invitation; `false` when somebody else has.
    static func end(
        _ id: InvitationID, as state: InvitationState, at now: Date, _ connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE template_invitations SET state = \(state), ended_at = \(now)
            WHERE id = \(id) AND state = 'open' AND expires_at > \(now)
            """) == 1
    }

    /// Makes room: what is past its end is written down as such.
    static func expire(of template: TemplateID, at now: Date, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE template_invitations SET state = 'expired', ended_at = expires_at
            WHERE template_id = \(template) AND state = 'open' AND expires_at <= \(now)
            """)
    }

    /// Takes back whatever is open: the template has a new owner.
    static func withdrawAll(of template: TemplateID, at now: Date, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE template_invitations SET state = 'withdrawn', ended_at = \(now)
            WHERE template_id = \(template) AND state = 'open'
            """)
    }
}
