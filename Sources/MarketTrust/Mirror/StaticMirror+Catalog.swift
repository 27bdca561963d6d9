// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

extension StaticMirror {
    private static let batch = 200

    /// What clients know templates by: an entry and a line of each, and pictures of pages.
    func writeCatalog(of templates: Set<TemplateID>, _ report: inout Report) async throws {
        let ids = templates.sorted { $0.description < $1.description }
        let draft = url(MirrorEntry.namesPath + ".new")
        try makeFolder(of: draft)
        try Data().write(to: draft)
        let names = try FileHandle(forWritingTo: draft)
        defer { try? names.close() }
        let encoder = WireJSON.encoder()
        var pictures: Set<String> = []
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let batch = Array(ids[start..<min(start + Self.batch, ids.count)])
            for (id, entry) in try await entries(of: batch) {
                for picture in entry.extras.flatMap(\.pictures) where pictures.insert("\(picture.sha256)").inserted {
                    try await copy(picture.sha256, bytes: nil, to: MirrorEntry.picturePath(picture.sha256), &report)
                }
                try putIfNew(try encoder.encode(entry), MirrorEntry.path(id), &report)
                if let summary = entry.template?.summary {
                    try names.write(contentsOf: try encoder.encode(summary) + Data("\n".utf8))
                } else if let summary = entry.withheld?.summary {
                    let name = MirrorEntry.Name(id: summary.id, slug: summary.slug)
                    try names.write(contentsOf: try encoder.encode(name) + Data("\n".utf8))
                }
            }
        }
        try placeNames(draft, &report)
        let kept = Set(ids.map { "\($0).json" }).union(["names.jsonl"])
        try remove(in: "catalog", except: kept, &report)
        try remove(in: "pictures", except: pictures, &report)
    }

    private func entries(of ids: [TemplateID]) async throws -> [(TemplateID, MirrorEntry)] {
        let database = platform.database
        func byID(_ templates: [MirroredTemplate]) -> [TemplateID: MirroredTemplate] {
            Dictionary(templates.map { ($0.template.summary.id, $0) }) { one, _ in one }
        }
        let offered = byID(try await ChangeStore.templates(ids, database))
        let others = ids.filter { offered[$0] == nil }
        let withheld = byID(try await ChangeStore.templates(others, version: .newest(.stable), database))
        let extras = try await MirrorStore.extras(of: ids, database)
        let withdrawn = try await MirrorStore.withdrawn(of: ids, database)
        return ids.map { id in
            (
                id,
                MirrorEntry(
                    template: offered[id]?.template, withheld: withheld[id]?.template,
                    versions: (offered[id] ?? withheld[id])?.versions ?? [], extras: extras[id] ?? [],
                    withdrawn: withdrawn[id] ?? [])
            )
        }
    }

    /// Puts the list in place at once, unless it says what the one before it says.
    private func placeNames(_ draft: URL, _ report: inout Report) throws {
        let target = url(MirrorEntry.namesPath)
        if FileManager.default.contentsEqual(atPath: draft.path, andPath: target.path) {
            try FileManager.default.removeItem(at: draft)
            report.kept += 1
            return
        }
        report.written += 1
        report.writtenBytes += size(of: draft) ?? 0
        try move(draft, to: target)
    }
}
