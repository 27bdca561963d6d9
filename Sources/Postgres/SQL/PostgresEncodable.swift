// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A value that can be bound to a statement.
///
/// A `RawRepresentable` type of an encodable raw value conforms by saying so; others write their text form.
package protocol PostgresEncodable: Sendable {
    /// The type the value is declared as; `.unspecified` leaves it to the server.
    static var postgresType: PostgresType { get }
    /// Writes the value: exactly one call of one of the writer's methods.
    func encode(into writer: inout PostgresParameterWriter)
}

extension PostgresEncodable {
    /// The server infers the type.
    package static var postgresType: PostgresType { .unspecified }
}

extension PostgresEncodable where Self: RawRepresentable, RawValue: PostgresEncodable {
    package static var postgresType: PostgresType { RawValue.postgresType }

    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) {
        rawValue.encode(into: &writer)
    }
}

/// A value that can be both bound and read.
package typealias PostgresCodable = PostgresEncodable & PostgresDecodable

/// Takes one value's wire form. Text goes as PostgreSQL's text format, bytes as its binary format for `bytea`.
package struct PostgresParameterWriter: Sendable {
    var bytes: [UInt8] = []
    var isNull = false
    var isBinary = false
    /// Inside an array literal, where text is quoted.
    var insideArray = false
    /// Why a value could not be written; reported when the statement is sent.
    var failure: String?

    /// NULL.
    package mutating func null() {
        if insideArray { bytes.append(contentsOf: "NULL".utf8) } else { isNull = true }
    }

    /// Text in PostgreSQL's text format for the type.
    package mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            if utf8.contains(0) { failure = "text with a NUL character cannot be stored" }
            guard insideArray else { return bytes.append(contentsOf: utf8) }
            bytes.append(UInt8(ascii: "\""))
            for byte in utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }

    /// Bytes for a `bytea`.
    package mutating func data(_ value: some Collection<UInt8>) {
        if insideArray {
            bytes.append(contentsOf: "\"\\".utf8)
            HexText.append(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        } else {
            isBinary = true
            bytes.append(contentsOf: value)
        }
    }

    /// Says that the value cannot be sent; the statement then throws instead of going to the server.
    package mutating func fail(_ reason: String) {
        failure = reason
    }

    /// Text that needs no quoting anywhere: digits, hyphens, letters.
    mutating func plain(_ value: String) {
        bytes.append(contentsOf: value.utf8)
    }

    mutating func integer(_ value: some BinaryInteger) {
        var magnitude = UInt64(truncatingIfNeeded: value.magnitude)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var next = 20
            repeat {
                next -= 1
                digits[next] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
                magnitude /= 10
            } while magnitude > 0
            if value < 0 { bytes.append(UInt8(ascii: "-")) }
            bytes.append(contentsOf: digits[next...])
        }
    }
}

extension Bool: PostgresEncodable {
    /// Bound as `boolean`.
    package static var postgresType: PostgresType { .bool }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.plain(self ? "t" : "f") }
}

extension Int: PostgresEncodable {
    /// Bound as `bigint`.
    package static var postgresType: PostgresType { .int8 }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.integer(self) }
}

extension Int64: PostgresEncodable {
    /// Bound as `bigint`.
    package static var postgresType: PostgresType { .int8 }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.integer(self) }
}

extension Int32: PostgresEncodable {
    /// Bound as `integer`.
    package static var postgresType: PostgresType { .int4 }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.integer(self) }
}

extension Int16: PostgresEncodable {
    /// Bound as `smallint`.
    package static var postgresType: PostgresType { .int2 }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.integer(self) }
}

extension Double: PostgresEncodable {
    /// Bound as `double precision`.
    package static var postgresType: PostgresType { .float8 }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.plain(description) }
}

extension Float: PostgresEncodable {
    /// Bound as `real`.
    package static var postgresType: PostgresType { .float4 }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.plain(description) }
}

extension Decimal: PostgresEncodable {
    /// Bound as `numeric`.
    package static var postgresType: PostgresType { .numeric }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.plain(description) }
}

extension String: PostgresEncodable {
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.text(self) }
}

extension Substring: PostgresEncodable {
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { writer.text(String(self)) }
}

extension UUID: PostgresEncodable {
    /// Bound as `uuid`.
    package static var postgresType: PostgresType { .uuid }
    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) { HexText.append(self, to: &writer.bytes) }
}

extension Date: PostgresEncodable {
    /// Bound as `timestamptz`.
    package static var postgresType: PostgresType { .timestamptz }

    /// Microseconds, the server's own precision; finer parts are rounded.
    package func encode(into writer: inout PostgresParameterWriter) {
        guard let text = TimestampText.format(self) else {
            return writer.fail("a date outside the years 1 to 294276 cannot be stored")
        }
        // The only plain text with blanks in it: an array literal wants it quoted.
        writer.text(text)
    }
}

extension Data: PostgresEncodable {
    /// Bound as `bytea`.
    package static var postgresType: PostgresType { .bytea }
    /// Writes the bytes as they are.
    package func encode(into writer: inout PostgresParameterWriter) { withUnsafeBytes { writer.data($0) } }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    package static var postgresType: PostgresType { Wrapped.postgresType }

    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) {
        if let value = self { value.encode(into: &writer) } else { writer.null() }
    }
}

extension Array: PostgresEncodable where Element: PostgresEncodable {
    /// The array over the elements' type.
    package static var postgresType: PostgresType {
        let element = Element.postgresType
        // An array of arrays is the same server type as the array itself.
        return PostgresType(oid: element.arrayOID, arrayOID: element.arrayOID)
    }

    /// Writes the value in its text form.
    package func encode(into writer: inout PostgresParameterWriter) {
        let outer = writer.insideArray
        writer.insideArray = true
        writer.bytes.append(UInt8(ascii: "{"))
        for (index, element) in enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            element.encode(into: &writer)
        }
        writer.bytes.append(UInt8(ascii: "}"))
        writer.insideArray = outer
    }
}
