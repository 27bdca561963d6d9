// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON that says its `formatVersion`; what says none is of version 1. Newer versions are refused, older ones brought up
/// to the present one before they are decoded.
public protocol VersionedFormat: Codable {
    /// For people: "A character's state".
    static var formatName: String { get }
    static var formatVersion: Int { get }
    /// The oldest version whose members are read as they are, without a migration.
    static var oldestAlike: Int { get }
    /// Largest file, in bytes.
    static var maximumBytes: Int { get }
    /// By the version they start from: what makes the members of the next version of those of one.
    static var migrations: [Int: FormatMigration] { get }
}

/// Changes the members of a file into those of the version after it.
public typealias FormatMigration = @Sendable (_ members: inout [String: JSONValue]) throws -> Void

extension VersionedFormat {
    public static var migrations: [Int: FormatMigration] { [:] }
    public static var oldestAlike: Int { formatVersion }

    /// Reads a file, whatever its version up to the present one; `ink` knows the strokes that it only numbers.
    public static func read(_ data: Data, ink: SheetInk? = nil) throws(FormatFailure) -> Self {
        guard data.count <= maximumBytes else {
            throw FormatFailure("", "\(formatName) has at most \(maximumBytes >> 20) MiB.")
        }
        let decoder = SheetJSON.decoder()
        if let ink, let key = SheetInk.key { decoder.userInfo[key] = ink }
        do { return try decoder.decode(Self.self, from: data) } catch { throw FormatFailure(error) }
    }

    /// For `init(from:)`: the value of an older version's file; `nil` of one that is read as it is.
    public static func migrated(_ decoder: any Decoder) throws -> Self? {
        let member = AnyMember("formatVersion")
        let version =
            try decoder.container(keyedBy: AnyMember.self).decodeIfPresent(Int.self, forKey: member) ?? 1
        guard !(oldestAlike...formatVersion ~= version) else { return nil }
        guard 1..<formatVersion ~= version else {
            throw FormatFailure(
                "/formatVersion",
                "\(formatName) is of version \(version); up to \(formatVersion) is read here. A newer program wrote it."
            )
        }
        var members = try [String: JSONValue](from: decoder)
        for step in version..<formatVersion {
            guard let migration = migrations[step] else {
                throw FormatFailure("/formatVersion", "\(formatName) of version \(step) is not read any more.")
            }
            try migration(&members)
        }
        members[member.stringValue] = .integer(formatVersion)
        return try SheetJSON.decoder().decode(Self.self, from: SheetJSON.encoder().encode(members))
    }
}
