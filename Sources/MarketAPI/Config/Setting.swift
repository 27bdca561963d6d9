// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketPlatform
import Moderation

/// One line of the table of settings: reading, help, the example file and complaints all come from here.
struct Setting: Sendable {
    let name: String
    /// What it is for: one or two sentences.
    let explanation: String
    /// The default as an operator would write it; nil when there is none.
    let standard: String?
    /// A value that would do.
    let example: String
    /// Never repeated in a message.
    let isSecret: Bool
    let apply: @Sendable (String, inout ServerConfiguration) throws -> Void
    let isSet: @Sendable (ServerConfiguration) -> Bool

    /// A setting with a default.
    init<Value: Sendable>(
        _ name: String, _ path: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ form: SettingFormat<Value>,
        default standard: String?, example: String, _ explanation: String
    ) {
        self.name = name
        self.explanation = explanation
        self.standard = standard
        self.example = example
        isSecret = false
        apply = { text, configuration in configuration[keyPath: path] = try form.read(text) }
        isSet = { _ in true }
    }

    /// A setting that is absent unless it is set.
    init<Value: Sendable>(
        _ name: String, _ path: any WritableKeyPath<ServerConfiguration, Value?> & Sendable,
        _ form: SettingFormat<Value>,
        default standard: String? = nil, isSecret: Bool = false, example: String, _ explanation: String
    ) {
        self.name = name
        self.explanation = explanation
        self.standard = standard
        self.example = example
        self.isSecret = isSecret
        apply = { text, configuration in configuration[keyPath: path] = .some(try form.read(text)) }
        isSet = { $0[keyPath: path] != nil }
    }

    /// What is wrong with a value, and what would do.
    func complaint(about value: SettingsFile.Value, _ error: any Error) -> String {
        let shown = isSecret ? "" : "=\(value.text)"
        let reason = (error as? SettingValueError)?.reason ?? "\(error)"
        return "\(name)\(shown) (\(value.origin)): \(reason). Example: \(name)=\(example)"
    }

    /// The setting whose name is at most three typing errors away.
    static func nearest(to name: String) -> String? {
        let distances = all.map { (name: $0.name, distance: $0.name.editDistance(to: name)) }
        return distances.min { $0.distance < $1.distance }.flatMap { $0.distance <= 3 ? $0.name : nil }
    }
}

/// How a value is written.
package struct SettingFormat<Value: Sendable>: Sendable {
    package let read: @Sendable (String) throws -> Value
}

extension SettingFormat where Value == Int {
    package static func integer(_ range: ClosedRange<Int>) -> Self {
        Self { text in
            guard let value = Int(text), range.contains(value) else {
                throw SettingValueError("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return value
        }
    }

    /// Bytes, with or without a unit: `52428800`, `50MB`, `1 GiB`. Units are powers of 1024.
    package static func bytes(_ range: ClosedRange<Int>) -> Self {
        Self { text in
            let units = ["": 0, "B": 0, "KB": 10, "KIB": 10, "MB": 20, "MIB": 20, "GB": 30, "GIB": 30]
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).uppercased()
            guard let count = Int(digits), let shift = units[unit], count <= Int.max >> (shift + 1) else {
                throw SettingValueError("must be a number of bytes, such as 52428800 or 50MB")
            }
            let value = count << shift
            guard range.contains(value) else {
                throw SettingValueError("must be from \(range.lowerBound) to \(range.upperBound) bytes")
            }
            return value
        }
    }

    /// Whole seconds, with or without a unit.
    package static func wholeSeconds(_ range: ClosedRange<Int>) -> Self {
        let form = SettingFormat<Double>.seconds(Double(range.lowerBound)...Double(range.upperBound))
        return Self { text in Int(try form.read(text)) }
    }
}

extension SettingFormat where Value == Double {
    /// Seconds, with or without a unit: `90`, `15m`, `36h`, `30d`.
    package static func seconds(_ range: ClosedRange<Double>) -> Self {
        Self { text in
            let units: [String: Double] = ["": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400]
            let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces)
            guard let count = Double(digits), let factor = units[unit] else {
                throw SettingValueError("must be a time, such as 90, 15m, 36h or 30d")
            }
            guard range.contains(count * factor) else {
                let bounds = [range.lowerBound, range.upperBound].map { $0.formatted(.number.grouping(.never)) }
                throw SettingValueError("must be from \(bounds[0]) to \(bounds[1]) seconds")
            }
            return count * factor
        }
    }
}

