// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketCatalog
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

extension StaticMirror {
    private static let batch = 200

    /// What clients know templates by: an entry of each, lists of those that are on offer and of those of which a version can
    /// be had all the same, and pictures of pages.
    func writeCatalog(of templates: Set<TemplateID>, _ report: inout Report) async throws {
        let ids = templates.sorted { $0.description < $1.description }
        let encoder = WireJSON.encoder()
        for list in [MirrorEntry.namesPath, MirrorEntry.withheldPath] { try makeFolder(of: url(list)) }
        let offered = try ListDraft(of: url(MirrorEntry.namesPath), encoder)
        let withheld = try ListDraft(of: url(MirrorEntry.withheldPath), encoder)
        var pictures: Set<String> = []
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let batch = Array(ids[start..<min(start + Self.batch, ids.count)])
            for (id, entry) in try await entries(of: batch) {
                for picture in entry.extras.flatMap(\.pictures) where pictures.insert("\(picture.sha256)").inserted {
                    try await copy(picture.sha256, bytes: nil, to: MirrorEntry.picturePath(picture.sha256), &report)
                }
                try putIfNew(try encoder.encode(entry), MirrorEntry.path(id), &report)
                try offered.add(entry.template?.summary)
                try withheld.add(entry.withheld?.summary)
            }
        }
        try place(offered, &report)
        try place(withheld, &report)
        let lists = [offered, withheld].map(\.target.lastPathComponent)
        try remove(in: "catalog", except: Set(ids.map { "\($0).json" } + lists), &report)
        try remove(in: "pictures", except: pictures, &report)
    }

    /// A list that is written beside the one that is there.
    private struct ListDraft {
        let target: URL
        let file: URL
        private let handle: FileHandle
        private let encoder: JSONEncoder

        init(of target: URL, _ encoder: JSONEncoder) throws {
            self.target = target
            self.encoder = encoder
            file = target.appendingPathExtension("new")
            try Data().write(to: file)
            handle = try FileHandle(forWritingTo: file)
        }

        func add(_ summary: TemplateSummary?) throws {
            guard let summary else { return }
            try handle.write(contentsOf: try encoder.encode(summary) + Data("\n".utf8))
        }
    }

    private func entries(of ids: [TemplateID]) async throws -> [(TemplateID, MirrorEntry)] {
        let database = platform.database
        func byID(_ templates: [MirroredTemplate]) -> [TemplateID: MirroredTemplate] {
            Dictionary(templates.map { ($0.template.summary.id, $0) }) { one, _ in one }
        }
        let offered = byID(try await ChangeStore.templates(ids, database))
        let withheld = byID(
            try await ChangeStore.templates(ids.filter { offered[$0] == nil }, version: .newest(.stable), database))
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

    /// Puts a list in place at once, unless it says what the one before it says.
    private func place(_ draft: ListDraft, _ report: inout Report) throws {
        if FileManager.default.contentsEqual(atPath: draft.file.path, andPath: draft.target.path) {
            try FileManager.default.removeItem(at: draft.file)
            report.kept += 1
            return
        }
        report.written += 1
        report.writtenBytes += size(of: draft.file) ?? 0
        try move(draft.file, to: draft.target)
    }
}
