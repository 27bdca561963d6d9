// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

// Passwords and addresses, and the e-mails that prove or replace them.
extension AccountService {
    /// E-mails that one may ask for in a quarter of an hour, by account; five times as many by network address.
    static let emailAttempts = SignInAttempts(limit: 3)

    // MARK: The password

    /// Sets another password; signs all other browsers out and tells the holder. The caller was asked to confirm.
    package func changePassword(of identity: Identity, to password: String) async throws {
        let session = try identity.requireConfirmation(at: accounts.now())
        guard let user = try await AccountStore.user(id: identity.userID, in: database) else {
            throw AccountError.wrongCredentials
        }
        try await setPassword(password, of: user) { connection, hash in
            try await Self.replacePassword(
                with: hash, of: user.id, keeping: session, in: connection)
        }
    }

    /// Asks for an e-mail with a link that sets a new password. Does the same work and gives no sign, whether there is
    /// such an account or not: that is looked up when the e-mail is written. Throws `AccountError.tooManyEmails`.
    package func requestReset(login: String, address: String) async throws {
        let now = accounts.now()
        try await database.withTransaction { connection in
            try await countEmail(.init(emailRequestFor: login, address: address, at: now), in: connection)
            try await Mail.enqueueLink(
                .reset, to: nil, values: ["login": String(login.prefix(254))], in: connection)
        }
    }

    /// Whether the link would set a password; looking does not use it up.
    package func resetHolds(token: String) async throws -> Bool {
        guard let secret = SessionSecret(token) else { return false }
        return try await MailLinkStore.link(secret, for: .reset, at: accounts.now(), in: database) != nil
    }

    /// Sets the password by an e-mail's link: it works once, all browsers are signed out, and the address is proved by
    /// the way: then tokens, identities and webhooks of before go, too, since somebody else may have made the account.
    /// A second factor stays. Throws `AccountError.invalidLink`.
    package func reset(token: String, to password: String) async throws {
        guard let secret = SessionSecret(token),
            let link = try await MailLinkStore.link(secret, for: .reset, at: accounts.now(), in: database),
            let user = try await AccountStore.user(id: link.user, in: database)
        else { throw AccountError.invalidLink }
        // A password that will not do leaves the link as it is.
        let validationErrors = AccountRules.passwordErrors(password, handle: user.handle, email: user.email)
        guard validationErrors.isEmpty else { throw AccountError.invalid(validationErrors) }
        let hash = try await newHash(of: password)
        try await database.withTransaction { connection in
            let now = accounts.now()
            guard let link = try await MailLinkStore.consume(secret, for: .reset, at: now, in: connection),
                let user = try await AccountStore.user(id: link.user, in: connection), user.disabledAt == nil,
                // Whoever reads e-mails to an address that was the account's once has no part in it any more.
                user.email?.lowercased() == link.email.lowercased()
            else { throw AccountError.invalidLink }
            if user.emailVerifiedAt == nil {
                // Another account may have verified the address since the e-mail was sent.
                guard try await AccountStore.user(provedEmail: link.email, in: connection) == nil else {
                    throw AccountError.invalidLink
                }
                _ = try await AccountStore.setVerifiedEmail(link.email, of: user.id, at: now, in: connection)
                try await MailLinkStore.deleteLinks(address: link.email, in: connection)
                try await removeUnverifiedAccess(of: user.id, at: now, in: connection)
            }
            try await Self.replacePassword(with: hash, of: user.id, keeping: nil, in: connection)
            try await Mail.enqueue(
                EmailMessage(template: .passwordChanged, to: user.id), in: connection)
        }
    }

    /// Takes from an account whatever was let in before its address was proved: whoever made it may not be who proved
    /// it.
    private func removeUnverifiedAccess(of user: UserID, at now: Date, in connection: PostgresConnection) async throws {
        try await CredentialStore.revokeTokens(of: user, at: now, in: connection)
        try await SignInStore.deleteIdentities(of: user, in: connection)
        try await accounts.unverifiedAccessRemoved(user, connection)
    }

    private func setPassword(
        _ password: String, of user: UserRecord,
        _ store: @Sendable (PostgresConnection, String) async throws -> Void
    ) async throws {
        let validationErrors = AccountRules.passwordErrors(password, handle: user.handle, email: user.email)
        guard validationErrors.isEmpty else { throw AccountError.invalid(validationErrors) }
        let hash = try await newHash(of: password)
        try await database.withTransaction { connection in
            try await store(connection, hash)
            try await Mail.enqueue(
                EmailMessage(template: .passwordChanged, to: user.id), in: connection)
        }
    }

