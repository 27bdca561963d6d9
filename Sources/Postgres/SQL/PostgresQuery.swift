// SPDX-License-Identifier: Apache-2.0

/// A statement with its bound values, written as a string literal.
///
///     "SELECT name FROM templates WHERE id = \(id) AND tags && \(tags)"
///
/// What is interpolated is bound, never pasted. The labels that paste say so: `ident:` quotes an identifier,
/// `literal:` writes a whole number, `fragment:` splices another query with its values, `unsafe:` takes text as it is.
package struct PostgresQuery: ExpressibleByStringInterpolation, Sendable {
    /// The text with `$1`, `$2`, … where values are bound.
    package private(set) var sql: String
    var binds: PostgresBinds
    /// Whether the statement is worth a place in the connections' caches of prepared statements.
    package var isPrepared = true

    /// A statement without values.
    package init(stringLiteral value: String) {
        sql = value
        binds = PostgresBinds()
    }

    /// A statement with the values interpolated into it.
    package init(stringInterpolation: StringInterpolation) {
        sql = stringInterpolation.sql
        binds = stringInterpolation.binds
    }

    /// Text from outside the program, as of a migration: nothing is bound and nothing is cached.
    package init(unsafeSQL: String) {
        sql = unsafeSQL
        binds = PostgresBinds()
        isPrepared = false
    }

    /// How many values are bound.
    package var parameterCount: Int { binds.entries.count }

    /// Collects text and values of an interpolated literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        var sql: String
        var binds = PostgresBinds()

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql = ""
            sql.reserveCapacity(literalCapacity + 3 * interpolationCount)
            binds.entries.reserveCapacity(interpolationCount)
        }

        /// Takes SQL text of the literal.
        package mutating func appendLiteral(_ literal: String) {
            sql += literal
        }

        package mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value) {
            binds.append(value, sqlOffset: sql.utf8.count)
            appendPlaceholder()
        }

        /// Binds a value or NULL.
        package mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            binds.append(value, sqlOffset: sql.utf8.count)
            appendPlaceholder()
        }

        /// Binds a value whose type is known only at run time; nil is NULL.
        @_disfavoredOverload
        package mutating func appendInterpolation(_ value: (any PostgresEncodable)?) {
            if let value {
                appendInterpolation(value)
            } else {
                appendInterpolation(String?.none)
            }
        }

        /// Quotes an identifier.
        package mutating func appendInterpolation(ident name: String) {
            if name.utf8.contains(0) { binds.failure = "an identifier with a NUL character cannot exist" }
            sql += PostgresQuery.quoted(name)
        }

        /// Splices another query, its values included.
        package mutating func appendInterpolation(fragment: PostgresQuery) {
            var rest = fragment.sql[...]
            var consumed = 0
            for entry in fragment.binds.entries {
                // "$7" of the fragment becomes this query's next number.
                let literal = rest.utf8.prefix(entry.sqlOffset - consumed)
                sql += Substring(literal)
                rest = Substring(rest.utf8.dropFirst(literal.count + 1 + entry.digits))
                consumed = entry.sqlOffset + 1 + entry.digits
                binds.append(entry, of: fragment.binds, sqlOffset: sql.utf8.count)
                appendPlaceholder()
            }
            sql += rest
            binds.failure = binds.failure ?? fragment.binds.failure
        }

        /// Writes a number into the statement, as of a LIMIT: while the planner does not know that, it takes it for a tenth of
        /// all rows, finds a plan for any values dear beside one for these, and plans each execution anew.
        package mutating func appendInterpolation(literal number: Int) {
            // Two signs would begin a comment.
            sql += number < 0 ? "(\(number))" : String(number)
        }

        /// Pastes text as it is: never anything that came from outside.
        package mutating func appendInterpolation(unsafe text: String) {
            sql += text
        }

        private mutating func appendPlaceholder() {
            let number = binds.entries.count
            sql += "$"
            sql += String(number)
            binds.entries[number - 1].digits = number < 10 ? 1 : String(number).utf8.count
        }
    }

    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

extension PostgresQuery: CustomStringConvertible {
    /// The text without the values.
    package var description: String { sql }
}

/// The bound values of one statement, side by side in one buffer.
struct PostgresBinds: Sendable {
    struct Entry: Sendable {
        var offset: Int
        /// -1 is NULL.
        var length: Int
        var typeOID: UInt32
        var isBinary: Bool
        /// Where the placeholder stands in the SQL, so that a fragment can be renumbered, and its digits.
        var sqlOffset: Int
        var digits = 1
    }

    var bytes: [UInt8] = []
    var entries: [Entry] = []
    var failure: String?

    mutating func append<Value: PostgresEncodable>(_ value: Value, sqlOffset: Int) {
        var writer = PostgresParameterWriter()
        // The writer borrows this buffer, so that many values cost one allocation.
        swap(&writer.bytes, &bytes)
        let offset = writer.bytes.count
        value.encode(into: &writer)
        swap(&writer.bytes, &bytes)
        let length = writer.isNull ? -1 : bytes.count - offset
        // libpq takes text parameters as C strings.
        bytes.append(0)
        if let reason = writer.failure { failure = failure ?? reason }
        entries.append(
            Entry(
                offset: offset,
                length: length,
                typeOID: Value.postgresType.oid,
                isBinary: writer.isBinary,
                sqlOffset: sqlOffset
            )
        )
    }

    mutating func append(_ entry: Entry, of other: PostgresBinds, sqlOffset: Int) {
        var copy = entry
        copy.offset = bytes.count
        copy.sqlOffset = sqlOffset
        bytes.append(contentsOf: other.bytes[entry.offset..<(entry.offset + max(entry.length, 0))])
        bytes.append(0)
        entries.append(copy)
    }
}
