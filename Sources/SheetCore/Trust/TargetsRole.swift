// SPDX-License-Identifier: Apache-2.0
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that is signed for (section 4.5 of The Update Framework 1.0).
public struct TrustTarget: Sendable, Equatable {
    /// Its name in the repository.
    public var path: String
    /// Version, length and hashes.
    public var info: TrustFileInfo
    /// What only we understand, such as that a version was withdrawn.
    public var custom: TrustObject?

    public init(path: String, info: TrustFileInfo, custom: TrustObject? = nil) {
        self.path = path
        self.info = info
        self.custom = custom
    }

    /// Throws unless these are the file's bytes (section 5.7.2).
    public func verify(_ bytes: some DataProtocol) throws(TrustError) { try info.verify(bytes, role: path) }
}

extension TrustFileInfo {
    /// Throws when the bytes are others. Where hashes are named, one at least must be of a kind that is known here.
    func verify(_ bytes: some DataProtocol, role: String) throws(TrustError) {
        if let length, bytes.count != length { throw .wrongBytes(role: role) }
        guard !hashes.isEmpty else { return }
        var known = 0
        for (kind, digits) in hashes {
            let found: String
            switch kind {
            case "sha256": found = Hex.text(Array(SHA256.hash(data: bytes)))
            case "sha512": found = Hex.text(Array(SHA512.hash(data: bytes)))
            default: continue
            }
            known += 1
            guard found == digits else { throw .wrongBytes(role: role) }
        }
        guard known > 0 else { throw .wrongBytes(role: role) }
    }
}

/// A role to which another leaves some paths (section 4.5).
public struct DelegatedRole: Sendable, Equatable {
    /// The role's name, which its file has, too.
    public var name: String
    /// Whose signatures count, and how many it takes.
    public var keys: TrustRoleKeys
    /// Whether nobody is asked behind it for a path that is its own.
    public var isTerminating: Bool
    /// Beginnings of the SHA-256 of paths, in hexadecimal digits.
    public var pathHashPrefixes: [String]
    /// Patterns with `*` and `?`, which do not stand for a slash.
    public var paths: [String]

    /// A bin: a role for the paths whose hashes begin so.
    public init(bin name: String, keys: TrustRoleKeys, pathHashPrefixes: [String]) {
        self.name = name
        self.keys = keys
        self.pathHashPrefixes = pathHashPrefixes
        isTerminating = true
        paths = []
    }

    init(_ object: TrustObject, parent: String) throws(TrustError) {
        guard let name = object["name"]?.string, let isTerminating = object["terminating"]?.bool else {
            throw .malformed(
                role: parent, reason: "a delegated role has no name, or does not say whether it ends the search")
        }
        guard !RootRole.roleNames.contains(name), !name.isEmpty else {
            throw .malformed(role: parent, reason: "a delegated role has the name of another")
        }
        self.name = name
        self.isTerminating = isTerminating
        keys = try TrustRoleKeys(object, role: parent)
        pathHashPrefixes = object["path_hash_prefixes"]?.array?.compactMap(\.string) ?? []
        paths = object["paths"]?.array?.compactMap(\.string) ?? []
        guard (object["path_hash_prefixes"] == nil) != (object["paths"] == nil) else {
            throw .malformed(role: parent, reason: "a delegated role has no paths, or two kinds of them")
        }
    }

    var json: TrustJSON {
        let list = pathHashPrefixes.isEmpty ? paths : pathHashPrefixes
        return TrustJSON(
            members: keys.json + [
                ("name", .string(name)), ("terminating", .bool(isTerminating)),
                (pathHashPrefixes.isEmpty ? "paths" : "path_hash_prefixes", .array(list.map { .string($0) })),
            ])
    }

    /// Whether the role may sign for the path (section 5.6.7.2); `hash` is the path's SHA-256 in digits.
    func mayName(_ path: String, hash: String) -> Bool {
        pathHashPrefixes.contains { !$0.isEmpty && hash.hasPrefix($0) } || paths.contains { Self.matches($0, path) }
    }

    private static func matches(_ pattern: String, _ path: String) -> Bool {
        let patterns = pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return patterns.count == parts.count && zip(patterns, parts).allSatisfy { matches(Array($0), Array($1)) }
    }

