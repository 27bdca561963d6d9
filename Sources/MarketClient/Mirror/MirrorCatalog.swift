// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// What a mirror says of templates. It is believed as little as a market: files are verified by signed metadata.
actor MirrorCatalog {
    private static let maximumEntryBytes = 16 << 20
    private static let maximumLineBytes = 1 << 20
    /// Of a list without end.
    private static let maximumListBytes = 4 << 30
    /// Most templates that a search keeps.
    private static let maximumFound = 10_000
    private static let cachedEntries = 64
    /// How long an entry is not read anew: one installation asks for several things of it.
    private static let freshness = Duration.seconds(30)

    private let files: MirrorFiles
    private var cache: [TemplateID: (entry: MirrorEntry, at: ContinuousClock.Instant)] = [:]

    init(files: MirrorFiles) {
        self.files = files
    }

    /// What there is of a template; throws where the mirror has nothing.
    func entry(_ key: String) async throws -> MirrorEntry {
        let id: TemplateID
        if let given = TemplateID(key) {
            id = given
        } else {
            var found: TemplateID?
            for list in [MirrorEntry.namesPath, MirrorEntry.withheldPath] where found == nil {
                try await each(of: list) { template in
                    if template.slug == key { found = template.id }
                    return found == nil
                }
            }
            guard let found else { throw missing(key) }
            id = found
        }
        if let entry = try await known(id) { return entry }
        throw missing(key)
    }

    /// What there is of a template by its id; `nil` where the mirror has nothing.
    func known(_ id: TemplateID) async throws -> MirrorEntry? {
        if let cached = cache[id], cached.at.duration(to: .now) < Self.freshness { return cached.entry }
        let path = MirrorEntry.path(id)
        guard let bytes = try await files.bytes(path, upTo: Self.maximumEntryBytes) else { return nil }
        let entry: MirrorEntry
        do {
            entry = try WireJSON.decoder().decode(MirrorEntry.self, from: bytes)
        } catch {
            throw MarketClientError.unreadableAnswer("\(path) of \(files.address) is damaged, or of a later version")
        }
        if cache.count >= Self.cachedEntries { cache = [:] }
        cache[id] = (entry, .now)
        return entry
    }

    /// The version that a channel offers.
    static func offered(_ entry: MirrorEntry, _ channel: ReleaseChannel) -> VersionDetail? {
        guard let template = entry.template else { return nil }
        guard channel == .beta else { return template.latest }
        return entry.versions.filter { $0.state == .published }.max { $0.version < $1.version } ?? template.latest
    }

    /// The first of the templates that match, in the order of their keys.
    func list<Key: Comparable>(
        upTo limit: Int = maximumFound, sortedBy key: @Sendable (TemplateSummary) -> Key,
        where matches: @Sendable (TemplateSummary) -> Bool
    ) async throws -> [TemplateSummary] {
        var found: [(key: Key, template: TemplateSummary)] = []
        func keepFirst() { found = Array(found.sorted { $0.key < $1.key }.prefix(limit)) }
        try await each(of: MirrorEntry.namesPath) { template in
            guard matches(template) else { return true }
            found.append((key(template), template))
            // Not at each: that would sort a long list again and again.
            if found.count >= 2 * limit { keepFirst() }
            return true
        }
        keepFirst()
        return found.map(\.template)
    }

    /// Goes through a list of the mirror, as it stands there, for as long as `body` wants more. Mirrors that an earlier version
    /// wrote have no list of what is withheld.
    private func each(of list: String, _ body: (TemplateSummary) -> Bool) async throws {
        let response = try await files.open(list)
        guard response.status != 404 else {
            guard list == MirrorEntry.namesPath else { return }
            throw ProblemDocument.notThere(
                "\(files.address) has no list of its templates (\(list)): it is no mirror, or "
                    + "an earlier version wrote it. Its operator runs `sheetmarket mirror` again.")
        }
        guard response.status == 200 else { throw MarketClientError.status(response.status, response.reason) }
        let decoder = WireJSON.decoder()
        var rest = Data()
        var count = 0
        for try await piece in response.body {
            count += piece.count
            rest.append(piece)
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                // A line that cannot be read is of a later version, or no template's.
                let summary = try? decoder.decode(TemplateSummary.self, from: rest[start..<end])
                if summary.map(body) == false { return }
                start = rest.index(after: end)
            }
            rest = Data(rest[start...])
            guard rest.count <= Self.maximumLineBytes, count <= Self.maximumListBytes else {
                throw MarketClientError.unreadableAnswer("\(list) of \(files.address) has no end")
            }
        }
    }

    /// What is to be known of installed versions, as a market would answer.
    func updates(_ query: UpdateQuery) async throws -> UpdateReport {
        var updates: [UpdateReport.Entry] = []
        for installed in query.installed { updates.append(try await update(installed, query.channel ?? .stable)) }
        return UpdateReport(updates: updates)
    }

    private func update(
        _ installed: UpdateQuery.Installed, _ channel: ReleaseChannel
    ) async throws -> UpdateReport.Entry {
        let entry = try await known(installed.templateId)
        let version = entry?.versions.first { $0.version == installed.version }
        let withdrawn = entry?.withdrawn.first { $0.version == installed.version }
        let hash = version?.sha256 ?? withdrawn?.sha256
        let template = entry?.template ?? entry?.withheld
        let offered = entry.flatMap { Self.offered($0, channel) }
        let newer = offered.flatMap { $0.version > installed.version ? $0 : nil }
        return UpdateReport.Entry(
            templateId: installed.templateId, state: withdrawn?.state ?? version?.state,
            genuine: hash == installed.sha256, newer: newer?.version, reason: withdrawn?.reason,
            minimumClientVersion: newer?.minimumClientVersion, slug: template?.summary.slug,
            deprecation: template?.deprecation, reasonCode: withdrawn?.reasonCode)
    }

    private func missing(_ key: String) -> ProblemDocument { .notThere("\(files.address) has no template '\(key)'.") }
}

extension ProblemDocument {
    static func notThere(_ detail: String) -> Self {
        ProblemDocument(status: 404, code: .notFound, title: "Not there", detail: detail)
    }
}
