// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A private folder of this machine for one run, which goes with it; what killed runs have left is removed by the next.
final class BackupScratch: Sendable {
    private static let prefix = "run-"

    let url: URL
    private let lock: BackupLock

    init(in parent: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: parent.path) where name.hasPrefix(Self.prefix) {
            let left = parent.appending(path: name)
            // Whoever uses it has its lock.
            guard (try? BackupLock(left.appending(path: "lock"))) != nil else { continue }
            try FileManager.default.removeItem(at: left)
        }
        // Under its final name only when it is locked.
        let id = UUID().uuidString
        let new = parent.appending(path: "new-\(id)")
        try FileManager.default.createDirectory(
            at: new, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        lock = try BackupLock(new.appending(path: "lock"))
        url = parent.appending(path: Self.prefix + id)
        try FileManager.default.moveItem(at: new, to: url)
    }

    func newFile() -> URL { url.appending(path: UUID().uuidString) }

    // What cannot be removed now is removed by the next run.
    deinit { try? FileManager.default.removeItem(at: url) }
}
