// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Outgoing
import SheetCore

/// Files by their names in a bucket, each there whole or not at all.
package struct S3Files: Sendable {
    /// A file as the bucket lists it.
    package struct Entry: Sendable {
        package let name: String
        /// Of an object that came in parts some servers tell another size here than when they are asked for it.
        package let sizeBytes: Int
        package let changed: Date
    }

    /// Requests at the same time.
    private static let concurrency = 16

    private let client: S3Client

    /// Talks to nobody yet.
    package init(_ bucket: S3Bucket, logger: Logger) {
        // The operator named the server: it may be anywhere.
        let outgoing = OutgoingClient(
            policy: .anywhere, concurrency: Self.concurrency, keepsConnections: true, logger: logger)
        client = S3Client(bucket: bucket, outgoing: outgoing)
    }

    /// Whether anything is there.
    package func isEmpty() async throws -> Bool {
        try await client.list(client.bucket.prefix, after: nil).objects.isEmpty
    }

    /// All whose names begin with `prefix`, by name.
    package func list(_ prefix: String) async throws -> [Entry] {
        var entries: [Entry] = []
        var token: String?
        repeat {
            let page = try await client.list(key(of: prefix), after: token)
            entries += page.objects.map { object in
                Entry(
                    name: String(object.key.dropFirst(client.bucket.prefix.count)), sizeBytes: object.sizeBytes,
                    changed: object.changed)
            }
            token = page.next
        } while token != nil
        return entries.sorted { $0.name < $1.name }
    }

    /// Bytes of the file; nil when there is none.
    package func size(of name: String) async throws -> Int? { try await client.size(of: key(of: name)) }

    /// Stores the bytes of a file of this machine, in place of what was there.
    package func put(_ file: URL, as name: String) async throws {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let size = Int(try handle.seekToEnd())
        // One request is on its way at a time, so the position in the file is its own.
        @Sendable func piece(_ range: Range<Int>) throws -> [UInt8] {
            try handle.seek(toOffset: UInt64(range.lowerBound))
            return Array(try handle.read(upToCount: range.count) ?? Data())
        }
        guard size > S3Client.largestWhole else {
            let bytes = try piece(0..<size)
            return try await client.put(key(of: name), bytes, hash: ContentHash(hashing: bytes))
        }
        try await client.putParts(key(of: name), sizeBytes: size, piece)
    }

    /// Writes the file's bytes into a new file of this machine; `false` when there are none.
    package func get(_ name: String, to file: URL) async throws -> Bool {
        guard var part = try await client.part(of: key(of: name), 0..<S3Storage.pieceBytes) else { return false }
        guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw StorageError.unavailable("\(file.path) cannot be written.") }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        var position = 0
        while true {
            try handle.write(contentsOf: part.bytes)
            position += part.bytes.count
            if position >= part.total { return true }
            let range = position..<min(position + S3Storage.pieceBytes, part.total)
            guard let next = try await client.part(of: key(of: name), range), !next.bytes.isEmpty else {
                throw StorageError.unavailable("\(client.bucket): \(name) ended early.")
            }
            part = next
        }
    }

    package func remove(_ name: String) async throws { try await client.delete(key(of: name)) }

    private func key(of name: String) -> String { client.bucket.prefix + name }
}

extension S3Client {
    /// Largest object that is sent in one request.
    static let largestWhole = 16 << 20
    /// Bytes per request of larger ones; the least that S3 allows is 5 MiB.
    static let partBytes = 8 << 20
    /// S3 takes 10,000.
    private static let mostParts = 9000

    /// Stores an object in parts, whose bytes `piece` gives one after the other.
    func putParts(
        _ key: String, sizeBytes: Int, _ piece: @Sendable (Range<Int>) async throws -> [UInt8]
    ) async throws {
        let partBytes = max(Self.partBytes, sizeBytes / Self.mostParts + 1)
        let upload = try await beginUpload(key)
        do {
            var tags: [String] = []
            for begin in stride(from: 0, to: sizeBytes, by: partBytes) {
                let bytes = try await piece(begin..<min(begin + partBytes, sizeBytes))
                tags.append(try await putPart(tags.count + 1, of: upload, key, bytes))
            }
            try await completeUpload(upload, key, tags: tags)
        } catch {
            // Parts that cannot be removed now are removed by the bucket's own rule for unfinished uploads.
            try? await abortUpload(upload, key)
            throw error
        }
    }
}
