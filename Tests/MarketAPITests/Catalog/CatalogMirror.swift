// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import NIOCore
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI

/// Somebody's copy of the catalog, kept by what the API tells and nothing else.
struct CatalogMirror: Sendable {
    /// By id, without figures: those are not in the feed.
    private(set) var templates: [TemplateID: MirroredTemplate] = [:]
    /// What the tombstones and arrivals alone say is on offer.
    private(set) var present: Set<TemplateID> = []
    private(set) var cursor: String?
    /// Entries so far.
    private(set) var seen: [CatalogChange] = []

    /// Begins with nothing, at a cursor or at the beginning.
    init(cursor: String? = nil) {
        self.cursor = cursor
    }

    /// Begins with a dump's lines.
    init(lines: [CatalogDumpLine]) throws {
        cursor = try #require(lines.first?.header).cursor
        #expect(lines.first?.header?.format == "sheetmarket.dump.1")
        for line in lines {
            guard let template = line.template else { continue }
            let entry = MirroredTemplate(template: template, versions: try #require(line.versions))
            templates[template.summary.id] = entry.withoutFigures
            present.insert(template.summary.id)
        }
        #expect(lines.last?.templateCount == templates.count)
    }

    /// Reads a part of the feed; answers whether there was anything.
    mutating func follow(_ scene: CatalogScene, limit: Int = 7) async throws -> Bool {
        let since = cursor.map { "&since=\($0)" } ?? ""
        let list: ChangeList = try await scene.get("/changes?include=templates&limit=\(limit)\(since)").json()
        let now = Dictionary(uniqueKeysWithValues: (list.templates ?? []).map { ($0.template.summary.id, $0) })
        for change in list.changes {
            templates[change.templateId] = now[change.templateId]?.withoutFigures
            switch change.kind {
            case .templateAdded: present.insert(change.templateId)
            case .templateRemoved: present.remove(change.templateId)
            default: break
            }
        }
        seen += list.changes
        cursor = list.nextCursor
        return !list.changes.isEmpty
    }

    /// Reads until nothing is new.
    mutating func catchUp(_ scene: CatalogScene) async throws {
        while try await follow(scene) {}
    }

    /// The catalog itself, read page by page and template by template.
    static func catalog(_ scene: CatalogScene) async throws -> [TemplateID: MirroredTemplate] {
        var found: [TemplateID: MirroredTemplate] = [:]
        var cursor: String?
        repeat {
            let next = cursor.map { "&cursor=\($0)" } ?? ""
            // Signed in: past all caches.
            let list: TemplateList = try await scene.get("/templates?limit=100&sort=name\(next)", as: scene.owner)
                .json()
            for summary in list.templates {
                let path = "/templates/\(summary.id)"
                let detail: TemplateDetail = try await scene.get(path, as: scene.owner).json()
                let versions: VersionList = try await scene.get("\(path)/versions", as: scene.owner).json()
                found[summary.id] =
                    MirroredTemplate(template: detail, versions: versions.versions).withoutFigures
            }
            cursor = list.nextCursor
        } while cursor != nil
        return found
    }
}

extension MirroredTemplate {
    /// Ratings and downloads move all the time; the feed does not tell of them.
    var withoutFigures: MirroredTemplate {
        var copy = self
        copy.template.summary.rating = 0
        copy.template.summary.ratingCount = 0
        copy.template.summary.downloads = 0
        copy.template.ratings = nil
        return copy
    }
}

/// Lines of a dump's file.
func dumpLines(_ bytes: [UInt8]) async throws -> [CatalogDumpLine] {
    let folder = try ScratchFolder("dump")
    let file = folder.url.appendingPathComponent("dump.gz")
    try Data(bytes).write(to: file)
    // Somebody else's program reads it: it is a gzip file, not only ours.
    let outcome = try await Command.run(URL(fileURLWithPath: "/usr/bin/gzip"), ["-dc", file.path])
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try outcome.output.split(separator: "\n").map {
        try WireJSON.decoder().decode(CatalogDumpLine.self, from: Data($0.utf8))
    }
}
