// SPDX-License-Identifier: Apache-2.0
import Postgres

/// What a market keeps, for those who run it.
package enum StorageStore {
    /// Files of one kind.
    package struct Kind: Sendable {
        package var mediaType: String
        package var files: Int
        package var bytes: Int
    }

    /// The files by kind, those that take most first.
    package static func kinds(in database: some PostgresExecutor) async throws -> [Kind] {
        try await database.all(
            """
            SELECT media_type, count(*) AS files, sum(size_bytes)::bigint AS bytes FROM artifacts
            GROUP BY media_type ORDER BY bytes DESC, media_type
            """
        ) { row in
            Kind(mediaType: try row.get("media_type"), files: try row.get("files"), bytes: try row.get("bytes"))
        }
    }

    /// What the database takes, with its indexes.
    package static func databaseBytes(_ database: some PostgresExecutor) async throws -> Int {
        try await database.scalar("SELECT pg_database_size(current_database())")
    }
}
