// SPDX-License-Identifier: Apache-2.0
import Crypto
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A character with all that belongs to it.
public struct ArchivedCharacter: Sendable, Hashable {
    public var content: SheetContent
    /// Pictures by their hashes: the portrait, and what lies on pages.
    public var images: [ContentHash: Data]
    /// The template's file, where it may be carried.
    public var template: Data?
    /// Files of a newer program, by their paths below the character's folder.
    public var others: [String: Data]

    public init(
        _ content: SheetContent, images: [ContentHash: Data] = [:], template: Data? = nil, others: [String: Data] = [:]
    ) {
        self.content = content
        self.images = images
        self.template = template
        self.others = others
    }
}

/// What an archive holds.
public struct ArchiveReading: Sendable {
    public var characters: [ArchivedCharacter]
    /// Lost parts of drawings that were damaged before they were packed, by path.
    public var damage: [String: [DrawingReading.Damage]]
    /// Who signed it, if somebody did: a public key for Ed25519. The signature has been verified.
    public var signer: Data?
}

/// `.ttrpg` 1.0: characters with their drawings, pictures and, as its licence allows, their template. docs/formats.md
/// has the format.
public enum CharacterArchive {
    static let signaturePath = "signature.json"
    /// What is signed: this, then the bytes of the manifest, which names the hash of everything.
    private static let signedPrefix = Data("ttrpg 1.0 manifest\n".utf8)

    struct Signature: Codable {
        var algorithm: String
        var publicKey: Data
        var signature: Data
    }

    /// Called with the number of characters done and of all; throws to stop, as `Task.checkCancellation()` does.
    public typealias Progress = (_ done: Int, _ all: Int) throws -> Void

    /// Whether a template may be given away with characters: a sheet of one's own, or under a licence to copy it as it
    /// is.
    public static func mayCarry(_ template: CharacterTemplate) -> Bool {
        guard template.id != nil else { return true }
        guard let license = template.license?.uppercased() else { return false }
        return ["CC0-", "CC-BY-", "CC-PDDC", "OGL-", "ORC", "MIT", "APACHE-", "BSD-", "PDDL-", "CC-PDM"]
            .contains { license.hasPrefix($0) }
    }

    // MARK: - Writing

    /// The parts of an archive or backup, and what its manifest says of them.
    public static func pack(
        _ characters: [ArchivedCharacter], at date: Date, progress: Progress = { _, _ in }
    ) throws -> (manifest: ArchiveManifest, parts: [String: Data]) {
        var parts: [String: Data] = [:]
        var templates: [ContentHash: ArchiveManifest.Template] = [:]
        for (done, character) in characters.enumerated() {
            try progress(done, characters.count)
            let folder = ArchiveManifest.folder(of: character.content.character.id)
            for (name, data) in character.others { parts[folder + name] = data }
            for (hash, data) in character.images { parts["\(folder)images/\(hash)"] = data }
            for (page, drawing) in character.content.drawings {
                parts["\(folder)pages/\(page).ink"] = try DrawingFile.write(drawing)
            }
            parts[folder + "character.json"] = try SheetJSON.encoder().encode(character.content.character)
            guard let template = character.content.character.template else { continue }
            var entry =
                templates[template.sha256]
                ?? .init(
                    id: template.id, version: template.version, sha256: template.sha256, name: template.name,
                    license: template.license)
            if let data = character.template, mayCarry(template), ContentHash(hashing: data) == template.sha256 {
                let path = "\(CharacterArchiveManifest.templateFolder)\(template.sha256).pdf"
                entry.path = path
                parts[path] = data
            }
            templates[template.sha256] = entry
        }
        let listed = ArchiveManifest.inOrder(
            parts.map { ArchivePart(path: $0.key, sizeBytes: $0.value.count, sha256: ContentHash(hashing: $0.value)) })
        let used = templates.values.sorted { $0.sha256.hex < $1.sha256.hex }
        let manifest = ArchiveManifest(
            createdAt: date.wholeSeconds,
            characters: characters.map {
                let character = $0.content.character
                return .init(id: character.id, name: character.name, folder: ArchiveManifest.folder(of: character.id))
            }, template: used.count == 1 ? used.first : nil, templates: used, parts: listed,
            sha256: ArchiveManifest.digest(of: listed))
        try progress(characters.count, characters.count)
        return (manifest, parts)
    }

    /// Writes an archive: the same bytes for the same characters, time and key.
    public static func write(
        _ characters: [ArchivedCharacter], at date: Date, signingKey: Curve25519.Signing.PrivateKey? = nil,
        progress: Progress = { _, _ in }
    ) throws -> Data {
        let (manifest, parts) = try pack(characters, at: date, progress: progress)
        guard parts.count + 2 <= ZipReader.Limits.entries,
            parts.values.allSatisfy({ $0.count <= ZipReader.Limits.entryBytes }),
            parts.values.reduce(0, { $0 + $1.count }) <= ZipReader.Limits.allBytes - (8 << 20)
        else {
            throw ArchiveFailure(
                .archiveTooLarge, "This is more than one archive takes; export fewer characters at once.")
        }
        let bytes = try SheetJSON.encoder().encode(manifest)
        var zip = ZipWriter()
        try zip.add(CharacterArchiveManifest.path, bytes)
        if let signingKey {
            let signature = Signature(
                algorithm: "ed25519", publicKey: signingKey.publicKey.rawRepresentation,
                signature: try signingKey.signature(for: signedPrefix + bytes))
            try zip.add(signaturePath, try SheetJSON.encoder().encode(signature))
        }
        for part in manifest.parts { try zip.add(part.path, parts[part.path] ?? Data()) }
        return zip.finish()
    }

