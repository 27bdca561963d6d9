// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

/// Brings templates from a market into a library and keeps them up to date.
public struct Installer: Sendable {
    /// Whether the server is asked.
    public enum Mode: Sendable {
        /// The server is asked; when it cannot be reached, what was installed before is installed again.
        case automatic
        /// The server is not asked.
        case offline
    }

    /// What an installation did.
    public struct Outcome: Sendable, Equatable {
        /// The record as it is now.
        public var record: LibraryRecord
        /// The version that is installed now.
        public var version: SemanticVersion
        /// What was installed before; `nil` when nothing was.
        public var previous: SemanticVersion?
        /// Whether the file came over the network this time.
        public var downloaded: Bool
        /// Whether it was done without the server.
        public var offline: Bool
        /// Whether it was compared now with what its market signed; `false` of a market that signs nothing.
        public var verified: Bool
        /// What changed since an older version that was installed before, page by page; `nil` where nobody knows.
        public var changes: VersionChanges?
    }

    let client: MarketClient
    let library: Library
    let trust: TrustSession
    let records: RecordQueue
    let objects: ObjectQueue
    let slots: TransferSlots
    let decoder: (any DictionaryDecoder)?
    let room = TransferSlots(OlderFile.roomMegabytes)

    /// For one market and one library; `trust` verifies what the market says, by its own signed metadata unless another
    /// is given. With a `decoder` updates come as what differs from the version before, where the market has that.
    public init(
        client: MarketClient, library: Library, trust: TrustSession? = nil, decoder: (any DictionaryDecoder)? = nil
    ) {
        self.decoder = decoder
        self.client = client
        self.library = library
        self.trust = trust ?? TrustSession(library: library, client: client)
        records = RecordQueue(library)
        objects = ObjectQueue(library)
        slots = TransferSlots(Self.maximumAtOnce)
    }

    /// Installs a template; an installed one is brought to the named version, or to the one on offer: on `channel`,
    /// which is remembered, or else on the one that it was installed from.
    public func install(
        _ reference: TemplateReference, channel: ReleaseChannel? = nil, mode: Mode = .automatic,
        report: @escaping @Sendable (InstallEvent) -> Void = { _ in }
    ) async throws -> Outcome {
        try library.prepare()
        guard mode == .automatic else { return try await installOffline(reference) }
        return try await orOffline(reference, report) {
            try await bring(try await look(for: reference, channel), channel, report)
        }
    }

