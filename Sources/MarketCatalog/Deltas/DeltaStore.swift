// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// SQL of what differs between a version's file and those of versions before it. Triggers take out what is withdrawn.
package enum DeltaStore {
    /// Versions before a new one from which clients are helped on.
    private static let versionsBefore = 3

    /// A file, and an older one that it may be made of.
    struct Pair: Sendable {
        let target: ContentHash
        let targetBytes: Int
        let base: ContentHash
        let baseBytes: Int
    }

    /// A difference that lies in storage.
    struct Made: Sendable {
        let pair: Pair
        let object: StoredObject
    }

    /// Whether there is an older published version with other bytes, so that making a difference may be worth it.
    static func hasOlder(_ version: VersionID, in connection: some PostgresExecutor) async throws -> Bool {
        try await connection.first("SELECT \(fragment: older(than: version)) LIMIT 1") { _ in true } ?? false
    }

    /// Pairs of which nothing is stored yet, the newest older version first.
    static func wanted(for version: VersionID, in database: some PostgresExecutor) async throws -> [Pair] {
        let found = try await database.all(
            """
            SELECT \(fragment: older(than: version))
            ORDER BY version_precedence(b.number) COLLATE "C" DESC, b.id DESC LIMIT \(literal: versionsBefore)
            """
        ) { row in
            (
                pair: Pair(
                    target: try row.get(0), targetBytes: try row.get(1), base: try row.get(2), baseBytes: try row.get(3)
                ),
                isKnown: try row.get(4, as: Bool.self)
            )
        }
        return found.filter { !$0.isKnown }.map(\.pair)
            .filter { DictionaryCompression.fits($0.targetBytes, dictionary: $0.baseBytes) }
    }

    private static func older(than version: VersionID) -> PostgresQuery {
        """
        v.artifact_sha256, v.size_bytes, b.artifact_sha256, b.size_bytes, EXISTS (
            SELECT FROM artifact_deltas AS d
            WHERE d.target_sha256 = v.artifact_sha256 AND d.base_sha256 = b.artifact_sha256)
        FROM versions AS v JOIN versions AS b ON b.template_id = v.template_id
            AND b.artifact_sha256 <> v.artifact_sha256 AND b.state = 'published'
            AND version_precedence(b.number) COLLATE "C" < version_precedence(v.number) COLLATE "C"
        WHERE v.id = \(version) AND v.state = 'published'
        """
    }

    /// Enters differences of files that are still on offer: a withdrawal that comes at the same time waits, or is seen here.
    static func insert(_ made: [Made], in connection: some PostgresExecutor) async throws {
        for one in made {
            try await ArtifactStore.insert(one.object, mediaType: "application/zstd", in: connection)
            let isEntered = try await connection.execute(
                """
                WITH offered AS (
                    SELECT artifact_sha256 FROM versions WHERE state = 'published'
                        AND artifact_sha256 IN (\(one.pair.target), \(one.pair.base)) FOR SHARE
                )
                INSERT INTO artifact_deltas (target_sha256, base_sha256, sha256)
                SELECT \(one.pair.target), \(one.pair.base), \(one.object.hash)
                WHERE (SELECT count(DISTINCT artifact_sha256) FROM offered) = 2
                ON CONFLICT DO NOTHING
                """)
            if isEntered == 0 { try await connection.execute("SELECT delete_artifact(\(one.object.hash))") }
        }
    }

    /// What is stored of a file for who has another.
    static func find(
        _ target: ContentHash, from base: ContentHash, in database: some PostgresExecutor
    ) async throws -> ContentHash? {
        try await database.first(
            "SELECT sha256 FROM artifact_deltas WHERE target_sha256 = \(target) AND base_sha256 = \(base)"
        ) { try $0.get(0) }
    }
}