    /// Goes back to the last star only: never more than the product of both lengths.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var (place, at) = (0, 0)
        var star: (place: Int, at: Int)?
        while at < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, at)
                place += 1
            } else if place < pattern.count, pattern[place] == text[at] || pattern[place] == UInt8(ascii: "?") {
                place += 1
                at += 1
            } else if let last = star {
                star = (last.place, last.at + 1)
                place = last.place + 1
                at = last.at + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// Roles of one key that share all paths among them, named in one line (TAP 15): a path's hash says whose it is.
public struct SuccinctRoles: Sendable, Equatable {
    /// Whose signatures count for each of them.
    public var keys: TrustRoleKeys
    /// How many bits of a path's hash tell its role; there are two to the power of that.
    public var bitLength: Int
    /// What their names begin with.
    public var namePrefix: String

    init(_ object: TrustObject, parent: String) throws(TrustError) {
        guard let bits = object["bit_length"]?.integer, (1...32).contains(bits),
            let prefix = object["name_prefix"]?.string, !prefix.isEmpty
        else { throw .malformed(role: parent, reason: "its succinct roles have no number or no name") }
        bitLength = Int(bits)
        namePrefix = prefix
        keys = try TrustRoleKeys(object, role: parent)
    }

    var json: [(String, TrustJSON)] {
        keys.json + [("bit_length", .integer(Int64(bitLength))), ("name_prefix", .string(namePrefix))]
    }

    private var digits: Int { (bitLength + 3) / 4 }

    /// The role of a path; `hash` is the path's SHA-256 in digits.
    func role(for hash: String) -> DelegatedRole? {
        guard let first = UInt64(hash.prefix(8), radix: 16) else { return nil }
        return role(UInt32(first >> UInt64(32 - bitLength)))
    }

    /// The role of that name, if it is one of them.
    func role(named name: String) -> DelegatedRole? {
        guard name.utf8.count == namePrefix.utf8.count + 1 + digits, name.hasPrefix(namePrefix + "-"),
            let number = UInt32(name.suffix(digits), radix: 16), UInt64(number) < 1 << UInt64(bitLength)
        else { return nil }
        let role = role(number)
        return role.name.utf8.elementsEqual(name.utf8) ? role : nil
    }

    private func role(_ number: UInt32) -> DelegatedRole {
        let hex = String(number, radix: 16)
        let name = "\(namePrefix)-" + String(repeating: "0", count: digits - hex.count) + hex
        return DelegatedRole(bin: name, keys: keys, pathHashPrefixes: [])
    }
}

/// Files, and who else may name files (section 4.5).
public struct TargetsRole: Sendable, Equatable {
    /// Version and end.
    public var head: TrustHead
    /// By path. Paths are compared by their bytes.
    public var targets: TrustObject
    /// Keys of those who are delegated to, by their ids.
    public var delegatedKeys: [String: TrustKey]
    /// Who else may name files, in the order in which they are asked.
    public var delegations: [DelegatedRole]
    /// The same in one line, where that takes the place of `delegations`.
    public private(set) var succinctRoles: SuccinctRoles?

    public init(head: TrustHead, targets: TrustObject) {
        self.head = head
        self.targets = targets
        delegatedKeys = [:]
        delegations = []
    }

    /// Reads it; `role` is the name that it was asked for by.
    public init(_ metadata: SignedMetadata, role: String) throws(TrustError) {
        let object = metadata.signed
        head = try TrustHead(object, type: "targets", role: role)
        guard let targets = object["targets"]?.object else { throw .malformed(role: role, reason: "it has no targets") }
        self.targets = targets
        delegatedKeys = [:]
        delegations = []
        guard let delegations = object["delegations"]?.object else { return }
        delegatedKeys = try TrustKeyTable.read(delegations["keys"], role: role)
        if let object = delegations["succinct_roles"]?.object {
            guard delegations["roles"] == nil else {
                throw .malformed(role: role, reason: "it has two kinds of delegations")
            }
            succinctRoles = try SuccinctRoles(object, parent: role)
            return
        }
        guard let roles = delegations["roles"]?.array else {
            throw .malformed(role: role, reason: "its delegations are of a kind that is not known here")
        }
        for delegated in roles {
            guard let object = delegated.object else {
                throw .malformed(role: role, reason: "a delegated role is none")
            }
            self.delegations.append(try DelegatedRole(object, parent: role))
        }
        guard Set(self.delegations.map(\.name)).count == roles.count else {
            throw .malformed(role: role, reason: "two delegated roles have the same name")
        }
    }

    /// The members that signatures are made over, unknown ones among them.
    public var signed: TrustObject {
        var members: [(String, TrustJSON)] = [("targets", .object(targets))]
        if let succinctRoles {
            members.append(
                (
                    "delegations",
                    [
                        "keys": TrustKeyTable.json(delegatedKeys),
                        "succinct_roles": TrustJSON(members: succinctRoles.json),
                    ]
                ))
        } else if !delegations.isEmpty {
            members.append(
                ("delegations", ["keys": TrustKeyTable.json(delegatedKeys), "roles": .array(delegations.map(\.json))]))
        }
        return head.json(type: "targets", members)
    }

    /// Those who may name the path, in the order in which they are asked; `hash` is the path's SHA-256 in digits.
    func delegated(_ path: String, hash: String) -> [DelegatedRole] {
        if let succinctRoles { return [succinctRoles.role(for: hash)].compactMap { $0 } }
        return delegations.filter { $0.mayName(path, hash: hash) }
    }

    /// The role of that name to which this one leaves some paths.
    func delegated(named name: String) -> DelegatedRole? {
        succinctRoles?.role(named: name) ?? delegations.first { $0.name == name }
    }

    /// What it says of a file.
    public func target(_ path: String, role: String) throws(TrustError) -> TrustTarget? {
        guard let entry = targets[path] else { return nil }
        guard let object = entry.object else { throw .malformed(role: role, reason: "a target is no object") }
        let info = try TrustFileInfo(object, role: role)
        guard info.length != nil, !info.hashes.isEmpty else {
            throw .malformed(role: role, reason: "a target has no length or no hash")
        }
        return TrustTarget(path: path, info: info, custom: object["custom"]?.object)
    }
}

extension TrustTarget {
    /// As it stands among a role's targets.
    public var member: TrustObject.Member {
        let custom = custom.map { [("custom", TrustJSON.object($0))] } ?? []
        return .init(path, TrustJSON(members: info.json + custom))
    }
}
