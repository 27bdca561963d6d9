// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// Writes e-mails into the outbox; the workers bring them on their way.
package enum Mail {
    /// Enters an e-mail. Hand over the connection of the transaction in which happens what the e-mail tells of: both
    /// are there, or neither is. It goes to the account's address if that is verified, else nowhere.
    package static func enqueue(
        _ message: EmailMessage, in database: some PostgresExecutor
    ) async throws {
        try await MailStore.insert(
            OutboxEntry(template: message.template, user: message.to, values: message.values), in: database)
    }

    /// Enters an e-mail with a link to an address that is to prove itself, or that takes a password's place.
    static func enqueueLink(
        _ template: EmailTemplate, to user: UserID?, toAddress recipient: String? = nil, values: [String: String] = [:],
        in database: some PostgresExecutor
    ) async throws {
        try await MailStore.insert(
            OutboxEntry(template: template, user: user, recipient: recipient, values: values), in: database)
    }

    /// Enters an e-mail to an address that belongs to no account here. What it says must be the service's own words, or
    /// have passed a moderator: nobody has proved that the address is the asker's.
    package static func enqueue(
        _ template: EmailTemplate, toStranger address: String, language: String?, values: [String: String],
        in database: some PostgresExecutor
    ) async throws {
        var values = values
        values[languageKey] = language
        try await MailStore.insert(
            OutboxEntry(template: template, user: nil, recipient: address, values: values), in: database)
    }

    /// In which language an e-mail to a stranger is written.
    static let languageKey = "language"

    /// Enters a notice to an address that was the account's.
    package static func enqueue(
        _ message: EmailMessage, toFormer address: String, in database: some PostgresExecutor
    ) async throws {
        try await MailStore.insert(
            OutboxEntry(template: message.template, user: message.to, recipient: address, values: message.values),
            in: database)
    }
}
