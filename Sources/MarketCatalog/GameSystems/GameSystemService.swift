// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import Postgres
import SheetCore

/// Why a game system was not added or changed.
package enum GameSystemError: Error, Sendable, Equatable {
    /// One value does not hold; the field and what would do.
    case invalid(field: String, detail: String)
    /// There is one of that slug.
    case slugTaken(String)
    case noSuchSystem
}

/// What is said of a game system, checked.
private struct GameSystemWords {
    private static let longestName = 80

    let name: String
    let publisher: String?
    let aliases: [String]

    init(name: String, publisher: String?, aliases: [String]) throws(GameSystemError) {
        let name = name.cleanedLine()
        guard (1...Self.longestName).contains(name.count) else {
            throw .invalid(field: "name", detail: "1 to \(Self.longestName) characters.")
        }
        let aliases = aliases.map { $0.cleanedLine() }.filter { !$0.isEmpty }
        guard aliases.count <= GameSystemService.mostAliases, aliases.allSatisfy({ $0.count <= Self.longestName })
        else {
            throw .invalid(
                field: "aliases",
                detail: "At most \(GameSystemService.mostAliases), of \(Self.longestName) characters each.")
        }
        let publisher = publisher?.cleanedLine() ?? ""
        guard publisher.count <= Self.longestName else {
            throw .invalid(field: "publisher", detail: "At most \(Self.longestName) characters.")
        }
        self.name = name
        self.publisher = publisher.isEmpty ? nil : publisher
        self.aliases = aliases
    }
}

/// Adds games that sheets can be for, and changes what is said of them.
package struct GameSystemService: Sendable {
    /// Most other names of a game.
    static let mostAliases = 20

    let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    /// Adds a game system; returns its slug. Other names of it are found by the search, too. Throws `GameSystemError`.
    package func add(
        slug: String, name: String, publisher: String?, aliases: [String], by identity: Identity, requestID: String,
        and also: @escaping @Sendable (Slug, PostgresConnection) async throws -> Void = { _, _ in }
    ) async throws -> Slug {
        let words = try GameSystemWords(name: name, publisher: publisher, aliases: aliases)
        let wanted = slug.cleanedLine()
        guard let slug = wanted.isEmpty ? Slug(slugging: words.name) : Slug(wanted) else {
            throw GameSystemError.invalid(
                field: "slug", detail: "Lower-case letters, digits and single hyphens, such as 'blades-in-the-dark'.")
        }
        try await platform.database.withTransaction { connection in
            let isNew = try await GameSystemStore.insert(
                slug.text, name: words.name, publisher: words.publisher, aliases: words.aliases, in: connection)
            guard isNew else { throw GameSystemError.slugTaken(slug.text) }
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "game_system.added",
                subject: "game_system:\(slug.text)",
                details: ["name": words.name], requestID: requestID, at: platform.now())
            try await also(slug, connection)
        }
        return slug
    }

    /// Changes what is said of a game system; its slug stays, since sheets and links name it. Sheets are found by its
    /// new names once the periodic service has brought them into the search. Throws `GameSystemError`.
    package func edit(
        _ slug: String, name: String, publisher: String?, aliases: [String], by identity: Identity, requestID: String
    ) async throws {
        let words = try GameSystemWords(name: name, publisher: publisher, aliases: aliases)
        try await platform.database.withTransaction { connection in
            guard let earlier = try await GameSystemStore.lockedName(of: slug, connection) else {
                throw GameSystemError.noSuchSystem
            }
            if try await GameSystemStore.isAnothers(words.name, than: slug, connection) {
                throw GameSystemError.invalid(field: "name", detail: "Another game has this name.")
            }
            try await GameSystemStore.update(
                slug, name: words.name, publisher: words.publisher, aliases: words.aliases, connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "game_system.edited", subject: "game_system:\(slug)",
                details: ["name": words.name, "earlier": earlier], requestID: requestID, at: platform.now())
        }
    }
}
