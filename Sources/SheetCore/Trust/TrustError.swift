// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why signed metadata, or a file that it describes, is not trusted. Roles are named as their files are: `root`,
/// `timestamp`, `snapshot`, `targets`, or a bin's name.
public enum TrustError: Error, Sendable, Equatable {
    /// It is no metadata of this role (section 4 of The Update Framework 1.0).
    case malformed(role: String, reason: String)
    /// It is larger than anything that is taken (sections 5.3.3, 5.4.1, 5.5.1, 5.6.1).
    case tooLarge(role: String, limit: Int)
    /// Too few of the role's keys signed it (sections 5.3.4, 5.4.2, 5.5.3, 5.6.3).
    case tooFewSignatures(role: String, valid: Int, threshold: Int)
    /// It is not the version that was named (sections 5.3.5, 5.5.4, 5.6.4).
    case wrongVersion(role: String, expected: Int64, found: Int64)
    /// It is older than what was trusted before (sections 5.4.3, 5.5.5).
    case rollback(role: String, trusted: Int64, found: Int64)
    /// Its time is over, by this machine's clock (sections 5.3.10, 5.4.4, 5.5.6, 5.6.5).
    case expired(role: String, at: Date, now: Date)
    /// Its bytes are not those that were named (sections 5.5.2, 5.6.2, 5.7.2).
    case wrongBytes(role: String)
    /// The snapshot does not name it, or no longer does (sections 5.5.5, 5.6.1).
    case notInSnapshot(role: String)
    /// No role that may sign for the path names it (section 5.6.7).
    case unknownTarget(path: String)
    /// A step of the workflow was left out (section 5.1).
    case wrongOrder(role: String)
}

extension TrustError: CustomStringConvertible {
    /// What is wrong, in a sentence.
    public var description: String {
        switch self {
        case .malformed(let role, let reason): "The metadata '\(role)' cannot be read: \(reason)."
        case .tooLarge(let role, let limit): "The metadata '\(role)' is larger than \(limit) bytes."
        case .tooFewSignatures(let role, let valid, let threshold):
            "The metadata '\(role)' has \(valid) valid signatures of the \(threshold) that it needs."
        case .wrongVersion(let role, let expected, let found):
            "The metadata '\(role)' is version \(found) where version \(expected) was due."
        case .rollback(let role, let trusted, let found):
            "The metadata '\(role)' is version \(found), older than version \(trusted), which was here before."
        case .expired(let role, let end, let now):
            "The metadata '\(role)' was good until \(TrustDate.text(end)); this machine's clock says "
                + "\(TrustDate.text(now))."
        case .wrongBytes(let role): "The bytes of '\(role)' are not those that the signed metadata names."
        case .notInSnapshot(let role): "The signed metadata does not name '\(role)'."
        case .unknownTarget(let path): "The signed metadata knows no file '\(path)'."
        case .wrongOrder(let role): "The metadata '\(role)' came before what it hangs on."
        }
    }
}

/// What is taken at most. A server that sends without end is cut off there.
public struct TrustLimits: Sendable, Equatable {
    /// Bytes of `root.json`.
    public var root = 512_000
    /// Bytes of `timestamp.json`.
    public var timestamp = 16_384
    /// Bytes of `snapshot.json`; the timestamp may only say less.
    public var snapshot = 2_000_000
    /// Bytes of `targets.json` or of a bin; the snapshot may only say less.
    public var targets = 5_000_000
    /// Changes of the root in one go (section 5.3.3).
    public var rootRotations = 256
    /// Roles that are looked into for one file (section 5.6.7.1).
    public var delegations = 32

    public init() {}
}

/// Times as metadata has them: `2026-11-25T12:00:00Z` (section 4.2.1).
public enum TrustDate {
    /// Writes whole seconds, in UTC.
    public static func text(_ date: Date) -> String {
        let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
        var days = seconds / 86_400
        var rest = seconds % 86_400
        if rest < 0 {
            days -= 1
            rest += 86_400
        }
        // Days to year, month and day in the Gregorian calendar, years that begin in March.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let day = two(dayOfYear - (153 * part + 2) / 5 + 1)
        return "\(year)-\(two(month))-\(day)T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
    }

    /// Reads exactly that; `nil` for anything else.
    public static func date(_ text: String) -> Date? {
        let pattern = Array("0000-00-00T00:00:00Z".utf8)
        let bytes = Array(text.utf8)
        guard bytes.count == pattern.count else { return nil }
        func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
        for (byte, wanted) in zip(bytes, pattern) where wanted == 48 ? !isDigit(byte) : byte != wanted { return nil }
        func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 * 10 + Int64($1 - 48) } }
        let (month, day) = (number(5..<7), number(8..<10))
        let year = number(0..<4) - (month <= 2 ? 1 : 0)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        let seconds = days * 86_400 + number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19)
        let date = Date(timeIntervalSince1970: Double(seconds))
        // A thirteenth month, or the thirtieth of February, is another day when it is written again.
        return self.text(date) == text ? date : nil
    }
}
