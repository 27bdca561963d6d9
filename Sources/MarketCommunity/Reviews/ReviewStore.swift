// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketWire
import Postgres
import SheetCore

/// SQL of reviews, replies and votes.
package enum ReviewStore {
    /// A template somebody wants to review or to read reviews of.
    package struct Subject: Sendable {
        package var template: TemplateID
        /// The caller's part in it.
        package var part: AuthorRole?
        /// The version on offer; `nil` when none is.
        package var offered: VersionID?

        package init(template: TemplateID, part: AuthorRole? = nil, offered: VersionID? = nil) {
            self.template = template
            self.part = part
            self.offered = offered
        }
    }

    /// `nil` when there is no such template. `isLocked` keeps others from reviewing it until the transaction ends.
    package static func subject(
        _ key: TemplateKey, for user: UserID?, isLocked: Bool = false, _ database: some PostgresExecutor
    ) async throws -> Subject? {
        let part: PostgresQuery = user.map { AuthorStore.part(of: $0) } ?? "NULL::text"
        let lock: PostgresQuery = isLocked ? "FOR NO KEY UPDATE OF t" : ""
        return try await database.first(
            """
            SELECT t.id, \(fragment: part), t.latest_version_id FROM templates AS t
            WHERE \(fragment: key.condition) \(fragment: lock)
            """
        ) { Subject(template: try $0.get(0), part: try $0.get(1), offered: try $0.get(2)) }
    }

    // MARK: - Reading

    /// How a list is ordered.
    package enum Sort: String, CaseIterable, Sendable {
        case newest, helpful, highest, lowest
    }

    /// A review with the key that it is sorted by, and the template's rating at the same moment.
    package struct Line: Sendable {
        package var review: Review
        package var key: Int
        package var rating: RatingSummary

        package init(review: Review, key: Int, rating: RatingSummary) {
            self.review = review
            self.key = key
            self.rating = rating
        }
    }

    /// At most `limit` lines, beginning behind `position`.
    package static func list(
        of template: TemplateID, sort: Sort, after position: (key: Int, id: ReviewID)?, limit: Int, for viewer: UserID?,
        _ database: some PostgresExecutor
    ) async throws -> [Line] {
        let key: PostgresQuery
        let column: PostgresQuery
        switch sort {
        case .newest:
            key = "(extract(epoch FROM r.created_at) * 1000000)::bigint"
            column = "r.created_at"
        case .helpful:
            key = "r.helpfulness"
            column = key
        case .highest:
            key = "r.stars::bigint"
            column = "r.stars"
        case .lowest:
            key = "-r.stars::bigint"
            column = "-r.stars"
        }
        var after: PostgresQuery = ""
        if let position {
            let bound: PostgresQuery =
                sort == .newest
                ? "timestamptz 'epoch' + \(position.key) * interval '1 microsecond'" : "\(position.key)"
            after = "AND (\(fragment: column), r.id) < (\(fragment: bound), \(position.id))"
        }
        return try await database.all(
            """
            SELECT \(fragment: columns(for: viewer)), \(fragment: key), \(fragment: RatingSummary.columns)
            FROM visible_reviews AS r \(fragment: joins)
            LEFT JOIN template_ratings AS k ON k.template_id = r.template_id
            WHERE r.template_id = \(template) \(fragment: after)
            ORDER BY \(fragment: column) DESC, r.id DESC
            LIMIT \(literal: limit)
            """
        ) { row in
            Line(
                review: try Review(row), key: try row.get(columnCount),
                rating: try RatingSummary(row, at: columnCount + 1))
        }
    }

    /// A review that is shown to everybody.
    package static func visible(
        _ id: ReviewID, for viewer: UserID?, _ database: some PostgresExecutor
    ) async throws -> Review? {
        try await database.first(
            "SELECT \(fragment: columns(for: viewer)) FROM visible_reviews AS r \(fragment: joins) WHERE r.id = \(id)"
        ) { try Review($0) }
    }

    /// Somebody's own review, also one that nobody else is shown.
    package static func own(
        of template: TemplateID, by user: UserID, _ database: some PostgresExecutor
    ) async throws -> Review? {
        try await database.first(
            """
            SELECT \(fragment: columns(for: user)), r.hidden_at IS NOT NULL FROM reviews AS r \(fragment: joins)
            WHERE r.template_id = \(template) AND r.user_id = \(user) AND r.deleted_at IS NULL
            """
        ) { row in
            var review = try Review(row)
            if try row.get(columnCount, as: Bool.self) { review.isHidden = true }
            return review
        }
    }

    private static let columnCount = 18

    private static func columns(for viewer: UserID?) -> PostgresQuery {
        let vote: PostgresQuery =
            viewer.map {
                "(SELECT b.is_helpful FROM review_votes AS b WHERE b.review_id = r.id AND b.user_id = \($0))"
            } ?? "NULL::boolean"
        return """
            r.id, r.template_id, w.handle, w.display_name, r.stars, r.text, v.number,
            EXISTS (SELECT FROM user_downloads AS d WHERE d.user_id = r.user_id AND d.template_id = r.template_id),
            r.helpful, r.unhelpful, r.created_at, r.updated_at, y.handle, y.text, y.created_at, y.updated_at,
            \(fragment: vote), (SELECT i.small_sha256 FROM visible_profile_pictures AS i WHERE i.user_id = r.user_id)
            """
    }

    private static let joins: PostgresQuery = """
        JOIN users AS w ON w.id = r.user_id
        JOIN versions AS v ON v.id = r.version_id
        LEFT JOIN LATERAL (
            SELECT a.handle, p.text, p.created_at, p.updated_at FROM review_replies AS p
            JOIN users AS a ON a.id = p.author_id AND a.disabled_at IS NULL
            WHERE p.review_id = r.id
        ) AS y ON true
        """

    // MARK: - Writing

    /// A published version of a template by its number.
    static func publishedVersion(
        _ number: SemanticVersion, of template: TemplateID, _ connection: PostgresConnection
    ) async throws -> VersionID? {
        try await connection.first(
            "SELECT id FROM versions WHERE template_id = \(template) AND number = \(number) AND state = 'published'"
        ) { try $0.get(0) }
    }

    /// The newest published version that somebody has downloaded.
    static func installedVersion(
        of template: TemplateID, by user: UserID, _ connection: PostgresConnection
    ) async throws -> VersionID? {
        try await connection.first(
            """
            SELECT v.id FROM user_downloads AS d JOIN versions AS v ON v.id = d.version_id AND v.state = 'published'
            WHERE d.user_id = \(user) AND d.template_id = \(template)
            ORDER BY version_precedence(v.number) COLLATE "C" DESC LIMIT 1
            """
        ) { try $0.get(0) }
    }

    /// What became of a review that was put.
    package struct Put: Sendable {
        package var id: ReviewID
        /// Whether there was none before, or none any more.
        package var isNew: Bool
        /// Whether the person has never reviewed the template before.
        package var isFirst: Bool
    }

    /// Enters a review of a locked template, or changes it. One that was deleted comes back as the one it was.
    package static func put(
        _ id: ReviewID, of subject: Subject, by user: UserID, on version: VersionID, stars: Int, text: String,
        at now: Date, _ connection: PostgresConnection
    ) async throws -> Put {
        let earlier = try await connection.first(
            "SELECT id, deleted_at IS NULL FROM reviews WHERE template_id = \(subject.template) AND user_id = \(user)"
        ) { (id: try $0.get(0, as: ReviewID.self), isThere: try $0.get(1, as: Bool.self)) }
        try await connection.execute(
            """
            INSERT INTO reviews AS r (id, template_id, user_id, version_id, stars, text, created_at, updated_at)
            VALUES (\(id), \(subject.template), \(user), \(version), \(stars), \(text), \(now), \(now))
            ON CONFLICT ON CONSTRAINT reviews_author_key DO UPDATE SET version_id = excluded.version_id,
                stars = excluded.stars, text = excluded.text, updated_at = excluded.updated_at, deleted_at = NULL,
                created_at = CASE WHEN r.deleted_at IS NULL THEN r.created_at ELSE excluded.created_at END
            """)
        return Put(id: earlier?.id ?? id, isNew: earlier?.isThere != true, isFirst: earlier == nil)
    }

    /// Deletes a review of a locked template, with its votes and its reply; its history stays for moderators.
    package static func delete(
        of subject: Subject, by user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws -> Bool {
        let id = try await connection.first(
            """
            UPDATE reviews SET deleted_at = \(now), text = ''
            WHERE template_id = \(subject.template) AND user_id = \(user) AND deleted_at IS NULL RETURNING id
            """
        ) { try $0.get(0, as: ReviewID.self) }
        guard let id else { return false }
        try await connection.execute("DELETE FROM review_votes WHERE review_id = \(id)")
        try await connection.execute("DELETE FROM review_replies WHERE review_id = \(id)")
        return true
    }

    /// A review that nobody else changes until the transaction ends, with its writer and the caller's part in the
    /// template.
    package struct Locked: Sendable {
        package var template: TemplateID
        package var writer: UserID
        /// The caller's part in the template.
        package var part: AuthorRole?

        package init(template: TemplateID, writer: UserID, part: AuthorRole? = nil) {
            self.template = template
            self.writer = writer
            self.part = part
        }
    }

    /// `nil` when there is none that everybody is shown.
    package static func lock(
        _ id: ReviewID, for user: UserID, _ connection: PostgresConnection
    ) async throws -> Locked? {
        // Lock the row first; check visibility only once it cannot change any more.
        try await connection.execute("SELECT FROM reviews WHERE id = \(id) FOR NO KEY UPDATE")
        return try await connection.first(
            """
            SELECT r.template_id, r.user_id, \(fragment: AuthorStore.part(of: user))
            FROM visible_reviews AS r JOIN templates AS t ON t.id = r.template_id WHERE r.id = \(id)
            """
        ) { Locked(template: try $0.get(0), writer: try $0.get(1), part: try $0.get(2)) }
    }

    /// Enters, changes or takes back a vote on a locked review.
    package static func vote(
        _ isHelpful: Bool?, on id: ReviewID, by user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws {
        guard let isHelpful else {
            try await connection.execute("DELETE FROM review_votes WHERE review_id = \(id) AND user_id = \(user)")
            return
        }
        try await connection.execute(
            """
            INSERT INTO review_votes AS v (review_id, user_id, is_helpful, voted_at)
            VALUES (\(id), \(user), \(isHelpful), \(now))
            ON CONFLICT (review_id, user_id) DO UPDATE SET is_helpful = excluded.is_helpful, voted_at = excluded.voted_at
                WHERE v.is_helpful <> excluded.is_helpful
            """)
    }

    /// Enters or changes the reply to a locked review; tells whether there was none before.
    package static func reply(
        _ text: String, to id: ReviewID, by user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws -> Bool {
        let changed = try await connection.execute(
            "UPDATE review_replies SET text = \(text), author_id = \(user), updated_at = \(now) WHERE review_id = \(id)"
        )
        if changed > 0 { return false }
        try await connection.execute(
            """
            INSERT INTO review_replies (review_id, author_id, text, created_at, updated_at)
            VALUES (\(id), \(user), \(text), \(now), \(now))
            """)
        return true
    }

    static func deleteReply(to id: ReviewID, _ connection: PostgresConnection) async throws -> Bool {
        try await connection.execute("DELETE FROM review_replies WHERE review_id = \(id)") > 0
    }

    // MARK: - History

    /// All that a review has said, newest first.
    package static func history(_ id: ReviewID, _ database: some PostgresExecutor) async throws -> ReviewHistory? {
        let history = try await database.first(
            """
            SELECT r.template_id, w.handle, r.deleted_at, r.hidden_at
            FROM reviews AS r JOIN users AS w ON w.id = r.user_id WHERE r.id = \(id)
            """
        ) { row in
            ReviewHistory(
                id: id, templateId: try row.get(0), author: try row.get(1), deletedAt: try row.get(2),
                hiddenAt: try row.get(3), revisions: [])
        }
        guard var history else { return nil }
        history.revisions = try await database.all(
            """
            SELECT s.revision, s.stars, s.text, v.number, s.written_at
            FROM (
                SELECT r.revision, r.stars, r.text, r.version_id, r.updated_at AS written_at FROM reviews AS r
                WHERE r.id = \(id) AND r.deleted_at IS NULL
                UNION ALL
                SELECT h.revision, h.stars, h.text, h.version_id, h.written_at FROM review_revisions AS h
                WHERE h.review_id = \(id)
            ) AS s
            JOIN versions AS v ON v.id = s.version_id
            ORDER BY s.revision DESC LIMIT 1000
            """
        ) { row in
            ReviewHistory.Revision(
                revision: try row.get(0), stars: try row.get(1), text: try row.get(2), version: try row.get(3),
                writtenAt: try row.get(4))
        }
        return history
    }
}

extension Review {
    /// Reads the columns of `ReviewStore` from the row's beginning.
    package init(_ row: PostgresRow) throws {
        self.init(
            id: try row.get(0), templateId: try row.get(1), author: try row.get(2), authorName: try row.get(3),
            stars: try row.get(4), text: try row.get(5), version: try row.get(6), hasInstalled: try row.get(7),
            helpful: try row.get(8), unhelpful: try row.get(9), createdAt: try row.get(10), updatedAt: try row.get(11))
        if let author = try row.get(12, as: String?.self) {
            reply = Reply(
                author: author, text: try row.get(13), createdAt: try row.get(14), updatedAt: try row.get(15))
        }
        myVote = try row.get(16)
        authorPictureURL = try row.get(17, as: ContentHash?.self).map(Paths.picture)
    }
}
