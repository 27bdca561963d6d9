// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore

/// A template that is one JSON file: the file itself is the artifact.
struct JSONImporter<Format: JSONFormat>: FormatImporter {
    let name: String
    let suffixes: [String]
    /// Members that such a file has.
    let marks: [String]
    /// Members of which it has at least one.
    var anyMark: [String] = []

    /// Looks at the members' names alone; what is wrong with a file that has them is for the import to say.
    func confidence(in input: ImportInput) -> Double {
        let isNamed = suffixes.contains { input.hasSuffix($0) }
        guard input.looksLikeJSON, input.bytes.count <= Format.maximumBytes,
            let members = try? JSONDecoder().decode(MemberNames.self, from: input.bytes).names
        else { return isNamed ? 0.2 : 0 }
        let hasMarks =
            marks.allSatisfy(members.contains) && (anyMark.isEmpty || anyMark.contains(where: members.contains))
        if hasMarks { return isNamed ? 1 : 0.9 }
        return isNamed ? 0.5 : 0
    }

    func draft(of input: ImportInput) throws(ImportRefusal) -> FormatDraft {
        let content = try Self.read(input.bytes)
        return FormatDraft(
            result: .init(
                kind: Format.kind, artifact: .init(source: .input, mediaType: Format.kind.mediaType),
                metadata: content.metadata.cleaned, outline: content.outline, preset: content.knownPreset))
    }

    /// Reads a file of the format, or says what is wrong with it.
    static func read(_ bytes: Data, in place: String = "") throws(ImportRefusal) -> Format {
        do {
            return try Format.read(bytes)
        } catch {
            throw ImportRefusal(error, in: place)
        }
    }
}

extension JSONFormat {
    /// Itself, when it is a region preset that says by what its pages are known.
    fileprivate var knownPreset: RegionPreset? {
        guard let preset = self as? RegionPreset, preset.pages != nil else { return nil }
        return preset
    }
}

/// The names of a JSON object's members, whatever they hold.
private struct MemberNames: Decodable {
    let names: [String]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
}

/// What both kinds of archives need.
enum ArchiveManifest {
    /// Manifests and region files are small.
    static let maximumBytes = 8 << 20

    static func json<Value: Decodable>(
        _ type: Value.Type, _ name: String, in archive: ZipArchive
    ) throws(ImportRefusal) -> Value {
        let bytes = try archive.read(name)
        guard bytes.count <= maximumBytes else { throw ImportRefusal(.archiveTooLarge, "'\(name)' is too large.") }
        do {
            return try JSONDecoder().decode(type, from: bytes)
        } catch {
            throw ImportRefusal(FormatFailure(error), in: name)
        }
    }

    /// The member `format` of the archive's manifest, whatever else is in it.
    static func format(of archive: ZipArchive) -> String? {
        struct Marked: Decodable { let format: String? }
        // An archive without a manifest that can be read is of no known format.
        return try? json(Marked.self, BundleManifest.path, in: archive).format
    }
}

/// `.sheetbundle`: one version of a template, complete and for itself.
struct BundleImporter: FormatImporter {
    let name = "sheetbundle"

    func confidence(in input: ImportInput) -> Double {
        let isNamed = input.hasSuffix("sheetbundle")
        guard input.looksLikeZip else { return isNamed ? 0.2 : 0 }
        guard let archive = try? ZipArchive(opening: input.bytes) else { return isNamed ? 0.5 : 0 }
        if ArchiveManifest.format(of: archive) == BundleManifest.format { return 1 }
        return isNamed ? 0.5 : 0
    }

    func draft(of input: ImportInput) throws(ImportRefusal) -> FormatDraft {
        let archive = try ZipArchive(opening: input.bytes)
        try archive.check()
        let manifest = try ArchiveManifest.json(BundleManifest.self, BundleManifest.path, in: archive)
        do { try manifest.check() } catch { throw ImportRefusal(error, in: BundleManifest.path) }
        let bytes = try archive.read(manifest.artifact.path)
        guard bytes.count == manifest.artifact.sizeBytes, ContentHash(hashing: bytes) == manifest.artifact.sha256 else {
            throw ImportRefusal(
                .invalidFormat, "'\(manifest.artifact.path)' is not the file that the bundle's manifest promises.")
        }
        var draft = FormatDraft(
            result: .init(
                kind: manifest.kind, artifact: .init(source: .written, mediaType: manifest.kind.mediaType),
                fileName: manifest.fileName, metadata: manifest.metadata.cleaned),
            written: bytes)
        let place = manifest.artifact.path
        switch manifest.kind {
        case .skillLibrary: draft.result.outline = try JSONImporter<SkillLibrary>.read(bytes, in: place).outline
        case .regionPreset:
            let preset = try JSONImporter<RegionPreset>.read(bytes, in: place)
            draft.result.outline = preset.outline
            draft.result.preset = preset.knownPreset
        case .vocabulary: draft.result.outline = try JSONImporter<VocabularyPack>.read(bytes, in: place).outline
        default: draft.result.regions = try regions(of: archive)
        }
        return draft
    }