    /// Stores another password and ends all sessions but `kept`, begun sign-ins, and every link that could set another
    /// password or another address.
    private static func replacePassword(
        with hash: String, of id: UserID, keeping kept: SessionID?, in connection: PostgresConnection
    ) async throws {
        try await AccountStore.setPasswordHash(hash, of: id, in: connection)
        try await SessionStore.deleteAll(of: id, but: kept, in: connection)
        try await MailLinkStore.revokeCredentialLinks(of: id, in: connection)
        try await SecondFactorStore.deleteTickets(of: id, in: connection)
    }

    // MARK: The address

    /// Sends a link to another address, which becomes the account's when it is opened. The answer is the same when the
    /// address is somebody's. Throws `AccountError`.
    package func changeEmail(of identity: Identity, to email: String, address: String) async throws {
        let now = accounts.now()
        try identity.requireConfirmation(at: now)
        guard AccountRules.isUsableEmail(email) else {
            throw AccountError.invalid([
                .init(pointer: "/email", detail: "An e-mail address such as ada@example.org.")
            ])
        }
        try await database.withTransaction { connection in
            try await countEmail(
                .init(emailRequestFor: identity.userID.description, address: address, at: now), in: connection)
            try await Mail.enqueueLink(.verify, to: identity.userID, toAddress: email, in: connection)
        }
    }

    /// Sends the link for the account's present address once more. Throws `AccountError`.
    package func resendVerification(to identity: Identity, address: String) async throws {
        guard let user = try await AccountStore.user(id: identity.userID, in: database),
            user.deliverableEmail != nil, user.emailVerifiedAt == nil
        else { throw AccountError.nothingToVerify }
        let now = accounts.now()
        try await database.withTransaction { connection in
            try await countEmail(.init(emailRequestFor: user.id.description, address: address, at: now), in: connection)
            try await Mail.enqueueLink(.verify, to: user.id, in: connection)
        }
    }

    /// Takes an address for proved by an e-mail's link, and makes it the account's; the one before is told. Throws
    /// `AccountError.invalidLink` or `.emailTaken`.
    package func verifyEmail(token: String) async throws {
        guard let secret = SessionSecret(token) else { throw AccountError.invalidLink }
        try await database.withTransaction { connection in
            let now = accounts.now()
            guard let link = try await MailLinkStore.consume(secret, for: .verify, at: now, in: connection) else {
                throw AccountError.invalidLink
            }
            let user = try await AccountStore.user(id: link.user, in: connection)
            let before = try await AccountStore.setVerifiedEmail(link.email, of: link.user, at: now, in: connection)
            // Others who claimed it can prove it no more. What they see stays as it was: that tells nothing.
            try await MailLinkStore.deleteLinks(address: link.email, in: connection)
            guard let before, before.lowercased() != link.email.lowercased() else { return }
            // A link that went to the old address sets no password any more.
            try await MailLinkStore.deleteLinks(of: link.user, .reset, in: connection)
            guard user?.emailVerifiedAt != nil else { return }
            try await Mail.enqueue(
                EmailMessage(template: .emailChanged, to: link.user), toFormer: before, in: connection)
        }
    }

    private func countEmail(_ attempt: SignInAttempts.Attempt, in connection: PostgresConnection) async throws {
        do {
            try await Self.emailAttempts.begin(attempt, in: connection)
        } catch AccountError.tooManyAttempts(let seconds) {
            throw AccountError.tooManyEmails(retryAfterSeconds: seconds)
        }
    }

    // MARK: The rest

    /// Changes what the account says of its holder; throws `AccountError.invalid`.
    package func edit(
        _ identity: Identity, _ edit: AccountEdit, if condition: Precondition = .none
    ) async throws -> Account {
        let validationErrors = AccountRules.validationErrors(
            in: edit, languages: accounts.emailTemplates?.languages ?? [])
        guard validationErrors.isEmpty else { throw AccountError.invalid(validationErrors) }
        return try await database.withTransaction { connection in
            guard let before = try await AccountStore.lock(identity.userID, in: connection) else {
                throw AccountError.wrongCredentials
            }
            try condition.check(before.account.editState)
            try await AccountStore.edit(
                identity.userID, displayName: edit.displayName, language: edit.language, in: connection)
            guard let user = try await AccountStore.user(id: identity.userID, in: connection) else {
                throw AccountError.wrongCredentials
            }
            return user.account
        }
    }
}
