// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// Files in a bucket, each sealed on this machine before it goes there.
struct SealedBucket: Sendable {
    /// Its address, for the operator.
    let place: String
    let files: S3Files
    let seal: BackupSeal
    let scratch: BackupScratch

    /// Takes a file of this machine away and keeps it under `name`.
    func put(_ file: URL, as name: String) async throws {
        let sealed = scratch.newFile()
        defer { try? FileManager.default.removeItem(at: sealed) }
        try seal.seal(file, as: name, to: sealed)
        try await files.put(sealed, as: name)
        try FileManager.default.removeItem(at: file)
    }

    /// Writes what is kept under `name` into a file of this machine; `false` when nothing is.
    func get(_ name: String, to file: URL) async throws -> Bool {
        let sealed = scratch.newFile()
        defer { try? FileManager.default.removeItem(at: sealed) }
        guard try await files.get(name, to: sealed) else { return false }
        try seal.open(sealed, as: name, to: file, place: "\(place)/\(name)")
        return true
    }
}
