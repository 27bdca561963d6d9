// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Logging
import NIOCore
import Outgoing
import SheetCore
import Synchronization

/// Objects in a bucket of a server that speaks S3, each under `objects/` and its SHA-256.
///
/// An upload takes one request (larger ones one for each part and two more), a download that clients make themselves
/// none, a picture a `HEAD` and a `GET` until it is in memory. The key is the hash, so storing the same twice is
/// harmless and needs no condition.
package final class S3Storage: Storage {
    /// Bytes per request when reading.
    static let pieceBytes = 4 << 20
    /// How long an address that a client is sent on to holds, in seconds.
    private static let addressSeconds = 600
    /// How often an object is asked for that comes with other bytes than its own.
    private static let checks = 3
    /// Requests at the same time, per process.
    private static let concurrency = 16

    let client: S3Client
    /// Where objects lie that are being written, or lent.
    private let spool: DiskStorage

    /// Uses `bucket`; `spool` is a private folder on this machine with room for the largest files that are written and
    /// read at the same time. Talks to nobody yet.
    package static func open(_ bucket: S3Bucket, spool: URL, logger: Logger) async throws -> S3Storage {
        try await open(bucket, spool: spool, logger: logger, clock: S3Clock())
    }

    /// The same on a machine that has `clock`.
    static func open(_ bucket: S3Bucket, spool: URL, logger: Logger, clock: S3Clock) async throws -> S3Storage {
        // The operator named the server: it may be anywhere.
        let outgoing = OutgoingClient(
            policy: .anywhere, concurrency: concurrency, keepsConnections: true, logger: logger)
        return S3Storage(
            client: S3Client(bucket: bucket, outgoing: outgoing, clock: clock), spool: try await DiskStorage.open(spool)
        )
    }

    private init(client: S3Client, spool: DiskStorage) {
        self.client = client
        self.spool = spool
    }

    private var folder: String { "\(client.bucket.prefix)objects/" }

    private func key(of hash: ContentHash) -> String { folder + hash.hex }

    package func makeWriter() async throws -> any StorageWriter {
        S3Writer(storage: self, spool: spool, draft: try await spool.makeDraft())
    }

    package func size(of hash: ContentHash) async throws -> Int? { try await client.size(of: key(of: hash)) }

    package func read(_ hash: ContentHash, range: Range<Int>? = nil) async throws -> StorageBytes {
        let begin = range?.lowerBound ?? 0
        let end = range?.upperBound ?? .max
        guard begin < end else { return StorageBytes { nil } }
        // Asked for at once, so that a missing object is known before anything is answered.
        let key = key(of: hash)
        let (first, isChecked) = try await firstPart(of: hash, begin..<min(end, begin + Self.pieceBytes))
        let isWhole = begin == 0 && end >= first.total
        let state = Mutex(
            Reading(
                position: begin, end: min(end, first.total), ahead: first.bytes,
                digest: isWhole && !isChecked ? SHA256() : nil))
        let client = self.client
        return StorageBytes {
            let (ahead, wanted, isOver) = state.withLock { $0.next() }
            if isOver { return nil }
            try Task.checkCancellation()
            let bytes: [UInt8]
            if let ahead {
                bytes = ahead
            } else {
                guard let part = try await client.part(of: key, wanted) else { throw StorageError.missing(hash) }
                bytes = part.bytes
            }
            guard !bytes.isEmpty else { throw StorageError.unavailable("\(client.bucket): \(key) ended early.") }
            if let found = state.withLock({ $0.take(bytes) }), found != hash {
                throw StorageError.unavailable("\(client.bucket): \(key) has other bytes.")
            }
            return ByteBuffer(bytes: bytes)
        }
    }

    /// The first bytes. Where they are the whole object they are held against its hash, and asked for again when they are
    /// others: they may have changed on the way only.
    private func firstPart(of hash: ContentHash, _ range: Range<Int>) async throws -> (
        part: S3Client.Part, isChecked: Bool
    ) {
        for _ in 0..<Self.checks {
            guard let part = try await client.part(of: key(of: hash), range) else { throw StorageError.missing(hash) }
            guard range.lowerBound == 0, part.bytes.count == part.total else { return (part, false) }
            if ContentHash(hashing: part.bytes) == hash { return (part, true) }
        }
        throw StorageError.unavailable("\(client.bucket): \(key(of: hash)) has other bytes.")
    }

    package func withLocalFile<T: Sendable>(
        _ hash: ContentHash, _ body: @Sendable (URL) async throws -> T
    ) async throws -> T {
        let draft = try await spool.makeDraft()
        do {
            for try await piece in try await read(hash, range: nil) { try await spool.append(piece, to: draft) }
            let result = try await body(draft.location)
            await spool.discard(draft)
            return result
        } catch {
            await spool.discard(draft)
            throw error
        }
    }

    package func remove(_ hash: ContentHash) async throws { try await client.delete(key(of: hash)) }

    package func forEach(_ body: @Sendable (ContentHash, Date) async throws -> Void) async throws {
        var token: String?
        repeat {
            let page = try await client.list(folder, after: token)
            for (key, date, _) in page.objects {
                guard let hash = ContentHash(hex: String(key.dropFirst(folder.count))) else { continue }
                try await body(hash, date)
            }
            token = page.next
        } while token != nil
    }

    package func check() async throws {
        let bytes = Array("Whether something can be stored.\n".utf8)
        try await client.put("\(client.bucket.prefix)probe", bytes, hash: ContentHash(hashing: bytes))
    }

    package func delivery(of hash: ContentHash, as file: ServedAs) async throws -> DirectDelivery? {
        guard let endpoint = client.bucket.publicEndpoint else { return nil }
        return .redirect(
            to: client.presigned(
                key(of: hash), endpoint: endpoint,
                query: [
                    ("response-content-type", file.mediaType), ("response-content-disposition", file.disposition),
                    ("response-cache-control", "private, max-age=\(Self.addressSeconds)"),
                ], seconds: Self.addressSeconds))
    }

    /// Sends a sealed draft.
    fileprivate func store(_ draft: DiskDraft, _ object: StoredObject) async throws {
        let key = key(of: object.hash)
        guard object.sizeBytes > S3Client.largestWhole else {
            let bytes = try await spool.bytes(of: draft, 0..<object.sizeBytes)
            return try await client.put(key, bytes, hash: object.hash)
        }
        if try await client.size(of: key) == object.sizeBytes { return try await client.renew(key) }
        try await client.putParts(key, sizeBytes: object.sizeBytes) { [spool] range in
            try await spool.bytes(of: draft, range)
        }
    }
}

