// SPDX-License-Identifier: Apache-2.0

/// A five-character SQLSTATE as the server reports it; compare with the named constants or any literal.
public struct SQLSTATE: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The five characters.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// The five characters.
    public var description: String { rawValue }

    /// The first two characters, which name the class of the condition.
    public var errorClass: Substring { rawValue.prefix(2) }

    /// A unique or primary key was violated.
    public static let uniqueViolation: SQLSTATE = "23505"
    /// A foreign key was violated.
    public static let foreignKeyViolation: SQLSTATE = "23503"
    /// A check constraint was violated.
    public static let checkViolation: SQLSTATE = "23514"
    /// NULL where none may be.
    public static let notNullViolation: SQLSTATE = "23502"
    /// An exclusion constraint was violated.
    public static let exclusionViolation: SQLSTATE = "23P01"
    /// The transaction could not be serialized with the others.
    public static let serializationFailure: SQLSTATE = "40001"
    /// The transaction was chosen to end a deadlock.
    public static let deadlockDetected: SQLSTATE = "40P01"
    /// A lock was not to be had at once or within `lock_timeout`.
    public static let lockNotAvailable: SQLSTATE = "55P03"
    /// The statement was cancelled, by request or by `statement_timeout`.
    public static let queryCanceled: SQLSTATE = "57014"
    /// An administrator ended the session or the server.
    public static let adminShutdown: SQLSTATE = "57P01"
    /// Another session crashed, and with it this one ended.
    public static let crashShutdown: SQLSTATE = "57P02"
    /// The server is starting or stopping.
    public static let cannotConnectNow: SQLSTATE = "57P03"
    /// The session was idle for too long.
    public static let idleSessionTimeout: SQLSTATE = "57P05"
    /// The transaction was idle for too long.
    public static let idleInTransactionTimeout: SQLSTATE = "25P03"
    /// An earlier statement of the transaction failed.
    public static let inFailedTransaction: SQLSTATE = "25P02"
    /// The server does not do that.
    public static let featureNotSupported: SQLSTATE = "0A000"
    /// There is no such prepared statement.
    public static let invalidStatementName: SQLSTATE = "26000"
    /// The server has no connection left.
    public static let tooManyConnections: SQLSTATE = "53300"
    /// There is no such table.
    public static let undefinedTable: SQLSTATE = "42P01"
    /// There is no such column.
    public static let undefinedColumn: SQLSTATE = "42703"
    /// The SQL cannot be parsed.
    public static let syntaxError: SQLSTATE = "42601"
    /// The text is no value of the type.
    public static let invalidTextRepresentation: SQLSTATE = "22P02"

    /// The server ended the session and with it the connection, whatever statement was running.
    var endsSession: Bool {
        switch self {
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .idleSessionTimeout, .idleInTransactionTimeout: true
        default: errorClass == "08"
        }
    }
}
