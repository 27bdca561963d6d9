// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// An account as it is stored.
package struct UserRecord: Sendable, Equatable {
    package var id: UserID
    /// Its public name.
    package var handle: String
    /// What people call it.
    package var displayName: String
    /// Where e-mails go.
    package var email: String?
    /// When its holder proved that it is theirs.
    package var emailVerifiedAt: Date?
    /// The language of e-mails.
    package var language: String?
    /// Whether signing in takes a second step.
    package var hasSecondFactor = false
    /// The password's hash; `nil` for an account that nobody signs in to with one.
    package var passwordHash: String?
    /// What it may do.
    package var role: UserRole
    /// When it was made.
    package var createdAt: Date
    /// Since when it may not be used; `nil` while it may.
    package var disabledAt: Date?

    package init(
        id: UserID, handle: String, displayName: String, email: String? = nil, emailVerifiedAt: Date? = nil,
        language: String? = nil, hasSecondFactor: Bool = false, passwordHash: String? = nil, role: UserRole,
        createdAt: Date, disabledAt: Date? = nil
    ) {
        self.id = id
        self.handle = handle
        self.displayName = displayName
        self.email = email
        self.emailVerifiedAt = emailVerifiedAt
        self.language = language
        self.hasSecondFactor = hasSecondFactor
        self.passwordHash = passwordHash
        self.role = role
        self.createdAt = createdAt
        self.disabledAt = disabledAt
    }

    /// As its owner sees it.
    package var account: Account {
        Account(
            id: id, handle: handle, displayName: displayName, email: email ?? "", role: role, createdAt: createdAt,
            emailVerified: emailVerifiedAt != nil, language: language, hasSecondFactor: hasSecondFactor)
    }

    /// The address, if e-mails can get there: those of the service's own accounts cannot exist.
    package var deliverableEmail: String? {
        email.flatMap { $0.lowercased().hasSuffix(".invalid") ? nil : $0 }
    }
}

extension UserRecord {
    package init(_ row: PostgresRow) throws {
        id = try row.get("id")
        handle = try row.get("handle")
        displayName = try row.get("display_name")
        email = try row.get("email")
        emailVerifiedAt = try row.get("email_verified_at")
        language = try row.get("language")
        hasSecondFactor = try row.get("has_second_factor")
        passwordHash = try row.get("password_hash")
        role = try row.get("role")
        createdAt = try row.get("created_at")
        disabledAt = try row.get("disabled_at")
    }
}

