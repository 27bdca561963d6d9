// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketIngest
import MarketPlatform
import MarketWire
import ModerationService
import NIOCore
import Postgres
import SheetCore

/// Erases people: all that tells who somebody was goes, what others built on stays under a name that says nothing.
/// docs/privacy.md has the rules. Each module erases what is in its own tables, all in one transaction.
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
            guard let person = try await AccountErasure.lock(caller.userID, in: connection) else {
                throw ErasureError.noAccount
            }
            try await refuseLastAdministrator(person, connection)
            try await AccountErasure.schedule(person.id, at: date, templates: templates, in: connection)
            try await Mail.enqueue(
                EmailMessage(
                    template: .erasureScheduled, to: person.id,
                    values: ["day": DisplayTime(date, now: now).day.description]),
                in: connection)
        }
        if community.limits.erasureGraceSeconds == 0 { try await erase(caller.userID) }
        return ErasureStatus(eraseAt: date, templates: templates)
    }

    /// Takes the wish back; `false` when there was none.
    package func cancel(_ user: UserID) async throws -> Bool {
        try await database.withTransaction { try await AccountErasure.cancel(user, in: $0) }
    }

    /// The wish, when there is one.
    package func status(of user: UserID) async throws -> ErasureStatus? {
        try await AccountErasure.status(of: user, in: database)
    }

    // MARK: - Doing it

    /// Erases whoever's time is up, and what of the erased need stay no longer; one that cannot be is logged, and does
    /// not keep the others.
    package func eraseDue() async throws {
        for user in try await AccountErasure.due(at: community.now(), in: database) {
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
        try await CaseErasure.clearNoticeTexts(in: database)
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
            // The garbage collection must not take the placeholder between its storing and its row.
            try await StorageGarbageCollection.blockGarbageCollection(in: connection)
            // Submissions first: whoever decides on one locks it before its people.
            let unpublished = try await withdrawSubmissions(of: user, at: now, connection)
            guard let person = try await AccountErasure.lock(user, in: connection) else { return }
            // Taken back meanwhile: nothing of this transaction stays.
            if onlyIfDue, person.eraseAt.map({ $0 > now }) ?? true { throw TakenBack() }
            try await refuseLastAdministrator(person, connection)
            try await empty(unpublished, placeholder: placeholder, connection)
            let staying = try await TemplateErasure.transferOwnership(of: user, in: connection)
            let choice = templates ?? person.templates ?? .leave
            if choice == .withdraw {
                for template in staying { try await TemplateErasure.withdraw(template, in: connection) }
            }
            try await removeRows(of: user, at: now, connection)
            let handle =
                AccountRules.erasedHandlePrefix + String(UUID().lowercaseText.replacing("-", with: "").prefix(12))
            try await AuditLog.erase(person: user, in: connection, at: now)
            try await AccountErasure.anonymize(person.id, as: handle, at: now, in: connection)
            try await TemplateErasure.forgetNames(
                person.handle + " " + person.displayName, ofOwner: person.id, in: connection)
            try await CaseErasure.clearNoticeTexts(in: connection)
            try await AuditLog.append(
                connection, actor: .system, action: "user.erased", subject: "user:\(user)",
                details: ["templates": choice.rawValue], at: now)
        }
        community.catalog.catalogChanged()
        community.logger.notice("a person was erased", metadata: ["user": "\(user)"])
    }

    /// Undoes the transaction of an erasure whose wish was taken back meanwhile.
    private struct TakenBack: Error {}

    private func refuseLastAdministrator(_ person: PersonToErase, _ connection: PostgresConnection) async throws {
        guard person.role == .administrator else { return }
        guard try await AccountErasure.hasOtherAdministrator(than: person.id, in: connection) else {
            throw ErasureError.lastAdministrator
        }
    }

    /// Ends what is under way; answers the submissions that were never published. Locks jobs before cases before
    /// submissions, as everywhere.
    private func withdrawSubmissions(
        of user: UserID, at now: Date, _ connection: PostgresConnection
    ) async throws -> [SubmissionID] {
        let unpublished = try await SubmissionErasure.unpublished(of: user, in: connection)
        for id in unpublished {
            try await JobQueue.cancel(subject: id.rawValue, in: connection)
            try await CaseLifecycle.close(connection, submission: id, at: now)
        }
        try await SubmissionErasure.withdraw(unpublished, at: now, in: connection)
        return unpublished
    }

    /// Empties submissions of what was in them; their file becomes `placeholder`.
    private func empty(
        _ submissions: [SubmissionID], placeholder: StoredObject, _ connection: PostgresConnection
    ) async throws {
        let files = try await SubmissionErasure.files(of: submissions, in: connection)
        try await SubmissionErasure.deletePages(of: submissions, in: connection)
        try await CaseErasure.deleteAssessments(of: submissions, in: connection)
        try await TemplateErasure.insertPlaceholder(placeholder, in: connection)
        try await SubmissionErasure.empty(submissions, placeholder: placeholder, in: connection)
        try await TemplateErasure.emptyUnpublished(of: submissions, in: connection)
        try await TemplateErasure.deleteArtifacts(files.filter { $0 != placeholder.hash }, in: connection)
    }

    /// Deletes rows that belong to the person alone, and the person's share of rows that others own.
    private func removeRows(of user: UserID, at now: Date, _ connection: PostgresConnection) async throws {
        // Not with the other rows: its bytes go, too.
        try await ProfilePictureStore.delete(of: user, connection)
        try await ErasureStore.deleteOwnRows(of: user, in: connection)
        try await TemplateErasure.leaveTemplates(user, at: now, in: connection)
        try await CaseErasure.emptyTexts(of: user, in: connection)
        try await AccountErasure.deleteFailures(of: user, in: connection)
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
