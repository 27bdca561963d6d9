// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketWire
import Moderation
import Postgres
import SheetCore

/// Who does what the audit log records.
package struct AuditActor: Sendable, Equatable {
    /// The account; `nil` for the service and its operator.
    package let id: UserID?
    /// Its handle now.
    package let name: String
    /// The token that was used, if one was.
    package let token: TokenID?

    /// The service itself.
    package static let system = AuditActor(id: nil, name: "system", token: nil)
    /// Whoever runs `sheetmarket admin` on the machine.
    package static let operatorCommand = AuditActor(id: nil, name: "operator", token: nil)

    private init(id: UserID?, name: String, token: TokenID?) {
        self.id = id
        self.name = name
        self.token = token
    }

    /// An account, where it is not known with what it called.
    package init(_ user: UserRecord) {
        self.init(id: user.id, name: user.handle, token: nil)
    }

    /// A caller of the API.
    package init(_ identity: Identity) {
        id = identity.userID
        name = identity.handle
        if case .token(let token) = identity.credential { self.token = token } else { token = nil }
    }
}

/// The record of what moderators and administrators did, each entry hashed over the one before.
package enum AuditLog {
    /// Adds an entry in the caller's transaction (read committed: the entry before is read after the lock is had).
    /// Writers wait for each other from here to their commits, so append last. `reason` is the actor's own words.
    @discardableResult
    package static func append(
        _ connection: PostgresConnection, actor: AuditActor, action: String, subject: String, reason: String? = nil,
        details: [String: String] = [:], requestID: String? = nil, at now: Date = Date()
    ) async throws -> AuditRecord {
        try await AuditStore.lock(connection)
        let text = String(decoding: try WireJSON.encoder().encode(details), as: UTF8.self)
        let record = AuditRecord(
            following: try await AuditStore.head(connection), at: wholeMilliseconds(now), actorID: actor.id,
            actor: actor.name, action: action, subject: subject, reason: reason, details: text, tokenID: actor.token,
            requestID: requestID)
        try await AuditStore.insert(record, connection)
        return record
    }

    /// Takes a person out of the log without breaking its chain: their name where they acted, and reasons and details
    /// where those are about them or name them. An entry tells which entries lost what. Do this while the account still
    /// has its handle and address. Entries of format 1, of before there was erasing, keep the actor's name.
    package static func erase(
        person: UserID, in connection: PostgresConnection, at now: Date = Date()
    ) async throws {
        guard let user = try await AccountStore.user(id: person, in: connection) else { return }
        try await AuditStore.lock(connection)
        // An address that was only claimed may be somebody else's, who wants to stay in the log.
        let email = user.emailVerifiedAt == nil ? nil : user.email
        let lost = try await AuditStore.erase(person, handle: user.handle, email: email, connection)
        guard !lost.isEmpty else { return }
        let details = [
            "actors": AuditRanges.text(lost.filter { $0.actor }.map { $0.sequence }),
            "words": AuditRanges.text(lost.filter { $0.words }.map { $0.sequence }),
        ]
        try await append(
            connection, actor: .system, action: AuditVerifier.erasure, subject: "user:\(person)",
            details: details.filter { !$0.value.isEmpty }, at: now)
    }

    /// Entries with a lower number than `sequence`, newest first.
    package static func entries(
        before sequence: Int64?, limit: Int, in database: some PostgresExecutor
    ) async throws -> [AuditRecord] {
        try await AuditStore.entries(before: sequence, limit: limit, database)
    }

    /// Whether something was ever done to a subject; reads the whole log.
    package static func hasEntry(
        action: String, subject: String, in database: some PostgresExecutor
    ) async throws -> Bool {
        try await AuditStore.hasEntry(action: action, subject: subject, database)
    }

    /// Checks the whole log with its signed checkpoints, some entries at a time; throws `AuditViolation` at the first
    /// that is wrong. `kept` are checkpoints that were copied elsewhere: they show that end and checkpoints were cut
    /// off together.
    @discardableResult
    package static func verify(
        _ database: PostgresClient, keys: AuditKeys? = nil, kept: [AuditCheckpoint] = []
    ) async throws -> AuditVerifier {
        let stored = try await AuditStore.checkpoints(database)
        var verifier = try AuditVerifier(checkpoints: Array(Set(stored + kept)), keys: keys)
        try await forEach(in: database) { try verifier.check($0) }
        try verifier.finish()
        return verifier
    }

    /// Hands over every entry up to that one, oldest first.
    package static func forEach(
        in database: PostgresClient, until end: Int64 = .max, _ body: (AuditRecord) async throws -> Void
    ) async throws {
        var last: Int64 = .min
        while true {
            let batch = try await AuditStore.entries(after: last, limit: 1000, database)
            guard let newest = batch.last else { return }
            for record in batch where record.sequence <= end { try await body(record) }
            if newest.sequence >= end { return }
            last = newest.sequence
        }
    }

    private static func wholeMilliseconds(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)
    }
}
