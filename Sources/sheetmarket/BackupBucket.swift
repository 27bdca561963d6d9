// SPDX-License-Identifier: Apache-2.0
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

    private let bucket: SealedBucket
    /// What outlives a run: locks, and what was received and not yet put.
    private let kept: URL

    var place: String { bucket.place }
    var workshop: URL { bucket.scratch.url }
    var receivesElsewhere: Bool { true }

    /// Opens the backups at `address`; with `isNew` there may be none yet.
    static func open(
        _ address: BackupAddress, _ settings: StorageSettings, passphrase: String, isNew: Bool
    ) async throws -> BackupBucket {
        let files = S3Files(
            try settings.backupBucket(name: address.bucket, prefix: address.prefix), logger: .service)
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
        return BackupBucket(
            bucket: SealedBucket(place: address.text, files: files, seal: seal, scratch: scratch), kept: kept)
    }

    func make() {}

    func lock(for purpose: String) throws -> BackupLock {
        try BackupLock(kept.appending(path: "lock-\(purpose)"))
    }

    func names(_ prefix: String) async throws -> [String] { try await bucket.files.list(prefix).map(\.name) }

    func put(_ file: URL, as name: String) async throws { try await bucket.put(file, as: name) }

    func open(_ name: String) async throws -> URL? {
        // Whoever may write there chooses names.
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw CommandFailure("\(place) has a file of the name '\(name)'.")
        }
        let file = workshop.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try await bucket.get(name, to: file) ? file : nil
    }

    func remove(_ name: String) async throws { try await bucket.files.remove(name) }

    func objects() -> any Storage { BucketObjects(bucket: bucket) }

    func sizes() async throws -> [ContentHash: Int] { try await BucketObjects(bucket: bucket).sizes() }

    func logFolder(_ timeline: String) throws -> URL {
        let folder = kept.appending(path: "wal/\(timeline)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }
}
