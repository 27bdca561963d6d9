// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A UUID that names one kind of thing, so that a user's id never passes for a template's.
public struct Identifier<Entity>: Hashable, Sendable, RawRepresentable {
    /// The UUID itself.
    public let rawValue: UUID

    public init(rawValue: UUID) {
        self.rawValue = rawValue
    }

    /// Makes a new one: UUID version 7 (RFC 9562, section 5.7), whose order is the order of making.
    public static func make(at date: Date = Date()) -> Self {
        Self(rawValue: .version7(at: date))
    }

    /// Reads the 36-character form; `nil` for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
        rawValue = uuid
    }
}

extension Identifier: CustomStringConvertible, LosslessStringConvertible, Codable {
    /// The lower-case 36-character form.
    public var description: String { rawValue.lowercaseText }

    /// Reads the 36-character form; throws `DecodingError.dataCorrupted` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Identifier(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an id is a UUID")
        }
        self = id
    }

    /// Writes the lower-case form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Kinds of things that have ids; none of them is ever made.
public enum Entity {
    /// Stands for an account in the type of its identifier.
    public enum User {}
    /// Stands for a template in the type of its identifier.
    public enum Template {}
    /// Stands for a version in the type of its identifier.
    public enum Version {}
    /// Stands for a submission in the type of its identifier.
    public enum Submission {}
    /// Stands for a case in the type of its identifier.
    public enum Case {}
    /// Stands for an API token in the type of its identifier.
    public enum Token {}
    /// Stands for a session in the type of its identifier.
    public enum Session {}
    /// Stands for a job in the type of its identifier.
    public enum Job {}
    /// Stands for a review in the type of its identifier.
    public enum Review {}
    /// Stands for a report in the type of its identifier.
    public enum Report {}
    /// Stands for an invitation in the type of its identifier.
    public enum Invitation {}
    /// Stands for an identity at a provider in the type of its identifier.
    public enum LinkedIdentity {}
}

/// A person with an account.
public typealias UserID = Identifier<Entity.User>
/// A catalog entry.
public typealias TemplateID = Identifier<Entity.Template>
/// One immutable release of a template.
public typealias VersionID = Identifier<Entity.Version>
/// An upload on its way to becoming a version.
public typealias SubmissionID = Identifier<Entity.Submission>
/// What a moderator works on.
public typealias CaseID = Identifier<Entity.Case>
/// A program's credential.
public typealias TokenID = Identifier<Entity.Token>
/// A browser's sign-in.
public typealias SessionID = Identifier<Entity.Session>
/// What somebody thinks of a template.
public typealias ReviewID = Identifier<Entity.Review>
/// A complaint.
public typealias ReportID = Identifier<Entity.Report>
/// A piece of background work.
public typealias JobID = Identifier<Entity.Job>
/// An offer of a part in a template.
public typealias InvitationID = Identifier<Entity.Invitation>
/// Who somebody is at a provider.
public typealias IdentityID = Identifier<Entity.LinkedIdentity>

extension UUID {
    /// The 36-character form in lower case (RFC 9562, section 4), for which `uuidString` calls `snprintf` sixteen times.
    public var lowercaseText: String {
        String(unsafeUninitializedCapacity: 36) { text in
            withUnsafeBytes(of: uuid) { bytes in
                var place = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    text[place] = HexDigit.lowercase(byte >> 4)
                    text[place + 1] = HexDigit.lowercase(byte & 15)
                    place += 2
                }
                return place
            }
        }
    }

    /// A UUID version 7: 48 bits of Unix milliseconds, then random bits (RFC 9562, section 5.7).
    public static func version7(at date: Date = Date()) -> UUID {
        var random = SystemRandomNumberGenerator()
        let high = random.next()
        let low = random.next()
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        func byte(_ value: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift) }
        return UUID(
            uuid: (
                byte(milliseconds, 40), byte(milliseconds, 32), byte(milliseconds, 24), byte(milliseconds, 16),
                byte(milliseconds, 8), byte(milliseconds, 0),
                0x70 | byte(high, 0) & 0x0F, byte(high, 8), 0x80 | byte(high, 16) & 0x3F, byte(high, 24),
                byte(low, 0), byte(low, 8), byte(low, 16), byte(low, 24), byte(low, 32), byte(low, 40)
            ))
    }
}
