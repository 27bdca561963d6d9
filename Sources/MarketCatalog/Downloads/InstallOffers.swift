// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import SheetCore

/// What installing many templates needs to know, by three statements for all of them.
struct InstallOffers: Sendable {
    /// Most zoom regions in one answer, which keeps it at some megabytes; templates behind that are left out.
    static let maximumRegions = 10_000

    let catalog: CatalogDependencies

    /// What is on offer of each template, in the order of `keys`; `account` is who installs.
    func report(
        _ keys: [String], channel: ReleaseChannel, for account: UserID?
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
        let offers = try await offers(Array(Set(ids.compactMap { $0 })), channel, for: account)
        var room = Self.maximumRegions
        return InstallReport(
            installs: ids.map { id -> InstallReport.Entry in
                guard let offer = id.flatMap({ offers[$0] }) else { return .init(offer: nil) }
                room -= offer.regions.reduce(0) { $0 + $1.regions.count }
                return .init(offer: room >= 0 ? offer : nil)
            })
    }

    private func offers(
        _ ids: [TemplateID], _ channel: ReleaseChannel, for account: UserID?
    ) async throws -> [TemplateID: InstallReport.Offer] {
        let details = try await VersionStore.details(catalog.database, of: ids, channel: channel)
        let files = try await DownloadStore.offered(ids, channel: channel, catalog.database)
        var offers: [TemplateID: InstallReport.Offer] = [:]
        for detail in details {
            let id = detail.summary.id
            // Between the two statements another version may have come out.
            guard let (artifact, regions) = files[id], artifact.version == detail.latest.version,
                artifact.hash == detail.latest.sha256
            else { continue }
            offers[id] = InstallReport.Offer(
                template: detail, regions: regions, download: catalog.signedDownload(of: artifact, for: account))
        }
        return offers
    }
}
