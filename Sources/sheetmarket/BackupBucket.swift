// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Logging
import MarketAPI
import MarketPlatform
import SheetCore

/// A bucket with backups. Whatever is put there is sealed on this machine first.
///
/// `seal.json` has what makes the key of the passphrase, and every file begins with the same line.
struct BackupBucket: BackupTarget {
    private static let sealName = "seal.json"
    private static let objectsPrefix = "objects/"

    let place: String
    let files: S3Files
    let seal: BackupSeal
    private let scratch: BackupScratch
    /// What outlives a run: locks, and what was received and not yet put.
    private let kept: URL

    var workshop: URL { scratch.url }
    var receivesElsewhere: Bool { true }

    /// Opens the backups at `address`; with `isNew` there may be none yet.
    static func open(
        _ address: BackupAddress, _ settings: StorageSettings, passphrase: String, isNew: Bool
    ) async throws -> BackupBucket {
        let bucket = try settings.backupBucket(name: address.bucket, prefix: address.prefix)
        let files = S3Files(bucket, logger: .service)
        let kept = try settings.spoolFolder().appending(path: "backups-\(address.id)")
        try FileManager.default.createDirectory(
            at: kept, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let scratch = try BackupScratch(in: kept)
        let line = scratch.newFile()
        let seal: BackupSeal
        if try await files.get(sealName, to: line) {
            seal = try BackupSeal(reading: line, at: "\(address.text)/\(sealName)", passphrase)
        } else {
            guard try await files.isEmpty() else {
                throw CommandFailure(
                    "\(address.text)/\(sealName) is missing. The first line of every other file there is the same.")
            }
            guard isNew else { throw CommandFailure("There is no complete backup in \(address.text).") }
            seal = try BackupSeal(new: passphrase)
            try seal.line.write(to: line)
            try await files.put(line, as: sealName)
        }
        return BackupBucket(place: address.text, files: files, seal: seal, scratch: scratch, kept: kept)
    }

    func make() {}

    func lock(for purpose: String) throws -> BackupLock {
        try BackupLock(kept.appending(path: "lock-\(purpose)"))
    }

    func names(_ prefix: String) async throws -> [String] { try await files.list(prefix).map(\.name) }

    func put(_ file: URL, as name: String) async throws {
        let sealed = scratch.newFile()
        defer { try? FileManager.default.removeItem(at: sealed) }
        try seal.seal(file, as: name, to: sealed)
        try await files.put(sealed, as: name)
        try FileManager.default.removeItem(at: file)
    }

    func open(_ name: String) async throws -> URL? {
        // Whoever may write there chooses names.
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw CommandFailure("\(place) has a file of the name '\(name)'.")
        }
        let file = scratch.url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try await get(name, to: file) ? file : nil
    }

    /// Writes what is kept under `name` into a file of this machine; `false` when nothing is.
    func get(_ name: String, to file: URL) async throws -> Bool {
        let sealed = scratch.newFile()
        defer { try? FileManager.default.removeItem(at: sealed) }
        guard try await files.get(name, to: sealed) else { return false }
        try seal.open(sealed, as: name, to: file, place: "\(place)/\(name)")
        return true
    }

    func remove(_ name: String) async throws { try await files.remove(name) }

    func objects() -> any Storage { BucketObjects(bucket: self) }

    func sizes() async throws -> [ContentHash: Int] {
        var sizes: [ContentHash: Int] = [:]
        for entry in try await files.list(Self.objectsPrefix) {
            guard let hash = Self.hash(of: entry.name) else { continue }
            sizes[hash] = seal.size(ofSealed: entry.sizeBytes)
        }
        return sizes
    }

    func logFolder(_ timeline: String) throws -> URL {
        let folder = kept.appending(path: "wal/\(timeline)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }

    /// A file that nobody else uses.
    func newFile() -> URL { scratch.newFile() }

    static func name(of hash: ContentHash) -> String { objectsPrefix + hash.hex }

    static func hash(of name: String) -> ContentHash? { ContentHash(hex: String(name.dropFirst(objectsPrefix.count))) }

    /// Calls `body` with each artifact and when it was put.
    func forEachObject(_ body: (ContentHash, Date) async throws -> Void) async throws {
        for entry in try await files.list(Self.objectsPrefix) {
            if let hash = Self.hash(of: entry.name) { try await body(hash, entry.changed) }
        }
    }
}

/// A private folder of this machine for one run, which goes with it; what killed runs have left is removed by the next.
final class BackupScratch: Sendable {
    private static let prefix = "run-"

    let url: URL
    private let lock: BackupLock

    init(in parent: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: parent.path) where name.hasPrefix(Self.prefix) {
            let left = parent.appending(path: name)
            // Whoever uses it has its lock.
            guard (try? BackupLock(left.appending(path: "lock"))) != nil else { continue }
            try FileManager.default.removeItem(at: left)
        }
        // Under its final name only when it is locked.
        let id = UUID().uuidString
        let new = parent.appending(path: "new-\(id)")
        try FileManager.default.createDirectory(
            at: new, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        lock = try BackupLock(new.appending(path: "lock"))
        url = parent.appending(path: Self.prefix + id)
        try FileManager.default.moveItem(at: new, to: url)
    }

    func newFile() -> URL { url.appending(path: UUID().uuidString) }

    // What cannot be removed now is removed by the next run.
    deinit { try? FileManager.default.removeItem(at: url) }
}
