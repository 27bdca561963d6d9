// SPDX-License-Identifier: Apache-2.0
import Crypto
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Whom an archive is for.
public enum ArchivePurpose: Sendable {
    /// Anybody: templates only as their licences allow.
    case sharing
    /// Its owner, who has the template already.
    case backup
}

/// Makes the parts of an archive or backup one character after the other, so that no more than one has to be in memory,
/// and what the manifest says of them.
public struct ArchivePacker {
    /// Takes a part: of each path once, a character's in the order of their paths.
    public typealias Sink = (_ path: String, _ data: Data) throws -> Void

    private let purpose: ArchivePurpose
    private let precision: DrawingPrecision
    private var parts: [String: ArchivePart] = [:]
    private var templates: [ContentHash: ArchiveManifest.Template] = [:]
    private var characters: [ArchiveManifest.Character] = []
    private var unknown: [String: JSONValue] = [:]

    public init(_ purpose: ArchivePurpose = .sharing, precision: DrawingPrecision = .rounded) {
        self.purpose = purpose
        self.precision = precision
    }

    /// Packs a character.
    public mutating func add(_ character: ArchivedCharacter, to sink: Sink) throws {
        let content = character.content.character
        let folder = ArchiveManifest.folder(of: content.id)
        var made: [String: Data] = [:]
        for (name, data) in character.others { made[folder + name] = data }
        for (hash, data) in character.images { made["\(folder)images/\(hash)"] = data }
        for (page, drawing) in character.content.drawings {
            made["\(folder)pages/\(page).ink"] = try DrawingFile.write(drawing, precision)
        }
        made[folder + "character.json"] = try SheetJSON.encoder().encode(content)
        for (path, data) in character.surroundings.files where made[path] == nil { made[path] = data }
        if let template = content.template {
            var entry =
                templates[template.sha256]
                ?? .init(
                    id: template.id, version: template.version, sha256: template.sha256, name: template.name,
                    license: template.license)
            entry.unknown.merge(template.unknown) { old, _ in old }
            let isFree = purpose == .backup || CharacterArchive.mayCarry(template)
            if let data = character.template, isFree, ContentHash(hashing: data) == template.sha256 {
                let path = "\(CharacterArchiveManifest.templateFolder)\(template.sha256).pdf"
                entry.path = path
                made[path] = data
            }
            templates[template.sha256] = entry
        }
        for path in made.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            if let data = made[path] { try add(data, as: path, to: sink) }
        }
        unknown.merge(character.surroundings.manifest) { old, _ in old }
        var listed = ArchiveManifest.Character(id: content.id, name: content.name, folder: folder)
        listed.unknown = character.surroundings.entry
        characters.append(listed)
    }

    /// Packs a file that is no character's; one that is there already stays.
    public mutating func add(_ data: Data, as path: String, to sink: Sink) throws {
        guard parts[path] == nil else { return }
        parts[path] = ArchivePart(path: path, sizeBytes: data.count, sha256: ContentHash(hashing: data))
        try sink(path, data)
    }

    /// What was packed so far.
    public func manifest(at date: Date) -> ArchiveManifest {
        let listed = ArchiveManifest.inOrder(Array(parts.values))
        let used = templates.values.sorted { $0.sha256.hex < $1.sha256.hex }
        return ArchiveManifest(
            createdAt: date.wholeSeconds, characters: characters, template: used.count == 1 ? used.first : nil,
            templates: used, parts: listed, sha256: ArchiveManifest.digest(of: listed), unknown: unknown)
    }
}

extension CharacterArchive {
    /// Whether a template may be given away with characters: a sheet of one's own, or under a licence to copy it as it
    /// is.
    public static func mayCarry(_ template: CharacterTemplate) -> Bool {
        guard template.id != nil else { return true }
        guard let license = template.license?.uppercased() else { return false }
        return ["CC0-", "CC-BY-", "CC-PDDC", "OGL-", "ORC", "MIT", "APACHE-", "BSD-", "PDDL-", "CC-PDM"]
            .contains { license.hasPrefix($0) }
    }

    /// Writes an archive: the same bytes for the same characters, time and key.
    public static func write(
        _ characters: [ArchivedCharacter], at date: Date, signingKey: Curve25519.Signing.PrivateKey? = nil,
        precision: DrawingPrecision = .rounded, progress: Progress = { _, _ in }
    ) throws -> Data {
        var made = Data()
        try write(
            count: characters.count, at: date, signingKey: signingKey, precision: precision, progress: progress,
            character: { characters[$0] }, to: { made += $0 })
        return made
    }

    /// Writes an archive piece by piece; characters are asked for one after the other, and only one is in memory.
    public static func write(
        count: Int, at date: Date, signingKey: Curve25519.Signing.PrivateKey? = nil,
        precision: DrawingPrecision = .rounded, progress: Progress = { _, _ in },
        character: (_ place: Int) throws -> ArchivedCharacter, to output: (Data) throws -> Void
    ) throws {
        var packer = ArchivePacker(.sharing, precision: precision)
        var zip = ZipWriter()
        var (entries, bytes) = (2, 0)
        var budget = DrawingBudget.archive
        let tooLarge = ArchiveFailure(
            .archiveTooLarge,
            "This is more than one archive takes (\(ZipReader.Limits.entries) files, "
                + "\(ZipReader.Limits.allBytes >> 20) MiB, \(budget.points) points); export fewer characters at once.")
        for done in 0..<count {
            try progress(done, count)
            let character = try character(done)
            for drawing in character.content.drawings.values { budget.take(drawing) }
            guard budget.points >= 0, budget.elements >= 0 else { throw tooLarge }
            try packer.add(character) { path, data in
                entries += 1
                bytes += data.count
                guard entries <= ZipReader.Limits.entries, data.count <= ZipReader.Limits.entryBytes,
                    bytes <= ZipReader.Limits.allBytes - manifestBytes
                else { throw tooLarge }
                try zip.add(path, data)
                try output(zip.drain())
            }
        }
        let manifest = try SheetJSON.encoder().encode(packer.manifest(at: date))
        guard manifest.count <= manifestBytes else { throw tooLarge }
        try zip.add(CharacterArchiveManifest.path, manifest)
        if let signingKey {
            let signature = Signature(
                algorithm: "ed25519", publicKey: signingKey.publicKey.rawRepresentation,
                signature: try signingKey.signature(for: signedPrefix + manifest))
            try zip.add(signaturePath, try SheetJSON.encoder().encode(signature))
        }
        try output(zip.finish())
        try progress(count, count)
    }
}
