// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// SQL of downloads.
enum DownloadStore {
    /// What a signed address needs.
    struct Artifact: Sendable {
        var template: TemplateID
        var version: SemanticVersion
        var state: VersionState
        var reason: String?
        var hash: ContentHash
        var fileName: String
        var sizeBytes: Int
    }

    static func artifact(
        _ version: VersionKey, of key: TemplateKey, _ database: some PostgresExecutor
    ) async throws -> Artifact? {
        try await database.first(
            """
            SELECT t.id, v.number, v.state, v.state_reason, v.artifact_sha256, v.file_name, v.size_bytes
            FROM templates AS t JOIN versions AS v ON \(fragment: version.condition)
            WHERE \(fragment: key.condition)
            """
        ) { row in
            Artifact(
                template: try row.get(0), version: try row.get(1), state: try row.get(2), reason: try row.get(3),
                hash: try row.get(4), fileName: try row.get(5), sizeBytes: try row.get(6))
        }
    }

    /// Adds to the templates' downloads. Rows are locked in one order, so that nodes never wait for each other in a ring.
    static func add(_ counts: [TemplateID: Int], _ database: some PostgresExecutor) async throws {
        let pairs = Array(counts)
        try await database.execute(
            """
            WITH counted AS (
                SELECT t.id, n.count
                FROM templates AS t
                JOIN unnest(\(pairs.map(\.key)), \(pairs.map(\.value))) AS n (id, count) ON n.id = t.id
                ORDER BY t.id
                FOR NO KEY UPDATE OF t
            )
            UPDATE templates AS t SET downloads = t.downloads + counted.count FROM counted WHERE t.id = counted.id
            """)
    }
}
