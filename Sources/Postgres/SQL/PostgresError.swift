// SPDX-License-Identifier: Apache-2.0

/// Where in the caller's code a statement was issued.
package struct PostgresCallSite: Sendable {
    /// The file and module, as `#fileID` gives them.
    package let file: String
    package let line: Int

    /// The place where this is called, unless told otherwise.
    package init(file: String = #fileID, line: Int = #line) {
        self.file = file
        self.line = line
    }
}

/// What went wrong between the caller and the server.
///
/// `description` names the condition, the SQLSTATE and the violated constraint, and never a value or a piece of SQL:
/// it is safe in any log or answer. `debugDescription` adds the server's own words, the SQL text (without the bound
/// values) and the line of the call; the server's words may quote data.
package struct PostgresError: Error, Sendable {
    /// The sort of failure; `code` tells the server's errors apart.
    package enum Kind: Sendable, Hashable {
        /// The server answered with an error; see `code`.
        case server
        /// No connection could be made.
        case connectionFailed
        /// The connection broke while the statement was under way: whether it took effect is unknown.
        case connectionLost
        /// The connection broke during COMMIT: whether the transaction took effect is unknown.
        case commitOutcomeUnknown
        /// No connection became free within `checkoutTimeout`.
        case checkoutTimeout
        /// The calling task was cancelled.
        case cancelled
        /// `one` found no row.
        case noRow
        /// `one` found more than one row.
        case tooManyRows
        /// A column is missing, NULL, or not of the asked type.
        case decoding(column: String)
        /// A bound value cannot be sent, as text with a NUL character in it.
        case encoding
        /// COMMIT found the transaction already failed: an error inside it was swallowed.
        case transactionAborted
        /// The statement does not fit where it was sent, as BEGIN on a shared connection.
        case misuse
        /// The client has been shut down.
        case shutdown
    }

    package let kind: Kind
    /// The server's SQLSTATE, if the server said anything.
    package internal(set) var code: SQLSTATE?
    /// The violated constraint.
    package internal(set) var constraint: String?
    /// The schema of the table.
    package internal(set) var schema: String?
    /// The table the error is about.
    package internal(set) var table: String?
    /// The column the error is about.
    package internal(set) var column: String?
    /// The server's, libpq's or the driver's words. They may quote data: for logs under lock and key only.
    package internal(set) var message: String
    /// More of the words, likely to quote data.
    package internal(set) var detail: String?
    /// What the server suggests.
    package internal(set) var hint: String?
    /// The server's function that raised the error; the only language-independent mark of some errors.
    var routine: String?
    /// No later attempt will fare better.
    var isPermanent = false
    /// The statement without its values.
    package internal(set) var sql: String?
    /// Where the statement was issued.
    package internal(set) var callSite: PostgresCallSite?

    init(_ kind: Kind, _ message: String, code: SQLSTATE? = nil) {
        self.kind = kind
        self.message = message
        self.code = code
    }

    /// A unique constraint (the named one, if a name is given) was violated.
    package func isUniqueViolation(constraint name: String? = nil) -> Bool {
        violates(.uniqueViolation, name)
    }

    /// A foreign key (the named one, if a name is given) was violated.
    package func isForeignKeyViolation(constraint name: String? = nil) -> Bool {
        violates(.foreignKeyViolation, name)
    }

    /// A check constraint (the named one, if a name is given) was violated.
    package func isCheckViolation(constraint name: String? = nil) -> Bool {
        violates(.checkViolation, name)
    }

    /// The statement ran into `statement_timeout` or was cancelled by somebody else than its own task.
    package var isStatementTimeout: Bool { kind == .server && code == .queryCanceled }

    /// Running the whole transaction again may well succeed.
    package var isRetryable: Bool {
        code == .serializationFailure || code == .deadlockDetected || isStalePlan
    }

    /// The server cannot be reached, or has no connection to give: an answer of "try again later" is right.
    package var isUnavailable: Bool {
        switch kind {
        case .connectionFailed, .connectionLost, .commitOutcomeUnknown, .checkoutTimeout, .shutdown: true
        default: isRefusedToWrite
        }
    }

    /// The server has no room, memory or connections left, or its disk fails (classes 53 and 58): the same goes well once
    /// somebody has seen to it.
    package var isOutOfResources: Bool {
        kind == .server && ["53", "58"].contains(code.map { String($0.errorClass) } ?? "")
    }

    /// The server takes no writes: it is a replica, or set to read only. Another one may be the primary by now.
    ///
    /// A replica says so in two more ways, when a transaction begins that may write, and when an unlogged table is read.
    package var isRefusedToWrite: Bool {
        guard kind == .server else { return false }
        if code == .readOnlyTransaction { return true }
        return code == .featureNotSupported && ["call_bool_check_hook", "get_relation_info"].contains(routine ?? "")
    }

    /// A cached prepared statement no longer fits the schema, or is gone from the session.
    var isStalePlan: Bool {
        code == .invalidStatementName || (code == .featureNotSupported && routine == "RevalidateCachedQuery")
    }

    private func violates(_ state: SQLSTATE, _ name: String?) -> Bool {
        code == state && (name == nil || name == constraint)
    }

    func at(_ site: PostgresCallSite?, sql text: String? = nil) -> PostgresError {
        var copy = self
        copy.callSite = callSite ?? site
        copy.sql = sql ?? text
        return copy
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The condition, its code and constraint; no data.
    package var description: String {
        var text = "PostgreSQL: \(summary)"
        if let code { text += ", SQLSTATE \(code)" }
        if let constraint { text += ", constraint \(constraint)" }
        if let table { text += ", table \(table)" }
        if let column { text += ", column \(column)" }
        return text
    }

    /// All there is, the server's words included.
    package var debugDescription: String {
        var text = "\(description): \(message)"
        if let detail { text += "\n  detail: \(detail)" }
        if let hint { text += "\n  hint: \(hint)" }
        if let sql { text += "\n  sql: \(sql)" }
        if let callSite { text += "\n  at \(callSite.file):\(callSite.line)" }
        return text
    }

    private var summary: String {
        switch kind {
        case .server: "the server refused the statement"
        case .connectionFailed: "no connection could be made"
        case .connectionLost: "the connection was lost"
        case .commitOutcomeUnknown: "the connection was lost during COMMIT"
        case .checkoutTimeout: "no connection became free in time"
        case .cancelled: "the task was cancelled"
        case .noRow: "a row was expected and none found"
        case .tooManyRows: "one row was expected and more found"
        case .decoding(let column): "column \"\(column)\" could not be decoded"
        case .encoding: "a bound value could not be encoded"
        case .transactionAborted: "the transaction had already failed and was rolled back"
        case .misuse: "the statement cannot be used here"
        case .shutdown: "the client has been shut down"
        }
    }
}
