// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// A template of the library as `--json` prints it.
struct InstalledSheet: Encodable {
    let id: TemplateID
    let slug: String
    let name: String
    let gameSystem: String
    let author: String
    let license: String
    let language: String
    let pageCount: Int
    let server: String
    let installed: Bool
    /// The installed version, or the one that would be installed without a network.
    let version: SemanticVersion?
    let state: VersionState?
    let sha256: ContentHash?
    let sizeBytes: Int?
    let installedAt: Date?
    let path: String?
    let channel: ReleaseChannel
    let deprecation: Deprecation?
    /// Whether it is held at its version.
    let pinned: Bool
    /// What was installed before this run.
    let previousVersion: SemanticVersion?
    /// What changed since then, page by page, where that was an older one and the market knows.
    let changes: VersionChanges?
    /// Whether its file was compared with what its market signed when it came; absent where nobody noted it, and in lists.
    let verified: Bool?
    /// All versions that can be installed without a network.
    let savedVersions: [SemanticVersion]

    init(
        _ record: LibraryRecord, _ library: Library, from previous: SemanticVersion? = nil,
        changes: VersionChanges? = nil
    ) {
        self.init(
            LibraryEntry(record), library, from: previous, changes: changes,
            verified: record.current?.verified)
    }

    init(
        _ entry: LibraryEntry, _ library: Library, from previous: SemanticVersion? = nil,
        changes: VersionChanges? = nil, verified: Bool? = nil
    ) {
        id = entry.id
        slug = entry.slug
        name = entry.name
        gameSystem = entry.gameSystem
        author = entry.author
        license = entry.license
        language = entry.language
        pageCount = entry.pageCount
        server = entry.server
        installed = entry.isInstalled
        version = entry.version
        state = entry.state
        sha256 = entry.sha256
        sizeBytes = entry.sizeBytes
        installedAt = entry.installedAt
        path = entry.sha256.map(library.objectPath)
        channel = entry.channel
        deprecation = entry.deprecation
        pinned = entry.pinned
        previousVersion = previous
        self.changes = changes
        self.verified = verified
        savedVersions = entry.savedVersions
    }
}

/// What `--json` prints of several.
struct InstalledSheets: Encodable {
    let templates: [InstalledSheet]
}
