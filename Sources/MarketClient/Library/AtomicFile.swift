// SPDX-License-Identifier: Apache-2.0
// No NIO import here or in the other files that speak POSIX: its C module would claim `stat` for itself.
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files that are there whole or not at all, whatever ends the process or the power.
public enum AtomicFile {
    /// Puts `data` in the place of `path`: written beside it, flushed, renamed, and the folder flushed.
    public static func write(_ data: Data, to path: String, permissions: UInt16 = 0o644) throws {
        try move(try draft(data, for: path, permissions: permissions), to: path)
    }

    /// Puts several files of one folder in their places, in their order: they are flushed at the same time, and the folder
    /// once. Blocks.
    static func write(_ files: [(path: String, data: Data)]) throws {
        guard let first = files.first else { return }
        let drafts = DiskWork.together(files) { file -> Result<String, any Error> in
            Result { try draft(file.data, for: file.path) }
        }
        do {
            for (file, draft) in zip(files, drafts) { try rename(try draft.get(), to: file.path) }
        } catch {
            for draft in drafts { if let path = try? draft.get() { unlink(path) } }
            throw error
        }
        try flushFolder(folder(of: first.path))
    }

    /// The same for what may be lost in a power cut, as it is then found damaged and fetched anew: nothing is flushed.
    static func writeLightly(_ data: Data, to path: String) throws {
        let draft = try draft(data, for: path, isFlushed: false)
        try rename(draft, to: path)
    }

    /// Writes and flushes what shall take the place of `path`, and tells where it is.
    static func draft(
        _ data: Data, for path: String, permissions: UInt16 = 0o644, isFlushed: Bool = true
    ) throws -> String {
        let folder = Self.folder(of: path)
        let name = path.dropFirst(folder.count + 1)
        let draft = "\(folder)/.\(name).\(UUID().uuidString)\(draftSuffix)"
        FaultPoint.pass("create \(draft)")
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions))
        guard file >= 0 else { throw failure("write", draft) }
        do {
            defer { close(file) }
            // The umask may have taken bits away, or the mode must be stricter than it: say it outright.
            guard fchmod(file, mode_t(permissions)) == 0 else { throw failure("write", draft) }
            try writeAll(data, to: file, path: draft)
            if isFlushed { try flush(file, path: draft) }
        } catch {
            unlink(draft)
            throw error
        }
        return draft
    }

    /// As above, of what is written piece by piece; `check` reads the draft before it counts.
    package static func write(
        to path: String, permissions: UInt16 = 0o644, _ fill: (_ append: (Data) throws -> Void) throws -> Void,
        check: (_ draft: String) throws -> Void
    ) throws {
        let folder = Self.folder(of: path)
        let draft = "\(folder)/.\(path.dropFirst(folder.count + 1)).\(UUID().uuidString)\(draftSuffix)"
        FaultPoint.pass("create \(draft)")
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(permissions))
        guard file >= 0 else { throw failure("write", draft) }
        do {
            defer { close(file) }
            try fill { try writeAll($0, to: file, path: draft) }
            try flush(file, path: draft)
            try check(draft)
        } catch {
            unlink(draft)
            throw error
        }
        try move(draft, to: path)
    }

    static let draftSuffix = ".draft"

    /// Renames within one file system and makes the new name last.
    package static func move(_ source: String, to target: String) throws {
        try rename(source, to: target)
        try flushFolder(folder(of: target))
    }

    /// Renames; the new name lasts once the folder is flushed.
    static func rename(_ source: String, to target: String) throws {
        FaultPoint.pass("rename \(source) to \(target)")
        guard systemRename(source, target) == 0 else { throw failure("move a file to", target) }
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a folder and those above it; what is there already is left as it is.
    public static func makeFolder(_ path: String, permissions: UInt16 = 0o755) throws {
        FaultPoint.pass("make the folder \(path)")
        if mkdir(path, mode_t(permissions)) == 0 {
            try flushFolder(folder(of: path))
            return
        }
        if errno == ENOENT, folder(of: path) != path {
            try makeFolder(folder(of: path), permissions: permissions)
            if mkdir(path, mode_t(permissions)) == 0 || errno == EEXIST { return }
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw failure("make the folder", path)
        }
    }

    /// Makes a folder in one that is there, and says whether it was missing; its name lasts once that one is flushed.
    static func makeFolderLightly(_ path: String) throws -> Bool {
        FaultPoint.pass("make the folder \(path)")
        if mkdir(path, 0o755) == 0 { return true }
        guard errno == EEXIST else { throw failure("make the folder", path) }
        return false
    }

    /// Makes renames and removals in a folder last.
    static func flushFolder(_ path: String) throws {
        FaultPoint.pass("flush the folder \(path)")
        let file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw failure("open", path) }
        defer { close(file) }
        // Some file systems cannot flush folders and say so; their renames are as safe as they get.
        if fsync(file) != 0, errno != EINVAL, errno != ENOTSUP { throw failure("flush", path) }
    }

    static func flush(_ file: Int32, path: String) throws {
        FaultPoint.pass("flush \(path)")
        #if canImport(Darwin)
            // fsync on Darwin stops at the drive's cache.
            if fcntl(file, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(file) == 0 else { throw failure("flush", path) }
    }

    static func writeAll(_ data: Data, to file: Int32, path: String) throws {
        FaultPoint.pass("write to \(path)")
        try data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Self.write(file, UnsafeRawBufferPointer(rebasing: bytes[done...]))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw failure("write", path) }
                done += count
            }
        }
    }

    private static func systemRename(_ source: String, _ target: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.rename(source, target)
        #elseif canImport(Musl)
            Musl.rename(source, target)
        #else
            Darwin.rename(source, target)
        #endif
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(file, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(file, bytes.baseAddress, bytes.count)
        #endif
    }

    /// The error for what the operating system just refused.
    static func failure(_ doing: String, _ path: String) -> LibraryError {
        .system(doing: doing, path: path, reason: String(cString: strerror(errno)).lowercased())
    }
}