    // MARK: - Reading

    /// Reads an archive whole, or refuses it with the reason.
    public static func read(_ data: Data, progress: Progress = { _, _ in }) throws -> ArchiveReading {
        let zip = try ZipReader(data)
        guard zip.has(CharacterArchiveManifest.path) else {
            throw ArchiveFailure(.unrecognized, "This is no archive of characters: it has no manifest.json.")
        }
        guard zip.size(of: CharacterArchiveManifest.path) ?? 0 <= 8 << 20 else {
            throw ArchiveFailure(.archiveTooLarge, "'manifest.json' is too large.")
        }
        let bytes = try zip.read(CharacterArchiveManifest.path)
        let manifest = try ArchiveManifest.read(bytes)
        guard manifest.parts.count <= ZipReader.Limits.entries, manifest.characters.count <= ZipReader.Limits.entries
        else {
            throw ArchiveFailure(
                .archiveTooLarge, "'manifest.json' names more than the \(ZipReader.Limits.entries) files of an archive."
            )
        }
        let signer = try verifySignature(of: bytes, in: zip)
        let known = Set(manifest.parts.map(\.path)).union([CharacterArchiveManifest.path, signaturePath])
        if let stray = zip.names.first(where: { !known.contains($0) }) {
            throw ArchiveFailure(.invalidFormat, "'\(stray)' is in the archive, but not in its manifest.")
        }
        var reading = try unpack(manifest, progress: progress) { path throws(ArchiveFailure) in try zip.read(path) }
        reading.signer = signer
        return reading
    }

    private static func verifySignature(of manifest: Data, in zip: ZipReader) throws(ArchiveFailure) -> Data? {
        guard zip.has(signaturePath) else { return nil }
        let bytes = try zip.read(signaturePath)
        guard let signature = try? SheetJSON.decoder().decode(Signature.self, from: bytes),
            signature.algorithm == "ed25519",
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: signature.publicKey),
            key.isValidSignature(signature.signature, for: signedPrefix + manifest)
        else {
            throw ArchiveFailure(.invalidFormat, "signature.json: The signature is not that of this archive.")
        }
        return signature.publicKey
    }

    /// Puts characters together from parts that are read one by one, each checked against the manifest.
    public static func unpack(
        _ manifest: ArchiveManifest, progress: Progress = { _, _ in }, part read: (String) throws -> Data
    ) throws -> ArchiveReading {
        func checked(_ part: ArchivePart) throws -> Data {
            let data = try read(part.path)
            guard data.count == part.sizeBytes, ContentHash(hashing: data) == part.sha256 else {
                throw ArchiveFailure(.invalidFormat, "'\(part.path)' is not the file that the manifest promises.")
            }
            return data
        }
        var templates: [ContentHash: Data] = [:]
        var owned: [String: [(name: String, part: ArchivePart)]] = [:]
        let folders = Set(manifest.characters.map(\.folder))
        for part in manifest.parts {
            // Two names and what is below them: character/ID/…
            let names = part.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            let folder = names.count == 3 ? "\(names[0])/\(names[1])/" : ""
            if folders.contains(folder) {
                owned[folder, default: []].append((String(part.path.dropFirst(folder.count)), part))
            } else {
                let data = try checked(part)
                if part.path.hasPrefix(CharacterArchiveManifest.templateFolder) { templates[part.sha256] = data }
            }
        }
        var reading = ArchiveReading(characters: [], damage: [:])
        for (done, listed) in manifest.characters.enumerated() {
            try progress(done, manifest.characters.count)
            let parts = try (owned[listed.folder] ?? []).map { (name: $0.name, data: try checked($0.part)) }
            var made = try character(parts, listed, &reading.damage)
            made.template = made.content.character.template.flatMap { templates[$0.sha256] }
            reading.characters.append(made)
        }
        try progress(manifest.characters.count, manifest.characters.count)
        return reading
    }

    private static func character(
        _ parts: [(name: String, data: Data)], _ listed: ArchiveManifest.Character,
        _ damage: inout [String: [DrawingReading.Damage]]
    ) throws(ArchiveFailure) -> ArchivedCharacter {
        let path = listed.folder + "character.json"
        guard let data = parts.first(where: { $0.name == "character.json" })?.data else {
            throw ArchiveFailure(.invalidFormat, "The archive has no '\(path)'.")
        }
        let character: PlayerCharacter
        do { character = try PlayerCharacter.read(data) } catch { throw ArchiveFailure(error, in: path) }
        guard character.id == listed.id else {
            throw ArchiveFailure(.invalidFormat, "\(path) /id: This is another character than the manifest says.")
        }
        var made = ArchivedCharacter(SheetContent(character: character))
        for (name, data) in parts where name != "character.json" {
            if name.hasPrefix("pages/"), name.hasSuffix(".ink"), let page = Int(name.dropFirst(6).dropLast(4)),
                0..<10_000 ~= page, "pages/\(page).ink" == name
            {
                do {
                    let reading = try DrawingFile.read(data)
                    made.content.drawings[page] = reading.drawing
                    if !reading.damage.isEmpty { damage[listed.folder + name] = reading.damage }
                } catch {
                    throw ArchiveFailure(.invalidFormat, "\(listed.folder)\(name): \(error)")
                }
            } else if name.hasPrefix("images/"), let hash = ContentHash(hex: String(name.dropFirst(7))) {
                guard ContentHash(hashing: data) == hash else {
                    throw ArchiveFailure(.invalidFormat, "'\(listed.folder)\(name)' is not what its name says.")
                }
                made.images[hash] = data
            } else {
                made.others[name] = data
            }
        }
        return made
    }
}
