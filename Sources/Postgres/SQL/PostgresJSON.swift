// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A `Codable` value kept in a `jsonb` (or `json`) column.
package struct PostgresJSON<Value: Codable & Sendable>: PostgresCodable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Bound as `jsonb`.
    package static var postgresType: PostgresType { .jsonb }

    /// Writes the value as JSON, by a plain `JSONEncoder`.
    package func encode(into writer: inout PostgresParameterWriter) {
        do {
            writer.text(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
        } catch {
            writer.fail("a \(Value.self) could not be written as JSON: \(error)")
        }
    }

    /// Reads the value from JSON, by a plain `JSONDecoder`.
    package static func decode(_ value: PostgresValue) throws -> PostgresJSON? {
        PostgresJSON(try JSONDecoder().decode(Value.self, from: Data(buffer: value.bytes)))
    }
}

extension PostgresJSON: Equatable where Value: Equatable {}
extension PostgresJSON: Hashable where Value: Hashable {}
