// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Logging
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore

/// Erases people: all that tells who somebody was goes, what others built on stays under a name that says nothing.
/// docs/privacy.md has the rules.
package struct Erasure: Sendable {
    /// What takes the place of files that nobody else has.
    private static let placeholder = "This file was erased with its author's account.\n"

    private let community: CommunityDependencies

    package init(community: CommunityDependencies) {
        self.community = community
    }

    private var database: PostgresClient { community.database }

    // MARK: - The wish

    /// Notes that the caller's account shall be erased when the grace is over; erases it now when there is none. The
    /// caller was asked to confirm, and is told by an e-mail how to take it back.
    package func schedule(by caller: Identity, templates: TemplatesAfterErasure) async throws -> ErasureStatus {
        let now = community.now()
        try caller.requireConfirmation(at: now)
        let date = now.addingTimeInterval(community.limits.erasureGraceSeconds)
        try await database.withTransaction { connection in
            guard let person = try await ErasureStore.lock(caller.userID, in: connection) else {
                throw APIError.authenticationRequired
            }
            try await refuseLastAdministrator(person, connection)
            try await ErasureStore.schedule(person.id, at: date, templates: templates, in: connection)
            try await Mail.enqueue(
                EmailMessage(
                    template: .erasureScheduled, to: person.id, values: ["day": DisplayTime(date, now: now).day]),
                in: connection, at: now)
        }
        if community.limits.erasureGraceSeconds == 0 { try await erase(caller.userID) }
        return ErasureStatus(eraseAt: date, templates: templates)
    }

    /// Takes the wish back; `false` when there was none.
    package func cancel(_ user: UserID) async throws -> Bool {
        try await database.withTransaction { try await ErasureStore.cancel(user, in: $0) }
    }

    /// The wish, when there is one.
    package func status(of user: UserID) async throws -> ErasureStatus? {
        try await ErasureStore.status(of: user, in: database)
    }

    // MARK: - Doing it

    /// Erases whoever's time is up, and what of the erased need stay no longer; one that cannot be is logged, and does
    /// not keep the others.
    package func eraseDue() async throws {
        for user in try await ErasureStore.due(at: community.now(), in: database) {
            do {
                try await erase(user, onlyIfDue: true)
            } catch is TakenBack {
                continue
            } catch {
                community.logger.error(
                    "cannot erase a person", metadata: ["user": "\(user)", "error": "\(String(reflecting: error))"])
            }
        }
        // What had to stay when they went.
        try await ErasureStore.clearNoticeTexts(in: database)
    }

    /// Erases the account `handle` now; throws `AccountError.noSuchUser`. For operators.
    package func erase(handle: String, templates: TemplatesAfterErasure) async throws {
        guard let user = try await AccountStore.user(handle: handle, in: database) else {
            throw AccountError.noSuchUser(handle)
        }
        try await erase(user.id, templates: templates)
    }

    /// Erases an account, in one transaction.
    private func erase(
        _ user: UserID, templates: TemplatesAfterErasure? = nil, onlyIfDue: Bool = false
    ) async throws {
        let placeholder = try await storePlaceholder()
        let now = community.now()
        try await database.withTransaction { connection in
            // The sweep must not take the placeholder between its storing and its row.
            try await StorageGarbageCollection.blockGarbageCollection(in: connection)
            // Submissions first: whoever decides on one locks it before its people.
            let unpublished = try await ErasureStore.withdrawSubmissions(of: user, at: now, in: connection)
            guard let person = try await ErasureStore.lock(user, in: connection) else { return }
            // Taken back meanwhile: nothing of this transaction stays.
            if onlyIfDue, person.eraseAt.map({ $0 > now }) ?? true { throw TakenBack() }
            try await refuseLastAdministrator(person, connection)
            try await ErasureStore.empty(unpublished, placeholder: placeholder, in: connection)
            let staying = try await ErasureStore.transferOwnership(of: user, in: connection)
            let choice = templates ?? person.templates ?? .leave
            if choice == .withdraw {
                for template in staying { try await ErasureStore.withdraw(template, in: connection) }
            }
            try await ErasureStore.removeRows(of: user, at: now, in: connection)
            let handle =
                AccountRules.erasedHandlePrefix + String(UUID().lowercaseText.replacing("-", with: "").prefix(12))
            try await AuditLog.erase(person: user, in: connection, at: now)
            try await ErasureStore.anonymize(person, as: handle, at: now, in: connection)
            try await ErasureStore.clearNoticeTexts(in: connection)
            try await AuditLog.append(
                connection, actor: .system, action: "user.erased", subject: "user:\(user)",
                details: ["templates": choice.rawValue], at: now)
        }
        community.catalog.catalogChanged()
        community.logger.notice("a person was erased", metadata: ["user": "\(user)"])
    }

    private struct TakenBack: Error {}

    private func refuseLastAdministrator(_ person: PersonToErase, _ connection: PostgresConnection) async throws {
        guard person.role == .administrator else { return }
        guard try await ErasureStore.hasOtherAdministrator(than: person.id, in: connection) else {
            throw APIError(
                .conflict, .conflict, "You are the only administrator. Give somebody else the role first.")
        }
    }

    private func storePlaceholder() async throws -> StoredObject {
        let writer = try await community.storage.makeWriter()
        do {
            try await writer.write(ByteBuffer(string: Self.placeholder))
            return try await writer.finish()
        } catch {
            await writer.abandon()
            throw error
        }
    }
}
