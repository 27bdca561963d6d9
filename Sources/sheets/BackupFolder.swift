// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import MarketClient
import SheetCore

/// A folder of backups: manifests by their times, and parts by their hashes.
struct BackupFolder: BackupStorage {
    let root: String
    static let suffix = ".backup.json"

    private var objects: ObjectFolder { ObjectFolder(root: "\(root)/objects") }
    private func path(_ name: String) -> String { "\(root)/\(name)\(Self.suffix)" }
    private func draftPath(_ name: String) -> String { "\(root)/\(name).backup.unproved" }

    /// From the newest.
    func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).filter { $0.hasSuffix(Self.suffix) }
            .map { String($0.dropLast(Self.suffix.count)) }.sorted(by: >)
    }

    func manifest(_ name: String) throws -> ArchiveManifest {
        guard let data = FileManager.default.contents(atPath: path(name)) else {
            throw CommandFailure("There is no backup '\(Terminal.printable(name))'; `sheets backup list` lists them.")
        }
        return try ArchiveManifest.read(data)
    }

    /// One run at a time: none throws away parts that another has just written.
    func lock() async throws -> FileLock {
        try AtomicFile.makeFolder(objects.root)
        return try await FileLock.wait(for: "\(root)/lock", atMost: .seconds(600)) {
            Terminal.note("sheets: Waiting for another backup into this folder to end.")
        }
    }

    /// By the time; of two in one second the later is counted.
    func newName(at date: Date) -> String {
        let stamp = ISO8601DateFormatter().string(from: date).replacing(":", with: "-")
        // Names tell which came last: one before the others, which was thinned out already, is not given again.
        let numbers = names().compactMap { name in
            name == stamp ? 1 : name.hasPrefix(stamp + "-") ? Int(name.dropFirst(stamp.count + 1)) : nil
        }
        return numbers.max().map { "\(stamp)-\($0 + 1)" } ?? stamp
    }

    func put(_ data: Data, as hash: ContentHash) throws -> Bool { try objects.put(data, as: hash) }
    func part(_ hash: ContentHash) throws -> Data? { objects.bytes(hash) }
    func writeDraft(_ manifest: Data, _ name: String) throws { try AtomicFile.write(manifest, to: draftPath(name)) }
    func draft(_ name: String) throws -> Data? { FileManager.default.contents(atPath: draftPath(name)) }
    func commit(_ name: String) throws { try AtomicFile.move(draftPath(name), to: path(name)) }
    // What a crash leaves is never taken for a backup, and removed by the next run.
    func discard(_ name: String) { AtomicFile.discard(draftPath(name)) }

    /// Removes what is kept no longer; how many backups that were. Parts of a backup that cannot be read are not
    /// touched.
    func thin(now: Date) throws -> Int {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        where name.hasSuffix(".backup.unproved") {
            AtomicFile.discard("\(root)/\(name)")
        }
        var dates: [Date: [String]] = [:]
        for name in names() { if let date = try? manifest(name).createdAt { dates[date, default: []].append(name) } }
        let kept = BackupRetention().kept(dates.keys, now: now, in: .current)
        let gone = dates.filter { !kept.contains($0.key) }.values.joined()
        for name in gone { try AtomicFile.remove(path(name)) }
        guard !gone.isEmpty else { return 0 }
        var needed: Set<ContentHash> = []
        for name in names() {
            guard let manifest = try? manifest(name) else { return gone.count }
            needed.formUnion(manifest.parts.map(\.sha256))
        }
        objects.removeAll(but: needed)
        return gone.count
    }
}

/// What of a library goes into a backup. Besides the parts of an archive these are, below `library/`, the
/// states of characters (`characters/ID.json`, with all that can be undone), objects of their saves
/// (`characters/objects/SHA256`), and other files by their paths.
struct LibraryBackup {
    let store: CharacterStore

    static let states = Backup.libraryFolder + "characters/"
    static let objects = states + "objects/"

    func pack(
        into packer: inout ArchivePacker, _ sink: ArchivePacker.Sink, progress: CharacterArchive.Progress
    ) throws {
        let entries = try store.index().characters
        let paths = try store.library.pathsToKeep()
        let all = entries.count + paths.count
        // One look at each state: what is changed meanwhile is for the next backup.
        var ahead = ReadAhead(entries.count) { place in
            let (stored, state) = try store.look(entries[place])
            return (stored, state, try store.archived(stored))
        }
        for (done, entry) in entries.enumerated() {
            try progress(done, all)
            let (stored, state, archived) = try ahead.take(done)
            try packer.add(archived, to: sink)
            try packer.add(state, as: "\(Self.states)\(entry.id).json", to: sink)
            for hash in stored.objects {
                // A sheet may be elsewhere in the library, and of sheets that were purged only the name is left.
                guard let data = stored.ink[hash] ?? store.intact(hash) else { continue }
                try packer.add(data, as: "\(Self.objects)\(hash)", to: sink)
            }
        }
        for (done, path) in paths.enumerated() {
            try progress(entries.count + done, all)
            guard let data = FileManager.default.contents(atPath: "\(store.library.root)/\(path)") else { continue }
            try packer.add(data, as: Backup.libraryFolder + path, to: sink)
        }
        try progress(all, all)
    }
}
