// SPDX-License-Identifier: Apache-2.0

/// A five-character SQLSTATE as the server reports it; compare with the named constants or any literal.
public struct SQLSTATE: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }

    public var description: String { rawValue }

    /// The first two characters, which name the class of the condition.
    public var errorClass: Substring { rawValue.prefix(2) }

    public static let uniqueViolation: SQLSTATE = "23505"
    public static let foreignKeyViolation: SQLSTATE = "23503"
    public static let checkViolation: SQLSTATE = "23514"
    public static let notNullViolation: SQLSTATE = "23502"
    public static let exclusionViolation: SQLSTATE = "23P01"
    public static let serializationFailure: SQLSTATE = "40001"
    public static let deadlockDetected: SQLSTATE = "40P01"
    public static let lockNotAvailable: SQLSTATE = "55P03"
    public static let queryCanceled: SQLSTATE = "57014"
    public static let adminShutdown: SQLSTATE = "57P01"
    public static let crashShutdown: SQLSTATE = "57P02"
    public static let cannotConnectNow: SQLSTATE = "57P03"
    public static let idleSessionTimeout: SQLSTATE = "57P05"
    public static let idleInTransactionTimeout: SQLSTATE = "25P03"
    public static let inFailedTransaction: SQLSTATE = "25P02"
    public static let featureNotSupported: SQLSTATE = "0A000"
    public static let invalidStatementName: SQLSTATE = "26000"
    public static let tooManyConnections: SQLSTATE = "53300"
    public static let undefinedTable: SQLSTATE = "42P01"
    public static let undefinedColumn: SQLSTATE = "42703"
    public static let syntaxError: SQLSTATE = "42601"
    public static let invalidTextRepresentation: SQLSTATE = "22P02"

    /// The server ended the session and with it the connection, whatever statement was running.
    var endsSession: Bool {
        switch self {
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .idleSessionTimeout, .idleInTransactionTimeout: true
        default: errorClass == "08"
        }
    }
}
