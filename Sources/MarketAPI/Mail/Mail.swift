// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres
import SheetCore

/// Which letter: the name of a file in `web/mail/LANGUAGE/`.
public struct MailTemplate: RawRepresentable, Hashable, Sendable {
    /// The file's name without `.mustache`.
    public let rawValue: String

    /// Any name; a letter whose template is missing is not sent, and the log says so.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Proves an address: carries a link.
    public static let verify = Self(rawValue: "verify")
    /// Sets a new password: carries a link.
    public static let reset = Self(rawValue: "reset")
    /// Somebody wants an address that has an account.
    public static let addressTaken = Self(rawValue: "address_taken")
    /// To the old address: the account has another now.
    public static let emailChanged = Self(rawValue: "email_changed")
    /// A sign-in from a browser or network not seen before: `device`, `network`, `time`.
    public static let signIn = Self(rawValue: "sign_in")
    /// The password is another now.
    public static let passwordChanged = Self(rawValue: "password_changed")
    /// The second factor: `on`, `off`, `codes` or `reset` says what became of it.
    public static let secondFactorChanged = Self(rawValue: "second_factor_changed")
    /// A recovery code was used up: `left` says how many are left.
    public static let recoveryCodeUsed = Self(rawValue: "recovery_code_used")
    /// A token was made: `token`, `scopes`.
    public static let tokenMade = Self(rawValue: "token_made")
    /// Somebody who held a token revoked it: `token`.
    public static let tokenRevoked = Self(rawValue: "token_revoked")
    /// A way to sign in: `provider`, and `change` says what became of it.
    public static let identityChanged = Self(rawValue: "identity_changed")
    /// The account will be erased: `day`.
    public static let erasureScheduled = Self(rawValue: "erasure_scheduled")
    /// A submission was decided: `sheet`, `version`, the state that it is in now, `message`, `address` (a path).
    public static let submissionDecided = Self(rawValue: "submission_decided")
    /// The checks refused a submission before a moderator saw it: `sheet`, `version`, `reasons`, `address`.
    public static let submissionRefused = Self(rawValue: "submission_refused")
    /// A small update was published at once: `sheet`, `version`, `address`.
    public static let submissionPublished = Self(rawValue: "submission_published")
    /// To whoever sent a copyright notice: it came in. `notice`, `sheet`; no word of the sender's, since nobody has proved
    /// that the address is theirs.
    public static let copyrightReceived = Self(rawValue: "copyright_received")
    /// Likewise: a moderator decided. `accepted` or `rejected`, `message`.
    public static let copyrightDecided = Self(rawValue: "copyright_decided")
    /// Likewise: the author objected. `received`, `restore_from`, `restore_by`, and what they said.
    public static let copyrightCountered = Self(rawValue: "copyright_countered")
    /// Likewise: it is over, or in court. `restored`, `withdrawn` or `suit_filed`.
    public static let copyrightClosed = Self(rawValue: "copyright_closed")
    /// To the author: the work was taken down, and how to object. `notice`, `sheet`, `claimant`, `work`.
    public static let copyrightTakenDown = Self(rawValue: "copyright_taken_down")
}

/// A letter to a person.
public struct MailMessage: Sendable {
    /// Which one.
    public var template: MailTemplate
    /// To whom.
    public var to: UserID
    /// What the template puts in. Plain words: line ends and other control characters are taken out.
    public var values: [String: String]

    /// All parts.
    public init(template: MailTemplate, to: UserID, values: [String: String] = [:]) {
        self.template = template
        self.to = to
        self.values = values
    }
}

/// Writes letters into the outbox; the workers bring them on their way.
public enum Mail {
    /// Enters a letter. Hand over the connection of the transaction in which happens what the letter tells of: both are
    /// there, or neither is. It goes to the account's address if that is verified, else nowhere.
    public static func enqueue(
        _ message: MailMessage, in database: some PostgresExecutor, at now: Date = Date()
    ) async throws {
        try await MailStore.insert(
            OutboxEntry(template: message.template, user: message.to, values: message.values), at: now, in: database)
    }

    /// Enters a letter with a link to an address that is to prove itself, or that takes a password's place.
    static func enqueueLink(
        _ template: MailTemplate, to user: UserID?, toAddress recipient: String? = nil, values: [String: String] = [:],
        in database: some PostgresExecutor, at now: Date
    ) async throws {
        try await MailStore.insert(
            OutboxEntry(template: template, user: user, recipient: recipient, values: values), at: now, in: database)
    }

    /// Enters a letter to an address that belongs to no account here. What it says must be the service's own words, or
    /// have passed a moderator: nobody has proved that the address is the asker's.
    static func enqueue(
        _ template: MailTemplate, toStranger address: String, language: String?, values: [String: String],
        in database: some PostgresExecutor, at now: Date
    ) async throws {
        var values = values
        values[languageKey] = language
        try await MailStore.insert(
            OutboxEntry(template: template, user: nil, recipient: address, values: values), at: now, in: database)
    }

    /// In which language a letter to a stranger is written.
    static let languageKey = "language"

    /// Enters a notice to an address that was the account's.
    static func enqueue(
        _ message: MailMessage, toFormer address: String, in database: some PostgresExecutor, at now: Date
    ) async throws {
        try await MailStore.insert(
            OutboxEntry(template: message.template, user: message.to, recipient: address, values: message.values),
            at: now, in: database)
    }
}
