// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore
import Synchronization

/// A static mirror of one sheet in a folder, as `sheetmarket mirror` writes it.
struct StubMirror: Sendable {
    let path: String

    /// With the metadata that `repository` signed.
    init(in scratch: Scratch, of sheet: SampleSheet, signedBy repository: SignedRepository) throws {
        path = "\(scratch.path)/mirror-\(UUID().uuidString)"
        try put(sheet)
        try put("pictures/\(ContentHash(hashing: Data(sheet.picture)))", Data(sheet.picture))
        for (version, bytes) in sheet.files {
            let stored = TargetPath.stored(TargetPath.of(sheet.id, version, .sheet), sheet.hash(version))
            try put("trust/targets/\(stored)", Data(bytes))
        }
        try take(repository)
    }

    /// What it says of the sheet's first version, which may be that it was withdrawn, and that another is for testers.
    func put(_ sheet: SampleSheet, withdrawn state: VersionState? = nil, beta: SemanticVersion? = nil) throws {
        let version = sheet.files[0].version
        let summary = sheet.summary(version)
        let template = TemplateDetail(
            summary: summary, description: "Long.", createdAt: SampleSheet.time, latest: sheet.detail(version))
        let picture = MirrorEntry.Picture(page: 0, sha256: ContentHash(hashing: Data(sheet.picture)))
        let extras = MirrorEntry.Extras(version: version, regions: sheet.regions.pages, pictures: [picture])
        let gone = state.map {
            MirrorEntry.Withdrawn(
                version: version, state: $0, sha256: sheet.hash(version), reason: "Says the mirror", reasonCode: nil)
        }
        var versions = [sheet.detail(version)]
        if let beta { versions.append(sheet.detail(beta)) }
        let entry = MirrorEntry(
            template: gone == nil ? template : nil, versions: gone == nil ? versions : [],
            extras: [extras], withdrawn: gone.map { [$0] } ?? [])
        try put(MirrorEntry.path(sheet.id), try WireJSON.encoder().encode(entry))
        try put(MirrorEntry.namesPath, try WireJSON.encoder().encode(summary) + Data("\n".utf8))
    }

    /// What it says of the sheet once its first version is withdrawn, which is the only one, and the sheet is deprecated.
    func withhold(_ sheet: SampleSheet, because message: String) throws {
        try put(sheet, withdrawn: .yanked)
        let path = URL(fileURLWithPath: "\(path)/\(MirrorEntry.path(sheet.id))")
        var entry = try WireJSON.decoder().decode(MirrorEntry.self, from: Data(contentsOf: path))
        var version = sheet.detail(sheet.files[0].version)
        version.state = .yanked
        entry.versions = [version]
        entry.withheld = TemplateDetail(
            summary: sheet.summary(version.version), description: "Long.", createdAt: SampleSheet.time, latest: version,
            deprecation: Deprecation(message: message, since: SampleSheet.time))
        try put(MirrorEntry.path(sheet.id), try WireJSON.encoder().encode(entry))
        try put(MirrorEntry.namesPath, Data())
        try put(
            MirrorEntry.withheldPath,
            try WireJSON.encoder().encode(sheet.summary(version.version)) + Data("\n".utf8))
    }

    /// Has what a repository signed by now.
    func take(_ repository: SignedRepository) throws {
        for (name, bytes) in repository.files.withLock({ $0 }) { try put("trust/\(name)", bytes) }
    }

    private func put(_ name: String, _ bytes: Data) throws {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: file)
    }

    /// A client of the market at `server` that asks this mirror instead.
    func client(of server: ServerAddress) -> MarketClient {
        MarketClient(server: server, mirror: .folder(path), retry: .hasty)
    }
}
