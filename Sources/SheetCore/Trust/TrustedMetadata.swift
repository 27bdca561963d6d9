// SPDX-License-Identifier: Apache-2.0
import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The client's workflow of The Update Framework 1.0 (section 5) without its input and output: it takes bytes in the
/// order root, timestamp, snapshot, targets, bins, and holds only what it has verified. What fails changes nothing.
///
/// Files of an earlier run are given to it first, as if they came over the network, with `stored: true`: so rollbacks
/// are noticed. All ends are compared with one moment, at which the run began (section 5.2).
public struct TrustedMetadata: Sendable {
    /// The moment with which all ends are compared.
    public let now: Date
    /// What is taken at most.
    public let limits: TrustLimits
    /// The newest root that was verified.
    public private(set) var root: RootRole
    /// The newest timestamp that was verified.
    public private(set) var timestamp: TimestampRole?
    /// The newest snapshot that was verified.
    public private(set) var snapshot: SnapshotRole?
    private var hasFinishedRoots = false
    private var roles: [String: TargetsRole] = [:]
    /// By whose keys each delegated role was verified. Another that delegates to it may name other keys.
    private var parents: [String: Set<String>] = [:]

    /// Begins with a root that is trusted already: shipped, pinned by a person, or kept from an earlier run. Its end
    /// does not matter yet (section 5.3.1). One that is kept was within the limit when it came.
    public init(
        root bytes: Data, now: Date, limits: TrustLimits = TrustLimits(), isKept: Bool = false
    ) throws(TrustError) {
        let metadata = try Self.read(bytes, "root", limit: isKept ? .max : limits.root)
        root = try RootRole(metadata)
        try root.verify(metadata, as: "root")
        self.now = now
        self.limits = limits
    }

    /// `targets`, as far as it is known.
    public var targets: TargetsRole? { roles["targets"] }

    /// Steps to the next version of the root, which the keys of both must have signed (section 5.3.3 to 5.3.8).
    public mutating func updateRoot(_ bytes: Data) throws(TrustError) {
        guard !hasFinishedRoots else { throw .wrongOrder(role: "root") }
        let metadata = try Self.read(bytes, "root", limit: limits.root)
        let fresh = try RootRole(metadata)
        try root.verify(metadata, as: "root")
        try fresh.verify(metadata, as: "root")
        guard fresh.head.version == root.head.version + 1 else {
            throw .wrongVersion(role: "root", expected: root.head.version + 1, found: fresh.head.version)
        }
        root = fresh
    }

    /// Says that there is no later root; the last one must be good still (section 5.3.10). Files that other keys signed
    /// than those that it names do not verify from now on: so a lead that an attacker took is made up (section 5.3.11).
    public mutating func finishRoots() throws(TrustError) {
        try root.head.checkExpiry(role: "root", now: now)
        hasFinishedRoots = true
    }

    /// Takes a timestamp (section 5.4). A later version takes the place of the one that is here; `false` when it is the
    /// same version, which is not taken. Its end is looked at when a snapshot is built on it: an older one still tells
    /// rollbacks.
    @discardableResult
    public mutating func updateTimestamp(_ bytes: Data) throws(TrustError) -> Bool {
        guard hasFinishedRoots, snapshot == nil else { throw .wrongOrder(role: "timestamp") }
        let metadata = try Self.read(bytes, "timestamp", limit: limits.timestamp)
        try root.verify(metadata, as: "timestamp")
        let fresh = try TimestampRole(metadata)
        if let timestamp {
            if fresh.head.version == timestamp.head.version { return false }
            try Self.checkRollback("timestamp", from: timestamp.head.version, to: fresh.head.version)
            try Self.checkRollback("snapshot", from: timestamp.snapshot.version, to: fresh.snapshot.version)
        }
        timestamp = fresh
        return true
    }

    /// Whether the timestamp is good: one whose time is over is not kept (section 5.4.4).
    public func checkTimestamp() throws(TrustError) {
        guard let timestamp else { throw .wrongOrder(role: "timestamp") }
        try timestamp.head.checkExpiry(role: "timestamp", now: now)
    }

    /// Takes a snapshot (section 5.5). One that is `stored` may be older than the timestamp says: it tells rollbacks.
    public mutating func updateSnapshot(_ bytes: Data, stored: Bool = false) throws(TrustError) {
        guard let timestamp, roles.isEmpty else { throw .wrongOrder(role: "snapshot") }
        try timestamp.head.checkExpiry(role: "timestamp", now: now)
        let metadata = try Self.read(
            bytes, "snapshot", limit: limits.snapshot, named: stored ? nil : timestamp.snapshot)
        try root.verify(metadata, as: "snapshot")
        let fresh = try SnapshotRole(metadata)
        for (name, info) in snapshot?.files ?? [:] {
            guard let next = fresh.files[name] else { throw .notInSnapshot(role: name) }
            try Self.checkRollback(name, from: info.version, to: next.version)
        }
        if !stored { try Self.check("snapshot", timestamp.snapshot, is: fresh.head.version) }
        snapshot = fresh
    }

