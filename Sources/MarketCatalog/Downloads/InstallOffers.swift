// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore

/// What installing many templates needs to know, by three statements for all of them.
struct InstallOffers: Sendable {
    /// About the most bytes of pictures in one answer; others are asked for by themselves.
    private static let pictureBytes = 2 << 20

    /// Most zoom regions in one answer, which keeps it at some megabytes; templates behind that are left out.
    static let maximumRegions = 10_000

    let catalog: CatalogDependencies
    let objects: ObjectServer

    /// What is on offer of each template, in the order of `keys`; `account` is who installs.
    func report(
        _ keys: [String], channel: ReleaseChannel, withPictures: Bool, for account: UserID?
    ) async throws -> InstallReport {
        // What is no key names no template.
        let named = keys.map { try? TemplateKey($0) }
        let slugs = named.compactMap { key -> Slug? in if case .slug(let slug)? = key { slug } else { nil } }
        let known = try await SlugStore.templates(slugs, catalog.database)
        let ids = named.map { key -> TemplateID? in
            switch key {
            case .id(let id)?: id
            case .slug(let slug)?: known[slug]
            case nil: nil
            }
        }
        let offers = try await offers(
            Array(Set(ids.compactMap { $0 })), channel, withPictures: withPictures, for: account)
        var room = Self.maximumRegions
        return InstallReport(
            installs: ids.map { id -> InstallReport.Entry in
                guard let offer = id.flatMap({ offers[$0] }) else { return .init(offer: nil) }
                room -= offer.regions.reduce(0) { $0 + $1.regions.count }
                return .init(offer: room >= 0 ? offer : nil)
            })
    }

    private func offers(
        _ ids: [TemplateID], _ channel: ReleaseChannel, withPictures: Bool, for account: UserID?
    ) async throws -> [TemplateID: InstallReport.Offer] {
        var room = withPictures ? Self.pictureBytes : 0
        let details = try await VersionStore.details(catalog.database, of: ids, .offered(channel))
        let files = try await DownloadStore.offered(ids, channel: channel, catalog.database)
        var offers: [TemplateID: InstallReport.Offer] = [:]
        for detail in details {
            let id = detail.summary.id
            // Between the two statements another version may have come out.
            guard let file = files[id], file.artifact.version == detail.latest.version,
                file.artifact.hash == detail.latest.sha256
            else { continue }
            offers[id] = InstallReport.Offer(
                template: detail, regions: file.regions,
                download: catalog.signedDownload(of: file.artifact, for: account),
                picture: await picture(file.picture, &room))
        }
        return offers
    }

    private func picture(_ picture: StoredObject?, _ room: inout Int) async -> InstallReport.Picture? {
        guard let picture, picture.sizeBytes <= room else { return nil }
        // One that cannot be read now is asked for by itself.
        guard let bytes = try? await objects.bytes(of: picture) else { return nil }
        room -= picture.sizeBytes
        return InstallReport.Picture(mediaType: "image/webp", data: Data(bytes.readableBytesView))
    }
}
