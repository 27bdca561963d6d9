// SPDX-License-Identifier: Apache-2.0

/// JSON as `JSONEncoder` writes it with sorted keys and plain slashes. A reader lives for some milliseconds, and coders would
/// take a tenth of them to get ready for the types of a report, three times over.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    init(_ value: some JSONValue) {
        value.write(to: &self)
    }

    /// An object of the members that `write` adds, in the order of their names.
    mutating func object(_ write: (inout JSONText) -> Void) {
        add("{")
        write(&self)
        add("}")
    }

    /// A member, or nothing for `nil`.
    mutating func member(_ name: String, _ value: (some JSONValue)?) {
        guard let value else { return }
        separate(after: UInt8(ascii: "{"))
        name.write(to: &self)
        add(":")
        value.write(to: &self)
    }

    /// A member that is one of some words.
    mutating func member(_ name: String, _ word: some RawRepresentable<String>) {
        member(name, word.rawValue)
    }

    fileprivate mutating func separate(after opening: UInt8) {
        if bytes.last != opening { add(",") }
    }

    fileprivate mutating func add(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    fileprivate mutating func add(_ byte: UInt8) {
        bytes.append(byte)
    }
}

/// Reads what `JSONText` writes and nothing else: no spaces, and members in the order of their names. Who wrote it is not
/// trusted.
struct JSONCursor {
    struct Unexpected: Error {}

    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    var isAtEnd: Bool { place == bytes.endIndex }

    mutating func expect(_ text: String) throws(Unexpected) {
        guard take(text) else { throw Unexpected() }
    }

    /// A member that may be missing.
    mutating func optional<Value: JSONValue>(_ name: String) throws(Unexpected) -> Value? {
        let isFirst = place > bytes.startIndex && bytes[place - 1] == UInt8(ascii: "{")
        guard take((isFirst ? "\"" : ",\"") + name + "\":") else { return nil }
        return try Value(json: &self)
    }

    mutating func member<Value: JSONValue>(_ name: String) throws(Unexpected) -> Value {
        guard let value: Value = try optional(name) else { throw Unexpected() }
        return value
    }

    /// A member that is one of some words.
    mutating func member<Word: RawRepresentable<String>>(_ name: String) throws(Unexpected) -> Word {
        let text: String = try member(name)
        guard let word = Word(rawValue: text) else { throw Unexpected() }
        return word
    }

    fileprivate mutating func take(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    /// The bytes from here on that `isWanted` holds for.
    fileprivate mutating func take(while isWanted: (UInt8) -> Bool) -> String? {
        let taken = bytes[place...].prefix(while: isWanted)
        place = taken.endIndex
        return String(validating: taken, as: UTF8.self)
    }

    fileprivate mutating func number<Value: LosslessStringConvertible>() throws(Unexpected) -> Value {
        let digits = take { (48...57).contains($0) || [43, 45, 46, 101].contains($0) }
        guard let digits, let value = Value(digits) else { throw Unexpected() }
        return value
    }
}

/// What is written and read so.
protocol JSONValue {
    func write(to json: inout JSONText)
    init(json: inout JSONCursor) throws(JSONCursor.Unexpected)
}

extension Bool: JSONValue {
    func write(to json: inout JSONText) { json.add(self ? "true" : "false") }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        self = json.take("true")
        if !self { try json.expect("false") }
    }
}

extension Int: JSONValue {
    func write(to json: inout JSONText) { json.add(description) }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) { self = try json.number() }
}

extension Double: JSONValue {
    /// What is no number becomes no JSON, which nobody reads.
    func write(to json: inout JSONText) {
        let digits = description
        json.add(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        self = try json.number()
        guard isFinite else { throw JSONCursor.Unexpected() }
    }
}

extension Array: JSONValue where Element: JSONValue {
    func write(to json: inout JSONText) {
        json.add("[")
        for element in self {
            json.separate(after: UInt8(ascii: "["))
            element.write(to: &json)
        }
        json.add("]")
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        self = []
        try json.expect("[")
        while !json.take("]") {
            if !isEmpty { try json.expect(",") }
            append(try Element(json: &json))
        }
    }
}

extension String: JSONValue {
    func write(to json: inout JSONText) {
        json.add("\"")
        for byte in utf8 {
            if Self.isPlain(byte) { json.add(byte) } else { json.add(Self.escape(byte)) }
        }
        json.add("\"")
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        self = ""
        try json.expect("\"")
        while true {
            guard let plain = json.take(while: Self.isPlain) else { throw JSONCursor.Unexpected() }
            self += plain
            if json.take("\"") { return }
            let special = (0..<0x80).first { !Self.isPlain($0) && json.take(Self.escape($0)) }
            guard let special else { throw JSONCursor.Unexpected() }
            unicodeScalars.append(Unicode.Scalar(special))
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        case 0..<0x10: "\\u000" + String(byte, radix: 16)
        case 0x10..<0x20: "\\u00" + String(byte, radix: 16)
        default: "\\" + String(Unicode.Scalar(byte))
        }
    }
}