    /// What was installed before is installed again where the server cannot be reached.
    func orOffline(
        _ reference: TemplateReference, _ report: @Sendable (InstallEvent) -> Void,
        _ online: () async throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await online()
        } catch let error as MarketClientError where error.isOutage {
            do {
                let outcome = try await installOffline(reference)
                report(.notice("\(error) Installed from the library, without asking for anything newer."))
                return outcome
            } catch is LibraryError {
                throw error
            }
        }
    }

    // MARK: - With the server

    /// What the market has for a reference.
    struct Found: Sendable {
        let reference: TemplateReference
        let detail: TemplateDetail
        let version: VersionDetail
        /// What was installed from before.
        let remembered: ReleaseChannel
        /// Zoom regions, a way to the file and the first page's picture, where they came along.
        var regions: [RegionList.Page]?
        var ticket: DownloadTicket?
        var picture: InstallReport.Picture?
    }

    func look(for reference: TemplateReference, _ channel: ReleaseChannel?) async throws -> Found {
        // A template that is not in the library has no channel.
        let before = try? library.find(reference.key, server: client.server.description)
        let remembered = before?.channel ?? .stable
        let detail = try await client.template(reference.key, naming: reference.version, channel: channel ?? remembered)
        return Found(
            reference: reference, detail: detail, version: try await wanted(reference, detail), remembered: remembered)
    }

    func bring(
        _ found: Found, _ channel: ReleaseChannel?, _ report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> Outcome {
        let (detail, version) = (found.detail, found.version)
        let id = detail.summary.id
        if let minimum = version.minimumClientVersion, !MarketClient.isRecentEnough(for: minimum) {
            throw LibraryError.programTooOld(
                name: detail.summary.slug, version: version.version, needs: minimum)
        }
        // An unreadable record is mended by writing it anew.
        let known = try? library.record(id)
        // Who names a version, or another channel, may go back.
        let isTheMarketsChoice = found.reference.version == nil && channel ?? found.remembered == found.remembered
        let target = try await trust.verify(
            version, of: detail.summary, inPlaceOf: isTheMarketsChoice ? known?.installed?.version : nil, report)
        if let deprecation = detail.deprecation {
            report(.notice("\(detail.summary.slug) should no longer be used: \(deprecation.advice)"))
        }
        if version.state == .yanked {
            let reason = WithdrawalReason.ending(version.yankReason)
            let who = version.yankedBy == .administrator ? "an administrator" : "its author"
            report(.notice("\(detail.summary.slug) \(version.version) was withdrawn by \(who)\(reason)"))
        }
        if let target, let instead = try await trust.replacement(named: target) { report(.notice(instead.advice)) }
        if let saved = known?.saved(version.version), saved.detail.sha256 != version.sha256 {
            throw LibraryError.versionChanged(
                name: detail.summary.slug, version: version.version, known: saved.detail.sha256,
                offered: version.sha256)
        }
        let regions = try await self.regions(of: found)
        if let target {
            let record = SignedRecord(
                name: detail.summary.name, summary: detail.summary.summary, description: detail.description,
                license: detail.summary.license, regions: regions.signed)
            try await trust.verifyRecord(record, of: detail.summary, as: target)
        }
        let before = known?.installed?.version
        let told = try await slots.use { try await withChanges(version, since: before, of: id.description) }
        let download = download(of: told, known, found, report)
        // File and picture come at the same time, so that the disk is waited for once.
        async let isDownloaded = download.run()
        let saved = LibraryRecord.SavedVersion(
            detail: told, regions: regions,
            preview: try await preview(of: version, found.picture, known: known, report),
            outline: try await outline(of: version, detail.summary))
        let changes = try await slots.use { try await self.changes(since: before, to: told, of: id.description) }
        var outcome = try await bringIn(
            saved, found, channel, download, isDownloaded: try await isDownloaded,
            isSigned: target != nil)
        try await keepQuota(report)
        if outcome.previous == before { outcome.changes = changes }
        return outcome
    }

    private func regions(of found: Found) async throws -> [RegionList.Page] {
        if let known = found.regions { return known }
        let (id, version) = (found.detail.summary.id, found.version.version)
        return try await slots.use {
            try await client.regions(of: id.description, version: version.description).pages
        }
    }

    private func wanted(_ reference: TemplateReference, _ detail: TemplateDetail) async throws -> VersionDetail {
        guard let number = reference.version, number != detail.latest.version else { return detail.latest }
        return try await client.version(number.description, of: detail.summary.id.description)
    }

    /// What a kind without pages shows instead of them; a kind that only newer clients know may have none.
    private func outline(of version: VersionDetail, _ template: TemplateSummary) async throws -> ContentOutline? {
        guard !template.kind.hasPages else { return nil }
        return try await slots.use {
            try await client.outline(of: template.id.description, version: version.version.description)
        }
    }

    /// A sheet without its picture is still a sheet: only an outage or a full disk stops the installation.
    private func preview(
        of version: VersionDetail, _ offered: InstallReport.Picture?, known: LibraryRecord?,
        _ report: @Sendable (InstallEvent) -> Void
    ) async throws -> LibraryRecord.Preview? {
        if let preview = known?.saved(version.version)?.preview, try library.state(of: preview.sha256) == .intact {
            return preview
        }
        guard let first = version.pages.first else { return nil }
        do {
            let picture: PagePicture
            if let offered {
                picture = PagePicture(data: offered.data, mediaType: offered.mediaType)
            } else {
                picture = try await slots.use { try await client.picture(at: first.previewURL) }
            }
            return LibraryRecord.Preview(
                sha256: try await library.store(picture.data, by: objects), sizeBytes: picture.data.count,
                mediaType: picture.mediaType)
        } catch let error as MarketClientError where !error.isOutage {
            report(.notice("There is no picture of the first page: \(error)"))
            return nil
        }
    }

    private func download(
        of version: VersionDetail, _ known: LibraryRecord?, _ found: Found,
        _ report: @escaping @Sendable (InstallEvent) -> Void
    ) -> ArtifactDownload {
        ArtifactDownload(
            client: client, library: library, key: found.detail.summary.id.description, version: version.version,
            hash: version.sha256, bytes: version.sizeBytes, ticket: found.ticket, older: older(than: version, known),
            slots: slots, objects: objects, report: report)
    }

    /// What is installed, or else the newest of the older versions that are here, where a newer one may be made of it.
    private func older(than version: VersionDetail, _ known: LibraryRecord?) -> OlderFile? {
        guard let decoder, let known else { return nil }
        let before = [known.current].compactMap { $0 } + known.versions.filter { $0.detail.version < version.version }
        let found = before.first { saved in
            saved.detail.sha256 != version.sha256
                && DictionaryCompression.fits(version.sizeBytes, dictionary: saved.detail.sizeBytes)
                && library.hasObject(saved.detail.sha256, bytes: saved.detail.sizeBytes)
        }
        return found.map {
            OlderFile(
                path: library.objectPath($0.detail.sha256), hash: $0.detail.sha256, bytes: $0.detail.sizeBytes,
                decoder: decoder, room: room)
        }
    }

    private func bringIn(
        _ saved: LibraryRecord.SavedVersion, _ found: Found, _ channel: ReleaseChannel?, _ download: ArtifactDownload,
        isDownloaded: Bool, isSigned: Bool
    ) async throws -> Outcome {
        let detail = found.detail
        let id = detail.summary.id
        let server = client.server.description
        // Another process may purge the object before the record names it; then it is fetched once more.
        for attempt in 0..<3 {
            let downloaded = attempt == 0 ? isDownloaded : try await download.run()
            // As above.
            let previous = try? library.record(id)?.installed
            let now = Date()
            do {
                let record = try await records.change(id) { [library] known in
                    guard library.hasObject(saved.detail.sha256, bytes: saved.detail.sizeBytes) else { throw Purged() }
                    var record =
                        known
                        ?? LibraryRecord(
                            server: server, template: detail.summary, description: detail.description,
                            installed: nil, versions: [])
                    record.server = server
                    record.template = detail.summary
                    record.description = detail.description
                    record.deprecation = detail.deprecation
                    if let channel { record.channel = channel == .stable ? nil : channel }
                    var whole = saved
                    whole.pictures = record.saved(saved.detail.version)?.pictures
                    whole.verified = isSigned
                    record.save(whole)
                    record.install(saved.detail, at: now)
                    return record
                }
                guard let record else { continue }
                return Outcome(
                    record: record, version: saved.detail.version, previous: previous?.version,
                    downloaded: downloaded, offline: false, verified: isSigned)
            } catch is Purged {
                continue
            }
        }
        throw LibraryError.busy(path: library.root)
    }

    private struct Purged: Error {}

    /// Makes room for what came in, and tells what went.
    private func keepQuota(_ report: @escaping @Sendable (InstallEvent) -> Void) async throws {
        guard try library.quota() != nil else { return }
        let cleaned = try await library.clean()
        if !cleaned.evicted.isEmpty {
            let names = cleaned.evicted.map { "\($0.template)@\($0.version)" }.joined(separator: ", ")
            report(.notice("To keep within the library's quota, \(names) went: not used for longest."))
        }
        if cleaned.isOverQuota {
            report(.notice("The library is larger than its quota: what is installed, pinned or withdrawn stays."))
        }
    }

    // MARK: - Without the server

    func installOffline(_ reference: TemplateReference) async throws -> Outcome {
        let known = try library.find(reference.key, server: client.server.description)
        let slug = known.template.slug
        let wanted = reference.version.map { known.saved($0) } ?? known.preferred
        guard let saved = wanted else {
            if let version = reference.version {
                throw LibraryError.versionNotInLibrary(
                    slug, version: version, has: known.versions.map(\.detail.version))
            }
            throw LibraryError.notInLibrary(reference.key)
        }
        return Outcome(
            record: try await library.install(saved, of: known), version: saved.detail.version,
            previous: known.installed?.version,
            downloaded: false, offline: true, verified: false)
    }

    // MARK: - Updates

    /// What the server says of one installed template.
    public struct Update: Sendable, Equatable {
        /// What the library knows of it.
        public var installed: LibraryEntry
        /// What the server says of it.
        public var entry: UpdateReport.Entry
        /// What its market signed to be used instead, where it was withdrawn or taken down.
        public var replacement: Replacement?
    }

    /// Asks what is newer, withdrawn or taken down among the installed templates of this server; `keys` narrows it.
    /// What is newer is so on `channel`, or else on the one that each was installed from. What changed is noted in the
    /// library, so that `list` shows it without a network.
    public func checkForUpdates(of keys: [String] = [], channel: ReleaseChannel? = nil) async throws -> [Update] {
        let server = client.server.description
        // Most of the time there is nothing to tell, and the list of what is installed is enough to know that.
        let isOfAll = keys.isEmpty && channel == nil
        let listed = isOfAll ? try library.entries().entries.filter { $0.isInstalled && $0.server == server } : []
        // Whoever holds news back must not pass for a market where nothing is new.
        var signedNow = listed.isEmpty ? nil : try await trust.refreshed()
        let quiet = QuietMarket(client: client, library: library, installed: listed)
        let isQuiet = try await quiet.isStillQuiet(signedNow) {
            let records = try library.contents().installed.filter { $0.server == server }
            let signed = try await trust.signed(records)
            return records.allSatisfy { signed[$0.template.id]?.hasNothingToTell(of: $0) ?? true }
        }
        if isQuiet {
            return listed.map { Update(installed: $0, entry: QuietMarket.entry(of: $0)) }
        }
        var records: [LibraryRecord] = []
        if keys.isEmpty {
            records = try library.contents().installed.filter { $0.server == server }
        } else {
            for key in keys {
                let record = try library.find(key, server: server)
                guard record.installed != nil else { throw LibraryError.notInstalled(key) }
                records.append(record)
            }
        }
        if !records.isEmpty { signedNow = try await trust.refreshed() }
        let signed = try await trust.signed(records)
        let cursor = try await quiet.cursor()
        var byTemplate: [TemplateID: UpdateReport.Entry] = [:]
        for (channel, records) in Dictionary(grouping: records, by: { channel ?? $0.channel ?? .stable }) {
            let query = records.compactMap { record in
                record.installed.map {
                    UpdateQuery.Installed(templateId: record.template.id, version: $0.version, sha256: $0.sha256)
                }
            }
            for entry in try await client.updates(for: query, channel: channel) { byTemplate[entry.templateId] = entry }
        }
        var updates: [Update] = []
        for record in records {
            let answer = byTemplate[record.template.id]
            let isMirror = client.mirror != nil
            let target = signed[record.template.id]
            guard let entry = target?.entry(of: record, answer, fromMirror: isMirror) ?? answer else { continue }
            // A market that calls an older version newer would have it installed.
            if let newer = entry.newer, let installed = record.installed?.version, newer <= installed {
                throw LibraryError.olderOffered(name: record.template.slug, installed: installed, offered: newer)
            }
            let noted = try await note(entry, record)
            let isGone = entry.state == .yanked || entry.state == .takenDown
            let instead = isGone ? try await replacement(of: record) : nil
            updates.append(Update(installed: LibraryEntry(noted), entry: entry, replacement: instead))
        }
        quiet.note(cursor, signedNow, updates.map { ($0.installed, $0.entry) })
        return updates
    }

    private func replacement(of record: LibraryRecord) async throws -> Replacement? {
        guard let version = record.installed?.version else { return nil }
        return try await trust.replacement(of: version, of: record.template)
    }

    private func note(_ entry: UpdateReport.Entry, _ record: LibraryRecord) async throws -> LibraryRecord {
        guard record.noting(entry) != record else { return record }
        guard !library.isReadOnly else { return record.noting(entry) }
        try library.prepare()
        let changed = try await library.changeRecord(record.template.id) { $0?.noting(entry) }
        return changed ?? record
    }
}

extension LibraryRecord {
    /// With what a server says of it now.
    fileprivate func noting(_ entry: UpdateReport.Entry) -> LibraryRecord {
        var noted = self
        if let state = entry.state, var saved = current {
            saved.detail.state = state
            saved.detail.yankReason = state == .published ? nil : entry.reason ?? saved.detail.yankReason
            if saved != current { noted.save(saved) }
        }
        // A name of the server's that is none is not taken over.
        if let slug = entry.slug, Slug(slug) != nil { noted.template.slug = slug }
        if entry.slug != nil { noted.deprecation = entry.deprecation }
        return noted
    }
}

extension Deprecation {
    /// Why, and what to use instead, in a sentence or two.
    public var advice: String {
        let why = message.hasSuffix(".") || message.hasSuffix("!") ? message : message + "."
        return successor.map { "\(why) Use \($0.slug) instead." } ?? why
    }
}
