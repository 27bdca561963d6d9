// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A value that can be read from a column.
///
/// A `RawRepresentable` type of a decodable raw value conforms by saying so; others read the text form.
package protocol PostgresDecodable {
    /// Makes a value of a column that is not NULL; nil says that the text does not fit.
    static func decode(_ value: PostgresValue) throws -> Self?
    /// What NULL means; nil, the default, says that the column must not be NULL.
    static var postgresNull: Self? { get }
}

extension PostgresDecodable {
    /// NULL is an error.
    package static var postgresNull: Self? { nil }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    /// Reads the raw value; nil if no case has it.
    package static func decode(_ value: PostgresValue) throws -> Self? {
        try RawValue.decode(value).flatMap(Self.init(rawValue:))
    }
}

/// One column's value in the server's text format.
package struct PostgresValue {
    let bytes: UnsafeBufferPointer<UInt8>
    /// Keeps the bytes alive for as long as the value is.
    private let owner: AnyObject
    /// The OID of the column's type.
    package let typeOID: UInt32

    init(bytes: UnsafeBufferPointer<UInt8>, owner: AnyObject, typeOID: UInt32) {
        self.bytes = bytes
        self.owner = owner
        self.typeOID = typeOID
    }

    /// The text as the server sent it.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    func element(of array: ArrayText, _ range: Range<Int>) -> PostgresValue {
        PostgresValue(bytes: array.slice(range), owner: array, typeOID: 0)
    }
}

extension FixedWidthInteger {
    /// Decimal digits with an optional sign; nil for anything else or too large a number.
    init?(decimal bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes[...]
        let negative = rest.first == UInt8(ascii: "-")
        if negative { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return nil }
        var value: Self = 0
        for byte in rest {
            guard byte >= 48, byte <= 57 else { return nil }
            let digit = Self(truncatingIfNeeded: byte &- 48)
            let (shifted, overflow1) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) =
                negative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
            if overflow1 || overflow2 { return nil }
            value = sum
        }
        self = value
    }
}

extension Bool: PostgresDecodable {
    /// Reads `boolean`.
    package static func decode(_ value: PostgresValue) -> Bool? {
        guard value.bytes.count == 1 else { return nil }
        switch value.bytes[0] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: return nil
        }
    }
}

extension Int: PostgresDecodable {
    /// Reads any integer type that fits.
    package static func decode(_ value: PostgresValue) -> Int? { Int(decimal: value.bytes) }
}

extension Int64: PostgresDecodable {
    /// Reads any integer type that fits.
    package static func decode(_ value: PostgresValue) -> Int64? { Int64(decimal: value.bytes) }
}

extension Int32: PostgresDecodable {
    /// Reads any integer type that fits.
    package static func decode(_ value: PostgresValue) -> Int32? { Int32(decimal: value.bytes) }
}

extension Int16: PostgresDecodable {
    /// Reads any integer type that fits.
    package static func decode(_ value: PostgresValue) -> Int16? { Int16(decimal: value.bytes) }
}

extension Double: PostgresDecodable {
    /// Reads any number, perhaps rounded.
    package static func decode(_ value: PostgresValue) -> Double? { Double(value.text) }
}

extension Float: PostgresDecodable {
    /// Reads any number, perhaps rounded.
    package static func decode(_ value: PostgresValue) -> Float? { Float(value.text) }
}

extension Decimal: PostgresDecodable {
    /// Reads any number.
    package static func decode(_ value: PostgresValue) -> Decimal? {
        Decimal(string: value.text, locale: Locale(identifier: "en_US_POSIX"))
    }
}

extension String: PostgresDecodable {
    /// Reads any type's text form.
    package static func decode(_ value: PostgresValue) -> String? { value.text }
}

extension UUID: PostgresDecodable {
    /// Reads `uuid`.
    package static func decode(_ value: PostgresValue) -> UUID? { HexText.uuid(value.bytes) }
}

extension Date: PostgresDecodable {
    /// Reads `timestamptz`, and `timestamp` and `date` as if in UTC. Infinity becomes the distant past or future.
    package static func decode(_ value: PostgresValue) -> Date? { TimestampText.parse(value.bytes) }
}

extension Data: PostgresDecodable {
    /// Reads `bytea`.
    package static func decode(_ value: PostgresValue) -> Data? { HexText.data(value.bytes) }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// NULL is nil.
    package static var postgresNull: Wrapped?? { .some(.none) }

    /// Reads what is not NULL.
    package static func decode(_ value: PostgresValue) throws -> Wrapped?? {
        guard let wrapped = try Wrapped.decode(value) else { return nil }
        return .some(wrapped)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    /// Reads an array; its bounds are forgotten.
    package static func decode(_ value: PostgresValue) throws -> [Element]? {
        guard let parsed = ArrayText(value.bytes) else { return nil }
        var result: [Element] = []
        result.reserveCapacity(parsed.elements.count)
        for element in parsed.elements {
            let decoded: Element?
            if let range = element {
                decoded = try Element.decode(value.element(of: parsed, range))
            } else {
                decoded = Element.postgresNull
            }
            guard let decoded else { return nil }
            result.append(decoded)
        }
        return result
    }
}
