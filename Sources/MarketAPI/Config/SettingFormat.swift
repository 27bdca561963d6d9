// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketPlatform
import Moderation
import Postgres

/// How a value is written.
struct SettingFormat<Value: Sendable>: Sendable {
    /// Throws a `SettingValueError` for a text that is no such value.
    let read: @Sendable (String) throws -> Value

    init(read: @escaping @Sendable (String) throws -> Value) {
        self.read = read
    }

    /// `parse` answers nil for a text that is no such value; `must` says what it must be.
    init(_ must: String, parse: @escaping @Sendable (String) -> Value?) {
        read = { text in
            guard let value = parse(text) else { throw SettingValueError(must) }
            return value
        }
    }

    /// The same without the values that are outside `range`.
    func within(_ range: ClosedRange<Value>, _ must: String) -> Self where Value: Comparable {
        Self { text in
            let value = try read(text)
            guard range.contains(value) else { throw SettingValueError(must) }
            return value
        }
    }

    func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> SettingFormat<Other> {
        SettingFormat<Other> { text in transform(try read(text)) }
    }
}

extension ClosedRange<Double> {
    /// The bounds as a message names them.
    fileprivate var words: String {
        [lowerBound, upperBound].map { $0.formatted(.number.grouping(.never)) }.joined(separator: " to ")
    }
}

extension SettingFormat where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        let must = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Self(must) { Int($0) }.within(range, must)
    }

    /// Bytes, with or without a unit: `52428800`, `50MB`, `1 GiB`. Units are powers of 1024.
    static func bytes(_ range: ClosedRange<Int>) -> Self {
        Self("must be a number of bytes, such as 52428800 or 50MB") { text in
            let units = ["": 0, "B": 0, "KB": 10, "KIB": 10, "MB": 20, "MIB": 20, "GB": 30, "GIB": 30]
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).uppercased()
            guard let count = Int(digits), let shift = units[unit], count <= Int.max >> (shift + 1) else { return nil }
            return count << shift
        }
        .within(range, "must be from \(range.lowerBound) to \(range.upperBound) bytes")
    }

    /// Whole seconds, with or without a unit.
    static func wholeSeconds(_ range: ClosedRange<Int>) -> Self {
        SettingFormat<Double>.seconds(Double(range.lowerBound)...Double(range.upperBound)).map { Int($0) }
    }
}

extension SettingFormat where Value == Double {
    /// Seconds, with or without a unit: `90`, `15m`, `36h`, `30d`.
    static func seconds(_ range: ClosedRange<Double>) -> Self {
        Self("must be a time, such as 90, 15m, 36h or 30d") { text in
            let units: [String: Double] = ["": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400]
            let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces)
            guard let count = Double(digits), let factor = units[unit] else { return nil }
            return count * factor
        }
        .within(range, "must be from \(range.words) seconds")
    }

    static func number(_ range: ClosedRange<Double>) -> Self {
        let must = "must be a number from \(range.words)"
        return Self(must) { Double($0) }.within(range, must)
    }

    /// `10%` or `10`, as a part of one.
    static let percent = Self("must be from 0% to 100%") { text in
        Double(text.hasSuffix("%") ? text.dropLast().trimmingCharacters(in: .whitespaces) : text)
    }
    .within(0...100, "must be from 0% to 100%").map { $0 / 100 }
}

extension SettingFormat where Value == Duration {
    static func duration(_ range: ClosedRange<Double>) -> Self {
        SettingFormat<Double>.seconds(range).map { .milliseconds(Int64($0 * 1000)) }
    }
}

extension SettingFormat where Value == Bool {
    static let onOff = Self("must be on or off") { text in
        switch text.lowercased() {
        case "on", "true", "yes": true
        case "off", "false", "no": false
        default: nil
        }
    }
}

extension SettingFormat where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the words.
    static func word() -> Self {
        Self("must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))") {
            Value(rawValue: $0.lowercased())
        }
    }
}

extension SettingFormat where Value == String {
    static let text = Self { $0 }