package enum AccountStore {
    private static let columns: PostgresQuery = """
        users.id, users.handle, users.display_name, users.email, users.password_hash, users.role, users.created_at,
        users.disabled_at, users.email_verified_at, users.language,
        \(fragment: hasSecondFactor) AS has_second_factor
        """

    /// Whether the account of a query's `users` has a confirmed second factor.
    static let hasSecondFactor: PostgresQuery = """
        EXISTS (SELECT FROM second_factors AS factor
                WHERE factor.user_id = users.id AND factor.confirmed_at IS NOT NULL)
        """

    /// Whether it has, or can have none since nobody can sign in to it (`AccountService.ensureSystemUser`).
    static let hasSecondFactorOrNobodys: PostgresQuery = """
        (users.email LIKE '%@accounts.invalid' OR \(fragment: hasSecondFactor))
        """

    /// Adds an account; throws `AccountError.handleTaken`. Its address is a claim until it is proved: others may have
    /// given the same, and one of them may have proved it.
    package static func insert(_ user: UserRecord, in database: some PostgresExecutor) async throws {
        do {
            try await database.execute(
                """
                INSERT INTO users (id, handle, display_name, email, password_hash, role, language, created_at)
                VALUES (\(user.id), \(user.handle), \(user.displayName), \(user.email), \(user.passwordHash),
                    \(user.role), \(user.language), \(user.createdAt))
                """)
        } catch let error as PostgresError {
            if error.isUniqueViolation(constraint: "users_handle_key") { throw AccountError.handleTaken }
            throw error
        }
    }

    /// Adds an account without a password, or gives the one that has the handle this role; returns it.
    static func upsert(_ user: UserRecord, in database: some PostgresExecutor) async throws -> UserRecord {
        try await database.one(
            """
            INSERT INTO users (id, handle, display_name, email, role, created_at)
            VALUES (\(user.id), \(user.handle), \(user.displayName), \(user.email), \(user.role), \(user.createdAt))
            ON CONFLICT (handle) DO UPDATE SET role = EXCLUDED.role
            RETURNING \(fragment: columns)
            """, UserRecord.init)
    }

    /// The account with this handle.
    package static func user(
        handle: String, in database: some PostgresExecutor
    ) async throws -> UserRecord? {
        guard AccountRules.isHandle(handle) else { return nil }
        return try await database.first(
            "SELECT \(fragment: columns) FROM users WHERE users.handle = \(handle)", UserRecord.init)
    }

    /// The account with this id.
    package static func user(id: UserID, in database: some PostgresExecutor) async throws -> UserRecord? {
        try await database.first("SELECT \(fragment: columns) FROM users WHERE users.id = \(id)", UserRecord.init)
    }

    /// The account with this id, locked: nobody else changes it before the transaction ends.
    package static func lock(_ id: UserID, in connection: PostgresConnection) async throws -> UserRecord? {
        try await connection.first(
            "SELECT \(fragment: columns) FROM users WHERE users.id = \(id) FOR NO KEY UPDATE OF users",
            UserRecord.init)
    }

    /// The account that somebody means by a handle, or by an address that it proved. An address that was only claimed
    /// leads nowhere: whether it did would tell if somebody else has it.
    package static func user(login: String, in database: some PostgresExecutor) async throws -> UserRecord? {
        guard AccountRules.isEmail(login) else { return try await user(handle: login.lowercased(), in: database) }
        return try await user(provedEmail: login, in: database)
    }

    /// The account that proved this address.
    package static func user(provedEmail email: String, in database: some PostgresExecutor) async throws -> UserRecord?
    {
        try await database.first(
            """
            SELECT \(fragment: columns) FROM users
            WHERE lower(users.email) = lower(\(email)) AND users.email_verified_at IS NOT NULL
            """, UserRecord.init)
    }

    /// Whose password is forgotten: the account of this handle, or the one that proved this address, else the first
    /// that claimed it. Only the e-mail that goes there shows which.
    package static func user(forgetting login: String, in database: some PostgresExecutor) async throws -> UserRecord? {
        guard AccountRules.isEmail(login) else { return try await user(handle: login.lowercased(), in: database) }
        return try await database.first(
            """
            SELECT \(fragment: columns) FROM users WHERE lower(users.email) = lower(\(login))
            ORDER BY users.email_verified_at IS NULL, users.created_at, users.id LIMIT 1
            """, UserRecord.init)
    }

    /// Accounts by handle: those after `last` whose handle begins so.
    package static func users(
        after last: String? = nil, handle beginning: String = "", among users: PostgresQuery = "", limit: Int = 100,
        in database: some PostgresExecutor
    ) async throws -> [UserRecord] {
        try await database.all(
            """
            SELECT \(fragment: columns) FROM users
            WHERE users.handle > \(last ?? "") AND users.handle >= \(beginning) AND starts_with(users.handle, \(beginning))
                \(fragment: users)
            ORDER BY users.handle LIMIT \(literal: limit)
            """, UserRecord.init)
    }

    /// Stores another hash of the same password; does nothing when the password was changed meanwhile.
    static func updatePasswordHash(
        _ hash: String, replacing old: String, of id: UserID, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            "UPDATE users SET password_hash = \(hash) WHERE id = \(id) AND password_hash = \(old)")
    }

    static func setPasswordHash(_ hash: String, of id: UserID, in database: some PostgresExecutor) async throws {
        try await database.execute("UPDATE users SET password_hash = \(hash) WHERE id = \(id)")
    }

    /// Makes a proved address the account's; returns the one before. Throws `AccountError.emailTaken`.
    static func setVerifiedEmail(
        _ email: String, of id: UserID, at now: Date, in database: some PostgresExecutor
    ) async throws -> String? {
        do {
            return try await database.first(
                """
                UPDATE users SET email = \(email), email_verified_at = \(now)
                FROM (SELECT id, email FROM users WHERE id = \(id) FOR UPDATE) AS before
                WHERE users.id = before.id
                RETURNING before.email AS email
                """
            ) { try $0.get("email", as: String?.self) } ?? nil
        } catch let error as PostgresError where error.isUniqueViolation(constraint: "users_proved_email_key") {
            throw AccountError.emailTaken
        }
    }

    /// Updates the fields that are given; `nil` leaves a field unchanged.
    package static func edit(
        _ id: UserID, displayName: String?, language: String?, in database: some PostgresExecutor
    ) async throws {
        try await database.execute(
            """
            UPDATE users SET display_name = COALESCE(\(displayName), display_name),
                language = COALESCE(\(language), language)
            WHERE id = \(id)
            """)
    }

    /// Gives the account a role; returns the one it had, or `nil` when there is no such account.
    package static func setRole(
        _ role: UserRole, handle: String, in database: some PostgresExecutor
    ) async throws -> UserRole? {
        try await database.first(
            """
            UPDATE users SET role = \(role)
            FROM (SELECT id, role FROM users WHERE handle = \(handle) FOR UPDATE) AS before
            WHERE users.id = before.id
            RETURNING before.role AS role
            """
        ) { try $0.get("role") }
    }

    /// Disables the account or lets it be used again, ending its browsers' sign-ins; `false` when there is none.
    package static func setDisabled(
        _ isDisabled: Bool, handle: String, at now: Date, in database: some PostgresExecutor
    ) async throws -> Bool {
        let since: Date? = isDisabled ? now : nil
        return try await database.execute(
            """
            WITH account AS (
                UPDATE users SET disabled_at = \(since) WHERE handle = \(handle) RETURNING id
            ), ended AS (
                DELETE FROM sessions USING account WHERE sessions.user_id = account.id AND \(isDisabled)
            )
            SELECT id FROM account
            """) > 0
    }
}