    /// Whether the snapshot is the one that the timestamp names, and good: only then are targets taken.
    public func checkSnapshot() throws(TrustError) {
        guard let timestamp, let snapshot else { throw .wrongOrder(role: "snapshot") }
        try timestamp.head.checkExpiry(role: "timestamp", now: now)
        try Self.check("snapshot", timestamp.snapshot, is: snapshot.head.version)
        try snapshot.head.checkExpiry(role: "snapshot", now: now)
    }

    /// Takes `targets`, or with `parent` a role that one delegates to (section 5.6).
    public mutating func updateTargets(
        _ bytes: Data, role: String = "targets", parent: String? = nil
    ) throws(TrustError) {
        try checkSnapshot()
        guard let info = snapshot?.files[role] else { throw .notInSnapshot(role: role) }
        let metadata = try Self.read(bytes, role, limit: limit(of: role), named: info)
        if let parent {
            guard let above = roles[parent], let delegated = above.delegated(named: role) else {
                throw .wrongOrder(role: role)
            }
            try delegated.keys.verify(metadata, as: role, keys: above.delegatedKeys)
        } else {
            try root.verify(metadata, as: "targets")
        }
        let fresh = try TargetsRole(metadata, role: role)
        try Self.check(role, info, is: fresh.head.version)
        try fresh.head.checkExpiry(role: role, now: now)
        // A version has one content. Another, signed by those of a second delegator, must not take the place of what the
        // first one's keys vouched for.
        if let known = roles[role], known != fresh { throw .wrongBytes(role: role) }
        roles[role] = fresh
        if let parent { parents[role, default: []].insert(parent) }
    }

    // MARK: - Looking for a file

    /// What the search for a file needs next.
    public enum Search: Sendable, Equatable {
        /// By the first role that may name it and does: later ones do not count.
        case found(TrustTarget)
        /// Take this role's metadata with `updateTargets`, then ask again.
        case needs(role: String, parent: String?)
    }

    /// Looks for a file, first in `targets`, then in the roles that may name it, in their order and in depth (section
    /// 5.6.7). Throws `unknownTarget` when nobody names it.
    public func find(_ path: String) throws(TrustError) -> Search {
        let hash = Hex.text(Array(SHA256.hash(data: Array(path.utf8))))
        var waiting: [(role: String, parent: String?)] = [("targets", nil)]
        var visited: Set<String> = []
        while let (role, parent) = waiting.popLast(), visited.count <= limits.delegations {
            guard visited.insert(role).inserted else { continue }
            guard let metadata = roles[role], parent.map({ parents[role]?.contains($0) == true }) ?? true else {
                return .needs(role: role, parent: parent)
            }
            if let target = try metadata.target(path, role: role) { return .found(target) }
            var next: [(role: String, parent: String?)] = []
            for delegated in metadata.delegated(path, hash: hash) {
                next.append((delegated.name, role))
                if delegated.isTerminating {
                    waiting.removeAll()
                    break
                }
            }
            waiting.append(contentsOf: next.reversed())
        }
        throw .unknownTarget(path: path)
    }

    /// The most bytes that a role's file may have. What metadata says of others' lengths lifts no limit.
    public func limit(of role: String) -> Int {
        switch role {
        case "root": limits.root
        case "timestamp": limits.timestamp
        case "snapshot": min(timestamp?.snapshot.length ?? .max, limits.snapshot)
        default: min(snapshot?.files[role]?.length ?? .max, limits.targets)
        }
    }

    /// The name of a role's file in the repository (section 6.2).
    public func fileName(of role: String) -> String {
        let version = role == "snapshot" ? timestamp?.snapshot.version : snapshot?.files[role]?.version
        guard root.hasConsistentSnapshots, role != "timestamp", let version else { return "\(role).json" }
        return "\(version).\(role).json"
    }

    // MARK: - Parts

    /// Bytes that are not those which were named are not even looked into.
    private static func read(
        _ bytes: Data, _ role: String, limit: Int, named info: TrustFileInfo? = nil
    ) throws(TrustError) -> SignedMetadata {
        guard bytes.count <= limit else { throw .tooLarge(role: role, limit: limit) }
        try info?.verify(bytes, role: role)
        return try SignedMetadata(reading: bytes, role: role)
    }

    private static func checkRollback(_ role: String, from trusted: Int64?, to found: Int64?) throws(TrustError) {
        guard let trusted, let found, found >= trusted else {
            throw .rollback(role: role, trusted: trusted ?? 0, found: found ?? 0)
        }
    }

    private static func check(_ role: String, _ info: TrustFileInfo, is version: Int64) throws(TrustError) {
        guard info.version == version else {
            throw .wrongVersion(role: role, expected: info.version ?? 0, found: version)
        }
    }
}
