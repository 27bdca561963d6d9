// SPDX-License-Identifier: Apache-2.0

/// Which statements must not go where.
enum StatementRules {
    /// Commands that leave something behind on the session. On a shared connection they would change the meaning of
    /// other tasks' statements.
    private static let sessionCommands: Set<String> = [
        "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE", "PREPARE", "EXECUTE",
        "DEALLOCATE", "SET", "RESET", "DISCARD", "LISTEN", "UNLISTEN", "LOCK", "DECLARE", "FETCH", "MOVE", "CLOSE",
        "LOAD",
    ]

    /// Why the statement cannot be sent, if it cannot.
    static func objection(to query: PostgresQuery, shared: Bool) -> PostgresError? {
        if let reason = query.binds.failure { return PostgresError(.encoding, reason) }
        guard query.binds.entries.count <= 65_535 else {
            return PostgresError(.encoding, "a statement takes at most 65535 values")
        }
        guard !query.sql.utf8.contains(0) else {
            return PostgresError(.misuse, "the statement has a NUL character in it")
        }
        let command = firstWord(of: query.sql)
        if command == "COPY" { return PostgresError(.misuse, "COPY is offered as copyIn on a leased connection") }
        if shared, sessionCommands.contains(command) {
            return PostgresError(
                .misuse,
                "\(command) changes its connection: use withTransaction or withConnection"
            )
        }
        return nil
    }

    /// The first word in capitals, past blanks and comments.
    static func firstWord(of sql: String) -> String {
        var rest = sql.utf8[...]
        while let byte = rest.first {
            if byte <= 32 || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "(") {
                rest = rest.dropFirst()
            } else if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                rest = afterBlockComment(rest)
            } else {
                break
            }
        }
        let letters = rest.prefix { ($0 | 32) >= UInt8(ascii: "a") && ($0 | 32) <= UInt8(ascii: "z") }
        return String(decoding: letters.prefix(16), as: UTF8.self).uppercased()
    }

    /// Block comments nest in PostgreSQL.
    private static func afterBlockComment(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var rest = text.dropFirst(2)
        var depth = 1
        while depth > 0, !rest.isEmpty {
            if rest.starts(with: "/*".utf8) {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.starts(with: "*/".utf8) {
                depth -= 1
                rest = rest.dropFirst(2)
            } else {
                rest = rest.dropFirst()
            }
        }
        return rest
    }
}
