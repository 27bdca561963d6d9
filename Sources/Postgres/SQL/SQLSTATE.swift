// SPDX-License-Identifier: Apache-2.0

/// A five-character SQLSTATE as the server reports it; compare with the named constants or any literal.
package struct SQLSTATE: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The five characters.
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(stringLiteral value: String) {
        rawValue = value
    }

    /// The five characters.
    package var description: String { rawValue }

    /// The first two characters, which name the class of the condition.
    package var errorClass: Substring { rawValue.prefix(2) }

    /// A unique or primary key was violated.
    package static let uniqueViolation: SQLSTATE = "23505"
    /// A foreign key was violated.
    package static let foreignKeyViolation: SQLSTATE = "23503"
    /// A check constraint was violated.
    package static let checkViolation: SQLSTATE = "23514"
    /// The transaction could not be serialized with the others.
    package static let serializationFailure: SQLSTATE = "40001"
    /// The transaction was chosen to end a deadlock.
    package static let deadlockDetected: SQLSTATE = "40P01"
    /// A lock was not to be had at once or within `lock_timeout`.
    package static let lockNotAvailable: SQLSTATE = "55P03"
    /// The statement was cancelled, by request or by `statement_timeout`.
    package static let queryCanceled: SQLSTATE = "57014"
    /// An administrator ended the session or the server.
    package static let adminShutdown: SQLSTATE = "57P01"
    /// Another session crashed, and with it this one ended.
    package static let crashShutdown: SQLSTATE = "57P02"
    /// The server is starting or stopping.
    package static let cannotConnectNow: SQLSTATE = "57P03"
    /// The session was idle for too long.
    package static let idleSessionTimeout: SQLSTATE = "57P05"
    /// The transaction was idle for too long.
    package static let idleInTransactionTimeout: SQLSTATE = "25P03"
    /// The server is a replica or set to read only, or the transaction was begun to read only.
    package static let readOnlyTransaction: SQLSTATE = "25006"
    /// The server does not do that.
    package static let featureNotSupported: SQLSTATE = "0A000"
    /// There is no such prepared statement.
    package static let invalidStatementName: SQLSTATE = "26000"
    /// The server has no connection left.
    package static let tooManyConnections: SQLSTATE = "53300"
    /// There is no such table.
    package static let undefinedTable: SQLSTATE = "42P01"
    /// There is no such column.
    package static let undefinedColumn: SQLSTATE = "42703"
    /// The SQL cannot be parsed.
    package static let syntaxError: SQLSTATE = "42601"
    /// The text is no value of the type.
    package static let invalidTextRepresentation: SQLSTATE = "22P02"

    /// The server ended the session and with it the connection, whatever statement was running.
    var endsSession: Bool {
        switch self {
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .idleSessionTimeout, .idleInTransactionTimeout: true
        default: errorClass == "08"
        }
    }
}
