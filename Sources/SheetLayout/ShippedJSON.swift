// SPDX-License-Identifier: Apache-2.0

/// JSON that ships with the program, read at every start: `JSONDecoder` takes longer to get ready than a page takes.
/// Neither escapes in strings nor fractions; nothing that comes from outside is read with it.
public enum ShippedJSON {
    /// A string.
    case text(String)
    /// A whole number.
    case number(Int)
    /// An array.
    case list([ShippedJSON])
    /// An object.
    case table([String: ShippedJSON])

    /// `nil` for what is no such JSON.
    public init?(_ bytes: [UInt8]) {
        let value = bytes.withUnsafeBytes { bytes -> ShippedJSON? in
            var reader = Reader(bytes: bytes)
            return reader.value()
        }
        guard let value else { return nil }
        self = value
    }

    /// What an object holds by this name.
    public subscript(_ name: String) -> ShippedJSON? {
        if case .table(let members) = self { members[name] } else { nil }
    }

    /// The items of an array; none for anything else.
    public var items: [ShippedJSON] {
        if case .list(let items) = self { items } else { [] }
    }

    /// The strings of an array.
    public var texts: [String] { items.compactMap(\.text) }

    /// A string; `nil` for anything else.
    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The members of an object, in the order of their names.
    public var members: [(name: String, value: ShippedJSON)] {
        guard case .table(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var place = 0

        /// The next byte that is no white space.
        private mutating func next() -> UInt8? {
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                if byte > 32 { return byte }
            }
            return nil
        }

        mutating func value() -> ShippedJSON? {
            switch next() {
            case UInt8(ascii: "{"): table()
            case UInt8(ascii: "["): list()
            case UInt8(ascii: "\""): string().map { .text($0) }
            case .some(let digit) where (48...57).contains(digit): number(digit)
            default: nil
            }
        }

        private mutating func string() -> String? {
            let start = place
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                if byte == UInt8(ascii: "\\") { return nil }
                if byte == UInt8(ascii: "\"") { return String(decoding: bytes[start..<place - 1], as: UTF8.self) }
            }
            return nil
        }

        private mutating func number(_ first: UInt8) -> ShippedJSON? {
            var number = Int(first) - 48
            while place < bytes.count, (48...57).contains(bytes[place]), number < 1_000_000_000 {
                number = 10 * number + Int(bytes[place]) - 48
                place += 1
            }
            return .number(number)
        }

        /// Whether an array or object ends before its first item.
        private mutating func ends(with end: UInt8) -> Bool {
            let start = place
            if next() == end { return true }
            place = start
            return false
        }

        private mutating func list() -> ShippedJSON? {
            var items: [ShippedJSON] = []
            if ends(with: UInt8(ascii: "]")) { return .list(items) }
            while true {
                guard let item = value() else { return nil }
                items.append(item)
                switch next() {
                case UInt8(ascii: ","): continue
                case UInt8(ascii: "]"): return .list(items)
                default: return nil
                }
            }
        }

        private mutating func table() -> ShippedJSON? {
            var members: [String: ShippedJSON] = [:]
            if ends(with: UInt8(ascii: "}")) { return .table(members) }
            while true {
                guard next() == UInt8(ascii: "\""), let name = string(), next() == UInt8(ascii: ":"),
                    let value = value()
                else { return nil }
                members[name] = value
                switch next() {
                case UInt8(ascii: ","): continue
                case UInt8(ascii: "}"): return .table(members)
                default: return nil
                }
            }
        }
    }
}
