// SPDX-License-Identifier: Apache-2.0

/// A member that is written as `null` when it is `nil`, where other members are left out then. It is read as `nil` both when
/// it is `null` and when it is missing: servers from before a list had pages do not write its cursor.
@propertyWrapper
public struct AlwaysWritten<Value: Sendable & Codable & Equatable>: Sendable, Codable, Equatable {
    /// The value, `null` where there is none.
    public var wrappedValue: Value?

    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    /// Reads the value alone.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    /// Writes the value alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// Decoders that the compiler writes find this, which lets the member be missing.
    public func decode<Value>(
        _ type: AlwaysWritten<Value>.Type, forKey key: Key
    ) throws -> AlwaysWritten<Value> {
        AlwaysWritten(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
