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
    /// All versions that can be installed without a network.
    let savedVersions: [SemanticVersion]

    init(_ record: LibraryRecord, _ library: Library, from previous: SemanticVersion? = nil) {
        let saved = record.preferred
        id = record.template.id
        slug = record.template.slug
        name = record.template.name
        gameSystem = record.template.gameSystem
        author = record.template.author
        license = record.template.license
        language = record.template.language
        pageCount = saved?.detail.pageCount ?? record.template.pageCount
        server = record.server
        installed = record.installed != nil
        version = saved?.detail.version
        state = saved?.detail.state
        sha256 = saved?.detail.sha256
        sizeBytes = saved?.detail.sizeBytes
        installedAt = record.installed?.installedAt
        path = saved.map { library.objectPath($0.detail.sha256) }
        channel = record.channel ?? .stable
        deprecation = record.deprecation
        pinned = record.pinned == true
        previousVersion = previous
        savedVersions = record.versions.map(\.detail.version)
    }
}

/// What `--json` prints of several.
struct InstalledSheets: Encodable {
    let templates: [InstalledSheet]
}