    /// `scheme://…` of one of these schemes, without a path's last slash.
    static func address(_ schemes: Set<String>) -> Self {
        let beginnings = schemes.sorted().map { $0 + "://" }.joined(separator: " or ")
        return Self("must be an address that begins with \(beginnings)") { text in
            guard let url = URL(string: text), let scheme = url.scheme, schemes.contains(scheme),
                let host = url.host(), !host.isEmpty, url.query() == nil, url.fragment() == nil,
                // Addresses are shown; names and passwords have settings of their own.
                url.user() == nil, url.password() == nil
            else { return nil }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }

    /// What libpq takes: a URI, or `key=value` pairs.
    static let connectionString = checked(
        "must be a postgresql:// address, or key=value pairs as libpq takes them"
    ) { text in
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") || text.contains("=")
    }

    /// Addresses as libpq takes them, separated by blanks.
    static let connectionStrings = checked("must be postgresql:// addresses, separated by blanks") { text in
        let parts = text.split(whereSeparator: \.isWhitespace)
        return !parts.isEmpty
            && parts.allSatisfy { part in
                (part.hasPrefix("postgresql://") || part.hasPrefix("postgres://"))
                    && (try? ConnectionOptions(String(part))) != nil
            }
    }

    /// A name of up to 60 characters on one line.
    static let title = checked("must be a name of 1 to 60 characters on one line") { text in
        (1...60).contains(text.count) && !text.contains(where: \.isNewline)
    }

    /// Where people are reached.
    static let contact = checked(
        "must be an e-mail address such as sheets@example.org, or an address that begins with https://"
    ) { text in
        if text.hasPrefix("https://") { return URL(string: text)?.host()?.isEmpty == false && text.utf8.count <= 500 }
        return MailAddress(text)?.address == text
    }

    /// A path of an address, without its last slash.
    static let urlPath = checked("must be a path such as /internal/objects: letters, digits, '-', '_' and '/'") {
        $0.hasPrefix("/") && !$0.hasSuffix("/") && $0.utf8.allSatisfy { $0.isPathByte }
    }

    /// A bucket, as S3 names them.
    static let bucketName = checked("must be the name of a bucket: 3 to 63 small letters, digits, '-' and '.'") {
        text in
        (3...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
            }
    }

    /// A region, as S3 names them.
    static let region = checked("must be the name of a region, such as eu-central-1") { text in
        (1...63).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isPathByte && $0 != 0x2F }
    }

    /// What keys begin with.
    static let keyPrefix = checked("must end with '/' and hold only letters, digits, '-', '_', '.' and '/'") { text in
        text.utf8.count <= 200 && text.hasSuffix("/") && !text.hasPrefix("/")
            && text.utf8.allSatisfy { $0.isPathByte || $0 == 0x2E }
    }

    /// A role of the database.
    static let roleName = checked("must be the name of a role, of at most 63 bytes") { text in
        (1...63).contains(text.utf8.count) && !text.contains("\0")
    }

    /// `local@domain`, or `Name <local@domain>`.
    static let mailbox = checked(
        "must be an address such as sheets@example.org, or 'Name <sheets@example.org>'"
    ) { MailAddress($0) != nil }

    static let auditKeys = accepted { try AuditKeys(setting: $0) }

    /// Keys that `DownloadSigner` and `SecretBox` take.
    static let downloadKeys = accepted { try DownloadSigner(setting: $0) }

    private static func checked(_ must: String, _ isGood: @escaping @Sendable (String) -> Bool) -> Self {
        Self(must) { isGood($0) ? $0 : nil }
    }

    /// What `reader` reads without an error, whose words are the complaint.
    private static func accepted<Read>(by reader: @escaping @Sendable (String) throws -> Read) -> Self {
        Self { text in
            do {
                _ = try reader(text)
            } catch {
                throw SettingValueError("\(error)")
            }
            return text
        }
    }
}

extension UInt8 {
    fileprivate var isPathByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2F, 0x5F: true
        default: false
        }
    }
}

extension SettingFormat where Value == URL {
    static let path = Self("must be an absolute path") { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
}

extension SettingFormat where Value == ListenAddress {
    static let listen = Self("must be HOST:PORT with a port from 0 to 65535; an IPv6 address goes in brackets") {
        ListenAddress($0)
    }
}

extension SettingFormat where Value == Set<String> {
    /// IP addresses, separated by commas.
    static let addresses = Self { text in
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
