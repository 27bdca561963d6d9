// SPDX-License-Identifier: Apache-2.0
import Foundation

/// JSON that ships with the program and is read at every start, by `JSONSerialization`: getting types of one's own ready for
/// `JSONDecoder` costs each start more than reading them.
public struct ShippedJSON {
    private let value: Any

    /// `nil` for what is no JSON.
    public init?(_ bytes: [UInt8]) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(bytes)) else { return nil }
        self.value = value
    }

    private init(value: Any) { self.value = value }

    /// What an object holds by this name.
    public subscript(_ name: String) -> ShippedJSON? {
        (value as? [String: Any])?[name].map { ShippedJSON(value: $0) }
    }

    /// The items of an array; none for anything else.
    public var items: [ShippedJSON] { (value as? [Any] ?? []).map { ShippedJSON(value: $0) } }

    /// The strings of an array.
    public var texts: [String] { (value as? [Any] ?? []).compactMap { $0 as? String } }

    /// A string; `nil` for anything else.
    public var text: String? { value as? String }

    /// The members of an object, in the order of their names.
    public var members: [(name: String, value: ShippedJSON)] {
        (value as? [String: Any] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, ShippedJSON(value: $0.value)) }
    }
}
