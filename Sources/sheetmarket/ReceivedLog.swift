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

    /// Names in the target by those that the server asks for.
    private(set) var files: [String: String] = [:]
    /// The first file that is missing between the backup and what was received later.
    private(set) var gap: UInt64?

    /// What `target` has for `backup`.
    init(for backup: Backup, in target: any BackupTarget) async throws {
        let (start, end) = try Self.segments(of: backup)
        var numbers: Set<UInt64> = []
        for file in try await Self.all(in: target) {
            let name = Self.name(of: file)
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

    /// The files on this machine, by the names that the server asks for, and filled up to the size that it wants.
    func fetch(from target: any BackupTarget) async throws -> [String: URL] {
        var fetched: [String: URL] = [:]
        for (name, file) in files {
            guard let url = try await target.open(file) else { continue }
            if Self.number(of: name) != nil, try size(of: url) < Self.segmentBytes {
                guard truncate(url.path, off_t(Self.segmentBytes)) == 0 else {
                    throw CommandFailure("\(url.path) cannot be written: \(String(cString: strerror(errno)))")
                }
            }
            fetched[name] = url
        }
        return fetched
    }

    /// Removes what no backup from `oldest` on needs.
    static func prune(_ target: any BackupTarget, before oldest: Backup) async throws {
        let start = try segments(of: oldest).start
        for file in try await all(in: target) {
            guard let number = number(of: name(of: file)), number < start else { continue }
            try await target.remove(file)
        }
    }

    private func size(of file: URL) throws -> UInt64 {
        try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? UInt64 ?? 0
    }

    /// Whether a file of the receiver is part of the log, by its name.
    static func isFile(_ name: String) -> Bool { name.hasSuffix(".history") || number(of: name) != nil }

    /// Whether the receiver adds no more to a file of this name.
    static func isWhole(_ name: String) -> Bool { name.count == 24 && number(of: name) != nil }

    private static func all(in target: any BackupTarget) async throws -> [String] { try await target.names("wal/") }

    private static func name(of file: String) -> String { file.split(separator: "/").last.map(String.init) ?? file }

    /// The files' numbers, timelines apart, between which the server was copied.
    private static func segments(of backup: Backup) throws -> (start: UInt64, end: UInt64) {
        let ranges: [ServerManifest.Range]
        do {
            ranges = try JSONDecoder().decode(
                ServerManifest.self, from: try Data(contentsOf: backup.serverManifest)
            ).ranges
        } catch {
            throw CommandFailure("\(backup.place(of: backup.serverManifest)) cannot be read: \(error)")
        }
        let starts = ranges.compactMap { position($0.start) }
        let ends = ranges.compactMap { position($0.end) }
        guard let start = starts.min(), let end = ends.max(), end > 0 else {
            throw CommandFailure(
                "\(backup.place(of: backup.serverManifest)) does not say where the database's log stood.")
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
