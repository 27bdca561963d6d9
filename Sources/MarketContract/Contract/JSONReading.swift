// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

extension JSONValue {
    /// Reads a document. Many times faster than decoding, which guesses each value's kind; throws what
    /// `JSONSerialization` throws.
    package init(parsing data: Data) throws {
        self.init(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let members as [String: Any]: self = .object(members.mapValues(JSONValue.init))
        case let items as [Any]: self = .array(items.map(JSONValue.init))
        case let number as NSNumber:
            switch UnicodeScalar(UInt8(bitPattern: number.objCType.pointee)) {
            case "c", "B": self = .bool(number.boolValue)
            case "d", "f": self = .number(number.doubleValue)
            default: self = .integer(number.intValue)
            }
        default: self = .null
        }
    }
}

extension JSONValue {
    /// The member `name`; `nil` when this is no object or has none such. Setting makes an object of anything else.
    package subscript(name: String) -> JSONValue? {
        get { members[name] }
        set {
            var members = self.members
            members[name] = newValue
            self = .object(members)
        }
    }

    /// An object's members; none for anything else.
    package var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    /// An array's items; none for anything else.
    package var items: [JSONValue] {
        if case .array(let items) = self { items } else { [] }
    }

    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var integer: Int? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// A number's value, whole or not.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The texts of an array of strings.
    package var texts: [String] { items.compactMap(\.text) }

    /// With all of `others`' members, which win.
    package func merging(_ others: [String: JSONValue]) -> JSONValue {
        .object(members.merging(others) { _, new in new })
    }
}
