// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Changes of files that are done at once and need no draft. With those of `AtomicFile` and `PartialFile` they are all that a
/// library makes, so that a test can end the process before each.
extension AtomicFile {
    /// Removes a file or folder that nobody will miss, if it is there. What cannot be removed is tried again another time.
    package static func discard(_ path: String) {
        guard FileBytes.identity(path) != nil else { return }
        FaultPoint.pass("remove \(path)")
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Removes a file or folder.
    package static func remove(_ path: String) throws {
        FaultPoint.pass("remove \(path)")
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw LibraryError.system(doing: "remove", path: path, reason: "the system refused")
        }
    }

    /// Gives a file a second name. Fails where something has that name, or the file system has no second names.
    static func link(_ path: String, as name: String) throws {
        FaultPoint.pass("link \(path) as \(name)")
        try FileManager.default.linkItem(atPath: path, toPath: name)
    }

    /// Makes now the time of a file's last change, where that is possible.
    static func touch(_ path: String) {
        FaultPoint.pass("touch \(path)")
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path)
    }

    /// Writes what is of no use but to whoever goes on soon, and may be half there after a power cut.
    static func writeInPlace(_ data: Data, in path: String) {
        FaultPoint.pass("write \(path)")
        try? data.write(to: URL(fileURLWithPath: path))
    }
}