    private func regions(of archive: ZipArchive) throws(ImportRefusal) -> [ZoomRegion] {
        guard archive.has(BundleManifest.regionsPath) else { return [] }
        let pages = try ArchiveManifest.json(BundleRegions.self, BundleManifest.regionsPath, in: archive).pages
        return pages.flatMap(\.regions)
    }
}

/// `.ttrpg`: a character with the template it was made on. Only the template is unpacked.
struct CharacterArchiveImporter: FormatImporter {
    let name = "ttrpg"

    func confidence(in input: ImportInput) -> Double {
        let isNamed = input.hasSuffix("ttrpg")
        guard input.looksLikeZip else { return isNamed ? 0.2 : 0 }
        guard let archive = try? ZipArchive(opening: input.bytes) else { return isNamed ? 0.5 : 0 }
        if ArchiveManifest.format(of: archive) == CharacterArchiveManifest.format { return 1 }
        let hasLayout =
            Self.templates(in: archive).count == 1
            && archive.names.contains { $0.hasPrefix(CharacterArchiveManifest.characterFolder) }
        if hasLayout { return isNamed ? 0.9 : 0.6 }
        return isNamed ? 0.5 : 0
    }

    func draft(of input: ImportInput) throws(ImportRefusal) -> FormatDraft {
        let archive = try ZipArchive(opening: input.bytes)
        try archive.check()
        var manifest: CharacterArchiveManifest?
        if archive.has(CharacterArchiveManifest.path) {
            manifest = try ArchiveManifest.json(
                CharacterArchiveManifest.self, CharacterArchiveManifest.path, in: archive)
        }
        if let version = manifest?.formatVersion, version != CharacterArchiveManifest.formatVersion {
            throw ImportRefusal(
                .invalidFormat,
                "\(CharacterArchiveManifest.path) /formatVersion: only '\(CharacterArchiveManifest.formatVersion)' is "
                    + "read here.")
        }
        let path = try Self.templatePath(manifest, in: archive)
        let bytes = try archive.read(path)
        guard bytes.starts(with: Array("%PDF-".utf8)) else {
            throw ImportRefusal(.invalidFormat, "'\(path)' is not a PDF, so there is no template to take.")
        }
        // Other parts are never unpacked, so their hashes are not the market's affair.
        if let hash = manifest?.template?.sha256, ContentHash(hashing: bytes) != hash {
            throw ImportRefusal(
                .invalidFormat, "'\(path)' is not the file that \(CharacterArchiveManifest.path) promises.")
        }
        // Nothing that the character's owner wrote names the file: not the archive's name, not the character's.
        let stem = manifest?.template?.metadata.name.flatMap { Slug(slugging: $0)?.text } ?? "template"
        return FormatDraft(
            result: .init(
                kind: .sheet, artifact: .init(source: .written, mediaType: TemplateKind.sheet.mediaType),
                fileName: "\(stem).pdf", metadata: manifest?.template?.metadata.cleaned),
            written: bytes,
            findings: [
                Finding(
                    .personalDataLeftOut, .info,
                    message: "Only the template was taken; the character in this archive was left out.")
            ])
    }

    private static func templatePath(
        _ manifest: CharacterArchiveManifest?, in archive: ZipArchive
    ) throws(ImportRefusal) -> String {
        if let path = manifest?.template?.path {
            guard path.hasPrefix(CharacterArchiveManifest.templateFolder) else {
                throw ImportRefusal(
                    .invalidFormat,
                    "\(CharacterArchiveManifest.path) /template/path: the template lies below "
                        + "'\(CharacterArchiveManifest.templateFolder)'.")
            }
            return path
        }
        let found = templates(in: archive)
        guard let path = found.first, found.count == 1 else {
            throw ImportRefusal(
                .invalidFormat,
                found.isEmpty
                    ? "This archive has no template: no PDF below '\(CharacterArchiveManifest.templateFolder)'."
                    : "This archive has several PDFs below '\(CharacterArchiveManifest.templateFolder)', and its "
                        + "manifest does not say which is the template.")
        }
        return path
    }

    private static func templates(in archive: ZipArchive) -> [String] {
        archive.names.filter {
            $0.hasPrefix(CharacterArchiveManifest.templateFolder) && $0.lowercased().hasSuffix(".pdf")
        }
    }
}
