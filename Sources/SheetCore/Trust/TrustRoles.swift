// SPDX-License-Identifier: Apache-2.0
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What all roles' metadata says (section 4.2.1 of The Update Framework 1.0).
public struct TrustHead: Sendable, Equatable {
    /// The version of the specification that is written here; what begins with `1.` is read.
    public static let specification = "1.0.33"
    /// What a version can be: whole numbers that all readers of JSON have, and one more than each is one, too.
    static let versions = Int64(1)..<1 << 53

    /// Counts up with each change.
    public var version: Int64
    /// When its time is over.
    public var expires: Date

    public init(version: Int64, expires: Date) {
        self.version = version
        self.expires = expires
    }

    init(_ object: TrustObject, type: String, role: String) throws(TrustError) {
        guard object["_type"]?.string == type else {
            throw .malformed(role: role, reason: "it is not of the type '\(type)'")
        }
        guard let specification = object["spec_version"]?.string, specification.hasPrefix("1.") else {
            throw .malformed(role: role, reason: "it follows another specification than version 1")
        }
        guard let version = object["version"]?.integer, Self.versions.contains(version) else {
            throw .malformed(role: role, reason: "it has no version, or one out of range")
        }
        guard let expires = object["expires"]?.string.flatMap(TrustDate.date) else {
            throw .malformed(role: role, reason: "it does not say until when it is good")
        }
        self.version = version
        self.expires = expires
    }

    func json(type: String, _ members: [(String, TrustJSON)]) -> TrustObject {
        let head: [(String, TrustJSON)] = [
            ("_type", .string(type)), ("spec_version", .string(Self.specification)), ("version", .integer(version)),
            ("expires", .string(TrustDate.text(expires))),
        ]
        return TrustJSON(members: head + members).object ?? .empty
    }

    func checkExpiry(role: String, now: Date) throws(TrustError) {
        guard now < expires else { throw .expired(role: role, at: expires, now: now) }
    }
}

/// Who may sign what (section 4.3).
public struct RootRole: Sendable, Equatable {
    /// The four roles that a root names.
    public static let roleNames = ["root", "timestamp", "snapshot", "targets"]

    /// Version and end.
    public var head: TrustHead
    /// All keys, by their ids.
    public var keys: [String: TrustKey]
    /// Whose keys count for which role.
    public var roles: [String: TrustRoleKeys]
    /// Whether files are named by version or hash (section 6.2).
    public var hasConsistentSnapshots: Bool

    public init(head: TrustHead, keys: [TrustKey], roles: [String: TrustRoleKeys]) {
        self.head = head
        self.keys = Dictionary(keys.map { ($0.id, $0) }) { one, _ in one }
        self.roles = roles
        hasConsistentSnapshots = true
    }

    /// Reads a root; throws unless it has all that a root needs.
    public init(_ metadata: SignedMetadata) throws(TrustError) {
        let object = metadata.signed
        head = try TrustHead(object, type: "root", role: "root")
        keys = try TrustKeyTable.read(object["keys"], role: "root")
        hasConsistentSnapshots = object["consistent_snapshot"]?.bool ?? false
        roles = [:]
        for name in Self.roleNames {
            guard let role = object["roles"]?.object?[name]?.object else {
                throw .malformed(role: "root", reason: "it does not name the role '\(name)'")
            }
            roles[name] = try TrustRoleKeys(role, role: "root")
        }
    }

    /// The members that signatures are made over, unknown ones among them.
    public var signed: TrustObject {
        head.json(
            type: "root",
            [
                ("consistent_snapshot", .bool(hasConsistentSnapshots)), ("keys", TrustKeyTable.json(keys)),
                ("roles", TrustJSON(members: roles.map { ($0.key, TrustJSON(members: $0.value.json)) })),
            ])
    }

    /// Throws unless enough of the role's keys signed it.
    public func verify(_ metadata: SignedMetadata, as role: String) throws(TrustError) {
        guard let own = roles[role] else { throw .malformed(role: "root", reason: "it does not name '\(role)'") }
        try own.verify(metadata, as: role, keys: keys)
    }
}

/// Keys by their ids.
enum TrustKeyTable {
    static func read(_ json: TrustJSON?, role: String) throws(TrustError) -> [String: TrustKey] {
        guard let object = json?.object else { throw .malformed(role: role, reason: "it has no keys") }
        return Dictionary(object.members.map { ($0.key, TrustKey(json: $0.value)) }) { one, _ in one }
    }

    static func json(_ keys: [String: TrustKey]) -> TrustJSON {
        TrustJSON(members: keys.map { ($0.key, $0.value.json) })
    }
}

