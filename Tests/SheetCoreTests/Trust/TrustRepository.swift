// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A small repository in memory: two bins, and a key for each role. What tests change is signed anew.
struct TrustRepository {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    static let path = "0198/1.0.0.pdf"
    static let file = Data("%PDF-1.7 a sheet".utf8)

    var rootKeys = [TrustSigningKey(), TrustSigningKey(), TrustSigningKey()]
    var timestampKey = TrustSigningKey()
    var snapshotKey = TrustSigningKey()
    var targetsKey = TrustSigningKey()
    var binKey = TrustSigningKey()
    var root: RootRole
    var timestamp: TimestampRole
    var snapshot: SnapshotRole
    var targets: TargetsRole
    var bins: [String: TargetsRole]

    init() {
        root = RootRole(
            head: Self.head(365), keys: (rootKeys + [timestampKey, snapshotKey, targetsKey]).map(\.publicKey),
            roles: [
                "root": Self.keys(rootKeys, 2), "timestamp": Self.keys([timestampKey]),
                "snapshot": Self.keys([snapshotKey]),
                "targets": Self.keys([targetsKey]),
            ])
        targets = TargetsRole(head: Self.head(365), targets: .empty)
        targets.delegatedKeys = [binKey.publicKey.id: binKey.publicKey]
        let binKeys = Self.keys([binKey])
        targets.delegations = ["01234567", "89abcdef"].enumerated().map { place, digits in
            DelegatedRole(bin: "bin-\(place)", keys: binKeys, pathHashPrefixes: digits.map { String($0) })
        }
        let target = TrustTarget(
            path: Self.path,
            info: TrustFileInfo(length: Self.file.count, sha256: ContentHash(hashing: Self.file)),
            custom: TrustObject([.init("state", "yanked")]))
        var bins: [String: TargetsRole] = [:]
        let own = Self.bin(of: Self.path)
        for name in ["bin-0", "bin-1"] {
            bins[name] = TargetsRole(head: Self.head(90), targets: .init(unique: name == own ? [target.member] : []))
        }
        self.bins = bins
        snapshot = SnapshotRole(head: Self.head(14), files: [:])
        timestamp = TimestampRole(head: Self.head(7), snapshot: TrustFileInfo(version: 1))
        link()
    }

    private static func head(_ days: Double) -> TrustHead {
        TrustHead(version: 1, expires: start.addingTimeInterval(days * 86_400))
    }

    private static func keys(_ keys: [TrustSigningKey], _ threshold: Int = 1) -> TrustRoleKeys {
        TrustRoleKeys(keyIDs: keys.map(\.publicKey.id), threshold: threshold)
    }

    static func bin(of path: String) -> String {
        ContentHash(hashing: Data(path.utf8)).bytes[0] < 0x80 ? "bin-0" : "bin-1"
    }

    /// Has snapshot and timestamp name what is there.
    mutating func link() {
        snapshot.files = ["targets": TrustFileInfo(version: targets.head.version)]
        for (name, bin) in bins { snapshot.files[name] = TrustFileInfo(version: bin.head.version) }
        let bytes = snapshotFile
        timestamp.snapshot = TrustFileInfo(
            version: snapshot.head.version, length: bytes.count, sha256: ContentHash(hashing: bytes))
    }

    /// A later version of everything but root and targets.
    mutating func publish() {
        for name in bins.keys { bins[name]?.head.version += 1 }
        snapshot.head.version += 1
        timestamp.head.version += 1
        link()
    }

    static func sign(_ signed: TrustObject, _ keys: [TrustSigningKey]) -> Data {
        var metadata = SignedMetadata(signed)
        for key in keys { try? metadata.sign(with: key) }
        return metadata.file
    }

    var rootFile: Data { Self.sign(root.signed, rootKeys) }
    var timestampFile: Data { Self.sign(timestamp.signed, [timestampKey]) }
    var snapshotFile: Data { Self.sign(snapshot.signed, [snapshotKey]) }
    var targetsFile: Data { Self.sign(targets.signed, [targetsKey]) }
    func binFile(_ name: String) -> Data { bins[name].map { Self.sign($0.signed, [binKey]) } ?? Data() }
}

extension TrustObject {
    init(unique members: [Member]) {
        self = TrustObject(members) ?? .empty
    }
}

extension TrustedMetadata {
    /// All that a client does for one file.
    static func find(
        _ path: String, in repository: TrustRepository, root: Data? = nil, now: Date = TrustRepository.start
    ) throws -> TrustTarget {
        var trusted = try TrustedMetadata(root: root ?? repository.rootFile, now: now)
        try trusted.finishRoots()
        return try trusted.find(path, in: repository)
    }

    /// From the timestamp on.
    mutating func find(_ path: String, in repository: TrustRepository) throws -> TrustTarget {
        try updateTimestamp(repository.timestampFile)
        try updateSnapshot(repository.snapshotFile)
        while true {
            switch try find(path) {
            case .found(let target): return target
            case .needs("targets", _): try updateTargets(repository.targetsFile)
            case .needs(let role, let parent):
                try updateTargets(repository.binFile(role), role: role, parent: parent)
            }
        }
    }
}
