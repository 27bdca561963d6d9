// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file of an archive or of a backup.
public struct ArchivePart: Sendable, Hashable, Codable {
    public var path: String
    public var sizeBytes: Int
    public var sha256: ContentHash

    public init(path: String, sizeBytes: Int, sha256: ContentHash) {
        self.path = path
        self.sizeBytes = sizeBytes
        self.sha256 = sha256
    }
}

/// `manifest.json` of a `.ttrpg` archive 1.0. The market reads no more of it than `CharacterArchiveManifest` does.
public struct ArchiveManifest: Sendable, Hashable {
    /// A template, carried or only named.
    public struct Template: Sendable, Hashable {
        /// Of its PDF below `template/`; absent if it is only named.
        public var path: String?
        public var id: TemplateID?
        public var version: SemanticVersion?
        public var sha256: ContentHash
        public var name: String
        public var license: String?
        /// Members that this version does not know.
        public var unknown: [String: JSONValue] = [:]
    }

    public struct Character: Sendable, Hashable {
        public var id: CharacterID
        public var name: String
        /// `character/ID/`.
        public var folder: String
        public var unknown: [String: JSONValue] = [:]
    }

    public var format = CharacterArchiveManifest.format
    public var formatVersion = CharacterArchiveManifest.formatVersion
    public var createdAt: Date
    public var characters: [Character]
    /// The template, if all characters are written on one; read by markets.
    public var template: Template?
    public var templates: [Template]
    /// Every other file but the signature, by path.
    public var parts: [ArchivePart]
    /// Of the whole: of the lines that `digest(of:)` describes.
    public var sha256: ContentHash
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    /// The SHA-256 of one line for each part, in the order of the paths' bytes: hash, two blanks, size, two blanks,
    /// path, line feed.
    public static func digest(of parts: [ArchivePart]) -> ContentHash {
        let lines = inOrder(parts).map { "\($0.sha256)  \($0.sizeBytes)  \($0.path)\n" }
        return ContentHash(hashing: Data(lines.joined().utf8))
    }

    static func inOrder(_ parts: [ArchivePart]) -> [ArchivePart] {
        parts.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Reads and checks what it says of itself.
    public static func read(_ data: Data) throws(ArchiveFailure) -> ArchiveManifest {
        let path = CharacterArchiveManifest.path
        struct Marks: Decodable {
            var format: String?
            var formatVersion: String?
            var parts: [JSONValue]?
        }
        let marks = try? SheetJSON.decoder().decode(Marks.self, from: data)
        guard let marks, marks.format == CharacterArchiveManifest.format else {
            throw ArchiveFailure(.unrecognized, "This is no archive of characters: \(path) does not say so.")
        }
        guard marks.formatVersion == CharacterArchiveManifest.formatVersion else {
            throw ArchiveFailure(
                .invalidFormat,
                "\(path) /formatVersion: only '\(CharacterArchiveManifest.formatVersion)' is read here.")
        }
        guard marks.parts != nil else {
            throw ArchiveFailure(
                .invalidFormat, "\(path) /parts: This archive holds a template, but lists no characters.")
        }
        let manifest: ArchiveManifest
        do {
            manifest = try SheetJSON.decoder().decode(ArchiveManifest.self, from: data)
        } catch {
            throw ArchiveFailure(FormatFailure(error), in: path)
        }
        guard Set(manifest.parts.map(\.path)).count == manifest.parts.count,
            Set(manifest.characters.map(\.id)).count == manifest.characters.count,
            manifest.characters.allSatisfy({ $0.folder == Self.folder(of: $0.id) })
        else {
            throw ArchiveFailure(.invalidFormat, "\(path): A part or a character is named twice, or in a wrong place.")
        }
        guard digest(of: manifest.parts) == manifest.sha256 else {
            throw ArchiveFailure(
                .invalidFormat, "\(path) /sha256: This is not the hash of the parts; somebody changed the list.")
        }
        return manifest
    }

    static func folder(of id: CharacterID) -> String { "\(CharacterArchiveManifest.characterFolder)\(id)/" }
}

extension ArchiveManifest: Codable {
    private enum CodingKeys: String, CodingKey {
        case format, formatVersion, createdAt, characters, template, templates, parts, sha256
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = try container.decode(String.self, forKey: .format)
        formatVersion = try container.decode(String.self, forKey: .formatVersion)
        createdAt = try container.decode(Date.self, forKey: .createdAt)
        characters = try container.decode([Character].self, forKey: .characters)
        template = try container.decodeIfPresent(Template.self, forKey: .template)
        templates = try container.decode([Template].self, forKey: .templates)
        parts = try container.decode([ArchivePart].self, forKey: .parts)
        sha256 = try container.decode(ContentHash.self, forKey: .sha256)
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format, forKey: .format)
        try container.encode(formatVersion, forKey: .formatVersion)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(characters, forKey: .characters)
        try container.encodeIfPresent(template, forKey: .template)
        try container.encode(templates, forKey: .templates)
        try container.encode(parts, forKey: .parts)
        try container.encode(sha256, forKey: .sha256)
        try UnknownMembers.write(unknown, to: encoder)
    }
}

extension ArchiveManifest.Template: Codable {
    private enum CodingKeys: String, CodingKey { case path, id, version, sha256, name, license }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decodeIfPresent(String.self, forKey: .path)
        id = try container.decodeIfPresent(TemplateID.self, forKey: .id)
        version = try container.decodeIfPresent(SemanticVersion.self, forKey: .version)
        sha256 = try container.decode(ContentHash.self, forKey: .sha256)
        name = try container.decode(String.self, forKey: .name)
        license = try container.decodeIfPresent(String.self, forKey: .license)
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(path, forKey: .path)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encode(sha256, forKey: .sha256)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(license, forKey: .license)
        try UnknownMembers.write(unknown, to: encoder)
    }
}

extension ArchiveManifest.Character: Codable {
    private enum CodingKeys: String, CodingKey { case id, name, folder }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(CharacterID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        folder = try container.decode(String.self, forKey: .folder)
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(folder, forKey: .folder)
        try UnknownMembers.write(unknown, to: encoder)
    }
}
