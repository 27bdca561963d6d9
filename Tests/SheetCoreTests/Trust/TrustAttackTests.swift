// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

/// What whoever holds the server, a mirror or some keys may try against clients (docs/trust.md).
struct TrustAttackTests {
    private let path = TrustRepository.path
    private let later = TrustRepository.start.addingTimeInterval(8 * 86_400)

    /// What the attack ends in; `nil` when it succeeds.
    private func error(_ attack: () throws -> Void) -> TrustError? {
        do {
            try attack()
            return nil
        } catch {
            return error as? TrustError
        }
    }

    @Test func anHonestRepositoryIsTrusted() throws {
        let target = try TrustedMetadata.find(path, in: TrustRepository())
        try target.verify(TrustRepository.file)
        #expect(target.custom?["state"] == "yanked")
    }

    @Test func otherBytesAreRefused() throws {
        let target = try TrustedMetadata.find(path, in: TrustRepository())
        #expect(throws: TrustError.wrongBytes(role: path)) { try target.verify(Data("%PDF-1.7 a shEet".utf8)) }
        #expect(throws: TrustError.wrongBytes(role: path)) { try target.verify(TrustRepository.file + Data([0])) }
    }

    @Test func metadataThatWasTamperedWithIsRefused() {
        let repository = TrustRepository()
        var text = String(decoding: repository.timestampFile, as: UTF8.self)
        text.replace("\"version\":1}", with: "\"version\":2}")
        let found = error {
            var trusted = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
            try trusted.finishRoots()
            try trusted.updateTimestamp(Data(text.utf8))
        }
        #expect(found == .tooFewSignatures(role: "timestamp", valid: 0, threshold: 1))
    }

