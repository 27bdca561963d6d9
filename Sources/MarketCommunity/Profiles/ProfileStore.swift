// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// SQL of what people say of themselves.
package enum ProfileStore {
    /// A person as others may see them; `nil` for who shows neither sheets nor collections nor a profile.
    static func shown(_ handle: String, _ database: some PostgresExecutor) async throws -> Profile? {
        try await database.first(
            """
            SELECT u.handle, u.display_name, coalesce(p.bio, '') AS bio, coalesce(p.links, '{}') AS links,
                coalesce(p.colour, 0) AS colour, i.sha256, i.small_sha256
            FROM users AS u LEFT JOIN visible_profiles AS p ON p.user_id = u.id
            LEFT JOIN visible_profile_pictures AS i ON i.user_id = u.id
            WHERE u.handle = \(handle) AND u.disabled_at IS NULL AND (p.bio <> '' OR p.links <> '{}'
                OR i.sha256 IS NOT NULL
                OR EXISTS (SELECT FROM templates AS t WHERE t.owner_id = u.id AND t.latest_version_id IS NOT NULL)
                OR EXISTS (SELECT FROM visible_member_collections AS c WHERE c.owner_id = u.id AND c.is_listed))
            """, profile)
    }

    /// One's own, also one that nobody else sees.
    static func own(_ user: UserID, _ database: some PostgresExecutor) async throws -> Profile? {
        try await database.first(
            """
            SELECT u.handle, u.display_name, coalesce(p.bio, '') AS bio, coalesce(p.links, '{}') AS links,
                coalesce(p.colour, 0) AS colour, i.sha256, i.small_sha256
            FROM users AS u LEFT JOIN profiles AS p ON p.user_id = u.id
            LEFT JOIN profile_pictures AS i ON i.user_id = u.id WHERE u.id = \(user)
            """, profile)
    }

    /// Whether somebody's profile is there and nobody else sees it.
    static func isHidden(_ user: UserID, _ database: some PostgresExecutor) async throws -> Bool {
        try await database.scalar(
            """
            SELECT EXISTS (SELECT FROM profiles AS p WHERE p.user_id = \(user))
                AND NOT EXISTS (SELECT FROM visible_profiles AS p WHERE p.user_id = \(user))
            """)
    }

    static func put(
        _ profile: Profile, of user: UserID, at now: Date, _ database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            INSERT INTO profiles (user_id, bio, links, colour, updated_at)
            VALUES (\(user), \(profile.bio), \(profile.links), \(profile.colour), \(now))
            ON CONFLICT (user_id) DO UPDATE SET bio = excluded.bio, links = excluded.links, colour = excluded.colour,
                updated_at = excluded.updated_at
            """)
    }

    private static func profile(_ row: PostgresRow) throws -> Profile {
        Profile(
            handle: try row.get("handle"), displayName: try row.get("display_name"), bio: try row.get("bio"),
            links: try row.get("links"), colour: try row.get("colour"),
            pictureURL: try row.get("sha256", as: ContentHash?.self).map(Paths.picture),
            smallPictureURL: try row.get("small_sha256", as: ContentHash?.self).map(Paths.picture))
    }
}
