// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// A folder with backups. It is written in place, so nothing is copied twice.
struct BackupFolder: BackupTarget {
    let url: URL

    init(_ path: String) { url = DataFolder(path).url }

    var place: String { url.path }
    var workshop: URL { url }
    var receivesElsewhere: Bool { false }

    /// Makes the folder, which nobody else may look into.
    func make() throws { try DataFolder(url.path).make() }

    func lock(for purpose: String) throws -> BackupLock {
        try BackupLock(url.appending(path: "lock-\(purpose)"))
    }

    func objects() async throws -> any Storage {
        do {
            return try await DiskStorage.open(url)
        } catch {
            throw CommandFailure("Artifacts cannot be kept in \(url.path): \(error)")
        }
    }

    /// Asking a disk costs nothing.
    func sizes() -> [ContentHash: Int] { [:] }

    func names(_ prefix: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw CommandFailure("There is no folder \(url.path).")
        }
        let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
        let inside = parts.dropLast().joined(separator: "/")
        let folder = inside.isEmpty ? url : url.appending(path: inside)
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix(parts.last ?? "") }
                .flatMap { try files(inside.isEmpty ? $0 : "\(inside)/\($0)") }.sorted()
        } catch {
            throw CommandFailure("\(folder.path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// The file of this name, or all in the folder of this name.
    private func files(_ name: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.appending(path: name).path, isDirectory: &isFolder) else {
            return []
        }
        guard isFolder.boolValue else { return [name] }
        return try FileManager.default.contentsOfDirectory(atPath: url.appending(path: name).path)
            .flatMap { try files("\(name)/\($0)") }
    }

    func put(_ file: URL, as name: String) throws {
        let final = url.appending(path: name)
        let folder = final.deletingLastPathComponent()
        let isNew = !FileManager.default.fileExists(atPath: folder.path)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try DurableFile.synchronize(file)
        guard rename(file.path, final.path) == 0 else {
            throw CommandFailure("\(final.path) cannot be written: \(String(cString: strerror(errno)))")
        }
        try DurableFile.synchronize(folder)
        if isNew { try DurableFile.synchronize(url) }
    }

    func open(_ name: String) -> URL? {
        let file = url.appending(path: name)
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }

    func remove(_ name: String) throws {
        let file = url.appending(path: name)
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw CommandFailure("\(file.path) cannot be removed: \(String(cString: strerror(errno)))")
        }
        // A backup's folder goes with its last file; others are not empty, or wanted.
        if name.hasPrefix("2") { rmdir(file.deletingLastPathComponent().path) }
    }

    func logFolder(_ timeline: String) throws -> URL {
        let folder = url.appending(path: "wal/\(timeline)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }
}

/// Makes what was written survive a power failure.
private enum DurableFile {
    /// Waits until a file, or the names in a folder, are on the disk.
    static func synchronize(_ file: URL) throws {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("\(file.path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw CommandFailure("\(file.path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
