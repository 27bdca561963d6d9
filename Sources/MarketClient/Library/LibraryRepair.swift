// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

extension Installer {
    /// Mends what a check of the library found, from this installer's server: fetches a file or picture again, or
    /// installs the template of an unreadable record anew. Throws when it cannot be mended.
    public func repair(
        _ problem: VerificationReport.Problem, report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws {
        guard let id = problem.templateId else {
            throw LibraryError.unreadableRecord(path: problem.path, reason: "its name is no template's id")
        }
        guard problem.kind != .unreadable, let record = try library.record(id),
            let saved = problem.version.flatMap(record.saved)
        else {
            _ = try await install(TemplateReference(key: id.description), report: report)
            return
        }
        try library.prepare()
        if problem.path == library.objectPath(saved.detail.sha256) {
            let download = ArtifactDownload(
                client: client, library: library, key: id.description, version: saved.detail.version,
                hash: saved.detail.sha256, bytes: saved.detail.sizeBytes, slots: slots, objects: objects, report: report
            )
            _ = try await download.run()
        } else if problem.path != saved.preview.map({ library.objectPath($0.sha256) }) {
            _ = try await keepPictures(of: record, version: saved.detail.version)
        } else if let first = saved.detail.pages.first {
            let picture = try await client.picture(at: first.previewURL)
            let preview = LibraryRecord.Preview(
                sha256: try await library.store(picture.data, by: objects), sizeBytes: picture.data.count,
                mediaType: picture.mediaType)
            // Pictures are drawn anew at times: another one than before is as good.
            try await library.changeRecord(id) { known in
                guard var changed = known, var saved = changed.saved(saved.detail.version) else { return known }
                saved.preview = preview
                changed.save(saved)
                return changed
            }
        }
    }
}