extension SettingFormat where Value == Double {
    package static func number(_ range: ClosedRange<Double>) -> Self {
        Self { text in
            guard let value = Double(text), range.contains(value) else {
                let bounds = [range.lowerBound, range.upperBound].map { $0.formatted(.number.grouping(.never)) }
                throw SettingValueError("must be a number from \(bounds[0]) to \(bounds[1])")
            }
            return value
        }
    }

    /// `10%` or `10`, as a part of one.
    package static let percent = Self { text in
        let digits = text.hasSuffix("%") ? String(text.dropLast()).trimmingCharacters(in: .whitespaces) : text
        guard let value = Double(digits), (0...100).contains(value) else {
            throw SettingValueError("must be from 0% to 100%")
        }
        return value / 100
    }
}

extension SettingFormat where Value == Bool {
    /// `on` or `off`.
    static let onOff = Self { text in
        switch text.lowercased() {
        case "on", "true", "yes": return true
        case "off", "false", "no": return false
        default: throw SettingValueError("must be on or off")
        }
    }
}

extension SettingFormat where Value == Duration {
    package static func duration(_ range: ClosedRange<Double>) -> Self {
        let form = SettingFormat<Double>.seconds(range)
        return Self { text in .milliseconds(Int64(try form.read(text) * 1000)) }
    }
}

extension SettingFormat where Value == String {
    /// `scheme://…` of one of these schemes, without a path's last slash.
    package static func address(_ schemes: Set<String>) -> Self {
        Self { text in
            guard let url = URL(string: text), let scheme = url.scheme, schemes.contains(scheme),
                let host = url.host(), !host.isEmpty, url.query() == nil, url.fragment() == nil
            else {
                throw SettingValueError(
                    "must be an address that begins with \(schemes.sorted().map { $0 + "://" }.joined(separator: " or "))"
                )
            }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }

    /// What libpq takes: a URI, or `key=value` pairs.
    package static let connectionString = Self { text in
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") || text.contains("=") else {
            throw SettingValueError("must be a postgresql:// address, or key=value pairs as libpq takes them")
        }
        return text
    }

    /// `local@domain`, or `Name <local@domain>`.
    package static let mailbox = Self { text in
        guard MailAddress(text) != nil else {
            throw SettingValueError("must be an address such as sheets@example.org, or 'Name <sheets@example.org>'")
        }
        return text
    }

    /// Keys that `AuditKeys` takes.
    package static let auditKeys = Self { text in
        do {
            _ = try AuditKeys(setting: text)
        } catch {
            throw SettingValueError("\(error)")
        }
        return text
    }

    /// A role of the database.
    static let roleName = Self { text in
        guard (1...63).contains(text.utf8.count), !text.contains("\0") else {
            throw SettingValueError("must be the name of a role, of at most 63 bytes")
        }
        return text
    }

    package static let text = Self { $0 }

    /// Keys that `DownloadSigner` and `SecretBox` take.
    package static let downloadKeys = Self { text in
        do {
            _ = try DownloadSigner(setting: text)
        } catch {
            throw SettingValueError("\(error)")
        }
        return text
    }
}

extension SettingFormat where Value == URL {
    package static let path = Self { text in
        guard text.hasPrefix("/") else { throw SettingValueError("must be an absolute path") }
        return URL(filePath: text)
    }
}

extension SettingFormat where Value == ListenAddress {
    package static let listen = Self { text in
        guard let address = ListenAddress(text) else {
            throw SettingValueError("must be HOST:PORT with a port from 0 to 65535; an IPv6 address goes in brackets")
        }
        return address
    }
}

extension SettingFormat where Value == Set<String> {
    /// IP addresses, separated by commas.
    package static let addresses = Self { text in
        let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        for part in parts {
            var v4 = in_addr()
            var v6 = in6_addr()
            guard inet_pton(AF_INET, part, &v4) == 1 || inet_pton(AF_INET6, part, &v6) == 1 else {
                throw SettingValueError("must be IP addresses separated by commas; '\(part)' is none")
            }
        }
        return Set(parts)
    }
}

extension SettingFormat where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the words.
    package static func word() -> Self {
        Self { text in
            guard let value = Value(rawValue: text.lowercased()) else {
                throw SettingValueError("must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return value
        }
    }
}

extension String {
    /// Levenshtein's distance.
    fileprivate func editDistance(to other: String) -> Int {
        let target = Array(other)
        var row = Array(0...target.count)
        for (i, mine) in enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, theirs) in target.enumerated() {
                let cost = Swift.min(diagonal + (mine == theirs ? 0 : 1), row[j] + 1, row[j + 1] + 1)
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[target.count]
    }
}
