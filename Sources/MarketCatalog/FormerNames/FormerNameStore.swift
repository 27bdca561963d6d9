// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// SQL of what games and tags were called before.
enum FormerNameStore {
    static func all(_ database: some PostgresExecutor) async throws -> FormerNames {
        let lines = try await database.all(
            """
            SELECT true, slug, game_system FROM merged_game_systems
            UNION ALL SELECT false, tag, present FROM former_tags
            """
        ) { row -> (isGame: Bool, former: String, present: String) in
            (try row.get(0), try row.get(1), try row.get(2))
        }
        return lines.reduce(into: FormerNames()) { names, line in
            if line.isGame {
                names.gameSystems[line.former] = line.present
            } else {
                names.tags[line.former] = line.present
            }
        }
    }

    /// The slug of a game, or of the one that it was merged into; `nil` where there is none.
    static func presentGameSystem(_ slug: String, _ database: some PostgresExecutor) async throws -> String? {
        try await database.first(
            """
            SELECT slug FROM game_systems WHERE slug = \(slug)
            UNION ALL SELECT game_system FROM merged_game_systems WHERE slug = \(slug)
            """
        ) { try $0.get(0) }
    }

    /// Waits for whoever is renaming a tag.
    static func presentTags(_ tags: [String], _ database: some PostgresExecutor) async throws -> [String] {
        try await database.one("SELECT present_tags(\(tags)::text[])") { try $0.get(0) }
    }

    // MARK: - Games

    static func add(gameSystem slug: String, leadingTo present: String, at now: Date, _ connection: PostgresConnection)
        async throws
    {
        try await connection.execute(
            "UPDATE merged_game_systems SET game_system = \(present) WHERE game_system = \(slug)")
        try await connection.execute(
            "INSERT INTO merged_game_systems (slug, game_system, merged_at) VALUES (\(slug), \(present), \(now))")
    }

    // MARK: - Tags

    /// What a tag that nothing has any more leads to.
    static func present(tag: String, _ database: some PostgresExecutor) async throws -> String? {
        try await database.first("SELECT present FROM former_tags WHERE tag = \(tag)") { try $0.get(0) }
    }

    /// What a tag was called before.
    static func formerNames(of tag: String, _ database: some PostgresExecutor) async throws -> [String] {
        try await database.all("SELECT tag FROM former_tags WHERE present = \(tag) ORDER BY tag") { try $0.get(0) }
    }

    static func add(tag: String, leadingTo present: String, at now: Date, _ connection: PostgresConnection) async throws
    {
        try await connection.execute("DELETE FROM former_tags WHERE tag = \(present)")
        try await connection.execute("UPDATE former_tags SET present = \(present) WHERE present = \(tag)")
        try await connection.execute(
            "INSERT INTO former_tags (tag, present, renamed_at) VALUES (\(tag), \(present), \(now))")
    }

    /// A tag that is taken off leaves nothing for its former names to lead to.
    static func remove(leadingTo tag: String, _ connection: PostgresConnection) async throws {
        try await connection.execute("DELETE FROM former_tags WHERE present = \(tag)")
    }
}