/// How far an object has been read.
private struct Reading {
    var position: Int
    let end: Int
    /// Bytes that came with the first answer.
    var ahead: [UInt8]?
    /// Of what was read, where a whole object is: its last piece is held back when the bytes are not its own.
    var digest: SHA256?

    mutating func next() -> (ahead: [UInt8]?, wanted: Range<Int>, isOver: Bool) {
        guard position < end else { return (nil, 0..<0, true) }
        defer { ahead = nil }
        return (ahead, position..<min(position + S3Storage.pieceBytes, end), false)
    }

    /// Answers the hash of all bytes once a whole object has been read.
    mutating func take(_ bytes: [UInt8]) -> ContentHash? {
        position += bytes.count
        digest?.update(data: bytes)
        return position >= end ? digest.map { ContentHash($0.finalize()) } : nil
    }
}

/// Writes one object: on this machine first, since its name is known at the end only.
private struct S3Writer: StorageWriter {
    let storage: S3Storage
    let spool: DiskStorage
    let draft: DiskDraft

    func write(_ bytes: ByteBuffer) async throws { try await spool.append(bytes, to: draft) }

    func finish() async throws -> StoredObject {
        do {
            let object = draft.seal()
            try await storage.store(draft, object)
            await spool.discard(draft)
            return object
        } catch {
            await spool.discard(draft)
            throw error
        }
    }

    func abandon() async { await spool.discard(draft) }
}
