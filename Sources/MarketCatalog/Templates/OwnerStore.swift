// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

/// SQL of what owners change. All of it in the caller's transaction.
enum OwnerStore {
    /// A template that nobody else changes until the transaction ends.
    struct Locked: Sendable {
        var id: TemplateID
        var owner: UserID
        /// How the caller stands to it.
        var permissions: TemplatePermissions
        /// The number of the version on offer.
        var offered: SemanticVersion?
        /// What the entry says now.
        var metadata: UploadMetadata
    }

    /// `nil` when there is no such template, or none that was ever published.
    static func lock(
        _ key: TemplateKey, for identity: Identity, _ connection: PostgresConnection
    ) async throws -> Locked? {
        try await connection.first(
            """
            SELECT t.id, t.owner_id, t.name, t.summary, t.description, t.game_system, t.tags, t.license, t.language,
                (SELECT v.number FROM versions AS v WHERE v.id = t.latest_version_id) AS offered,
                \(fragment: AuthorStore.part(of: identity.userID)) AS part
            FROM templates AS t
            WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            FOR UPDATE OF t
            """
        ) { row in
            Locked(
                id: try row.get("id"), owner: try row.get("owner_id"),
                permissions: TemplatePermissions(identity, author: try row.get("part")),
                offered: try row.get("offered"),
                metadata: UploadMetadata(
                    name: try row.get("name"), summary: try row.get("summary"), description: try row.get("description"),
                    gameSystem: try row.get("game_system"), tags: try row.get("tags"),
                    license: try row.get("license"), language: try row.get("language")))
        }
    }

    static func update(_ template: TemplateID, to draft: UploadDraft, _ connection: PostgresConnection) async throws {
        try await connection.execute(
            """
            UPDATE templates SET name = \(draft.name), summary = \(draft.summary), description = \(draft.description),
                tags = \(draft.tags), license = \(draft.license), language = \(draft.language), updated_at = now()
            WHERE id = \(template)
            """)
    }

    /// A version of a locked template.
    struct Version: Sendable {
        var id: VersionID
        var number: SemanticVersion
        var state: VersionState
        /// Who yanked it, if anybody did.
        var withdrawer: Withdrawer?
        var submission: SubmissionID
        var pageCount: Int
    }

    static func version(
        _ key: VersionKey, of template: TemplateID, _ connection: PostgresConnection
    ) async throws -> Version? {
        try await connection.first(
            """
            SELECT v.id, v.number, v.state, v.withdrawn_by, v.submission_id, v.page_count
            FROM templates AS t JOIN versions AS v ON \(fragment: key.condition)
            WHERE t.id = \(template)
            FOR UPDATE OF v
            """
        ) { row in
            Version(
                id: try row.get("id"), number: try row.get("number"), state: try row.get("state"),
                withdrawer: try row.get("withdrawn_by"), submission: try row.get("submission_id"),
                pageCount: try row.get("page_count"))
        }
    }

    /// `withdrawer` is who yanks; `nil` puts the version back on offer.
    static func setOffer(
        of version: VersionID, withdrawnBy withdrawer: Withdrawer?, reason: String?, _ connection: PostgresConnection
    ) async throws {
        let state: VersionState = withdrawer == nil ? .published : .yanked
        try await connection.execute(
            """
            UPDATE versions SET state = \(state), state_reason = \(reason), withdrawn_by = \(withdrawer)
            WHERE id = \(version)
            """)
    }

    static func setChannel(
        of version: VersionID, to channel: ReleaseChannel, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute("UPDATE versions SET channel = \(channel) WHERE id = \(version)")
    }

    /// `nil` says that the template can be used again. A circle of successors violates `templates_successor_circle`.
    static func setDeprecation(
        of template: TemplateID, message: String?, successor: TemplateID?, at now: Date,
        _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE templates SET deprecation_message = \(message), successor_id = \(successor),
                deprecated_at = CASE WHEN \(message != nil) THEN coalesce(deprecated_at, \(now)) END
            WHERE id = \(template)
            """)
    }

    /// A template that everybody can see.
    static func listed(_ key: TemplateKey, _ connection: PostgresConnection) async throws -> TemplateID? {
        try await connection.first(
            "SELECT t.id FROM templates AS t WHERE \(fragment: key.condition) AND t.latest_version_id IS NOT NULL"
        ) { try $0.get(0) }
    }

    /// Tells caches that the template reads differently now; no trigger watches its pages.
    static func announce(_ template: TemplateID, _ connection: PostgresConnection) async throws {
        try await connection.execute("SELECT pg_notify('catalog', \(template.description))")
    }
}

extension OwnerStore.Locked {
    /// Locks the template for somebody who may do that; `nil` is for whoever it is. Throws `not_found`, or `forbidden`.
    static func template(
        _ key: TemplateKey, for identity: Identity, to act: TemplateAction?, _ connection: PostgresConnection
    ) async throws -> OwnerStore.Locked {
        guard let template = try await OwnerStore.lock(key, for: identity, connection) else {
            throw CatalogError.notFound("This template")
        }
        if let act { try template.permissions.require(act) }
        return template
    }
}