    @Test func rollbacksAreRefused() throws {
        var repository = TrustRepository()
        let old = repository
        repository.publish()
        var trusted = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
        try trusted.finishRoots()
        try trusted.updateTimestamp(repository.timestampFile)
        #expect(
            error { try trusted.updateTimestamp(old.timestampFile) }
                == .rollback(role: "timestamp", trusted: 2, found: 1))
        var lying = repository
        lying.timestamp.head.version = 3
        lying.timestamp.snapshot.version = 1
        #expect(
            error { try trusted.updateTimestamp(lying.timestampFile) }
                == .rollback(role: "snapshot", trusted: 2, found: 1))
    }

    @Test func aRollbackOfABinIsRefused() throws {
        var repository = TrustRepository()
        repository.publish()
        var next = repository
        next.publish()
        next.bins["bin-0"]?.head.version = 1
        next.link()
        var trusted = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
        try trusted.finishRoots()
        try trusted.updateTimestamp(repository.timestampFile)
        try trusted.updateTimestamp(next.timestampFile)
        try trusted.updateSnapshot(repository.snapshotFile, stored: true)
        #expect(
            error { try trusted.updateSnapshot(next.snapshotFile) } == .rollback(role: "bin-0", trusted: 2, found: 1))
        next.snapshot.files["bin-0"] = nil
        let bytes = next.snapshotFile
        next.timestamp.snapshot = TrustFileInfo(version: 3, length: bytes.count, sha256: ContentHash(hashing: bytes))
        var other = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
        try other.finishRoots()
        try other.updateTimestamp(next.timestampFile)
        try other.updateSnapshot(repository.snapshotFile, stored: true)
        #expect(error { try other.updateSnapshot(next.snapshotFile) } == .notInSnapshot(role: "bin-0"))
    }

    @Test func aFreezeIsNoticed() {
        let repository = TrustRepository()
        let end = repository.timestamp.head.expires
        #expect(
            error { _ = try TrustedMetadata.find(path, in: repository, now: later) }
                == .expired(role: "timestamp", at: end, now: later))
        let nextYear = later.addingTimeInterval(400 * 86_400)
        #expect(
            error { _ = try TrustedMetadata.find(path, in: repository, now: nextYear) }
                == .expired(role: "root", at: repository.root.head.expires, now: nextYear))
    }

    @Test func metadataOfDifferentTimesDoesNotMix() throws {
        let old = TrustRepository()
        var repository = old
        repository.publish()
        var mixed = repository
        mixed.snapshot = old.snapshot
        #expect(error { _ = try TrustedMetadata.find(path, in: mixed) } == .wrongBytes(role: "snapshot"))
        mixed = repository
        mixed.bins = old.bins
        let own = TrustRepository.bin(of: path)
        #expect(
            error { _ = try TrustedMetadata.find(path, in: mixed) } == .wrongVersion(role: own, expected: 2, found: 1))
    }

    @Test func aStrangersKeyIsRefused() {
        for role in ["timestamp", "snapshot", "targets", "bin"] {
            var repository = TrustRepository()
            switch role {
            case "timestamp": repository.timestampKey = TrustSigningKey()
            case "snapshot":
                repository.snapshotKey = TrustSigningKey()
                repository.link()
            case "targets": repository.targetsKey = TrustSigningKey()
            default: repository.binKey = TrustSigningKey()
            }
            let name = role == "bin" ? TrustRepository.bin(of: path) : role
            #expect(
                error { _ = try TrustedMetadata.find(path, in: repository) }
                    == .tooFewSignatures(role: name, valid: 0, threshold: 1))
        }
    }

    @Test func aRootNeedsEnoughKeysOfBothVersions() throws {
        var repository = TrustRepository()
        let first = repository.rootFile
        let oldKeys = repository.rootKeys
        let fresh = [TrustSigningKey(), TrustSigningKey()]
        repository.root.head.version = 2
        for key in fresh { repository.root.keys[key.publicKey.id] = key.publicKey }
        repository.root.roles["root"] = TrustRoleKeys(keyIDs: fresh.map(\.publicKey.id), threshold: 2)
        let start = try TrustedMetadata(root: first, now: TrustRepository.start)
        func update(_ keys: [TrustSigningKey]) -> TrustError? {
            var trusted = start
            return error { try trusted.updateRoot(TrustRepository.sign(repository.root.signed, keys)) }
        }
        #expect(update(fresh) == .tooFewSignatures(role: "root", valid: 0, threshold: 2))
        #expect(update(fresh + [oldKeys[0]]) == .tooFewSignatures(role: "root", valid: 1, threshold: 2))
        #expect(update(oldKeys) == .tooFewSignatures(role: "root", valid: 0, threshold: 2))
        #expect(update(fresh + oldKeys) == nil)
        repository.root.head.version = 3
        #expect(update(fresh + oldKeys) == .wrongVersion(role: "root", expected: 2, found: 3))
    }

    @Test func aKeyCountsOnceUnderManyNames() throws {
        var repository = TrustRepository()
        let key = repository.rootKeys[0]
        let alias = String(repeating: "a", count: 64)
        repository.root.keys[alias] = key.publicKey
        repository.root.roles["root"]?.keyIDs.append(alias)
        var metadata = SignedMetadata(repository.root.signed)
        try metadata.sign(with: key)
        let signature = Data(metadata.signatures[0].bytes).map { String(format: "%02x", $0) }.joined()
        let text = String(decoding: metadata.file, as: UTF8.self).replacing(
            "\"signatures\":[", with: "\"signatures\":[{\"keyid\":\"\(alias)\",\"sig\":\"\(signature)\"},")
        let found = error { _ = try TrustedMetadata(root: Data(text.utf8), now: TrustRepository.start) }
        #expect(found == .tooFewSignatures(role: "root", valid: 1, threshold: 2))
    }

    @Test func metadataWithoutEndIsCutOff() throws {
        let repository = TrustRepository()
        var trusted = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
        try trusted.finishRoots()
        let endless = repository.timestampFile + Data(repeating: 0x20, count: 20_000)
        #expect(error { try trusted.updateTimestamp(endless) } == .tooLarge(role: "timestamp", limit: 16_384))
        try trusted.updateTimestamp(repository.timestampFile)
        #expect(trusted.limit(of: "snapshot") == repository.snapshotFile.count)
    }

    @Test func aClaimedLengthLiftsNoLimit() throws {
        var repository = TrustRepository()
        repository.snapshot.files["targets"]?.length = 1 << 30
        let bytes = repository.snapshotFile
        repository.timestamp.snapshot = TrustFileInfo(version: 1, length: bytes.count)
        var trusted = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
        try trusted.finishRoots()
        var lying = repository
        lying.timestamp.head.version = 2
        lying.timestamp.snapshot.length = 1 << 30
        var other = trusted
        try other.updateTimestamp(lying.timestampFile)
        #expect(other.limit(of: "snapshot") == other.limits.snapshot)
        try trusted.updateTimestamp(repository.timestampFile)
        try trusted.updateSnapshot(bytes)
        #expect(trusted.limit(of: "targets") == trusted.limits.targets)
        let endless = repository.targetsFile + Data(repeating: 0x20, count: 5_000_000)
        #expect(error { try trusted.updateTargets(endless) } == .tooLarge(role: "targets", limit: 5_000_000))
    }

    @Test(arguments: [0, -1, 1 << 53, .max])
    func versionsAreNumbersThatHaveANext(_ version: Int64) throws {
        var repository = TrustRepository()
        repository.root.head.version = version
        let malformed = TrustError.malformed(role: "root", reason: "it has no version, or one out of range")
        #expect(error { _ = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start) } == malformed)
        var other = TrustRepository()
        other.timestamp.snapshot.version = version
        let named = TrustError.malformed(role: "timestamp", reason: "a length or version is out of range")
        #expect(error { _ = try TrustedMetadata.find(path, in: other) } == named)
    }

    @Test(arguments: [-1, 1 << 31, .max])
    func lengthsAreThoseOfFiles(_ length: Int) throws {
        var repository = TrustRepository()
        repository.timestamp.snapshot.length = length
        let malformed = TrustError.malformed(role: "timestamp", reason: "a length or version is out of range")
        #expect(error { _ = try TrustedMetadata.find(path, in: repository) } == malformed)
    }

    @Test func otherBytesAreNotEvenReadAsMetadata() throws {
        let repository = TrustRepository()
        var trusted = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
        try trusted.finishRoots()
        try trusted.updateTimestamp(repository.timestampFile)
        let junk = Data(repeating: UInt8(ascii: "["), count: repository.snapshotFile.count)
        #expect(error { try trusted.updateSnapshot(junk) } == .wrongBytes(role: "snapshot"))
    }

    @Test func aBinCannotSignForPathsOfAnother() throws {
        var repository = TrustRepository()
        let own = TrustRepository.bin(of: path)
        let other = own == "bin-0" ? "bin-1" : "bin-0"
        let stolen = repository.bins[own]?.targets ?? .empty
        repository.bins[other]?.targets = stolen
        repository.bins[own]?.targets = .empty
        repository.publish()
        #expect(error { _ = try TrustedMetadata.find(path, in: repository) } == .unknownTarget(path: path))
    }

    @Test func newKeysOfSnapshotAndTimestampMakeUpForALead() throws {
        var repository = TrustRepository()
        var attacked = repository
        attacked.timestamp.head.version = 1_000_000
        let first = repository.rootFile
        let fresh = (TrustSigningKey(), TrustSigningKey())
        (repository.timestampKey, repository.snapshotKey) = fresh
        repository.root.head.version = 2
        for key in [fresh.0, fresh.1] { repository.root.keys[key.publicKey.id] = key.publicKey }
        repository.root.roles["timestamp"] = TrustRoleKeys(keyIDs: [fresh.0.publicKey.id], threshold: 1)
        repository.root.roles["snapshot"] = TrustRoleKeys(keyIDs: [fresh.1.publicKey.id], threshold: 1)
        repository.link()
        var trusted = try TrustedMetadata(root: first, now: TrustRepository.start)
        try trusted.updateRoot(repository.rootFile)
        try trusted.finishRoots()
        #expect(error { try trusted.updateTimestamp(attacked.timestampFile) } != nil)
        _ = try trusted.find(path, in: repository)
    }

    /// One role that two delegate to is verified by the keys that each names.
    @Test func whatOneDelegatorSignedDoesNotCountForAnother() throws {
        var repository = TrustRepository()
        let stranger = TrustSigningKey()
        func delegated(_ name: String, _ key: TrustSigningKey, _ path: String) -> DelegatedRole {
            var role = DelegatedRole(
                bin: name, keys: TrustRoleKeys(keyIDs: [key.publicKey.id], threshold: 1), pathHashPrefixes: [])
            role.paths = [path]
            return role
        }
        let (own, other) = (repository.binKey, TrustSigningKey())
        repository.targets.delegations = [
            delegated("bin-0", own, "a"), delegated("bin-1", own, "b"),
        ]
        repository.targets.delegatedKeys = [own.publicKey.id: own.publicKey]
        for (parent, key, path) in [("bin-0", stranger, "a"), ("bin-1", other, "b")] {
            repository.bins[parent]?.targets = .empty
            repository.bins[parent]?.delegatedKeys = [key.publicKey.id: key.publicKey]
            repository.bins[parent]?.delegations = [delegated("shared", key, path)]
        }
        let members = ["a", "b"].map { path in
            TrustTarget(path: path, info: TrustFileInfo(length: 1, sha256: ContentHash(hashing: Data(path.utf8))))
                .member
        }
        let shared = TargetsRole(
            head: TrustHead(version: 1, expires: later.addingTimeInterval(86_400)), targets: .init(unique: members))
        repository.bins["shared"] = shared
        repository.publish()
        var files = [
            "targets": repository.targetsFile, "bin-0": repository.binFile("bin-0"),
            "bin-1": repository.binFile("bin-1"),
            "shared": TrustRepository.sign((repository.bins["shared"] ?? shared).signed, [stranger]),
        ]
        var trusted = try TrustedMetadata(root: repository.rootFile, now: TrustRepository.start)
        try trusted.finishRoots()
        try trusted.updateTimestamp(repository.timestampFile)
        try trusted.updateSnapshot(repository.snapshotFile)
        func search(_ path: String) throws {
            while case .needs(let role, let parent) = try trusted.find(path) {
                try trusted.updateTargets(try #require(files[role]), role: role, parent: parent)
            }
        }
        try search("a")
        #expect(error { try search("b") } == .tooFewSignatures(role: "shared", valid: 0, threshold: 1))
        // Nor does another content of that version, which the second signed, take the place of what the first did.
        var second = repository.bins["shared"] ?? shared
        second.targets = .init(unique: Array(members.suffix(1)))
        files["shared"] = TrustRepository.sign(second.signed, [other])
        #expect(error { try search("b") } == .wrongBytes(role: "shared"))
    }
}
