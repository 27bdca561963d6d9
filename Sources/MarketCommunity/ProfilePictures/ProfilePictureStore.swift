// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import Postgres
import SheetCore

/// SQL of people's pictures.
enum ProfilePictureStore {
    /// A picture in both sizes.
    struct Stored: Sendable {
        var large: ContentHash
        var small: ContentHash

        var hashes: [ContentHash] { [large, small] }
    }

    static func own(_ user: UserID, _ database: some PostgresExecutor) async throws -> Stored? {
        try await database.first("SELECT sha256, small_sha256 FROM profile_pictures WHERE user_id = \(user)") {
            Stored(large: try $0.get(0), small: try $0.get(1))
        }
    }

    /// Whether others may see a picture, of whomever it is.
    static func isVisible(_ hash: ContentHash, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.scalar(
            """
            SELECT EXISTS (SELECT FROM visible_profile_pictures WHERE sha256 = \(hash) OR small_sha256 = \(hash))
            """)
    }

    /// Whether it is somebody's at all.
    static func exists(_ hash: ContentHash, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.scalar(
            "SELECT EXISTS (SELECT FROM profile_pictures WHERE sha256 = \(hash) OR small_sha256 = \(hash))")
    }

    /// Puts a picture, whose objects are stored, in the place of what was there. It is a part of the profile, which
    /// begins with it if need be.
    static func put(
        _ pictures: [StoredObject], of user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws {
        let former = try await own(user, connection)
        for picture in pictures.sorted(by: { $0.hash.hex < $1.hash.hex }) {
            try await ArtifactStore.insert(picture, mediaType: "image/webp", in: connection)
        }
        try await connection.execute(
            """
            INSERT INTO profiles (user_id, updated_at) VALUES (\(user), \(now))
            ON CONFLICT (user_id) DO UPDATE SET updated_at = excluded.updated_at
            """)
        try await connection.execute(
            """
            INSERT INTO profile_pictures (user_id, sha256, small_sha256, updated_at)
            VALUES (\(user), \(pictures[0].hash), \(pictures[1].hash), \(now))
            ON CONFLICT (user_id) DO UPDATE SET sha256 = excluded.sha256, small_sha256 = excluded.small_sha256,
                updated_at = excluded.updated_at
            """)
        try await release(former, connection)
    }

    /// `false` where there was none.
    @discardableResult
    static func delete(of user: UserID, _ connection: PostgresConnection) async throws -> Bool {
        guard let former = try await own(user, connection) else { return false }
        try await connection.execute("DELETE FROM profile_pictures WHERE user_id = \(user)")
        try await release(former, connection)
        return true
    }

    /// Lets the garbage collection have what nobody names any more.
    private static func release(_ former: Stored?, _ connection: PostgresConnection) async throws {
        for hash in former?.hashes ?? [] { try await connection.execute("SELECT delete_artifact(\(hash))") }
    }
}
