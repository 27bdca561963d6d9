// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCatalog

@Suite("Dumps of the catalog")
struct DumpTests {
    @Test("A dump and what changed since its cursor make the catalog, whatever is published while it is written")
    func dumpAndChanges() async throws {
        try await CatalogScene.run { scene in
            // More than one batch.
            for number in 0..<230 { try await scene.addTemplate("Sheet \(number)", pages: 1) }
            let dump = try await withThrowingTaskGroup(of: CatalogDump?.self) { group in
                group.addTask {
                    for number in 0..<40 {
                        let made = try await scene.addTemplate("Meanwhile \(number)", pages: 1)
                        if number % 4 == 0 { try await scene.takeDown("1.0.0", of: made) }
                        if number % 3 == 0 { try await scene.addVersion("1.1.0", of: made) }
                    }
                    return nil
                }
                group.addTask { try await CatalogDumps(platform: scene.features.platform).make() }
                var made: CatalogDump?
                for try await result in group { made = result ?? made }
                return try #require(made)
            }
            let list: CatalogDumpList = try await scene.get("/dumps").json()
            #expect(list.dumps.map(\.sha256) == [dump.sha256] && list.dumps.map(\.cursor) == [dump.cursor])
            let file = try await scene.send(.get, dump.url)
            #expect(file.status == .ok)
            #expect(file.headers[.contentType] == "application/gzip")
            let bytes = Array(buffer: file.body)
            #expect(bytes.count == dump.sizeBytes)
            #expect(ContentHash(hashing: Data(bytes)) == dump.sha256)
            let lines = try await dumpLines(bytes)
            #expect(lines.filter { $0.template != nil }.count == dump.templateCount)
            #expect(dump.templateCount >= 230)
            #expect(lines.compactMap(\.gameSystem?.slug).sorted() == ["call-of-cthulhu", "dnd5e", "pathfinder2e"])
            var mirror = try CatalogMirror(lines: lines)
            #expect(mirror.cursor == dump.cursor)
            try await mirror.catchUp(scene)
            let catalog = try await CatalogMirror.catalog(scene)
            #expect(Set(mirror.templates.keys) == Set(catalog.keys))
            #expect(mirror.templates == catalog)
            #expect(mirror.present == Set(catalog.keys))
        }
    }

    @Test("A night's dump is made once, seven days are kept, and the files of earlier ones can be swept")
    func nights() async throws {
        let start = try Date("2026-11-21T03:30:00Z", strategy: .iso8601)
        let clock = Mutex(start)
        try await CatalogScene.run(now: { clock.withLock { $0 } }) { scene in
            let dumps = CatalogDumps(platform: scene.features.platform)
            #expect(try await dumps.makeDumpIfDue() == nil)
            var names: [String] = []
            for day in 0..<9 {
                try await scene.addTemplate("Sheet \(day)", pages: 1)
                let made = try #require(try await dumps.makeDumpIfDue())
                names.append(made.name)
                #expect(try await dumps.makeDumpIfDue() == nil)
                // Before three in the morning it is still last night.
                clock.withLock { $0 += 23 * 3600 }
                #expect(try await dumps.makeDumpIfDue() == nil)
                clock.withLock { $0 += 3600 }
            }
            #expect(names.first == "catalog-2026-11-21.jsonl.gz")
            let list: CatalogDumpList = try await scene.get("/dumps").json()
            #expect(list.dumps.map(\.name) == Array(names.suffix(7).reversed()))
            let rows = try await scene.features.database.scalar(
                "SELECT count(*) FROM artifacts WHERE media_type = 'application/gzip'", as: Int.self)
            #expect(rows == 7)
            for name in [names[0], "catalog-2026-13-01.jsonl.gz", "catalog-.jsonl.gz", "catalog.jsonl.gz"] {
                let answer = try await scene.send(.get, "\(Paths.base)/dumps/\(name)")
                #expect(answer.status == .notFound, "\(name)")
            }
            // The same day again takes the earlier one's place.
            try await scene.addTemplate("One more", pages: 1)
            let again = try #require(try await dumps.make())
            let after: CatalogDumpList = try await scene.get("/dumps").json()
            #expect(after.dumps.count == 7)
            #expect(after.dumps.first == again)
            let part = try await scene.send(.get, again.url, headers: [.range: "bytes=0-1"])
            #expect(part.status == .partialContent)
            #expect(Array(buffer: part.body) == [0x1F, 0x8B])
        }
    }

    @Test("What the workers run writes the night's dump, with its checksum, and once")
    func keeper() async throws {
        let night = try Date("2026-11-21T03:30:00Z", strategy: .iso8601)
        try await CatalogScene.run(now: { night }) { scene in
            try await scene.addTemplate("Sheet", pages: 1)
            let platform = scene.features.platform
            let nightly = PeriodicService(CatalogDumps(platform: platform).periodicTasks, platform: platform)
            for _ in 0..<2 {
                await nightly.runOnce()
                let list: CatalogDumpList = try await scene.get("/dumps").json()
                #expect(list.dumps.map(\.name) == ["catalog-2026-11-21.jsonl.gz"])
                let dump = try #require(list.dumps.first)
                let file = try await scene.send(.get, dump.url)
                let bytes = Array(buffer: file.body)
                #expect(file.status == .ok && bytes.count == dump.sizeBytes)
                #expect(ContentHash(hashing: Data(bytes)) == dump.sha256)
                #expect(try await dumpLines(bytes).compactMap(\.template?.summary.slug) == ["sheet"])
            }
        }
    }

    @Test("What is taken down, or no longer called so, goes from dumps that have it")
    func withdrawn() async throws {
        try await CatalogScene.run { scene in
            let dumps = CatalogDumps(platform: scene.features.platform)
            let made = try await scene.addTemplate("Stolen", pages: 1)
            try await scene.addTemplate("Other", pages: 1)
            let first = try #require(try await dumps.make())
            _ = try await scene.send(.patch, "/templates/other", as: scene.owner, json: TemplatePatch(name: "Better"))
            #expect(try await dumps.makeDumpIfDue() == nil)
            try await scene.takeDown("1.0.0", of: made)
            let second = try #require(try await dumps.makeDumpIfDue())
            #expect(second.sha256 != first.sha256 && second.templateCount == 1)
            let list: CatalogDumpList = try await scene.get("/dumps").json()
            #expect(list.dumps.map(\.sha256) == [second.sha256] && list.dumps.map(\.cursor) == [second.cursor])
            try await scene.features.database.execute(
                "UPDATE users SET handle = 'former-member' WHERE handle = 'nadia'")
            let third = try #require(try await dumps.makeDumpIfDue())
            let file = try await scene.send(.get, third.url)
            let lines = try await dumpLines(Array(buffer: file.body))
            #expect(lines.compactMap(\.template?.summary.author) == ["former-member"])
        }
    }
}
