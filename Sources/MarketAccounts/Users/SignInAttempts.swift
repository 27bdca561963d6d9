// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import Postgres
import SheetCore

/// Counts failed sign-ins by account and by address. An attempt is entered before its password is checked and struck
/// out when it was right, so that many at once count as many.
package struct SignInAttempts: Sendable {
    /// How long a failure counts, in seconds.
    package static let window = 900.0
    /// An address may fail this many times as often as an account: many people can share one.
    static let addressFactor = 5

    /// Failures per account and window before the next attempt is refused.
    package let limit: Int

    package struct Attempt: Sendable {
        /// The account that is meant, whether it exists or not.
        package let account: String
        /// Where it comes from.
        package let address: String
        package let at: Date

        /// `login` is hashed: people type passwords into the wrong field. Name and address of an account count apart,
        /// or the one's refusal would tell that the other is the same person's.
        package init(login: String, address: String, at: Date) {
            account = "account:" + ContentHash(hashing: Data(login.lowercased().utf8)).hex
            self.address = "address:" + NetworkAddress.network(of: address)
            self.at = at
        }

        /// A code of a second factor, counted apart: who knows the password must not be able to clear this count.
        package init(codeOf user: UserID, address: String, at: Date) {
            account = "code:\(user)"
            self.address = "code-address:" + NetworkAddress.network(of: address)
            self.at = at
        }

        /// An e-mail that its recipient may not have asked for, counted by its mailbox.
        package init(emailTo mailbox: String, at: Date) {
            account = "mailbox:" + ContentHash(hashing: Data(mailbox.lowercased().utf8)).hex
            address = "all-" + account
            self.at = at
        }

        /// A request for an e-mail, counted by what was typed, whether or not there is an account.
        package init(emailRequestFor login: String, address: String, at: Date) {
            account = "email:" + ContentHash(hashing: Data(login.lowercased().utf8)).hex
            self.address = "email-address:" + NetworkAddress.network(of: address)
            self.at = at
        }
    }

    /// Enters an attempt; throws `AccountError.tooManyAttempts` when the account or the address failed too often.
    package func begin(_ attempt: Attempt, in database: some PostgresExecutor) async throws {
        let since = attempt.at.addingTimeInterval(-Self.window)
        let free = try await database.scalar(
            """
            WITH failures AS (
                SELECT subject, count(*) AS total, min(failed_at) AS oldest FROM sign_in_failures
                WHERE subject IN (\(attempt.account), \(attempt.address)) AND failed_at > \(since)
                GROUP BY subject
            ), blocked AS (
                SELECT max(oldest) AS oldest FROM failures
                WHERE total >= CASE subject WHEN \(attempt.account) THEN \(limit) ELSE \(limit * Self.addressFactor) END
            ), entered AS (
                INSERT INTO sign_in_failures (subject, failed_at)
                SELECT subject, \(attempt.at)
                FROM unnest(ARRAY[\(attempt.account), \(attempt.address)]::text[]) AS subject, blocked
                WHERE blocked.oldest IS NULL
            )
            SELECT oldest FROM blocked
            """, as: Date?.self)
        guard let free else { return }
        let seconds = free.addingTimeInterval(Self.window).timeIntervalSince(attempt.at)
        throw AccountError.tooManyAttempts(retryAfterSeconds: max(1, Int(seconds.rounded(.up))))
    }

    /// Strikes out an attempt that was right, and with it the account's earlier failures; the address keeps its own.
    func succeeded(_ attempt: Attempt, in database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            DELETE FROM sign_in_failures
            WHERE subject = \(attempt.account) OR subject = \(attempt.address) AND failed_at = \(attempt.at)
            """)
    }

    /// Strikes out an attempt whose password was never checked.
    func discard(_ attempt: Attempt, in database: some PostgresExecutor) async throws {
        try await database.execute(
            """
            DELETE FROM sign_in_failures
            WHERE subject IN (\(attempt.account), \(attempt.address)) AND failed_at = \(attempt.at)
            """)
    }

    /// Removes failures that no longer count.
    package static func deleteExpired(at now: Date, in database: some PostgresExecutor) async throws {
        try await database.execute("DELETE FROM sign_in_failures WHERE failed_at <= \(now.addingTimeInterval(-window))")
    }
}
