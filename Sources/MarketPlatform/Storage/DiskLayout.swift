// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore
import Synchronization

/// Where things lie in a store's folder, and what may be done with them. Blocking; see `DiskStorage`.
///
///     objects/ab/cd/abcd…   finished objects, named by the SHA-256 of their bytes
///     incoming/<uuid>       objects being written, locked by their writer
final class DiskLayout: Sendable {
    private let root: String
    /// Shards whose folders this process has made durable.
    private let durableShards = Mutex<Set<String>>([])

    init(root: URL) {
        self.root = root.standardizedFileURL.path(percentEncoded: false).trimmingSuffix("/")
    }

    private var objects: String { "\(root)/objects" }
    private var incoming: String { "\(root)/incoming" }

    func path(of hash: ContentHash) -> String { "\(objects)/\(Self.place(of: hash))" }

    /// Where an object lies in the folder of the objects.
    static func place(of hash: ContentHash) -> String {
        let hex = hash.hex
        return "\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)"
    }

    private func shard(_ hex: String) -> String {
        "\(objects)/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))"
    }

    /// Makes the folders.
    func prepare() throws(SystemCallError) {
        try makeWithParents(root)
        try DiskFolder.make(objects)
        try DiskFolder.make(incoming)
        try DiskFolder.synchronize(root)
    }

    private func makeWithParents(_ path: String) throws(SystemCallError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/\(part)"
            if try DiskFolder.status(of: made) == nil { try DiskFolder.make(made) }
        }
    }

    /// Removes what writers that no longer live have left. A file that is locked has a living writer.
    func deleteStaleUploads(olderThan age: TimeInterval, now: Date = Date()) throws(SystemCallError) -> Int {
        var count = 0
        for name in try DiskFolder.names(in: incoming) {
            let path = "\(incoming)/\(name)"
            // Its writer may have renamed or removed it since the folder was listed.
            guard let file = try? DiskFile.reading(path), let status = try? file.status(),
                now.timeIntervalSince(status.changed) > age, file.lock()
            else { continue }
            try DiskFolder.unlink(path)
            count += 1
        }
        return count
    }

    func makeDraft() throws(SystemCallError) -> DiskDraft {
        let path = "\(incoming)/\(UUID().lowercaseText)"
        return DiskDraft(path: path, file: try DiskFile.creating(path))
    }

    /// Gives a synchronized file its final name. What is already there under that name is the same and stays.
    func publish(_ path: String, as object: StoredObject) throws(SystemCallError) {
        let hex = object.hash.hex
        let shard = shard(hex)
        try makeDurable(shard, hex: hex)
        let target = "\(shard)/\(hex)"
        // A file of another size was not written by us: the disk has lost something, and we can mend it.
        // One that cannot be read is replaced.
        if let present = try? DiskFile.reading(target), try present.status().size == object.sizeBytes {
            // The garbage collection takes the time of the last change as the time of storing.
            present.touch()
            try DiskFolder.unlink(path)
        } else {
            try DiskFolder.rename(path, to: target)
        }
        try DiskFolder.synchronize(shard)
    }

    /// A folder that another process has just made may not be durable yet, hence once per process for each shard.
    private func makeDurable(_ shard: String, hex: String) throws(SystemCallError) {
        if durableShards.withLock({ $0.contains(shard) }) { return }
        let parent = "\(objects)/\(hex.prefix(2))"
        try DiskFolder.make(parent)
        try DiskFolder.make(shard)
        try DiskFolder.synchronize(parent)
        try DiskFolder.synchronize(objects)
        durableShards.withLock { _ = $0.insert(shard) }
    }

    /// Names of the shards' folders, those with two levels joined by a slash.
    func shards() throws(SystemCallError) -> [String] {
        var shards: [String] = []
        for first in try DiskFolder.names(in: objects).sorted() {
            for second in try DiskFolder.names(in: "\(objects)/\(first)").sorted() {
                shards.append("\(objects)/\(first)/\(second)")
            }
        }
        return shards
    }

    /// Objects of a shard and when they were stored.
    func objects(in shard: String) throws(SystemCallError) -> [(ContentHash, Date)] {
        var found: [(ContentHash, Date)] = []
        for name in try DiskFolder.names(in: shard).sorted() {
            guard let hash = ContentHash(hex: name), let status = try DiskFolder.status(of: "\(shard)/\(name)")
            else { continue }
            found.append((hash, status.changed))
        }
        return found
    }

    /// Writes, synchronizes and removes a small file.
    func probe() throws {
        let draft = try makeDraft()
        defer { draft.discard() }
        try withUnsafeBytes(of: UInt64(0)) { bytes in try draft.write(bytes) }
        try draft.synchronize()
    }
}

/// An object being written. Its file is locked while it is open, and gone when this ends without `finish`.
final class DiskDraft: Sendable {
    private struct State: ~Copyable {
        let file: DiskFile
        var digest = SHA256()
        var count = 0
        var ended = false
    }

    private let path: String
    private let state: Mutex<State>

    init(path: String, file: DiskFile) {
        self.path = path
        _ = file.lock()
        state = Mutex(State(file: file))
    }

    deinit {
        discard()
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            if state.ended { throw StorageError.unavailable("This object is written already.") }
            try state.file.write(bytes)
            state.digest.update(bufferPointer: bytes)
            state.count += bytes.count
        }
    }

    /// Where the bytes lie until this ends.
    var location: URL { URL(filePath: path) }

    /// Takes no more bytes: what was written is named, and goes elsewhere.
    func seal() -> StoredObject {
        state.withLock { StoredObject(hash: ContentHash($0.digest.finalize()), sizeBytes: $0.count) }
    }

    /// The bytes in `range`, all of which must be written.
    func bytes(in range: Range<Int>) throws -> [UInt8] {
        try state.withLock { state in
            var bytes = [UInt8](repeating: 0, count: range.count)
            let count = try bytes.withUnsafeMutableBytes { try state.file.read(into: $0, at: range.lowerBound) }
            guard count == range.count else { throw StorageError.unavailable("\(path) ended before its size.") }
            return bytes
        }
    }

    /// Makes the bytes durable and visible in `layout`.
    func finish(in layout: DiskLayout) throws -> StoredObject {
        try state.withLock { state in
            if state.ended { throw StorageError.unavailable("This object is written already.") }
            try state.file.synchronize()
            let object = StoredObject(hash: ContentHash(state.digest.finalize()), sizeBytes: state.count)
            try layout.publish(path, as: object)
            state.ended = true
            return object
        }
    }

    func synchronize() throws {
        try state.withLock { state in try state.file.synchronize() }
    }

    /// Removes the file; does nothing after `finish`.
    func discard() {
        state.withLock { state in
            // What cannot be removed now is removed later.
            if !state.ended { try? DiskFolder.unlink(path) }
            state.ended = true
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) && count > suffix.count ? String(dropLast(suffix.count)) : self
    }
}
