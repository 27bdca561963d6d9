// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Games that people miss in the list: they propose one, a moderator adds or declines it, and they are told.
package struct GameProposalService: Sendable {
    package static let maximumNameLength = 80
    package static let maximumReasonLength = 500
    /// Open proposals of a person.
    static let maximumOpen = 5
    private static let shown = 100
    private static let ownShown = 20

    private let platform: Platform

    package init(platform: Platform) {
        self.platform = platform
    }

    private var database: PostgresClient { platform.database }

    /// Those that wait, the oldest first.
    package func open() async throws -> [GameProposal] {
        try await GameProposalStore.open(limit: Self.shown, database)
    }

    /// One that waits; `nil` when there is none.
    package func open(_ id: GameProposalID) async throws -> GameProposal? {
        try await GameProposalStore.open(id, database)
    }

    /// The newest of a person's own.
    package func own(_ user: UserID) async throws -> [GameProposal] {
        try await GameProposalStore.own(user, limit: Self.ownShown, database)
    }

    package func propose(name: String, publisher: String, link: String, by user: UserID) async throws {
        let (name, publisher, link) = (name.cleanedLine(), publisher.cleanedLine(), link.cleanedLine())
        var problems: [ProblemDocument.Detail] = []
        if !(1...Self.maximumNameLength).contains(name.unicodeScalars.count) {
            problems.append(.init(pointer: "/name", detail: "1 to \(Self.maximumNameLength) characters."))
        }
        if publisher.unicodeScalars.count > Self.maximumNameLength {
            problems.append(.init(pointer: "/publisher", detail: "At most \(Self.maximumNameLength) characters."))
        }
        if !link.isEmpty, !ProfileService.isLink(link) {
            let detail = "A whole address that begins with https://, such as https://example.org/game."
            problems.append(.init(pointer: "/link", detail: detail))
        }
        if let known = try await GameProposalStore.known(name, database) {
            problems.append(.init(pointer: "/name", detail: "“\(known)” is in the list already."))
        }
        guard problems.isEmpty else { throw GameProposalError.invalid(problems) }
        let now = platform.now()
        let proposal = GameProposal(
            id: .make(at: now), proposer: user, handle: "", name: name, publisher: publisher, link: link,
            state: .open, gameSystem: nil, reason: "", createdAt: now)
        try await database.withTransaction { connection in
            _ = try await AccountStore.lock(user, in: connection)
            guard try await GameProposalStore.insert(proposal, connection) else {
                throw GameProposalError.invalid([
                    .init(pointer: "/name", detail: "Somebody has proposed it already. A moderator will look at it.")
                ])
            }
            guard try await GameProposalStore.openCount(of: user, connection) <= Self.maximumOpen else {
                throw GameProposalError.tooMany(maximum: Self.maximumOpen)
            }
        }
    }

    /// Notes that the game was added, under this slug, and tells the proposer, in the transaction that adds it. Nothing
    /// happens where it is decided.
    package func added(_ id: GameProposalID, as slug: String, in connection: PostgresConnection) async throws {
        guard let proposal = try await GameProposalStore.lock(id, connection) else { return }
        let now = platform.now()
        try await GameProposalStore.decide(id, .added, gameSystem: slug, at: now, connection)
        let values = ["game": proposal.name, "added": "yes", "address": "/upload?gameSystem=\(slug)"]
        try await tell(proposal, values, connection)
    }

    /// Declines it with a reason that the proposer is told.
    package func decline(
        _ id: GameProposalID, reason: String, by identity: Identity, requestID: String
    ) async throws {
        let reason = reason.cleanedLine()
        guard (1...Self.maximumReasonLength).contains(reason.unicodeScalars.count) else {
            throw GameProposalError.invalid([
                .init(pointer: "/reason", detail: "1 to \(Self.maximumReasonLength) characters.")
            ])
        }
        let now = platform.now()
        try await database.withTransaction { connection in
            guard let proposal = try await GameProposalStore.lock(id, connection) else {
                throw GameProposalError.noSuchProposal
            }
            try await GameProposalStore.decide(id, .declined, reason: reason, at: now, connection)
            try await AuditLog.append(
                connection, actor: AuditActor(identity), action: "game_proposal.declined",
                subject: "game_proposal:\(id)", details: ["reason": reason], requestID: requestID, at: now)
            try await tell(proposal, ["game": proposal.name, "reason": reason], connection)
        }
    }

    private func tell(
        _ proposal: GameProposal, _ values: [String: String], _ connection: PostgresConnection
    ) async throws {
        try await Mail.enqueue(
            EmailMessage(template: .gameProposalDecided, to: proposal.proposer, values: values), in: connection)
    }
}

extension EmailTemplate {
    /// What became of a proposed game: `game`, and `added` with `address` (a path), or `reason`.
    static let gameProposalDecided = Self(rawValue: "game_proposal_decided")
}
