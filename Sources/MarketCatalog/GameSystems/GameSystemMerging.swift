// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres

extension GameSystemService {
    /// What would move with a game. Throws `GameSystemError`.
    package func uses(of slug: String) async throws -> GameSystemUses {
        guard let uses = try await GameSystemStore.uses(of: slug, platform.database) else {
            throw GameSystemError.noSuchSystem
        }
        return uses
    }

    /// What a slug that is no game's any more leads to.
    package func present(of slug: String) async throws -> String? {
        try await FormerNameStore.presentGameSystem(slug, platform.database)
    }

    /// Gives everything of a game to another, which is found by its names from now on. Its slug leads to the other, in
    /// uploads and in addresses. Throws `GameSystemError`.
    package func merge(
        _ slug: String, into other: String, by identity: Identity, requestID: String
    ) async throws -> GameSystemMerge {
        guard slug != other else {
            throw GameSystemError.invalid(field: "into", detail: "Choose another game.")
        }
        return try await platform.database.withTransaction { connection in
            let games = try await GameSystemStore.lockedNames(of: [slug, other], connection)
            guard let former = games[slug] else { throw GameSystemError.noSuchSystem }
            guard let present = games[other] else {
                throw GameSystemError.invalid(field: "into", detail: "There is no game '\(other.prefix(64))'.")
            }
            let moved = try await GameSystemStore.move(slug, to: other, connection)
            try await FormerNameStore.add(gameSystem: slug, leadingTo: other, at: platform.now(), connection)
            try await GameSystemStore.delete(slug, connection)
            try await GameSystemStore.setAliases(of: other, to: present.aliases(taking: former), connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "game_system.merged", subject: "game_system:\(slug)",
                details: ["name": former.name, "into": other, "templates": "\(moved.templateCount)"],
                requestID: requestID, at: platform.now())
            return moved
        }
    }
}

extension GameSystemStore.Names {
    /// Its other names with those of another game, as many as there may be.
    fileprivate func aliases(taking other: Self) -> [String] {
        var known = Set([name.lowercased()])
        return (aliases + [other.name] + other.aliases).filter { known.insert($0.lowercased()).inserted }
            .prefix(GameSystemService.mostAliases).map { $0 }
    }
}
