// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The files of the database's log that a backup needs to go on from where it ends.
///
/// Each run of the receiver on another timeline has a folder of its own, `wal/00000001`: a server that was restored does
/// not continue what the lost one wrote.
struct ReceivedLog: Sendable {
    /// Where the log stood when the server's copy was begun and ended.
    private struct ServerManifest: Decodable {
        struct Range: Decodable {
            let start: String
            let end: String

            enum CodingKeys: String, CodingKey {
                case start = "Start-LSN"
                case end = "End-LSN"
            }
        }

        let ranges: [Range]

        enum CodingKeys: String, CodingKey { case ranges = "WAL-Ranges" }
    }

    private static let segmentBytes: UInt64 = 16 << 20

    /// Files by the names that the server asks for.
    private(set) var files: [String: URL] = [:]
    /// The first file that is missing between the backup and what was received later.
    private(set) var gap: UInt64?

    /// What `folder` has for `backup`.
    init(for backup: Backup, in folder: BackupFolder) throws {
        let (start, end) = try Self.segments(of: backup)
        var numbers: Set<UInt64> = []
        for file in Self.all(in: folder) {
            let name = file.lastPathComponent
            if name.hasSuffix(".history") {
                files[name] = file
            } else if let number = Self.number(of: name), number >= start {
                let whole = String(name.prefix(24))
                // The receiver adds to a partial file; a whole one has more.
                if files[whole] == nil || whole == name { files[whole] = file }
                numbers.insert(number)
            }
        }
        guard let last = numbers.max(), last > end else { return }
        gap = ((end + 1)...last).first { !numbers.contains($0) }
    }

    /// Whether there is anything beyond the backup itself.
    var isEmpty: Bool { files.keys.allSatisfy { $0.hasSuffix(".history") } }

    /// Removes what no backup from `oldest` on needs.
    static func prune(_ folder: BackupFolder, before oldest: Backup) throws {
        let start = try segments(of: oldest).start
        for file in all(in: folder) {
            guard let number = number(of: file.lastPathComponent), number < start else { continue }
            try FileManager.default.removeItem(at: file)
        }
    }

    private static func all(in folder: BackupFolder) -> [URL] {
        // Where no log is received there is no folder.
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.log.path)) ?? []
        return names.sorted().map { folder.log.appending(path: $0) }
    }

    /// The files' numbers, timelines apart, between which the server was copied.
    private static func segments(of backup: Backup) throws -> (start: UInt64, end: UInt64) {
        let ranges: [ServerManifest.Range]
        do {
            ranges = try JSONDecoder().decode(
                ServerManifest.self, from: try Data(contentsOf: backup.serverManifest)
            ).ranges
        } catch {
            throw CommandFailure("\(backup.serverManifest.path) cannot be read: \(error)")
        }
        let starts = ranges.compactMap { position($0.start) }
        let ends = ranges.compactMap { position($0.end) }
        guard let start = starts.min(), let end = ends.max(), end > 0 else {
            throw CommandFailure("\(backup.serverManifest.path) does not say where the database's log stood.")
        }
        return (start / segmentBytes, (end - 1) / segmentBytes)
    }

    /// `16/B374D848`
    private static func position(_ text: String) -> UInt64? {
        let halves = text.split(separator: "/").compactMap { UInt64($0, radix: 16) }
        return halves.count == 2 ? halves[0] << 32 | halves[1] : nil
    }

    /// The number of `000000010000000000000016`, whole or partial.
    private static func number(of name: String) -> UInt64? {
        let digits = name.hasSuffix(".partial") ? String(name.dropLast(8)) : name
        guard digits.count == 24, let high = UInt64(digits.dropFirst(8).prefix(8), radix: 16),
            let low = UInt64(digits.dropFirst(16), radix: 16)
        else { return nil }
        return high * ((1 << 32) / segmentBytes) + low
    }
}
