// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Hexadecimal forms: `bytea` as `\x…`, and UUIDs.
enum HexText {
    private static let digits = [UInt8]("0123456789abcdef".utf8)

    // Nothing is reserved: an array that is told what it needs each time grows by just that, and is copied each time.
    static func append(_ value: some Collection<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(ascii: "x"))
        for byte in value {
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }

    /// 36 characters, for which `uuidString` calls `snprintf` sixteen times.
    static func append(_ value: UUID, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.uuid) { value in
            for (index, byte) in value.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        }
    }

    @inline(__always)
    private static func nibble(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 48...57: byte &- 48
        case 97...102: byte &- 87
        case 65...70: byte &- 55
        default: 0xff
        }
    }

    static func data(_ text: UnsafeBufferPointer<UInt8>) -> Data? {
        guard text.count >= 2, text.count % 2 == 0, text[0] == UInt8(ascii: "\\"), text[1] == UInt8(ascii: "x") else {
            return nil
        }
        var data = Data(count: text.count / 2 - 1)
        var seen: UInt8 = 0
        data.withUnsafeMutableBytes { out in
            for index in 0..<out.count {
                let high = nibble(text[2 * index + 2])
                let low = nibble(text[2 * index + 3])
                seen |= high | low
                out[index] = high << 4 | low
            }
        }
        return seen & 0xf0 == 0 ? data : nil
    }

    static func uuid(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == 36 else { return nil }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let valid = withUnsafeMutableBytes(of: &value) { out in
            var source = 0
            var seen: UInt8 = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    guard text[source] == UInt8(ascii: "-") else { return false }
                    source += 1
                }
                let high = nibble(text[source])
                let low = nibble(text[source + 1])
                seen |= high | low
                out[index] = high << 4 | low
                source += 2
            }
            return seen & 0xf0 == 0
        }
        return valid ? UUID(uuid: value) : nil
    }
}

/// The `ISO` date style: `2024-02-29 12:34:56.789012+05:30`.
enum TimestampText {
    static func format(_ date: Date) -> String? {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // The server's range ends in 294276; the year 1 keeps "BC" out of what is written.
        guard microseconds >= -62_135_596_800e6, microseconds < 9_224_318_016_000e6 else { return nil }
        let total = Int(microseconds)
        let perDay = 86_400_000_000
        let rest = (total % perDay + perDay) % perDay
        let day = (total - rest) / perDay
        let (year, month, dayOfMonth) = civil(fromDays: day)
        var text = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(dayOfMonth, 2) + " "
        text += pad(rest / 3_600_000_000, 2) + ":" + pad(rest / 60_000_000 % 60, 2) + ":"
        text += pad(rest / 1_000_000 % 60, 2) + "." + pad(rest % 1_000_000, 6) + "+00"
        return text
    }

