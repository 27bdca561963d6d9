// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import MarketPlatform
import NIOCore
import SheetCore
import Synchronization

/// The artifacts in a bucket of backups, each sealed under its SHA-256.
struct BucketObjects: Storage {
    private static let pieceBytes = 256 << 10
    private static let prefix = "objects/"

    let bucket: SealedBucket

    private static func name(of hash: ContentHash) -> String { prefix + hash.hex }

    private static func hash(of name: String) -> ContentHash? { ContentHash(hex: String(name.dropFirst(prefix.count))) }

    /// All that are there, and their sizes.
    func sizes() async throws -> [ContentHash: Int] {
        var sizes: [ContentHash: Int] = [:]
        for entry in try await bucket.files.list(Self.prefix) {
            guard let hash = Self.hash(of: entry.name) else { continue }
            sizes[hash] = bucket.seal.size(ofSealed: entry.sizeBytes)
        }
        return sizes
    }

    func makeWriter() async throws -> any StorageWriter { try Writer(bucket: bucket, file: bucket.scratch.newFile()) }

    func size(of hash: ContentHash) async throws -> Int? {
        try await bucket.files.size(of: Self.name(of: hash)).flatMap(bucket.seal.size(ofSealed:))
    }

    func read(_ hash: ContentHash, range: Range<Int>?) async throws -> StorageBytes {
        let file = try await fetch(hash)
        // It stays readable until it is closed.
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forReadingFrom: file)
        let size = Int(try handle.seekToEnd())
        let wanted = (range ?? 0..<size).clamped(to: 0..<size)
        try handle.seek(toOffset: UInt64(wanted.lowerBound))
        let rest = Mutex(wanted.count)
        return StorageBytes {
            let count = rest.withLock { rest in
                let count = min(rest, Self.pieceBytes)
                rest -= count
                return count
            }
            guard count > 0, let piece = try handle.read(upToCount: count), !piece.isEmpty else { return nil }
            return ByteBuffer(bytes: piece)
        }
    }

    func withLocalFile<T: Sendable>(
        _ hash: ContentHash, _ body: @Sendable (URL) async throws -> T
    ) async throws -> T {
        let file = try await fetch(hash)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file)
    }

    func remove(_ hash: ContentHash) async throws { try await bucket.files.remove(Self.name(of: hash)) }

    func forEach(_ body: @Sendable (ContentHash, Date) async throws -> Void) async throws {
        for entry in try await bucket.files.list(Self.prefix) {
            if let hash = Self.hash(of: entry.name) { try await body(hash, entry.changed) }
        }
    }

    func check() async throws { _ = try await bucket.files.isEmpty() }

    private func fetch(_ hash: ContentHash) async throws -> URL {
        let file = bucket.scratch.newFile()
        guard try await bucket.get(Self.name(of: hash), to: file) else { throw StorageError.missing(hash) }
        return file
    }

    private final class Writer: StorageWriter {
        private let bucket: SealedBucket
        private let file: URL
        private let handle: FileHandle
        private let written = Mutex((digest: SHA256(), count: 0))

        init(bucket: SealedBucket, file: URL) throws {
            self.bucket = bucket
            self.file = file
            guard
                FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw StorageError.unavailable("\(file.path) cannot be written.") }
            handle = try FileHandle(forWritingTo: file)
        }

        func write(_ bytes: ByteBuffer) async throws {
            let data = Data(bytes.readableBytesView)
            try handle.write(contentsOf: data)
            written.withLock { written in
                written.digest.update(data: data)
                written.count += data.count
            }
        }

        func finish() async throws -> StoredObject {
            try handle.close()
            let object = written.withLock { written in
                StoredObject(hash: ContentHash(written.digest.finalize()), sizeBytes: written.count)
            }
            do {
                try await bucket.put(file, as: BucketObjects.name(of: object.hash))
            } catch {
                await abandon()
                throw error
            }
            return object
        }

        func abandon() async {
            // What stays goes with the run's folder.
            try? handle.close()
            try? FileManager.default.removeItem(at: file)
        }
    }
}
