// SPDX-License-Identifier: Apache-2.0
import Crypto
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an archive holds.
public struct ArchiveReading: Sendable {
    /// Empty where they were handed over one by one.
    public var characters: [ArchivedCharacter]
    /// Lost parts of drawings that were damaged before they were packed, by path.
    public var damage: [String: [DrawingReading.Damage]]
    /// Who signed it, if somebody did: a public key for Ed25519. The signature has been verified.
    public var signer: Data?
}

/// `.ttrpg` 1.0: characters with their drawings, pictures and, as its licence allows, their template. docs/formats.md
/// has the format.
public enum CharacterArchive {
    /// Of the manifest.
    static let manifestBytes = 8 << 20
    static let signaturePath = "signature.json"
    /// What is signed: this, then the bytes of the manifest, which names the hash of everything.
    static let signedPrefix = Data("ttrpg 1.0 manifest\n".utf8)

    struct Signature: Codable {
        var algorithm: String
        var publicKey: Data
        var signature: Data
    }

    /// Called with the number of characters done and of all; throws to stop, as `Task.checkCancellation()` does.
    public typealias Progress = (_ done: Int, _ all: Int) throws -> Void

    // MARK: - Writing

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

    // MARK: - Reading

    /// Reads an archive in memory.
    public static func read(_ data: Data, progress: Progress = { _, _ in }) throws -> ArchiveReading {
        var characters: [ArchivedCharacter] = []
        var reading = try read(ArchiveSource(data), keepsTemplates: true, progress: progress) { characters.append($0) }
        reading.characters = characters
        return reading
    }

    /// Reads an archive whole, or refuses it with the reason. Each character is handed over as soon as it is read, and
    /// counts only once this returns. No more is in memory than one character, one template, and what belongs to neither.
    public static func read(
        _ source: ArchiveSource, progress: Progress = { _, _ in }, take: (ArchivedCharacter) throws -> Void
    ) throws -> ArchiveReading {
        try read(source, keepsTemplates: false, progress: progress, take: take)
    }

    private static func read(
        _ source: ArchiveSource, keepsTemplates: Bool, progress: Progress, take: (ArchivedCharacter) throws -> Void
    ) throws -> ArchiveReading {
        let zip = try ZipReader(source)
        guard zip.has(CharacterArchiveManifest.path) else {
            throw ArchiveFailure(.unrecognized, "This is no archive of characters: it has no manifest.json.")
        }
        guard zip.size(of: CharacterArchiveManifest.path) ?? 0 <= manifestBytes else {
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
        var reading = try unpack(
            manifest, keepsTemplates: keepsTemplates, progress: progress,
            part: { path throws(ArchiveFailure) in try zip.read(path) }, take: take)
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

    /// Puts characters together from parts that are read one by one, each checked against the manifest, and hands them
    /// over; without `keepsTemplates` only the last one's template is in memory. What is a stranger's stays below one budget in
    /// all; one's own backup has one for each character.
    static func unpack(
        _ manifest: ArchiveManifest, as purpose: ArchivePurpose = .sharing, keepsTemplates: Bool = false,
        progress: Progress = { _, _ in }, part read: (String) throws -> Data,
        take: (ArchivedCharacter) throws -> Void
    ) throws -> ArchiveReading {
        func checked(_ part: ArchivePart) throws -> Data {
            let data = try read(part.path)
            guard data.count == part.sizeBytes, ContentHash(hashing: data) == part.sha256 else {
                throw ArchiveFailure(.invalidFormat, "'\(part.path)' is not the file that the manifest promises.")
            }
            return data
        }
        var templates: [ContentHash: ArchivePart] = [:]
        var surroundings = ArchivedCharacter.Surroundings()
        surroundings.manifest = manifest.unknown
        var owned: [String: [(name: String, part: ArchivePart)]] = [:]
        let folders = Set(manifest.characters.map(\.folder))
        for part in manifest.parts {
            // Two names and what is below them: character/ID/…
            let names = part.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            let folder = names.count == 3 ? "\(names[0])/\(names[1])/" : ""
            if folders.contains(folder) {
                owned[folder, default: []].append((String(part.path.dropFirst(folder.count)), part))
            } else if part.path.hasPrefix(CharacterArchiveManifest.templateFolder) {
                _ = try checked(part)
                templates[part.sha256] = part
            } else {
                surroundings.files[part.path] = try checked(part)
            }
        }
        var reading = ArchiveReading(characters: [], damage: [:])
        var budget = DrawingBudget.archive
        var held: [ContentHash: Data] = [:]
        func template(_ hash: ContentHash) throws -> Data? {
            guard let part = templates[hash] else { return nil }
            if let data = held[hash] { return data }
            if !keepsTemplates { held = [:] }
            let data = try checked(part)
            held[hash] = data
            return data
        }
        for (done, listed) in manifest.characters.enumerated() {
            try progress(done, manifest.characters.count)
            if purpose == .backup { budget = .archive }
            let parts = try (owned[listed.folder] ?? []).map { (name: $0.name, data: try checked($0.part)) }
            var made = try character(parts, listed, &reading.damage, &budget)
            made.template = try made.content.character.template.flatMap { try template($0.sha256) }
            made.surroundings = surroundings
            made.surroundings.entry = listed.unknown
            try take(made)
        }
        try progress(manifest.characters.count, manifest.characters.count)
        return reading
    }

    private static func character(
        _ parts: [(name: String, data: Data)], _ listed: ArchiveManifest.Character,
        _ damage: inout [String: [DrawingReading.Damage]], _ budget: inout DrawingBudget
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
        var pages: [(number: Int, name: String, data: Data)] = []
        for (name, data) in parts where name != "character.json" {
            if name.hasPrefix("pages/"), name.hasSuffix(".ink"), let page = Int(name.dropFirst(6).dropLast(4)),
                0..<10_000 ~= page, "pages/\(page).ink" == name
            {
                pages.append((page, name, data))
            } else if name.hasPrefix("images/"), let hash = ContentHash(hex: String(name.dropFirst(7))) {
                guard ContentHash(hashing: data) == hash else {
                    throw ArchiveFailure(.invalidFormat, "'\(listed.folder)\(name)' is not what its name says.")
                }
                made.images[hash] = data
            } else {
                made.others[name] = data
            }
        }
        for (page, file) in zip(pages, DrawingFile.read(pages.map(\.data), within: &budget)) {
            do {
                let reading = try file.get()
                made.content.drawings[page.number] = reading.drawing
                if !reading.damage.isEmpty { damage[listed.folder + page.name] = reading.damage }
            } catch .tooLarge {
                throw ArchiveFailure(
                    .archiveTooLarge,
                    "\(listed.folder)\(page.name): With it the drawings are more than one archive may hold.")
            } catch {
                throw ArchiveFailure(.invalidFormat, "\(listed.folder)\(page.name): \(error)")
            }
        }
        return made
    }
}
