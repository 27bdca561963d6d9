// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON of characters and drawings: members in order of their names, so that equal values have equal bytes; times
/// in RFC 3339, in whole seconds.
public enum SheetJSON {
    public static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    public static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

extension JSONValue {
    /// As text: the same for equal values. Empty of a number that JSON cannot say.
    public var json: String {
        (try? SheetJSON.encoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// The name of any member.
struct AnyMember: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) {
        stringValue = name
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) { nil }
}

/// Members that this version does not know: read, and written back as they were.
enum UnknownMembers {
    static func read<Known: CodingKey>(
        from decoder: any Decoder, besides known: Known.Type
    ) throws -> [String: JSONValue] {
        let container = try decoder.container(keyedBy: AnyMember.self)
        var members: [String: JSONValue] = [:]
        for key in container.allKeys where Known(stringValue: key.stringValue) == nil {
            members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
        return members
    }

    static func write(_ members: [String: JSONValue], to encoder: any Encoder) throws {
        guard !members.isEmpty else { return }
        var container = encoder.container(keyedBy: AnyMember.self)
        for (name, value) in members { try container.encode(value, forKey: AnyMember(name)) }
    }
}
