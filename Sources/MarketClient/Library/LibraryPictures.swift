// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

extension Library {
    /// What is kept of a version's pages to look at, by page from 0: the sharper pictures, else the first page's.
    /// Damaged ones are left out.
    public func pictures(of saved: LibraryRecord.SavedVersion) -> [Int: PagePicture] {
        var all: [Int: PagePicture] = [:]
        if let preview = saved.preview { all[0] = picture(preview) }
        for kept in saved.pictures ?? [] { all[kept.page] = picture(kept.picture) ?? all[kept.page] }
        return all
    }

    private func picture(_ kept: LibraryRecord.Preview) -> PagePicture? {
        guard let bytes = FileManager.default.contents(atPath: objectPath(kept.sha256)),
            ContentHash(hashing: bytes) == kept.sha256
        else { return nil }
        return PagePicture(data: bytes, mediaType: kept.mediaType)
    }
}

extension Installer {
    /// How wide the pictures are that are kept to look at, if the market has such.
    private static let pictureWidth = 1200

    /// Fetches the pictures of a version's pages that the library lacks, and keeps them for when there is no network.
    public func keepPictures(of record: LibraryRecord, version: SemanticVersion) async throws -> LibraryRecord {
        guard let saved = record.saved(version), !saved.detail.pages.isEmpty else { return record }
        let intact = try (saved.pictures ?? []).filter { try library.state(of: $0.picture.sha256) == .intact }
        let id = record.template.id
        var fetched: [LibraryRecord.PagePreview] = []
        for page in saved.detail.pages where !intact.contains(where: { $0.page == page.index }) {
            let picture = try await client.pagePicture(
                of: id.description, version: version.description, page: page.index, width: Self.pictureWidth)
            try library.prepare()
            fetched.append(
                LibraryRecord.PagePreview(
                    page: page.index,
                    picture: LibraryRecord.Preview(
                        sha256: try await library.store(picture.data, by: objects), sizeBytes: picture.data.count,
                        mediaType: picture.mediaType)))
        }
        guard !fetched.isEmpty else { return record }
        let pictures = (intact + fetched).sorted { $0.page < $1.page }
        let changed = try await library.changeRecord(id) { known in
            guard var changed = known, var saved = changed.saved(version) else { return known }
            saved.pictures = pictures
            changed.save(saved)
            return changed
        }
        return changed ?? record
    }
}