    static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        var reader = Reader(text: text)
        if reader.take("infinity") { return reader.isAtEnd ? .distantFuture : nil }
        if reader.take("-infinity") { return reader.isAtEnd ? .distantPast : nil }
        guard var year = reader.number(), reader.take("-"), let month = reader.number(), reader.take("-"),
            let day = reader.number(), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var seconds = 0
        var microseconds = 0
        if reader.take(" "), !reader.take("BC") {
            guard let hour = reader.number(), reader.take(":"), let minute = reader.number(), reader.take(":"),
                let second = reader.number()
            else { return nil }
            seconds = hour * 3600 + minute * 60 + second
            if reader.take(".") {
                guard let fraction = reader.microseconds() else { return nil }
                microseconds = fraction
            }
            guard let offset = reader.offset() else { return nil }
            seconds -= offset
            if reader.take(" BC") { year = 1 - year }
        } else if text.last == UInt8(ascii: "C") {
            year = 1 - year
        }
        guard reader.isAtEnd else { return nil }
        let whole = days(year, month, day) * 86_400 + seconds
        return Date(timeIntervalSince1970: Double(whole) + Double(microseconds) / 1_000_000)
    }

    private struct Reader {
        let text: UnsafeBufferPointer<UInt8>
        var index = 0

        var isAtEnd: Bool { index == text.count }

        mutating func take(_ literal: StaticString) -> Bool {
            let count = literal.utf8CodeUnitCount
            guard index + count <= text.count else { return false }
            for position in 0..<count where text[index + position] != literal.utf8Start[position] { return false }
            index += count
            return true
        }

        mutating func number() -> Int? {
            let start = index
            var value = 0
            while index < text.count, index - start < 9, text[index] >= 48, text[index] <= 57 {
                value = value * 10 + Int(text[index] - 48)
                index += 1
            }
            return index > start ? value : nil
        }

        mutating func microseconds() -> Int? {
            let start = index
            guard var value = number(), index - start <= 6 else { return nil }
            for _ in (index - start)..<6 { value *= 10 }
            return value
        }

        /// Seconds east of UTC; 0 where none is written, as in `timestamp`.
        mutating func offset() -> Int? {
            let sign: Int
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return 0 }
            guard let hours = number() else { return nil }
            var seconds = hours * 3600
            if take(":") {
                guard let minutes = number() else { return nil }
                seconds += minutes * 60
                if take(":") {
                    guard let rest = number() else { return nil }
                    seconds += rest
                }
            }
            return sign * seconds
        }
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar, counting eras of 400 years from March.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(fromDays days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
    }

    private static func pad(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return digits.count >= width ? digits : String(repeating: "0", count: width - digits.count) + digits
    }
}

/// An array in text form, `{1,NULL,"a \"b\""}`, taken apart one level deep.
final class ArrayText {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    /// Where each element's unquoted text lies; nil is NULL.
    let elements: [Range<Int>?]

    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var parser = ArrayTextParser(text: text)
        guard parser.parse() else { return nil }
        buffer = .allocate(capacity: max(parser.bytes.count, 1))
        _ = buffer.initialize(from: parser.bytes)
        elements = parser.elements
    }

    deinit { buffer.deallocate() }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[range])
    }
}

private struct ArrayTextParser {
    let text: UnsafeBufferPointer<UInt8>
    var index = 0
    var bytes: [UInt8] = []
    var elements: [Range<Int>?] = []

    mutating func parse() -> Bool {
        // "[2:4]={…}": the bounds of an array that does not start at 1 say nothing we keep.
        if text.first == UInt8(ascii: "[") {
            guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return false }
            index = equals + 1
        }
        guard take("{") else { return false }
        if take("}") { return index == text.count }
        repeat {
            guard element() else { return false }
        } while take(",")
        return take("}") && index == text.count
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func element() -> Bool {
        guard index < text.count else { return false }
        let start = bytes.count
        switch text[index] {
        case UInt8(ascii: "\""): guard quoted() else { return false }
        case UInt8(ascii: "{"): guard nested() else { return false }
        default:
            let first = index
            while index < text.count, text[index] != UInt8(ascii: ","), text[index] != UInt8(ascii: "}") { index += 1 }
            guard index > first else { return false }
            if text[first..<index].elementsEqual("NULL".utf8) {
                elements.append(nil)
                return true
            }
            bytes.append(contentsOf: text[first..<index])
        }
        elements.append(start..<bytes.count)
        return true
    }

    private mutating func quoted() -> Bool {
        index += 1
        while index < text.count {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") {
                guard index < text.count else { return false }
                bytes.append(text[index])
                index += 1
            } else {
                bytes.append(byte)
            }
        }
        return false
    }

    /// Copies a whole inner array as it stands.
    private mutating func nested() -> Bool {
        var depth = 0
        var inQuotes = false
        while index < text.count {
            let byte = text[index]
            bytes.append(byte)
            index += 1
            if inQuotes {
                if byte == UInt8(ascii: "\\"), index < text.count {
                    bytes.append(text[index])
                    index += 1
                } else if byte == UInt8(ascii: "\"") {
                    inQuotes = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inQuotes = true
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return true }
            default: break
            }
        }
        return false
    }
}
