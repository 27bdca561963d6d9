// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import NIOCore
import NIOFoundationCompat
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketPlatform

@Suite("Storage on disk")
struct StorageTests {
    private func withStorage(_ body: (DiskStorage, URL) async throws -> Void) async throws {
        let folder = try ScratchFolder("storage")
        try await body(try await DiskStorage.open(folder.url), folder.url)
    }

    private func store(_ bytes: [UInt8], in storage: DiskStorage, pieces: Int = 3) async throws -> StoredObject {
        let writer = try await storage.makeWriter()
        let size = max(1, bytes.count / pieces)
        for begin in stride(from: 0, to: bytes.count, by: size) {
            try await writer.write(ByteBuffer(bytes: bytes[begin..<min(begin + size, bytes.count)]))
        }
        return try await writer.finish()
    }

    private func bytes(_ hash: ContentHash, in storage: DiskStorage, range: Range<Int>? = nil) async throws -> [UInt8] {
        var all: [UInt8] = []
        for try await piece in try await storage.read(hash, range: range) {
            #expect(piece.readableBytes <= DiskStorage.pieceBytes)
            all += Array(buffer: piece)
        }
        return all
    }

    private func files(under folder: URL) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return all.filter {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path, isDirectory: &isFolder)
            return !isFolder.boolValue
        }
    }

    private func random(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    @Test("What is written comes back, under its SHA-256, whole and in ranges")
    func roundTrip() async throws {
        try await withStorage { storage, folder in
            for count in [0, 1, 1000, DiskStorage.pieceBytes, 3 * DiskStorage.pieceBytes + 17] {
                let content = random(count)
                let object = try await store(content, in: storage)
                #expect(object.hash == ContentHash(hashing: content))
                #expect(object.sizeBytes == count)
                #expect(try await storage.size(of: object.hash) == count)
                #expect(try await bytes(object.hash, in: storage) == content)
            }
            let content = random(400_000)
            let object = try await store(content, in: storage)
            for range in [0..<1, 5..<5, 399_999..<400_000, 100_000..<300_001, 399_000..<500_000] {
                let held = range.clamped(to: 0..<400_000)
                #expect(try await bytes(object.hash, in: storage, range: range) == Array(content[held]))
            }
            let hex = object.hash.hex
            let path = "objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)"
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(path).path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & ~0o640 == 0)
        }
    }

    @Test("Nothing is visible before the end, and nothing is left after giving up")
    func abandoning() async throws {
        try await withStorage { storage, folder in
            let content = random(5000)
            let writer = try await storage.makeWriter()
            try await writer.write(ByteBuffer(bytes: content))
            #expect(try await storage.size(of: ContentHash(hashing: content)) == nil)
            #expect(files(under: folder).count == 1)
            await writer.abandon()
            #expect(files(under: folder).isEmpty)
            await #expect(throws: StorageError.self) { try await writer.write(ByteBuffer(bytes: content)) }
            await #expect(throws: StorageError.self) { _ = try await writer.finish() }

            // A writer that is merely dropped, as when its request's task is cancelled.
            do {
                let dropped = try await storage.makeWriter()
                try await dropped.write(ByteBuffer(bytes: content))
            }
            // The pool's thread may be the last to let go of it.
            let isGone = try await eventually { files(under: folder).isEmpty }
            #expect(isGone)
        }
    }

    @Test("Many writers of the same bytes, through two stores on one folder, leave one object")
    func sameBytes() async throws {
        try await withStorage { storage, folder in
            let other = try await DiskStorage.open(folder)
            let content = random(300_000)
            let objects = try await withThrowingTaskGroup(of: StoredObject.self) { group in
                for index in 0..<24 {
                    group.addTask { try await store(content, in: index.isMultiple(of: 2) ? storage : other) }
                }
                return try await group.reduce(into: [StoredObject]()) { $0.append($1) }
            }
            #expect(objects.count == 24)
            #expect(Set(objects.map(\.hash)) == [ContentHash(hashing: content)])
            #expect(files(under: folder).count == 1)
            #expect(try await bytes(ContentHash(hashing: content), in: other) == content)
        }
    }

    @Test("An object that the disk has cut short is mended by writing it again; a whole one stays as it is")
    func mending() async throws {
        try await withStorage { storage, folder in
            let content = random(1000)
            let object = try await store(content, in: storage)
            let path = try await storage.withLocalFile(object.hash) { $0.path }
            let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            _ = try await store(content, in: storage)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == inode)
            try Data(content.prefix(10)).write(to: URL(filePath: path))
            _ = try await store(content, in: storage)
            #expect(try await bytes(object.hash, in: storage) == content)
        }
    }

    @Test("What a crash leaves is swept when it is old, unless somebody is still writing it")
    func staleUploads() async throws {
        try await withStorage { storage, folder in
            let content = random(100)
            let writer = try await storage.makeWriter()
            try await writer.write(ByteBuffer(bytes: content))
            let old = folder.appendingPathComponent("incoming/left-by-a-crash")
            let young = folder.appendingPathComponent("incoming/just-begun")
            try Data(content).write(to: old)
            try Data(content).write(to: young)
            let longAgo = Date(timeIntervalSinceNow: -3 * 86_400)
            for name in try FileManager.default.contentsOfDirectory(
                atPath: folder.appendingPathComponent("incoming").path)
            where name != "just-begun" {
                try FileManager.default.setAttributes(
                    [.modificationDate: longAgo],
                    ofItemAtPath: folder.appendingPathComponent("incoming/\(name)").path)
            }
            let restarted = try await DiskStorage.open(folder)
            #expect(!FileManager.default.fileExists(atPath: old.path))
            #expect(FileManager.default.fileExists(atPath: young.path))
            let object = try await writer.finish()
            #expect(try await restarted.size(of: object.hash) == 100)
        }
    }

    @Test("A missing object is said to be missing; removing one twice is fine")
    func missing() async throws {
        try await withStorage { storage, _ in
            let object = try await store(random(10), in: storage)
            try await storage.remove(object.hash)
            try await storage.remove(object.hash)
            #expect(try await storage.size(of: object.hash) == nil)
            await #expect(throws: StorageError.missing(object.hash)) {
                _ = try await storage.read(object.hash, range: nil)
            }
            await #expect(throws: StorageError.missing(object.hash)) {
                _ = try await storage.withLocalFile(object.hash) { $0 }
            }
        }
    }

    @Test("Every object is enumerated once, with its time, and files that are none are not")
    func enumerating() async throws {
        try await withStorage { storage, folder in
            var hashes: Set<ContentHash> = []
            for index in 0..<20 { hashes.insert(try await store([UInt8(index)], in: storage).hash) }
            try Data().write(to: folder.appendingPathComponent("objects/stray"))
            let found = Mutex<[ContentHash]>([])
            try await storage.forEach { hash, date in
                #expect(abs(date.timeIntervalSinceNow) < 3600)
                found.withLock { $0.append(hash) }
            }
            #expect(found.withLock { $0.count } == 20)
            #expect(Set(found.withLock { $0 }) == hashes)
        }
    }

    @Test("The check stores and removes; it fails where nothing can be stored")
    func checking() async throws {
        try await withStorage { storage, folder in
            try await storage.check()
            #expect(files(under: folder).isEmpty)
            try FileManager.default.removeItem(at: folder.appendingPathComponent("incoming"))
            await #expect(throws: StorageError.self) { try await storage.check() }
        }
    }

    @Test("A full disk is said to be full")
    func full() {
        for code in [ENOSPC, EDQUOT] {
            errno = code
            #expect(SystemCallError("write").storageError == .full)
        }
        errno = EIO
        #expect(SystemCallError("write").storageError != .full)
    }
}
