// SPDX-License-Identifier: Apache-2.0

/// Any JSON, for documents whose shape is data.
package enum JSONValue: Sendable, Equatable, Codable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The most frequent kinds first: every wrong guess costs an error.
        if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else if let items = try? container.decode([JSONValue].self) {
            self = .array(items)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if container.decodeNil() {
            self = .null
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is not JSON")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
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

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of members of one name, the last stands.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
