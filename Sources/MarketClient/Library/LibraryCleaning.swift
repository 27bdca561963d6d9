// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// What a cleaning of the library removed, or would remove.
public struct CleaningReport: Sendable, Codable, Equatable {
    /// A version that is no longer kept for installation without a network.
    public struct Evicted: Sendable, Codable, Equatable {
        /// The template's slug.
        public var template: String
        /// The version that is meant.
        public var version: SemanticVersion
        /// Bytes that this frees.
        public var bytes: Int
        /// When it was used last; `nil` if never.
        public var lastUsedAt: Date?
    }

    /// The versions used longest ago, as many as the quota asks for.
    public var evicted: [Evicted] = []
    /// Paths of objects that no record names and of downloads that were broken off.
    public var leftovers: [String] = []
    /// Bytes that were freed.
    public var freedBytes = 0
    /// Bytes that all files take now.
    public var usedBytes = 0
    /// `nil` without a limit.
    public var quotaBytes: Int?
    /// Whether what may not be removed is more than the quota.
    public var isOverQuota: Bool { quotaBytes.map { usedBytes > $0 } ?? false }
}

extension Library {
    /// An object without a record may belong to an installation under way; after that time it does not.
    static let strayLifetime: TimeInterval = 3600
    /// After that time a broken download is thrown away when the library is cleaned.
    static let brokenLifetime: TimeInterval = 86_400

    struct Settings: Codable, Equatable {
        var format: Int
        var quotaBytes: Int?
    }

    /// The most bytes that files may take; `nil` without a limit.
    public func quota() throws -> Int? {
        try checkFormat()
        guard let data = FileManager.default.contents(atPath: formatPath) else { return nil }
        // `checkFormat` has read it.
        return (try? JSONDecoder().decode(Settings.self, from: data))?.quotaBytes
    }

