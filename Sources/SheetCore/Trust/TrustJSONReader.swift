// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TrustJSON {
    /// Why bytes are no metadata.
    public struct Malformed: Error, Sendable, Equatable {
        /// Completes the sentence "It is not JSON of signed metadata: …".
        public let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Reads JSON (RFC 8259), strictly: UTF-8, each key once, whole numbers of 64 bits, no deeper than 32.
    public init(reading data: some Collection<UInt8>) throws(Malformed) {
        self = try Self.read(data, locating: nil).json
    }

    /// The same, and the bytes of one of the outermost members where they are canonical as they stand, which saves writing
    /// them anew; `nil` where they are not.
    static func read(
        _ data: some Collection<UInt8>, locating key: String?
    ) throws(Malformed) -> (json: TrustJSON, canonical: [UInt8]?) {
        try Array(data).withUnsafeBufferPointer { (bytes) throws(Malformed) -> (json: TrustJSON, canonical: [UInt8]?) in
            var reader = TrustJSONReader(bytes: bytes, key: key)
            let json = try reader.document()
            return (json, reader.located.map { Array(bytes[$0]) })
        }
    }
}

/// Goes through JSON byte by byte.
private struct TrustJSONReader {
    static let maximumDepth = 32

    let bytes: UnsafeBufferPointer<UInt8>
    /// The outermost member whose place is wanted.
    let key: String?
    var place = 0
    /// Whether what was read since somebody last set it stood there as `canonical` writes it.
    var isCanonical = true
    /// Where that member's value stands, if it is canonical.
    var located: Range<Int>?

    init(bytes: UnsafeBufferPointer<UInt8>, key: String?) {
        self.bytes = bytes
        self.key = key
    }

    mutating func document() throws(TrustJSON.Malformed) -> TrustJSON {
        let value = try value(depth: 0)
        skipBlanks()
        guard place == bytes.count else { throw .init("something follows it") }
        return value
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            place += 1
            isCanonical = false
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(TrustJSON.Malformed) -> TrustJSON {
        guard depth <= Self.maximumDepth else { throw .init("it is nested too deeply") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || (48...57).contains(byte): return .integer(try integer())
        default: throw .init("a value is missing at byte \(place)")
        }
    }

    private mutating func word(_ word: StaticString, _ value: TrustJSON) throws(TrustJSON.Malformed) -> TrustJSON {
        for offset in 0..<word.utf8CodeUnitCount where !take(word.utf8Start[offset]) {
            throw .init("a value is missing at byte \(place)")
        }
        return value
    }

    private mutating func object(depth: Int) throws(TrustJSON.Malformed) -> TrustJSON {
        place += 1
        var members: [TrustObject.Member] = []
        var isAscending = true
        skipBlanks()
        if !take(UInt8(ascii: "}")) {
            repeat {
                skipBlanks()
                guard next == UInt8(ascii: "\"") else { throw .init("a key is missing at byte \(place)") }
                let key = try string()
                skipBlanks()
                guard take(UInt8(ascii: ":")) else { throw .init("a colon is missing at byte \(place)") }
                if let last = members.last, !last.key.utf8.lexicographicallyPrecedes(key.utf8) { isAscending = false }
                let isWanted = depth == 0 && key == self.key
                members.append(.init(key, try isWanted ? locatedValue() : value(depth: depth + 1)))
                skipBlanks()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { throw .init("an object does not end at byte \(place)") }
        }
        if isAscending { return .object(TrustObject(ascending: members)) }
        isCanonical = false
        guard let object = TrustObject(members) else { throw .init("a key is there twice before byte \(place)") }
        return .object(object)
    }

    private mutating func locatedValue() throws(TrustJSON.Malformed) -> TrustJSON {
        skipBlanks()
        let start = place
        isCanonical = true
        let value = try value(depth: 1)
        if isCanonical { located = start..<place }
        return value
    }

    private mutating func array(depth: Int) throws(TrustJSON.Malformed) -> TrustJSON {
        place += 1
        var elements: [TrustJSON] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array([]) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw .init("an array does not end at byte \(place)") }
        return .array(elements)
    }

    private mutating func integer() throws(TrustJSON.Malformed) -> Int64 {
        let start = place
        let isNegative = take(UInt8(ascii: "-"))
        let digits = place
        while let byte = next, (48...57).contains(byte) { place += 1 }
        let isPlain = place > digits && (bytes[digits] != UInt8(ascii: "0") || (place == digits + 1 && !isNegative))
        let isFraction = next == UInt8(ascii: ".") || next == UInt8(ascii: "e") || next == UInt8(ascii: "E")
        guard isPlain, !isFraction, let value = Int64(String(decoding: bytes[start..<place], as: UTF8.self)) else {
            throw .init("a number is not a whole one of 64 bits at byte \(start)")
        }
        return value
    }

    private mutating func string() throws(TrustJSON.Malformed) -> String {
        place += 1
        let start = place
        var bits: UInt8 = 0
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            bits |= byte
            place += 1
        }
        if next == UInt8(ascii: "\"") {
            defer { place += 1 }
            let plain = UnsafeBufferPointer(rebasing: bytes[start..<place])
            // ASCII is UTF-8.
            return bits < 0x80 ? String(decoding: plain, as: UTF8.self) : try text(plain)
        }
        var unescaped = Array(bytes[start..<place])
        while true {
            guard let byte = next, byte >= 0x20 else { throw .init("a string does not end at byte \(place)") }
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(unescaped)
            case UInt8(ascii: "\\"): unescaped.append(contentsOf: try escaped())
            default: unescaped.append(byte)
            }
        }
    }

    private func text(_ bytes: some Collection<UInt8>) throws(TrustJSON.Malformed) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // What is not UTF-8 was mended by the reading, and is something else now.
        guard text.utf8.elementsEqual(bytes) else { throw .init("a string before byte \(place) is not UTF-8") }
        return text
    }

    private mutating func escaped() throws(TrustJSON.Malformed) -> [UInt8] {
        guard let byte = next else { throw .init("a string does not end") }
        place += 1
        if byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { isCanonical = false }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = try unit()
            if (0xD800..<0xDC00).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
                let low = try unit()
                guard (0xDC00..<0xE000).contains(low) else { throw .init("half a character at byte \(place)") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw .init("half a character at byte \(place)") }
            return Array(String(Character(scalar)).utf8)
        default: throw .init("an escape that JSON does not know at byte \(place)")
        }
    }

    private mutating func unit() throws(TrustJSON.Malformed) -> UInt32 {
        let digits = bytes[place..<min(place + 4, bytes.count)]
        place += digits.count
        // `UInt32` would take a sign, too.
        guard digits.count == 4, !digits.contains(UInt8(ascii: "+")),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .init("an escape without four digits at byte \(place)") }
        return value
    }
}
