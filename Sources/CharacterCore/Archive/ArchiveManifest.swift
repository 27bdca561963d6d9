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
public struct ArchiveManifest: Sendable, Codable, Hashable {
    /// A template, carried or only named.
    public struct Template: Sendable, Codable, Hashable {
        /// Of its PDF below `template/`; absent if it is only named.
        public var path: String?
        public var id: TemplateID?
        public var version: SemanticVersion?
        public var sha256: ContentHash
        public var name: String
        public var license: String?
    }

    public struct Character: Sendable, Codable, Hashable {
        public var id: CharacterID
        public var name: String
        /// `character/ID/`.
        public var folder: String
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
