// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// The rows of stored bytes, by their hashes.
package enum ArtifactStore {
    /// Enters stored bytes; does nothing when they are known.
    ///
    /// A row that is there already is locked as a new one would be: nobody lets it go before this transaction names it.
    package static func insert(
        _ object: StoredObject, mediaType: String, in connection: some PostgresExecutor
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO artifacts (sha256, size_bytes, media_type)
            VALUES (\(object.hash), \(object.sizeBytes), \(mediaType))
            ON CONFLICT (sha256) DO UPDATE SET media_type = artifacts.media_type
            """)
    }

    /// Enters pictures of pages, those that are not known.
    package static func insertPreviews(
        _ pictures: [StoredObject], in connection: some PostgresExecutor
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO artifacts (sha256, size_bytes, media_type)
            SELECT DISTINCT sha256, size_bytes, 'image/webp'
            FROM unnest(\(pictures.map { Data($0.hash.bytes) })::bytea[], \(pictures.map(\.sizeBytes))::bigint[])
                AS picture (sha256, size_bytes)
            ORDER BY sha256
            ON CONFLICT (sha256) DO NOTHING
            """)
    }

    /// Lets stored bytes go that nothing names: garbage collection takes what no row names.
    package static func deleteUnused(_ hash: ContentHash, in connection: some PostgresExecutor) async throws {
        try await connection.execute(
            """
            DELETE FROM artifacts WHERE sha256 = \(hash)
                AND NOT EXISTS (SELECT FROM submissions WHERE artifact_sha256 = \(hash) OR original_sha256 = \(hash))
                AND NOT EXISTS (SELECT FROM versions WHERE artifact_sha256 = \(hash))
                AND NOT EXISTS (SELECT FROM previews WHERE sha256 = \(hash))
            """)
    }
}
