// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

/// One message with all that is known about it.
struct LogLine {
    let level: Logger.Level
    let label: String
    let message: String
    let fields: Logger.Metadata

    /// One JSON object: `time`, `level`, `logger`, `message`, then the fields in the order of their names.
    func json(at time: timespec = .now) -> String {
        var line = "{\"time\":\"\(time.rfc3339)\",\"level\":\"\(level.rawValue)\",\"logger\":"
        line.appendJSON(label)
        line += ",\"message\":"
        line.appendJSON(Redaction.clean(message))
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += ","
            // The line's own names stay its own.
            line.appendJSON(["time", "level", "logger", "message"].contains(key) ? "_" + key : key)
            line += ":"
            Self.append(value, under: key, to: &line)
        }
        return line + "}\n"
    }

    /// A line for a person at a terminal.
    func text(at time: timespec = .now) -> String {
        var line = "\(time.rfc3339) \(level.rawValue.uppercased()) \(Redaction.clean(message))"
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += " \(key)="
            switch value {
            case .string(let text) where !Redaction.hides(key): line += Self.plain(Redaction.clean(text))
            case .stringConvertible(let other) where !Redaction.hides(key):
                line += Self.plain(Redaction.clean(other.description))
            default: Self.append(value, under: key, to: &line)
            }
        }
        // A message must not be able to look like two.
        return line.replacing("\n", with: "\\n") + "\n"
    }

    /// The text itself, or in quotes where its end would not be seen otherwise.
    private static func plain(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" }
        if isPlain && !text.isEmpty { return text }
        var quoted = ""
        quoted.appendJSON(text)
        return quoted
    }

    private static func append(_ value: Logger.MetadataValue, under key: String, to line: inout String) {
        if Redaction.hides(key) { return line.appendJSON(Redaction.mark) }
        switch value {
        case .string(let text): line.appendJSON(Redaction.clean(text))
        case .stringConvertible(let number as any FixedWidthInteger): line += number.description
        case .stringConvertible(let other): line.appendJSON(Redaction.clean(other.description))
        case .array(let values):
            line += "["
            for (index, value) in values.enumerated() {
                if index > 0 { line += "," }
                append(value, under: key, to: &line)
            }
            line += "]"
        case .dictionary(let values):
            line += "{"
            for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { line += "," }
                line.appendJSON(entry.key)
                line += ":"
                append(entry.value, under: entry.key, to: &line)
            }
            line += "}"
        }
    }
}

/// Keeps secrets out of the log, whoever passes them by mistake.
enum Redaction {
    static let mark = "[redacted]"
    private static let secretWords = [
        "authorization", "cookie", "credential", "password", "passwd", "secret", "signature", "token", "dsn",
        "database_url",
        "download_key",
    ]

    /// Whether nothing under this name is shown. Names of tokens are fine: `token_id` says which, not what.
    static func hides(_ key: String) -> Bool {
        let name = key.lowercased()
        if name.hasSuffix("_id") || name.hasSuffix("id") && name.hasPrefix("token") { return false }
        return secretWords.contains { name.contains($0) }
    }

    /// The text without passwords in addresses, bearer tokens and libpq passwords.
    static func clean(_ text: String) -> String {
        // Most messages hold none of the three marks; looking for them first keeps the common case cheap.
        guard text.contains("://") || text.contains("earer ") || text.contains("assword") else { return text }
        return
            withoutPasswords(text)
            .replacing(/([Bb]earer )[^\s"',;]+/) { "\($0.1)\(mark)" }
            .replacing(/([Pp]assword\s*[=:]\s*)('[^']*'|[^\s"',;]+)/) { "\($0.1)\(mark)" }
    }

    /// `scheme://user:[redacted]@host` for each address that has a password. Not by a regular expression, which takes time
    /// by the square of what a stranger sent.
    private static func withoutPasswords(_ text: String) -> String {
        guard text.contains("://"), text.contains("@") else { return text }
        var clean = ""
        var rest = text[...]
        while let end = rest.firstIndex(where: { $0 == "@" || $0.isWhitespace }) {
            clean += rest[end] == "@" ? hidden(rest[..<end]) : rest[..<end]
            clean.append(rest[end])
            rest = rest[rest.index(after: end)...]
        }
        return clean + rest
    }

    /// What stands before an `@`, without the password that it may end with.
    private static func hidden(_ text: Substring) -> Substring {
        var search = text
        while let slashes = search.range(of: "://") {
            let colon = search[slashes.upperBound...].firstIndex { $0 == ":" || $0 == "/" }
            let isScheme = text[..<slashes.lowerBound].last.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
            if isScheme, let colon, text[colon] == ":", text.index(after: colon) < text.endIndex {
                return text[...colon] + mark
            }
            search = search[slashes.upperBound...]
        }
        return text
    }
}

extension timespec {
    package static var now: timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }

    /// `2026-11-21T12:00:00.123Z`.
    var rfc3339: String {
        var seconds = tv_sec
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: some BinaryInteger, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
        let time = "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
        return "\(date)T\(time).\(digits(tv_nsec / 1_000_000, 3))Z"
    }
}

extension String {
    /// Appends `text` as a JSON string (RFC 8259, section 7).
    mutating func appendJSON(_ text: String) {
        append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append("\\\"")
            case "\\": append("\\\\")
            case "\n": append("\\n")
            case "\r": append("\\r")
            case "\t": append("\\t")
            case _
            where scalar.value < 0x20 || scalar.value == 0x2028 || scalar.value == 0x2029 || scalar.value == 0x7f:
                let hex = String(scalar.value, radix: 16)
                append("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
            default: unicodeScalars.append(scalar)
            }
        }
        append("\"")
    }
}
