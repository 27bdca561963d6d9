// SPDX-License-Identifier: Apache-2.0
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
        let precision = precision
        let drawings = Array(character.content.drawings)
        let files = BlockWork.map(drawings) { drawing in Result { try DrawingFile.write(drawing.value, precision) } }
        for (drawing, file) in zip(drawings, files) { made["\(folder)pages/\(drawing.key).ink"] = try file.get() }
        made[folder + "character.json"] = try SheetJSON.encoder().encode(content)
        for (path, data) in character.surroundings.files where made[path] == nil { made[path] = data }
        if let template = content.template {
            var entry =
                templates[template.sha256]
                ?? .init(
                    id: template.id, version: template.version, sha256: template.sha256, name: template.name,
                    license: template.license)
            entry.unknown.merge(template.unknown) { old, _ in old }
            let isFree = purpose == .backup || template.mayBeGivenAway
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

extension CharacterTemplate {
    /// Whether it may be given away with characters: a sheet of one's own, or under a licence to copy it as it is.
    var mayBeGivenAway: Bool {
        guard id != nil else { return true }
        guard let license = license?.uppercased() else { return false }
        return ["CC0-", "CC-BY-", "CC-PDDC", "OGL-", "ORC", "MIT", "APACHE-", "BSD-", "PDDL-", "CC-PDM"]
            .contains { license.hasPrefix($0) }
    }
}
