// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// SQL of what an erased person leaves in the catalog's tables; in the transaction that erases them.
package enum TemplateErasure {
    /// Names the file that takes the place of others.
    package static func insertPlaceholder(
        _ placeholder: StoredObject, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO artifacts (sha256, size_bytes, media_type)
            VALUES (\(placeholder.hash), \(placeholder.sizeBytes), 'text/plain') ON CONFLICT DO NOTHING
            """)
    }

    /// Empties the templates of submissions of which no version was ever published.
    package static func emptyUnpublished(
        of submissions: [SubmissionID], in connection: PostgresConnection
    ) async throws {
        let ids = submissions.map(\.rawValue)
        try await connection.execute(
            """
            UPDATE templates AS t SET name = 'Erased', summary = 'Erased.', description = '', tags = '{}',
                slug = 'erased-' || replace(t.id::text, '-', '')
            WHERE t.id IN (SELECT s.template_id FROM submissions AS s WHERE s.id = ANY (\(ids)::uuid[]))
                AND NOT EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            """)
        // A slug is made of a name. Nothing was ever published under these.
        try await connection.execute(
            """
            DELETE FROM template_slugs AS k USING submissions AS s, templates AS t
            WHERE s.id = ANY (\(ids)::uuid[]) AND t.id = s.template_id AND k.template_id = t.id AND k.slug <> t.slug
                AND NOT EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            """)
    }

    /// Lets the garbage collection remove files that nothing else names.
    package static func deleteArtifacts(_ files: [ContentHash], in connection: PostgresConnection) async throws {
        for hash in files { try await connection.execute("SELECT delete_artifact(\(hash))") }
    }

    /// Gives each template that has a maintainer to the one who has been it longest; answers those that stay.
    package static func transferOwnership(
        of user: UserID, in connection: PostgresConnection
    ) async throws -> [TemplateID] {
        let heirs = try await connection.all(
            """
            SELECT t.id, (SELECT a.user_id FROM template_authors AS a JOIN users AS u ON u.id = a.user_id
                WHERE a.template_id = t.id AND a.role = 'maintainer' AND u.disabled_at IS NULL
                ORDER BY a.added_at, a.user_id LIMIT 1) AS heir
            FROM templates AS t WHERE t.owner_id = \(user) ORDER BY t.id FOR UPDATE OF t
            """
        ) { (template: try $0.get("id", as: TemplateID.self), heir: try $0.get("heir", as: UserID?.self)) }
        for (template, heir) in heirs {
            guard let heir else { continue }
            try await AuthorStore.delete(heir, of: template, connection)
            try await AuthorStore.changeOwner(of: template, to: heir, connection)
        }
        return heirs.filter { $0.heir == nil }.map(\.template)
    }

    /// Takes a template's versions out of the offer.
    package static func withdraw(_ template: TemplateID, in connection: PostgresConnection) async throws {
        let count = try await connection.execute(
            """
            UPDATE versions SET state = 'yanked', state_reason = 'Its author has left.', withdrawn_by = 'author'
            WHERE template_id = \(template) AND state = 'published'
            """)
        if count > 0 { try await Publishing.recomputeLatest(connection, templateID: template) }
    }

    /// Ends the person's part in templates of others, and open invitations from and to them.
    package static func leaveTemplates(
        _ user: UserID, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute("DELETE FROM template_authors WHERE user_id = \(user)")
        try await connection.execute(
            """
            UPDATE template_invitations SET state = 'withdrawn', ended_at = \(now)
            WHERE state = 'open' AND (inviter_id = \(user) OR invitee_id = \(user))
            """)
    }

    /// Has the search forget the former names of an owner. Triggers leave an author's new name for later; here nothing
    /// may be left of the old one.
    package static func forgetNames(
        _ names: String, ofOwner user: UserID, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            SELECT refresh_listing(t.id), refresh_listing_words(t.id) FROM templates AS t WHERE t.owner_id = \(user)
            """)
        try await connection.execute(
            """
            DELETE FROM search_terms AS s
            WHERE s.term = ANY (tsvector_to_array(to_tsvector('simple', search_text(\(names)))))
                AND NOT EXISTS (SELECT FROM listing_words AS l WHERE l.words @@ phraseto_tsquery('simple', s.term))
            """)
    }
}
