// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

extension Library {
    /// A version as a `.sheetbundle` (docs/formats.md): complete, and the same bytes whenever it is made. The version's
    /// file is checked byte by byte.
    public func bundle(of record: LibraryRecord, version: SemanticVersion? = nil) throws -> Data {
        let key = record.template.slug
        guard let number = version ?? record.installed?.version else { throw LibraryError.notInstalled(key) }
        guard let saved = record.saved(number) else {
            throw LibraryError.versionNotInLibrary(key, version: number, has: record.versions.map(\.detail.version))
        }
        let kind = record.template.kind
        let held = hold(saved.detail.sha256)
        defer { withExtendedLifetime(held) {} }
        let artifact = try intactObject(saved.detail.sha256, name: "\(key)@\(number)")
        let file = BundleManifest.File(
            path: "artifact/template.\(kind.fileSuffix)", mediaType: kind.mediaType, sizeBytes: artifact.count,
            sha256: saved.detail.sha256)
        var pictures: [(BundleManifest.Picture, Data)] = []
        // A picture that was lost is no reason to have no archive.
        if let preview = saved.preview, let bytes = try? intactObject(preview.sha256, name: key) {
            let suffix = preview.mediaType == "image/webp" ? "webp" : preview.mediaType == "image/png" ? "png" : "bin"
            let picture = BundleManifest.File(
                path: "pictures/page-1.\(suffix)", mediaType: preview.mediaType, sizeBytes: bytes.count,
                sha256: preview.sha256)
            pictures.append((.init(page: 0, file: picture), bytes))
        }
        let template = record.template
        let manifest = BundleManifest(
            kind: kind,
            metadata: DraftMetadata(
                name: template.name, summary: template.summary, description: record.description,
                gameSystem: template.gameSystem, tags: template.tags, license: template.license,
                language: template.language, version: number.description, changelog: saved.detail.changelog),
            author: template.author, origin: "\(record.server)/sheets/\(key)", artifact: file,
            fileName: saved.detail.fileName, pictures: pictures.map(\.0))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        var zip = ZipWriter()
        do {
            try zip.add(BundleManifest.path, try encoder.encode(manifest))
            if kind.hasPages {
                let regions = BundleRegions(pages: saved.regions.map { .init(index: $0.index, regions: $0.regions) })
                try zip.add(BundleManifest.regionsPath, try encoder.encode(regions))
            }
            try zip.add(file.path, artifact)
            for (picture, bytes) in pictures { try zip.add(picture.file.path, bytes) }
        } catch is ZipWriter.Failure {
            throw LibraryError.cannotArchive(name: "\(key)@\(number)")
        }
        return zip.finish()
    }

    /// The bytes of a version, checked; of the installed one without a number.
    public func artifact(of record: LibraryRecord, version: SemanticVersion? = nil) throws -> Data {
        let key = record.template.slug
        guard let number = version ?? record.installed?.version else { throw LibraryError.notInstalled(key) }
        guard let saved = record.saved(number) else {
            throw LibraryError.versionNotInLibrary(key, version: number, has: record.versions.map(\.detail.version))
        }
        return try intactObject(saved.detail.sha256, name: "\(key)@\(number)")
    }

    private func intactObject(_ hash: ContentHash, name: String) throws -> Data {
        let path = objectPath(hash)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw LibraryError.missingFile(name: name, path: path)
        }
        guard ContentHash(hashing: data) == hash else { throw LibraryError.damagedFile(name: name, path: path) }
        return data
    }
}
