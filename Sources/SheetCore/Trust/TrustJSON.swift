// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON as signed metadata has it: whole numbers only, members in the order of their keys' bytes. What is read here and
/// written again by `canonical` is what was signed, with members that nobody knows (The Update Framework 1.0, section
/// 4.1).
public enum TrustJSON: Sendable, Equatable {
    /// Told apart from a member that is absent.
    case null
    /// `true` and `false` alone: 0 and 1 are integers.
    case bool(Bool)
    /// The only numbers: with a fraction or an exponent nothing is read.
    case integer(Int64)
    /// Without its escapes; written with no more of them than must be.
    case string(String)
    /// In the order of the document, which is signed, too.
    case array([TrustJSON])
    /// Each name once: a document that repeats one is not read.
    case object(TrustObject)

    /// The members of an object.
    public var object: TrustObject? { if case .object(let value) = self { value } else { nil } }
    /// The elements of an array.
    public var array: [TrustJSON]? { if case .array(let value) = self { value } else { nil } }
    /// The text of a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// A whole number.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// True or false.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The one way to write it, "canonical JSON" as OLPC describes it: no blanks, members in the order of their keys,
    /// and in strings nothing escaped but `"` and `\` (section 4.1). It is what is signed; where a string has a line
    /// break it is no JSON by RFC 8259, so files hold `text`.
    public var canonical: [UInt8] { written(escapingControls: false) }

    /// The same as JSON that everybody reads, control characters escaped; read again, it has the same canonical form.
    public var text: [UInt8] { written(escapingControls: true) }

    private func written(escapingControls escapes: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes, escapes)
        return bytes
    }

    private func append(to bytes: inout [UInt8], _ escapes: Bool) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .string(let text): Self.append(text, to: &bytes, escapes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes, escapes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in object.members.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(member.key, to: &bytes, escapes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes, escapes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8], _ escapes: Bool) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if escapes, byte < 0x20 {
                bytes.append(contentsOf: "\\u00".utf8)
                bytes += [HexDigit.lowercase(byte >> 4), HexDigit.lowercase(byte & 15)]
                continue
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// The members of an object, each key once. Keys are bytes here: spellings that look the same are not.
public struct TrustObject: Sendable, Equatable {
    /// In the order of the keys' bytes.
    public let members: [Member]

    /// A key and what it stands for.
    public struct Member: Sendable, Equatable {
        /// The member's name.
        public let key: String
        /// What it has.
        public let value: TrustJSON

        public init(_ key: String, _ value: TrustJSON) {
            self.key = key
            self.value = value
        }

        public static func == (one: Self, other: Self) -> Bool {
            one.key.utf8.elementsEqual(other.key.utf8) && one.value == other.value
        }
    }

    /// `nil` when a key is there twice.
    public init?(_ members: [Member]) {
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.key.utf8.elementsEqual(next.key.utf8) {
            return nil
        }
        self.members = sorted
    }

    /// Of members that are in the order of their keys' bytes already, each key once.
    init(ascending members: [Member]) { self.members = members }

    /// What the key stands for.
    public subscript(_ key: String) -> TrustJSON? {
        var range = 0..<members.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = members[middle].key
            if found.utf8.elementsEqual(key.utf8) { return members[middle].value }
            let isBefore = found.utf8.lexicographicallyPrecedes(key.utf8)
            range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

extension TrustJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: TrustJSON...) { self = .array(elements) }

    /// Of keys that are there twice, the last counts.
    public init(dictionaryLiteral elements: (String, TrustJSON)...) {
        self.init(members: elements)
    }

    /// An object of these members; of keys that are there twice, the last counts.
    public init(members: [(String, TrustJSON)]) {
        if let object = TrustObject(members.map { .init($0.0, $0.1) }) {
            self = .object(object)
            return
        }
        var kept: [TrustObject.Member] = []
        for (key, value) in members {
            kept.removeAll { $0.key.utf8.elementsEqual(key.utf8) }
            kept.append(.init(key, value))
        }
        self = TrustObject(kept).map { .object($0) } ?? .null
    }
}
