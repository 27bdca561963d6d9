// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import SheetCore

/// What a backup consists of. Written last: what has none is no backup.
struct BackupManifest: Codable, Sendable {
    /// One file of the backup.
    struct Part: Codable, Sendable {
        let name: String
        let sizeBytes: Int
        let sha256: ContentHash
    }

    static let format = "sheetmarket-backup-1"

    var format = BackupManifest.format
    /// The program that made it.
    var release = ReleaseVersion.current
    /// PostgreSQL's own number of the server: backups of two markets must not mix.
    let system: String
    /// The name of the market's database.
    let database: String
    let startedAt: Date
    /// From when on this backup can be recovered to.
    let finishedAt: Date
    let artifactCount: Int
    let artifactBytes: Int
    let parts: [Part]

    /// Reads a manifest that is what was written; says in words what is wrong otherwise.
    init(of backup: Backup) throws {
        let place = backup.place(of: backup.manifest)
        let bytes = try Self.read(backup.manifest, place)
        let line = try Self.read(backup.manifestSum, backup.place(of: backup.manifestSum))
        let sum = String(decoding: line, as: UTF8.self).split(separator: " ").first
        guard sum.map(String.init) == ContentHash(hashing: bytes).hex else {
            throw CommandFailure("\(place) is damaged: its SHA-256 is another one.")
        }
        do {
            self = try Self.decoder.decode(Self.self, from: bytes)
        } catch {
            throw CommandFailure("\(place) cannot be understood: \(error)")
        }
        guard format == Self.format else {
            throw CommandFailure("\(place) has a format that this release does not know: '\(format)'.")
        }
    }

    init(
        system: String, database: String, startedAt: Date, finishedAt: Date, list: ArtifactList, parts: [Part]
    ) {
        self.system = system
        self.database = database
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        artifactCount = list.entries.count
        artifactBytes = list.entries.values.reduce(0, +)
        self.parts = parts
    }

    func write(into backup: Backup) throws {
        let bytes = try Self.encoder.encode(self)
        try bytes.write(to: backup.manifest)
        let sum = "\(ContentHash(hashing: bytes).hex)  \(backup.manifest.lastPathComponent)\n"
        try Data(sum.utf8).write(to: backup.manifestSum)
    }

    /// Reads every part and refuses the first that is not what was written.
    func verifyParts(of backup: Backup) throws {
        for part in parts {
            let file = backup.url.appending(path: part.name)
            guard FileManager.default.fileExists(atPath: file.path) else {
                throw CommandFailure("\(backup.place(of: file)) is missing: this backup is damaged.")
            }
            let found = try Self.part(file)
            guard found.sizeBytes == part.sizeBytes, found.sha256 == part.sha256 else {
                throw CommandFailure("\(backup.place(of: file)) is damaged: its size or SHA-256 is another one.")
            }
        }
    }

    /// A file's entry.
    static func part(_ file: URL) throws -> Part {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            var digest = SHA256()
            var size = 0
            while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
                digest.update(data: piece)
                size += piece.count
            }
            return Part(name: file.lastPathComponent, sizeBytes: size, sha256: ContentHash(digest.finalize()))
        } catch {
            throw CommandFailure("\(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func read(_ file: URL, _ place: String) throws -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            throw CommandFailure("\(place) cannot be read: \(error.localizedDescription)")
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }
}

/// The artifacts of a backup: lines of SHA-256 and size.
struct ArtifactList: Sendable {
    var entries: [ContentHash: Int] = [:]

    init() {}

    /// The list of a backup.
    init(of backup: Backup) throws {
        let place = backup.place(of: backup.objects)
        let text: String
        do {
            text = try String(contentsOf: backup.objects, encoding: .utf8)
        } catch {
            throw CommandFailure("\(place) cannot be read: \(error.localizedDescription)")
        }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let hash = ContentHash(hex: String(words[0])), let size = Int(words[1]) else {
                throw CommandFailure("\(place) is damaged: '\(line)' names no artifact.")
            }
            entries[hash] = size
        }
    }

    func write(to file: URL) throws {
        let lines = entries.map { "\($0.key.hex) \($0.value)\n" }.sorted()
        try Data(lines.joined().utf8).write(to: file)
    }
}
