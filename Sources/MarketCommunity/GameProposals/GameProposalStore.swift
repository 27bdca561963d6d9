// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// Somebody's wish that a game be added to the list.
package struct GameProposal: Sendable {
    package enum State: String, Sendable {
        case open, added, declined
    }

    package var id: GameProposalID
    package var proposer: UserID
    /// The proposer's handle.
    package var handle: String
    package var name: String
    package var publisher: String
    /// Where the game is to be found; empty where that is not said.
    package var link: String
    package var state: State
    /// The slug that it was added under.
    package var gameSystem: String?
    /// Why it was declined.
    package var reason: String
    package var createdAt: Date
}

/// SQL of proposed games.
enum GameProposalStore {
    static func open(limit: Int, _ database: some PostgresExecutor) async throws -> [GameProposal] {
        try await proposals("p.state = 'open' ORDER BY p.created_at, p.id LIMIT \(literal: limit)", database)
    }

    /// The newest of a person's.
    static func own(_ user: UserID, limit: Int, _ database: some PostgresExecutor) async throws -> [GameProposal] {
        try await proposals(
            "p.proposer_id = \(user) ORDER BY p.created_at DESC, p.id DESC LIMIT \(literal: limit)", database)
    }

    /// One that is open; under lock within a transaction.
    static func lock(_ id: GameProposalID, _ connection: PostgresConnection) async throws -> GameProposal? {
        try await proposals("p.id = \(id) AND p.state = 'open' FOR UPDATE OF p", connection).first
    }

    static func open(_ id: GameProposalID, _ database: some PostgresExecutor) async throws -> GameProposal? {
        try await proposals("p.id = \(id) AND p.state = 'open'", database).first
    }

    private static func proposals(
        _ condition: PostgresQuery, _ database: some PostgresExecutor
    ) async throws -> [GameProposal] {
        try await database.all(
            """
            SELECT p.id, p.proposer_id, u.handle, p.name, p.publisher, p.link, p.state, p.game_system, p.reason,
                p.created_at
            FROM game_proposals AS p JOIN users AS u ON u.id = p.proposer_id
            WHERE \(fragment: condition)
            """
        ) { row in
            GameProposal(
                id: try row.get("id"), proposer: try row.get("proposer_id"), handle: try row.get("handle"),
                name: try row.get("name"), publisher: try row.get("publisher"), link: try row.get("link"),
                state: GameProposal.State(rawValue: try row.get("state")) ?? .declined,
                gameSystem: try row.get("game_system"), reason: try row.get("reason"),
                createdAt: try row.get("created_at"))
        }
    }

    /// `false` when a game of that name is proposed already.
    static func insert(_ proposal: GameProposal, _ connection: PostgresConnection) async throws -> Bool {
        try await connection.execute(
            """
            INSERT INTO game_proposals (id, proposer_id, name, publisher, link, created_at)
            VALUES (\(proposal.id), \(proposal.proposer), \(proposal.name), \(proposal.publisher), \(proposal.link),
                \(proposal.createdAt))
            ON CONFLICT (lower(name)) WHERE state = 'open' DO NOTHING
            """) > 0
    }

    static func openCount(of user: UserID, _ connection: PostgresConnection) async throws -> Int {
        try await connection.scalar(
            "SELECT count(*) FROM game_proposals WHERE proposer_id = \(user) AND state = 'open'")
    }

    /// The game of the list that is called so, by its name or another of its names.
    static func known(_ name: String, _ database: some PostgresExecutor) async throws -> String? {
        try await database.first(
            """
            SELECT g.name FROM game_systems AS g WHERE lower(g.name) = lower(\(name))
                OR EXISTS (SELECT FROM unnest(g.aliases) AS a WHERE lower(a) = lower(\(name)))
            LIMIT 1
            """
        ) { try $0.get(0) }
    }

    static func decide(
        _ id: GameProposalID, _ state: GameProposal.State, gameSystem: String? = nil, reason: String = "",
        at now: Date, _ connection: PostgresConnection
    ) async throws {
        try await connection.execute(
            """
            UPDATE game_proposals SET state = \(state.rawValue), game_system = \(gameSystem), reason = \(reason),
                decided_at = \(now)
            WHERE id = \(id)
            """)
    }
}
