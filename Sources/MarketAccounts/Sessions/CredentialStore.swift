// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

/// Tokens in SQL. A secret is found by its hash, which is all that is stored of it.
package enum CredentialStore {
    /// Most tokens that an account has at once.
    static let maximumTokens = 200

    /// Adds a token; one made with another token ends with it at the latest. `nil` when the account has too many.
    static func insertToken(
        _ id: TokenID, of user: UserID, hash: ContentHash, name: String, scopes: [TokenScope],
        templates: [TokenTemplate]?, maker: TokenID?, at now: Date, until: Date, in database: some PostgresExecutor
    ) async throws -> TokenInfo? {
        try await database.first(
            """
            WITH made AS (
                INSERT INTO api_tokens (id, user_id, name, token_hash, scopes, is_limited, created_at, expires_at)
                SELECT \(id), \(user), \(name), \(hash), \(scopes)::text[], \(templates != nil), \(now),
                    LEAST(\(until), (SELECT expires_at FROM api_tokens WHERE id = \(maker)))
                WHERE (SELECT count(*) FROM api_tokens
                       WHERE user_id = \(user) AND revoked_at IS NULL AND expires_at > \(now)) < \(maximumTokens)
                RETURNING id, name, scopes, created_at, expires_at, last_used_at
            ), limits AS (
                INSERT INTO api_token_templates (token_id, template_id)
                SELECT made.id, template FROM made, unnest(\((templates ?? []).map(\.id.rawValue))::uuid[]) AS template
            )
            SELECT id, name, scopes, created_at, expires_at, last_used_at FROM made
            """
        ) { try TokenInfo($0, templates: templates) }
    }

    /// Those of `keys` (slugs or ids) that are templates which the person is an author of.
    package static func templates(
        _ keys: [String], by author: UserID, in database: some PostgresExecutor
    ) async throws -> [TokenTemplate] {
        let ids = keys.compactMap { TemplateID($0)?.rawValue }
        return try await database.all(
            """
            SELECT t.id, t.slug, t.name FROM templates AS t
            WHERE (t.id = ANY (\(ids)::uuid[]) OR t.slug = ANY (\(keys)::text[]))
                AND (t.owner_id = \(author)
                    OR EXISTS (SELECT FROM template_authors AS a WHERE a.template_id = t.id AND a.user_id = \(author)))
            ORDER BY t.name, t.id
            """
        ) { TokenTemplate(id: try $0.get("id"), slug: try $0.get("slug"), name: try $0.get("name")) }
    }

    /// Templates that the person is an author of, as far as a form can list them.
    package static func templates(by author: UserID, in database: some PostgresExecutor) async throws -> [TokenTemplate]
    {
        try await database.all(
            """
            SELECT t.id, t.slug, t.name FROM templates AS t
            WHERE t.owner_id = \(author)
                OR t.id IN (SELECT a.template_id FROM template_authors AS a WHERE a.user_id = \(author))
            ORDER BY t.name, t.id LIMIT 200
            """
        ) { TokenTemplate(id: try $0.get("id"), slug: try $0.get("slug"), name: try $0.get("name")) }
    }

    /// Whether a limited token acts on the template of this slug (of today, or an earlier one) or id.
    static func isToken(
        _ token: TokenID, forTemplate key: String, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.scalar(
            """
            SELECT EXISTS (
                SELECT FROM api_token_templates AS l
                WHERE l.token_id = \(token) AND (l.template_id = \(TemplateID(key)) OR EXISTS (
                    SELECT FROM template_slugs AS s WHERE s.slug = \(key) AND s.template_id = l.template_id)))
            """)
    }

    /// Whether a limited token acts on the template that this submission is of.
    static func isToken(
        _ token: TokenID, forSubmission id: SubmissionID, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.scalar(
            """
            SELECT EXISTS (
                SELECT FROM api_token_templates AS l JOIN submissions AS s ON s.template_id = l.template_id
                WHERE l.token_id = \(token) AND s.id = \(id))
            """)
    }

    /// Whose token it is.
    package static func token(_ hash: ContentHash, in database: some PostgresExecutor) async throws -> CredentialRecord?
    {
        try await database.first(
            """
            SELECT api_tokens.id, api_tokens.user_id, api_tokens.scopes, api_tokens.expires_at, api_tokens.revoked_at,
                api_tokens.last_used_at, api_tokens.is_limited, users.handle, users.role, users.disabled_at,
                coalesce(\(fragment: AccountStore.hasSecondFactorOrNobodys), false) AS has_second_factor
            FROM api_tokens JOIN users ON users.id = api_tokens.user_id
            WHERE api_tokens.token_hash = \(hash)
            """
        ) { row in
            CredentialRecord(
                identity: Identity(
                    userID: try row.get("user_id"), handle: try row.get("handle"), role: try row.get("role"),
                    credential: .token(try row.get("id")), scopes: Set(try row.get("scopes", as: [TokenScope].self)),
                    isLimited: try row.get("is_limited")),
                expiresAt: try row.get("expires_at"), isRevoked: try row.get("revoked_at", as: Date?.self) != nil,
                isDisabled: try row.get("disabled_at", as: Date?.self) != nil,
                lastUsedAt: try row.get("last_used_at"), hasSecondFactor: try row.get("has_second_factor"))
        }
    }

    /// The account's tokens that were not revoked, newest first, beginning behind `last`.
    package static func tokens(
        of user: UserID, before last: (at: Date, id: TokenID)?, limit: Int, in database: some PostgresExecutor
    ) async throws -> [TokenInfo] {
        let start: PostgresQuery = last.map { "AND (k.created_at, k.id) < (\($0.at), \($0.id))" } ?? ""
        return try await database.all(
            """
            SELECT k.id, k.name, k.scopes, k.created_at, k.expires_at, k.last_used_at,
                CASE WHEN k.is_limited THEN coalesce((
                    SELECT jsonb_agg(jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name) ORDER BY t.name, t.id)
                    FROM api_token_templates AS l JOIN templates AS t ON t.id = l.template_id
                    WHERE l.token_id = k.id), '[]') END AS templates
            FROM api_tokens AS k
            WHERE k.user_id = \(user) AND k.revoked_at IS NULL \(fragment: start)
            ORDER BY k.created_at DESC, k.id DESC LIMIT \(literal: limit)
            """
        ) { row in
            try TokenInfo(row, templates: row.get("templates", as: PostgresJSON<[TokenTemplate]>?.self)?.value)
        }
    }

    /// Revokes a token of the account; `false` when it has none such, or one that may do more than `scopes`
    /// (`own` is always within reach: a program can throw its own token away).
    package static func revokeToken(
        _ id: TokenID, of user: UserID, within scopes: Set<TokenScope>, own: TokenID?, at now: Date,
        in database: some PostgresExecutor
    ) async throws -> Bool {
        try await database.execute(
            """
            UPDATE api_tokens SET revoked_at = \(now)
            WHERE id = \(id) AND user_id = \(user) AND revoked_at IS NULL
                AND (id = \(own) OR scopes <@ \(scopes.map(\.rawValue))::text[])
            """) > 0
    }

    /// A token that was revoked just now.
    struct Revoked: Sendable {
        var id: TokenID
        var user: UserID
        var name: String
    }

    /// Revokes the token with this secret, regardless of its owner; `nil` when there is none or it is already revoked.
    static func revokeToken(
        _ hash: ContentHash, at now: Date, in database: some PostgresExecutor
    ) async throws -> Revoked? {
        try await database.first(
            """
            UPDATE api_tokens SET revoked_at = \(now) WHERE token_hash = \(hash) AND revoked_at IS NULL
            RETURNING id, user_id, name
            """
        ) { Revoked(id: try $0.get("id"), user: try $0.get("user_id"), name: try $0.get("name")) }
    }

    /// Revokes all tokens of an account.
    static func revokeTokens(of user: UserID, at now: Date, in database: some PostgresExecutor) async throws {
        try await database.execute(
            "UPDATE api_tokens SET revoked_at = \(now) WHERE user_id = \(user) AND revoked_at IS NULL")
    }

    /// Ends all that an account is signed in with: its browsers' sessions and its programs' tokens.
    package static func endAll(of user: UserID, at now: Date, in connection: PostgresConnection) async throws {
        try await SessionStore.deleteAll(of: user, but: nil, in: connection)
        try await revokeTokens(of: user, at: now, in: connection)
    }

    /// Takes the scopes of moderators and administrators out of an account's tokens.
    static func removeStaffScopes(of user: UserID, in database: some PostgresExecutor) async throws {
        let kept = TokenScope.all.filter { !$0.isForStaff }.map(\.rawValue)
        try await database.execute(
            """
            UPDATE api_tokens SET scopes = ARRAY(SELECT scope FROM unnest(scopes) AS scope WHERE scope = ANY(\(kept)))
            WHERE user_id = \(user) AND NOT scopes <@ \(kept)::text[]
            """)
    }

    /// Notes that a token was used, once a minute at most.
    static func recordTokenUse(_ id: TokenID, at now: Date, in database: some PostgresExecutor) async throws {
        let minuteAgo = now.addingTimeInterval(-60)
        try await database.execute(
            """
            UPDATE api_tokens SET last_used_at = \(now)
            WHERE id = \(id) AND (last_used_at IS NULL OR last_used_at <= \(minuteAgo))
            """)
    }

    /// Removes tokens a month after their end.
    package static func deleteExpired(at now: Date, in database: some PostgresExecutor) async throws {
        let monthAgo = now.addingTimeInterval(-30 * 86_400)
        try await database.execute(
            "DELETE FROM api_tokens WHERE expires_at <= \(monthAgo) OR revoked_at <= \(monthAgo)")
    }
}

extension TokenInfo {
    package init(_ row: PostgresRow, templates: [TokenTemplate]?) throws {
        self.init(
            id: try row.get("id"), name: try row.get("name"), scopes: try row.get("scopes"),
            createdAt: try row.get("created_at"), expiresAt: try row.get("expires_at"),
            lastUsedAt: try row.get("last_used_at"), templates: templates)
    }
}
