// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Second factors: set up, asked for, turned off.
package struct SecondFactorService: Sendable {
    /// Wrong codes per account and quarter of an hour before the next is refused: guessing takes years.
    static let codeFailures = 5
    /// What apps call the service.
    package static let issuer = "Sheetmarket"

    package let accounts: AccountDependencies
    private let attempts = SignInAttempts(limit: SecondFactorService.codeFailures)

    package init(accounts: AccountDependencies) {
        self.accounts = accounts
    }

    private var database: PostgresClient { accounts.database }

    /// What a secret is sealed for.
    package static func context(_ user: UserID) -> String { "second factor of \(user)" }

    /// Where sealed secrets stand.
    package static let sealedColumn = SealedColumn(name: "second factors", table: "second_factors", key: "user_id") {
        context(UserID(rawValue: $0))
    }
    private static func codeContext(_ user: UserID) -> String { "recovery code of \(user)" }

    /// What its holder sees of it.
    package func state(of user: UserRecord) async throws -> SecondFactorState {
        SecondFactorState(
            isEnabled: user.hasSecondFactor,
            isRequired: accounts.limits.staffSecondFactor && user.role >= .moderator,
            recoveryCodesLeft: try await SecondFactorStore.codesLeft(of: user.id, in: database))
    }

    // MARK: Setting up

    /// Begins: nothing counts before a code was shown. Throws `AccountError.secondFactorExists` or `.cannotSeal`.
    package func begin(for user: UserRecord) async throws -> SecondFactorEnrolment {
        guard let secrets = accounts.secrets else { throw AccountError.cannotSeal }
        let generator = OneTimeCode()
        let sealed = try secrets.seal(generator.secret, for: Self.context(user.id))
        try await database.withTransaction { connection in
            guard try await SecondFactorStore.begin(sealed, of: user.id, at: accounts.now(), in: connection) else {
                throw AccountError.secondFactorExists
            }
        }
        return SecondFactorEnrolment(
            secret: generator.base32, uri: generator.uri(account: user.handle, issuer: Self.issuer))
    }

    /// What was begun and waits for its first code, for showing it again.
    package func begun(for user: UserRecord) async throws -> SecondFactorEnrolment? {
        guard let record = try await SecondFactorStore.record(of: user.id, in: database), !record.isConfirmed,
            let secret = accounts.secrets?.open(record.sealed, for: Self.context(user.id))
        else { return nil }
        let generator = OneTimeCode(secret: secret)
        return SecondFactorEnrolment(
            secret: generator.base32, uri: generator.uri(account: user.handle, issuer: Self.issuer))
    }

    /// Ends the setting up with a code of the app; returns the recovery codes. All other browsers are signed out, since
    /// they came in without. Throws `AccountError.invalidCode` or `.noSecondFactor`.
    package func activate(_ code: String, for user: UserID, keeping session: SessionID) async throws -> [String] {
        guard let record = try await SecondFactorStore.record(of: user, in: database) else {
            throw AccountError.noSecondFactor
        }
        guard !record.isConfirmed else { throw AccountError.secondFactorExists }
        let now = accounts.now()
        let generator = try generator(of: record, user)
        guard let step = generator.step(of: Self.digits(code), at: now, after: record.lastStep) else {
            throw AccountError.invalidCode
        }
        let codes = RecoveryCode.make()
        let marks = Self.marks(of: codes, generator)
        try await database.withTransaction { connection in
            guard try await SecondFactorStore.confirm(record, of: user, step: step, at: now, in: connection) else {
                throw AccountError.noSecondFactor
            }
            try await SecondFactorStore.replaceCodes(marks, of: user, in: connection)
            try await SessionStore.deleteAll(of: user, but: session, in: connection)
            try await notify(user, "on", in: connection)
        }
        return codes
    }

    /// New recovery codes in place of those that are left; throws `AccountError.noSecondFactor`.
    package func renewCodes(of user: UserID) async throws -> [String] {
        guard let record = try await SecondFactorStore.record(of: user, in: database), record.isConfirmed else {
            throw AccountError.noSecondFactor
        }
        let codes = RecoveryCode.make()
        let marks = Self.marks(of: codes, try generator(of: record, user))
        try await database.withTransaction { connection in
            try await SecondFactorStore.replaceCodes(marks, of: user, in: connection)
            try await notify(user, "codes", in: connection)
        }
        return codes
    }

    /// Turns it off, or drops what was begun; throws `AccountError.noSecondFactor`.
    package func remove(of user: UserID) async throws {
        try await database.withTransaction { connection in
            let record = try await SecondFactorStore.record(of: user, in: connection)
            guard let record, try await SecondFactorStore.delete(of: user, in: connection) else {
                throw AccountError.noSecondFactor
            }
            if record.isConfirmed { try await notify(user, "off", in: connection) }
        }
    }

    // MARK: Asking for it

    /// Throws `AccountError.invalidCode` unless `code` is what the account's second factor shows now, or a recovery
    /// code; either is used up. Too many wrong ones throw `.tooManyAttempts`.
    package func check(_ code: String, of user: UserID, address: String) async throws {
        guard let record = try await SecondFactorStore.record(of: user, in: database), record.isConfirmed else {
            throw AccountError.noSecondFactor
        }
        let now = accounts.now()
        let attempt = SignInAttempts.Attempt(codeOf: user, address: address, at: now)
        try await attempts.begin(attempt, in: database)
        let isRight: Bool
        do {
            isRight = try await isTaken(code, record, user, at: now)
        } catch AccountError.invalidCode {
            isRight = false
        } catch {
            try await attempts.discard(attempt, in: database)
            throw error
        }
        guard isRight else { throw AccountError.invalidCode }
        try await attempts.succeeded(attempt, in: database)
    }

    private func isTaken(
        _ code: String, _ record: SecondFactorStore.Record, _ user: UserID, at now: Date
    ) async throws -> Bool {
        if let normal = RecoveryCode.normal(code) {
            let marks = try marks(of: normal, record, user)
            return try await database.withTransaction { connection in
                // Nothing was written: nothing is to be committed, so that no key of the call is used up.
                guard try await SecondFactorStore.consumeRecoveryCode(marks, of: user, at: now, in: connection) else {
                    throw AccountError.invalidCode
                }
                let left = try await SecondFactorStore.codesLeft(of: user, in: connection)
                try await Mail.enqueue(
                    EmailMessage(template: .recoveryCodeUsed, to: user, values: ["left": String(left)]),
                    in: connection)
                return true
            }
        }
        let generator = try generator(of: record, user)
        guard let step = generator.step(of: Self.digits(code), at: now, after: record.lastStep) else { return false }
        return try await SecondFactorStore.use(step: step, of: user, in: database)
    }

    // MARK: Parts

    private func generator(of record: SecondFactorStore.Record, _ user: UserID) throws -> OneTimeCode {
        guard let secret = accounts.secrets?.open(record.sealed, for: Self.context(user)) else {
            accounts.logger.error("a second factor's secret cannot be opened: is its key in SHEETMARKET_SECRET_KEYS?")
            throw AccountError.cannotSeal
        }
        return OneTimeCode(secret: secret)
    }

    /// What the codes are stored as. Their key comes from the second factor's own secret, which is sealed: they go on
    /// working when it is sealed anew with another key.
    private static func marks(of codes: [String], _ generator: OneTimeCode) -> [Data] {
        codes.compactMap(RecoveryCode.normal).map { RecoveryCode.mark($0, secret: generator.secret) }
    }

    /// What one code may be stored as; the first codes there were are marked with the market's keys themselves.
    private func marks(of code: String, _ record: SecondFactorStore.Record, _ user: UserID) throws -> [Data] {
        let own = RecoveryCode.mark(code, secret: try generator(of: record, user).secret)
        return [own] + (accounts.secrets?.marks(of: code, for: Self.codeContext(user)) ?? [])
    }

    /// People type `123 456`.
    private static func digits(_ code: String) -> String {
        code.replacing(" ", with: "")
    }

    private func notify(_ user: UserID, _ change: String, in connection: PostgresConnection) async throws {
        try await Mail.enqueue(
            EmailMessage(template: .secondFactorChanged, to: user, values: [change: "yes"]), in: connection)
    }
}
