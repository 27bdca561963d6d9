// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import ModerationService
import Postgres
import SheetCore

/// A person about to be erased, whose row is locked.
struct PersonToErase: Sendable {
    var id: UserID
    var handle: String
    var displayName: String
    var role: UserRole
    /// What their templates shall become, when they wished to go.
    var templates: TemplatesAfterErasure?
    /// When they shall go.
    var eraseAt: Date?
}

/// Erasure in SQL; all of it in the caller's transaction, jobs before cases before submissions, as everywhere.
enum ErasureStore {
    /// Tables whose rows stay although they are a person's: a complaint is about somebody else.
    private static let spared = ["reports"]

    // MARK: - The wish

    /// Notes when an account shall be erased.
    static func schedule(
        _ user: UserID, at date: Date, templates: TemplatesAfterErasure, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            "UPDATE users SET erase_at = \(date), erase_templates = \(templates) WHERE id = \(user) AND erased_at IS NULL"
        )
    }

    /// Forgets the wish; `false` when there was none.
    static func cancel(_ user: UserID, in database: some PostgresExecutor) async throws -> Bool {
        try await database.execute(
            """
            UPDATE users SET erase_at = NULL, erase_templates = NULL
            WHERE id = \(user) AND erase_at IS NOT NULL AND erased_at IS NULL
            """) == 1
    }

    /// When the account shall be erased.
    static func status(of user: UserID, in database: some PostgresExecutor) async throws -> ErasureStatus? {
        try await database.first(
            "SELECT erase_at, erase_templates FROM users WHERE id = \(user) AND erase_at IS NOT NULL"
        ) { ErasureStatus(eraseAt: try $0.get("erase_at"), templates: try $0.get("erase_templates")) }
    }

    /// Accounts whose time is up.
    static func due(at now: Date, in database: some PostgresExecutor) async throws -> [UserID] {
        try await database.all(
            "SELECT id FROM users WHERE erase_at <= \(now) AND erased_at IS NULL ORDER BY erase_at LIMIT 100"
        ) { try $0.get("id") }
    }

    // MARK: - Erasing

    /// Locks the account; `nil` when there is none, or it is erased.
    static func lock(_ user: UserID, in connection: PostgresConnection) async throws -> PersonToErase? {
        try await connection.first(
            """
            SELECT handle, display_name, role, erase_templates, erase_at FROM users
            WHERE id = \(user) AND erased_at IS NULL FOR UPDATE
            """
        ) { row in
            PersonToErase(
                id: user, handle: try row.get("handle"), displayName: try row.get("display_name"),
                role: try row.get("role"), templates: try row.get("erase_templates"), eraseAt: try row.get("erase_at"))
        }
    }

    /// Whether there is another administrator who can sign in.
    static func hasOtherAdministrator(than user: UserID, in connection: PostgresConnection) async throws -> Bool {
        try await connection.scalar(
            """
            SELECT EXISTS (SELECT FROM users WHERE role = 'administrator' AND id <> \(user) AND disabled_at IS NULL
                AND email IS DISTINCT FROM 'sheetmarket@accounts.invalid')
            """)
    }

    /// Ends what is under way; answers the submissions that were never published.
    static func withdrawSubmissions(
        of user: UserID, at now: Date, in connection: PostgresConnection
    ) async throws -> [SubmissionID] {
        let unpublished = try await connection.all(
            """
            SELECT s.id FROM submissions AS s
            WHERE s.uploader_id = \(user) AND NOT EXISTS (SELECT FROM versions AS v WHERE v.submission_id = s.id)
            ORDER BY s.id
            """
        ) { try $0.get("id", as: SubmissionID.self) }
        for id in unpublished {
            try await JobQueue.cancel(subject: id.rawValue, in: connection)
            try await CaseLifecycle.close(connection, submission: id, at: now)
        }
        try await connection.execute(
            """
            UPDATE submissions SET state = 'withdrawn', step = 'withdrawn', updated_at = \(now)
            WHERE id = ANY (\(unpublished.map(\.rawValue))::uuid[])
                AND state IN ('received', 'inspecting', 'awaiting_review', 'changes_requested')
            """)
        return unpublished
    }

    /// Empties submissions of what was in them; their file becomes `placeholder`.
    static func empty(
        _ submissions: [SubmissionID], placeholder: StoredObject, in connection: PostgresConnection
    ) async throws {
        let ids = submissions.map(\.rawValue)
        let files = try await connection.all(
            """
            SELECT artifact_sha256 AS hash FROM submissions WHERE id = ANY (\(ids)::uuid[])
            UNION SELECT original_sha256 FROM submissions WHERE id = ANY (\(ids)::uuid[]) AND original_sha256 IS NOT NULL
            UNION SELECT sha256 FROM previews WHERE submission_id = ANY (\(ids)::uuid[])
            UNION SELECT sha256 FROM page_differences
                WHERE submission_id = ANY (\(ids)::uuid[]) OR other_submission_id = ANY (\(ids)::uuid[])
            """
        ) { try $0.get("hash", as: ContentHash.self) }
        try await connection.execute("DELETE FROM previews WHERE submission_id = ANY (\(ids)::uuid[])")
        try await connection.execute(
            """
            DELETE FROM page_differences
            WHERE submission_id = ANY (\(ids)::uuid[]) OR other_submission_id = ANY (\(ids)::uuid[])
            """)
        try await connection.execute("DELETE FROM submission_pages WHERE submission_id = ANY (\(ids)::uuid[])")
        try await connection.execute("DELETE FROM risk_assessments WHERE submission_id = ANY (\(ids)::uuid[])")
        try await connection.execute(
            """
            INSERT INTO artifacts (sha256, size_bytes, media_type)
            VALUES (\(placeholder.hash), \(placeholder.sizeBytes), 'text/plain') ON CONFLICT DO NOTHING
            """)
        try await connection.execute(
            """
            UPDATE submissions SET artifact_sha256 = \(placeholder.hash), size_bytes = \(placeholder.sizeBytes),
                file_name = 'erased', findings = '[]', page_count = NULL, outline = NULL, changes = NULL,
                original_sha256 = NULL, original_size_bytes = NULL, cleaning = NULL,
                metadata = jsonb_build_object('name', 'Erased', 'version', version)
            WHERE id = ANY (\(ids)::uuid[])
            """)
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
        for hash in files where hash != placeholder.hash {
            try await connection.execute("SELECT delete_artifact(\(hash))")
        }
    }

    /// Published templates: those with a maintainer go to the one who has been it longest. Answers what stays.
    static func transferOwnership(of user: UserID, in connection: PostgresConnection) async throws -> [TemplateID] {
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
            try await connection.execute("UPDATE templates SET owner_id = \(heir) WHERE id = \(template)")
        }
        return heirs.filter { $0.heir == nil }.map(\.template)
    }

    /// Takes a template's versions out of the offer.
    static func withdraw(_ template: TemplateID, in connection: PostgresConnection) async throws {
        let count = try await connection.execute(
            """
            UPDATE versions SET state = 'yanked', state_reason = 'Its author has left.', withdrawn_by = 'author'
            WHERE template_id = \(template) AND state = 'published'
            """)
        if count > 0 { try await Publishing.recomputeLatest(connection, templateID: template) }
    }

    /// Deletes rows that belong to the person alone, and the person's share of rows that others own.
    static func removeRows(of user: UserID, at now: Date, in connection: PostgresConnection) async throws {
        try await connection.execute("SELECT delete_person_rows(\(user), \(spared)::text[])")
        try await connection.execute("DELETE FROM template_authors WHERE user_id = \(user)")
        try await connection.execute(
            """
            UPDATE template_invitations SET state = 'withdrawn', ended_at = \(now)
            WHERE state = 'open' AND (inviter_id = \(user) OR invitee_id = \(user))
            """)
        try await connection.execute(
            """
            UPDATE cases SET state = 'open', claimed_by = NULL, claim_expires_at = NULL
            WHERE claimed_by = \(user) AND state = 'claimed'
            """)
        try await connection.execute(
            "UPDATE case_messages SET text = 'Erased.' WHERE author_id = \(user) AND side = 'uploader'")
        try await connection.execute("UPDATE appeals SET text = 'Erased.' WHERE appellant_id = \(user)")
        try await connection.execute("UPDATE reports SET text = '' WHERE reporter_id = \(user) AND state = 'closed'")
        try await connection.execute("DELETE FROM sign_in_failures WHERE subject = \("code:\(user)")")
    }

    /// Empties what erased people said in copyright notices that are over. A notice by which a work is down, or that
    /// the law's time runs for, keeps it until it is: the other side has a right to know who speaks.
    static func clearNoticeTexts(in database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            UPDATE copyright_notices AS n SET name = 'Former member', email = '', address = '', phone = '',
                work = 'Erased.', explanation = 'Erased.', signature = ''
            FROM users AS u WHERE u.id = n.claimant_id AND u.erased_at IS NOT NULL AND n.signature <> ''
                AND n.state IN ('restored', 'rejected', 'withdrawn')
            """)
        try await database.execute(
            """
            UPDATE copyright_notices AS n SET counter_name = 'Former member', counter_address = '', counter_phone = '',
                counter_explanation = 'Erased.', counter_signature = ''
            FROM users AS u WHERE u.id = n.counter_by AND u.erased_at IS NOT NULL AND n.counter_signature <> ''
                AND n.state IN ('restored', 'rejected', 'withdrawn')
            """)
    }

    /// What is left of the account: a name that says nothing.
    static func anonymize(
        _ person: PersonToErase, as handle: String, at now: Date, in connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE users SET handle = \(handle), display_name = 'Former member', email = NULL,
                email_verified_at = NULL, language = NULL, password_hash = NULL, role = 'user', disabled_at = coalesce(disabled_at, \(now)), erased_at = \(now),
                erase_at = NULL, erase_templates = NULL
            WHERE id = \(person.id)
            """)
        // Triggers leave an author's new name for later; here nothing may be left of the old one.
        try await connection.execute(
            """
            SELECT refresh_listing(t.id), refresh_listing_words(t.id) FROM templates AS t WHERE t.owner_id = \(person.id)
            """)
        try await connection.execute(
            """
            DELETE FROM search_terms AS s
            WHERE s.term = ANY (tsvector_to_array(to_tsvector('simple', search_text(\(person.handle + " " + person.displayName)))))
                AND NOT EXISTS (SELECT FROM listing_words AS l WHERE l.words @@ phraseto_tsquery('simple', s.term))
            """)
    }
}

extension TemplatesAfterErasure: PostgresCodable {}