/// What is said of a file's bytes: of metadata by timestamp and snapshot, of a target by its role (sections 4.4 and
/// 4.5).
public struct TrustFileInfo: Sendable, Equatable {
    /// Of metadata.
    public var version: Int64?
    /// Length in bytes; `nil` where it is not named.
    public var length: Int?
    /// Hexadecimal digits by the names of hashes; SHA-256 and SHA-512 are known.
    public var hashes: [String: String]

    public init(version: Int64? = nil, length: Int? = nil, sha256: ContentHash? = nil) {
        self.version = version
        self.length = length
        hashes = sha256.map { ["sha256": $0.hex] } ?? [:]
    }

    init(_ object: TrustObject, role: String) throws(TrustError) {
        version = try Self.number(object["version"], in: TrustHead.versions, role)
        length = try Self.number(object["length"], in: 0..<1 << 31, role).map { Int($0) }
        hashes = [:]
        for member in object["hashes"]?.object?.members ?? [] { hashes[member.key] = member.value.string ?? "" }
    }

    /// `nil` where nothing is said; anything else but a number in the range is no way to say nothing.
    private static func number(
        _ json: TrustJSON?, in range: Range<Int64>, _ role: String
    ) throws(TrustError) -> Int64? {
        guard let json else { return nil }
        guard let number = json.integer, range.contains(number) else {
            throw .malformed(role: role, reason: "a length or version is out of range")
        }
        return number
    }

    var json: [(String, TrustJSON)] {
        var members: [(String, TrustJSON)] = []
        if let version { members.append(("version", .integer(version))) }
        if let length { members.append(("length", .integer(Int64(length)))) }
        if !hashes.isEmpty {
            members.append(("hashes", TrustJSON(members: hashes.map { ($0.key, .string($0.value)) })))
        }
        return members
    }

    /// The SHA-256, where it is said.
    public var sha256: ContentHash? { hashes["sha256"].flatMap(ContentHash.init(hex:)) }
}

/// Which snapshot is the current one (section 4.6).
public struct TimestampRole: Sendable, Equatable {
    /// Version and end.
    public var head: TrustHead
    /// Which snapshot counts now.
    public var snapshot: TrustFileInfo

    public init(head: TrustHead, snapshot: TrustFileInfo) {
        self.head = head
        self.snapshot = snapshot
    }

    init(_ metadata: SignedMetadata) throws(TrustError) {
        head = try TrustHead(metadata.signed, type: "timestamp", role: "timestamp")
        guard let meta = metadata.signed["meta"]?.object, meta.members.count == 1,
            let snapshot = meta["snapshot.json"]?.object
        else { throw .malformed(role: "timestamp", reason: "it does not name one snapshot") }
        self.snapshot = try TrustFileInfo(snapshot, role: "timestamp")
        guard self.snapshot.version != nil else { throw .malformed(role: "timestamp", reason: "it names no version") }
    }

    /// The members that signatures are made over, unknown ones among them.
    public var signed: TrustObject {
        head.json(type: "timestamp", [("meta", ["snapshot.json": TrustJSON(members: snapshot.json)])])
    }
}

/// Which versions of all other metadata belong together (section 4.4).
public struct SnapshotRole: Sendable, Equatable {
    /// Version and end.
    public var head: TrustHead
    /// By role, without `.json`.
    public var files: [String: TrustFileInfo]

    public init(head: TrustHead, files: [String: TrustFileInfo]) {
        self.head = head
        self.files = files
    }

    init(_ metadata: SignedMetadata) throws(TrustError) {
        head = try TrustHead(metadata.signed, type: "snapshot", role: "snapshot")
        guard let meta = metadata.signed["meta"]?.object else {
            throw .malformed(role: "snapshot", reason: "it names nothing")
        }
        files = [:]
        files.reserveCapacity(meta.members.count)
        for member in meta.members {
            guard let object = member.value.object, member.key.hasSuffix(".json") else {
                throw .malformed(role: "snapshot", reason: "it names what is no metadata")
            }
            let info = try TrustFileInfo(object, role: "snapshot")
            guard info.version != nil else { throw .malformed(role: "snapshot", reason: "it names no version") }
            files[String(member.key.dropLast(5))] = info
        }
        guard files["targets"] != nil else { throw .notInSnapshot(role: "targets") }
    }

    /// The members that signatures are made over, unknown ones among them.
    public var signed: TrustObject {
        head.json(
            type: "snapshot",
            [("meta", TrustJSON(members: files.map { ("\($0.key).json", TrustJSON(members: $0.value.json)) }))])
    }
}

extension TrustObject {
    /// Without members.
    public static let empty = TrustObject(ascending: [])
}
