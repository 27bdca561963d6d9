// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import Postgres
import SheetCore

/// Why a game system was not added.
package enum GameSystemError: Error, Sendable, Equatable {
    /// One value does not hold; the field and what would do.
    case invalid(field: String, detail: String)
    /// There is one of that slug.
    case slugTaken(String)
}

/// Adds games that sheets can be for.
package struct GameSystemService: Sendable {
    private static let longestName = 80
    private static let mostAliases = 20

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Adds a game system; returns its slug. Other names of it are found by the search, too. Throws `GameSystemError`.
    package func add(
        slug: String, name: String, publisher: String?, aliases: [String], by identity: Identity, requestID: String,
        and also: @escaping @Sendable (Slug, PostgresConnection) async throws -> Void = { _, _ in }
    ) async throws -> Slug {
        let name = name.cleanedLine()
        guard (1...Self.longestName).contains(name.count) else {
            throw GameSystemError.invalid(field: "name", detail: "1 to \(Self.longestName) characters.")
        }
        let wanted = slug.cleanedLine()
        guard let slug = wanted.isEmpty ? Slug(slugging: name) : Slug(wanted) else {
            throw GameSystemError.invalid(
                field: "slug", detail: "Lower-case letters, digits and single hyphens, such as 'blades-in-the-dark'.")
        }
        let aliases = aliases.map { $0.cleanedLine() }.filter { !$0.isEmpty }
        guard aliases.count <= Self.mostAliases, aliases.allSatisfy({ $0.count <= Self.longestName }) else {
            throw GameSystemError.invalid(
                field: "aliases", detail: "At most \(Self.mostAliases), of \(Self.longestName) characters each.")
        }
        let publisher = publisher.map { $0.cleanedLine() }.flatMap { $0.isEmpty ? nil : $0 }
        try await platform.database.withTransaction { connection in
            let isNew = try await GameSystemStore.insert(
                slug.text, name: name, publisher: publisher, aliases: aliases, in: connection)
            guard isNew else { throw GameSystemError.slugTaken(slug.text) }
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "game_system.added",
                subject: "game_system:\(slug.text)",
                details: ["name": name], requestID: requestID, at: platform.now())
            try await also(slug, connection)
        }
        return slug
    }
}