    /// Sets the limit, or takes it away. Cleaning and installations keep to it.
    public func setQuota(_ bytes: Int?) async throws {
        try prepare()
        let lock = try await FileLock.wait(for: "\(root)/lock", atMost: Self.recordLockTimeout)
        try withExtendedLifetime(lock) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let data = try encoder.encode(Settings(format: Self.format, quotaBytes: bytes))
            try AtomicFile.write(data + Data("\n".utf8), to: formatPath)
        }
    }

    /// Removes leftovers and, as far as the quota asks for it, the versions used longest ago: never an installed or a
    /// pinned one, nor a withdrawn one, which the market may not give again, nor one in use. With `isTrial` it only says what it
    /// would remove.
    public func clean(isTrial: Bool = false) async throws -> CleaningReport {
        guard FileManager.default.fileExists(atPath: root) else { return CleaningReport() }
        try prepare()
        var report = CleaningReport()
        report.quotaBytes = try quota()
        try removeBroken(&report, isTrial)
        try removeOldDrafts(&report, isTrial)
        let lock = try await FileLock.wait(for: "\(root)/lock", atMost: Self.recordLockTimeout)
        return try withExtendedLifetime(lock) {
            let contents = try contents()
            let stored = storedObjects()
            report.usedBytes = stored.values.reduce(0, +)
            // What an unreadable record needs cannot be known, so then nothing is dropped.
            guard contents.unreadable.isEmpty else { return report }
            var records = contents.records
            try removeStrays(&report, stored, records, isTrial)
            if let quota = report.quotaBytes { try evict(&records, &report, stored, to: quota, isTrial) }
            return report
        }
    }

    private func evict(
        _ records: inout [LibraryRecord], _ report: inout CleaningReport, _ stored: [ContentHash: Int],
        to quota: Int, _ isTrial: Bool
    ) throws {
        var uses: [ContentHash: Int] = [:]
        for record in records {
            for saved in record.versions { for hash in saved.objects { uses[hash, default: 0] += 1 } }
        }
        guard let needed = try? inUse() else { return }
        let candidates = records.indices.flatMap { at in
            records[at].versions.filter(records[at].mayLose).map { (at, $0, lastUse(of: $0.detail.sha256)) }
        }
        for (at, saved, used) in candidates.sorted(by: { ($0.2 ?? .distantPast) < ($1.2 ?? .distantPast) }) {
            guard report.usedBytes > quota else { return }
            let free = saved.objects.filter { uses[$0] == 1 }
            let bytes = free.reduce(0) { $0 + (stored[$1] ?? 0) }
            // What others need as well frees nothing.
            guard bytes > 0, !needed.contains(saved.detail.sha256), !FileLock.isShared(objectPath(saved.detail.sha256))
            else { continue }
            for hash in saved.objects { uses[hash, default: 1] -= 1 }
            let number = saved.detail.version
            records[at].versions.removeAll { $0.detail.version == number }
            if records[at].before == number { records[at].before = nil }
            report.evicted.append(
                .init(template: records[at].template.slug, version: number, bytes: bytes, lastUsedAt: used))
            report.usedBytes -= bytes
            report.freedBytes += bytes
            guard !isTrial else { continue }
            // The record before its file, or the library would be damaged; the link before both, or nobody would find it.
            let record = records[at]
            try removeLink(record, saved)
            try putRecord(record.template.id, record.versions.isEmpty ? nil : record)
            for hash in free { try removeIfThere(objectPath(hash)) }
        }
    }

    /// The link that `open` made would keep the bytes on the disk.
    private func removeLink(_ record: LibraryRecord, _ saved: LibraryRecord.SavedVersion) throws {
        let object = FileBytes.identity(objectPath(saved.detail.sha256))
        let folder = openFolder(record.template.id)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where FileBytes.identity("\(folder)/\(name)") == object {
            try removeIfThere("\(folder)/\(name)")
        }
    }

    private func removeStrays(
        _ report: inout CleaningReport, _ stored: [ContentHash: Int], _ records: [LibraryRecord], _ isTrial: Bool
    ) throws {
        let needed = records.reduce(into: Set<ContentHash>()) { $0.formUnion($1.objects) }
        for (hash, bytes) in stored.sorted(by: { $0.key.hex < $1.key.hex }) where !needed.contains(hash) {
            let age = -(lastUse(of: hash)?.timeIntervalSinceNow ?? 0)
            guard age > Self.strayLifetime else { continue }
            report.leftovers.append(objectPath(hash))
            report.freedBytes += bytes
            report.usedBytes -= bytes
            if !isTrial { try removeIfThere(objectPath(hash)) }
        }
    }

    /// Files that were being written when a process ended: those of a living one are there for a moment.
    private func removeOldDrafts(_ report: inout CleaningReport, _ isTrial: Bool) throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: root).sorted()
        where name.hasSuffix(AtomicFile.draftSuffix) {
            let path = "\(root)/\(name)"
            // Another process may have removed it.
            guard (path as NSString).lastPathComponent.hasPrefix("."), let facts = FileBytes.facts(path),
                facts.changedAt.timeIntervalSinceNow < -Self.strayLifetime
            else { continue }
            report.leftovers.append(path)
            report.freedBytes += facts.bytes
            if !isTrial { try removeIfThere(path) }
        }
    }

    private func removeBroken(_ report: inout CleaningReport, _ isTrial: Bool) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: partialFolder).sorted() {
            let path = "\(partialFolder)/\(name)"
            // Another process may have removed it.
            guard let hash = ContentHash(hex: String(name.prefix(64))), let facts = FileBytes.facts(path),
                facts.changedAt.timeIntervalSinceNow < -Self.brokenLifetime,
                let lock = try FileLock.take(objectLockPath(hash))
            else { continue }
            try withExtendedLifetime(lock) {
                report.leftovers.append(path)
                report.freedBytes += facts.bytes
                if !isTrial { try removeIfThere(path) }
            }
        }
    }

    /// All objects with their sizes.
    private func storedObjects() -> [ContentHash: Int] {
        var stored: [ContentHash: Int] = [:]
        let files = FileManager.default
        for shard in (try? files.contentsOfDirectory(atPath: "\(root)/objects")) ?? [] {
            for name in (try? files.contentsOfDirectory(atPath: "\(root)/objects/\(shard)")) ?? [] {
                guard let hash = ContentHash(hex: name) else { continue }
                stored[hash] = FileBytes.facts(objectPath(hash))?.bytes ?? 0
            }
        }
        return stored
    }
}

extension LibraryRecord {
    /// Whether a version may be dropped to make room.
    fileprivate func mayLose(_ saved: SavedVersion) -> Bool {
        pinned != true && installed?.version != saved.detail.version && saved.detail.state == .published
    }
}
