// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import MarketPlatform

/// Puts the database's log, as it is received on this machine, where the backups are.
actor LogUpload {
    /// How long what was received may lie on this machine alone.
    private static let pause: Duration = .seconds(5)

    private let folder: URL
    private let timeline: String
    private let target: any BackupTarget
    /// What was put, by the time of its last change.
    private var known: [String: Date] = [:]

    /// `folder` is what the receiver writes into.
    init(from folder: URL, timeline: String, to target: any BackupTarget) {
        self.folder = folder
        self.timeline = timeline
        self.target = target
    }

    /// Goes on until it is cancelled. While the target is away, the log waits on this machine.
    func run() async throws {
        while true {
            do {
                try await upload()
            } catch let error as StorageError {
                Logger.service.warning("the log waits to be put", metadata: ["error": "\(error)"])
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Puts what has come since. A file that is whole is then removed here.
    func upload() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        for name in names where ReceivedLog.isFile(name) {
            let file = folder.appending(path: name)
            // The receiver renames a file when it is whole: then the next round finds it.
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
                let changed = attributes[.modificationDate] as? Date, known[name] != changed
            else { continue }
            guard let copy = try copy(of: file) else { continue }
            try await target.put(copy, as: "wal/\(timeline)/\(name)")
            guard ReceivedLog.isWhole(name) else {
                known[name] = changed
                continue
            }
            try await target.remove("wal/\(timeline)/\(name).partial")
            try FileManager.default.removeItem(at: file)
            known["\(name).partial"] = nil
        }
    }

    /// A copy without the zeros that fill a file of the log up; nil when the file has got another name meanwhile.
    private func copy(of file: URL) throws -> URL? {
        guard let bytes = try? Data(contentsOf: file) else { return nil }
        let copy = target.workshop.appending(path: UUID().uuidString)
        try bytes.prefix((bytes.lastIndex { $0 != 0 } ?? -1) + 1).write(to: copy)
        return copy
    }
}
