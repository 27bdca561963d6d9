// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

extension Installer {
    /// Most downloads at one time.
    public static let maximumAtOnce = maximumInParallel
    /// Most templates at one time that are on their way from the first request to the record: most of them wait for the
    /// disk, which is done with many files in hardly more time than with one.
    private static let maximumUnderWay = 4 * maximumAtOnce

    /// Installs several templates, up to eight at a time over one pool of connections; signed metadata is fetched once for
    /// all. Results are in the order of `references`, and one that fails does not keep the others from being installed;
    /// `report` and `done` name a template by its place among them, and may be called from any thread.
    public func install(
        _ references: [TemplateReference], channel: ReleaseChannel? = nil, mode: Mode = .automatic,
        report: @escaping @Sendable (Int, InstallEvent) -> Void = { _, _ in },
        done: @escaping @Sendable (Int, Result<Outcome, any Error>) -> Void = { _, _ in }
    ) async throws -> [Result<Outcome, any Error>] {
        guard references.count > 1, mode == .automatic else {
            return try await each(references) { at in
                let result = await result {
                    try await install(references[at], channel: channel, mode: mode) { report(at, $0) }
                }
                done(at, result)
                return result
            }
        }
        try library.prepare()
        async let isSigned = bringTrustUpToDate { report(0, $0) }
        let found = try await look(for: references, channel)
        if await isSigned { await loadTrust(for: found) }
        return try await each(references, atMost: Self.maximumUnderWay) { at in
            let result = await result {
                try await orOffline(references[at], { report(at, $0) }) {
                    try await bring(try found[at].get(), channel) { report(at, $0) }
                }
            }
            done(at, result)
            return result
        }
    }

    /// What the market has for each: by one question for many, and one by one what that does not tell.
    private func look(
        for references: [TemplateReference], _ channel: ReleaseChannel?
    ) async throws -> [Result<Found, any Error>] {
        let offers: [Found?]
        do {
            offers = try await self.offers(for: references, channel)
        } catch {
            // What cannot be reached is not asked a hundred times more.
            return references.map { _ in .failure(error) }
        }
        return try await each(references) { at in
            await result {
                if let offer = offers[at] { return offer }
                return try await look(for: references[at], channel)
            }
        }
    }

    /// What is on offer, with all that its installation needs; `nil` of what must be asked for by itself. Throws only where
    /// the market cannot be reached.
    private func offers(for references: [TemplateReference], _ channel: ReleaseChannel?) async throws -> [Found?] {
        var found = [Found?](repeating: nil, count: references.count)
        // A mirror has each template by itself. Templates that are not in the library have no channel.
        guard client.mirror == nil else { return found }
        let own = (try? library.entries().entries)?.filter { $0.server == client.server.description } ?? []
        var channels: [String: ReleaseChannel] = [:]
        for entry in own { for key in [entry.slug, entry.id.description] { channels[key] = entry.channel } }
        let remembered = references.map { channels[$0.key] ?? .stable }
        for (channel, places) in Dictionary(grouping: references.indices, by: { channel ?? remembered[$0] }) {
            let offers: [InstallReport.Offer?]
            do {
                offers = try await client.installs(
                    of: places.map { references[$0].key }, channel: channel, withPictures: true)
            } catch let error as MarketClientError where !error.isOutage {
                // A market of before there was this question.
                continue
            }
            for (at, offer) in zip(places, offers) {
                guard let offer, offer.template.latest.version == offer.download.version,
                    references[at].version ?? offer.download.version == offer.download.version
                else { continue }
                found[at] = Found(
                    reference: references[at], detail: offer.template, version: offer.template.latest,
                    remembered: remembered[at], regions: offer.regions, ticket: offer.download,
                    picture: offer.picture)
            }
        }
        return found
    }

    /// Whether the market signs its catalog; what is signed first is here then. What goes wrong here is told of each template,
    /// which finds it out again.
    private func bringTrustUpToDate(_ report: @Sendable (InstallEvent) -> Void) async -> Bool {
        guard (try? await trust.isSigned(report)) == true else { return false }
        return (try? await trust.refreshTargets()) != nil
    }

    /// As above.
    private func loadTrust(for found: [Result<Found, any Error>]) async {
        let paths = found.compactMap { result -> String? in
            guard case .success(let found) = result else { return nil }
            let template = found.detail.summary
            return TargetPath.of(template.id, found.version.version, template.kind)
        }
        if !paths.isEmpty { _ = try? await trust.load(for: paths) }
    }

    private func each<R: Sendable>(
        _ references: [TemplateReference], atMost limit: Int = Installer.maximumAtOnce,
        _ body: @escaping @Sendable (Int) async throws -> R
    ) async throws -> [R] {
        try await inParallel(Array(references.indices), atMost: limit, body)
    }

    private func result<R: Sendable>(_ body: () async throws -> R) async -> Result<R, any Error> {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
