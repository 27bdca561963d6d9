// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Makes versions of submissions, and keeps templates offering the right one. All of it in the caller's transaction.
package enum Publishing {
    /// What of a submission cannot be published.
    package enum Failure: Error, Equatable {
        /// Its page count is not known: it was never inspected.
        case notInspected
        /// Another submission took the number meanwhile.
        case versionExists
        /// The template is taken down.
        case takenDown
    }

    /// Adds the submission's version and, when that is now the one on offer, makes the template say what the
    /// submission's metadata does.
    @discardableResult
    package static func publish(
        _ connection: PostgresConnection, submission: SubmissionID, template: TemplateID, at now: Date
    ) async throws -> VersionID {
        try await lock(connection, template: template)
        let version = VersionID.make(at: now)
        let metadata = try await insertVersion(connection, version, of: submission, at: now)
        let latest = try await recomputeLatest(connection, templateID: template)
        // One of an upload from before languages were checked.
        let language = metadata.language.map { LanguageRegistry.standard.tag(for: $0)?.text ?? $0 }
        // A mended old line or a pre-release beside a release leaves the entry as the offered version has it.
        if latest == version {
            try await connection.execute(
                """
                UPDATE templates SET
                    kind = (SELECT kind FROM submissions WHERE id = \(submission)),
                    game_system = COALESCE(present_game_system(\(metadata.gameSystem)), game_system),
                    name = COALESCE(\(metadata.name), name),
                    summary = COALESCE(\(metadata.summary), summary),
                    description = COALESCE(\(metadata.description), description),
                    tags = COALESCE(present_tags(\(metadata.tags)::text[]), tags),
                    license = COALESCE(\(metadata.license), license),
                    language = COALESCE(\(language), language),
                    published_at = COALESCE(published_at, \(now)),
                    updated_at = \(now)
                WHERE id = \(template)
                """)
        }
        try await MakeDeltas.enqueue(version, at: now, in: connection)
        return version
    }

    /// Points the template at the versions to offer, and returns the one for everybody: the newest on the channel
    /// `stable` by precedence, or the newest of all when nothing is there; none when nothing is published.
    @discardableResult
    package static func recomputeLatest(
        _ connection: PostgresConnection, templateID: TemplateID
    ) async throws -> VersionID? {
        try await lock(connection, template: templateID)
        // Set even when it stays: caches listen for this, and the list of versions has changed.
        return try await connection.first(
            """
            WITH ranked AS (
                SELECT id, page_count, channel, version_precedence(number) COLLATE "C" AS precedence FROM versions
                WHERE template_id = \(templateID) AND state = 'published'
            ), choice AS (
                SELECT (SELECT id FROM ranked ORDER BY channel = 'stable' DESC, precedence DESC, id DESC LIMIT 1) AS latest,
                    (SELECT id FROM ranked ORDER BY precedence DESC, id DESC LIMIT 1) AS newest
            )
            UPDATE templates SET latest_version_id = choice.latest, newest_version_id = choice.newest,
                page_count = COALESCE((SELECT page_count FROM ranked WHERE ranked.id = choice.latest), 0)
            FROM choice WHERE templates.id = \(templateID)
            RETURNING latest_version_id
            """
        ) { try $0.get(0, as: VersionID?.self) } ?? nil
    }

    /// One at a time may change which version a template offers.
    private static func lock(_ connection: PostgresConnection, template: TemplateID) async throws {
        try await connection.execute("SELECT id FROM templates WHERE id = \(template) FOR UPDATE")
    }

    /// Locks several templates, always in the same order: so two transactions never wait for each other in a ring.
    package static func lock(_ templates: [TemplateID], in connection: PostgresConnection) async throws {
        try await connection.execute(
            "SELECT id FROM templates WHERE id = ANY(\(templates)) ORDER BY id FOR UPDATE")
    }

    private static func insertVersion(
        _ connection: PostgresConnection, _ version: VersionID, of submission: SubmissionID, at now: Date
    ) async throws -> UploadMetadata {
        do {
            let metadata = try await connection.first(
                """
                WITH added AS (
                    INSERT INTO versions (id, template_id, submission_id, number, artifact_sha256, file_name,
                        size_bytes, page_count, changelog, published_at, channel, minimum_client_version)
                    SELECT \(version), template_id, id, version, artifact_sha256, file_name, size_bytes, page_count,
                        COALESCE(metadata ->> 'changelog', ''), \(now), COALESCE(metadata ->> 'channel', 'stable'),
                        metadata ->> 'minimumClientVersion'
                    FROM submissions WHERE id = \(submission) AND page_count IS NOT NULL
                    RETURNING submission_id
                )
                SELECT submissions.metadata FROM submissions JOIN added ON added.submission_id = submissions.id
                """
            ) { try $0.get("metadata", as: PostgresJSON<UploadMetadata>.self).value }
            guard let metadata else { throw Failure.notInspected }
            return metadata
        } catch let error as PostgresError where error.isUniqueViolation(constraint: "versions_number_key") {
            throw Failure.versionExists
        } catch let error as PostgresError where error.isCheckViolation(constraint: "versions_template_taken_down") {
            throw Failure.takenDown
        }
    }
}
