// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketHTTP

/// Whether anybody still writes.
private final class Progress: Sendable {
    private let isOver = Atomic(false)
    var areDone: Bool { isOver.load(ordering: .acquiring) }
    func end() { isOver.store(true, ordering: .releasing) }
}

@Suite("The change feed")
struct ChangeFeedTests {
    @Test("A mirror that follows while writers publish, edit, rename, yank and take down ends equal to the catalog")
    func mirror() async throws {
        try await CatalogScene.run { scene in
            let writers = Progress()
            let mirror = try await withThrowingTaskGroup(of: CatalogMirror?.self) { group in
                group.addTask {
                    var mirror = CatalogMirror()
                    while !writers.areDone {
                        if try await !mirror.follow(scene) { try await Task.sleep(for: .milliseconds(2)) }
                    }
                    try await mirror.catchUp(scene)
                    return mirror
                }
                group.addTask {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<4 { group.addTask { try await Writer(scene: scene, number: number).run() } }
                        try await group.waitForAll()
                    }
                    writers.end()
                    return nil
                }
                var found: CatalogMirror?
                for try await result in group { found = result ?? found }
                return try #require(found)
            }
            let catalog = try await CatalogMirror.catalog(scene)
            #expect(mirror.present == Set(catalog.keys))
            #expect(Set(mirror.templates.keys) == Set(catalog.keys))
            for (id, entry) in catalog { #expect(mirror.templates[id] == entry) }
            // Nothing of what was to be tried went by unused.
            let reasons = Set(mirror.seen.map { "\($0.kind.rawValue) \($0.reason)" })
            for wanted in [
                "template_added published", "version_added published", "template_changed edited",
                "template_changed renamed", "template_changed deprecated", "template_changed undeprecated",
                "version_changed yanked", "version_changed unyanked", "version_changed channel",
                "version_changed regions", "template_removed yanked", "template_removed taken_down",
                "version_removed taken_down", "version_added restored", "template_added restored",
                "template_changed author", "template_changed offer",
            ] { #expect(reasons.contains(wanted), "\(wanted)") }
        }
    }

    /// Does everything that can be done to templates, on some of its own.
    private struct Writer: Sendable {
        let scene: CatalogScene
        let number: Int

        func run() async throws {
            let owner = UserID.make()
            try await scene.addUser(owner, "writer-\(number)")
            for round in 0..<3 {
                let made = try await scene.addTemplate("Sheet \(number) of round \(round)", owner: owner)
                let path = "/templates/\(made.id)"
                try await call(.patch, path, owner, TemplatePatch(summary: "Now about \(number)."))
                try await scene.addVersion("1.1.0", of: made)
                try await call(.patch, path, owner, TemplatePatch(slug: "renamed-\(number)-\(round)"))
                try await scene.addVersion("2.0.0-beta.1", of: made)
                try await call(.put, "\(path)/deprecation", owner, DeprecationRequest(message: "Old."))
                try await call(.delete, "\(path)/deprecation", owner, Nothing())
                try await call(.post, "\(path)/versions/1.1.0/yank", owner, YankRequest(reason: "Broken."))
                try await call(.post, "\(path)/versions/1.1.0/unyank", owner, Nothing())
                try await call(.put, "\(path)/versions/1.1.0/channel", owner, ChannelRequest(channel: .beta))
                let region = ZoomRegion(
                    id: "all", name: "All", rect: .init(x: 0, y: 0, width: 1, height: 1), pageIndex: 1)
                try await call(
                    .put, "\(path)/versions/1.0.0/regions", owner,
                    RegionList(pages: [.init(index: 1, regions: [region])]))
                try await leave(made, path, owner, round)
            }
            try await scene.features.database.execute(
                "UPDATE users SET handle = \("author-\(number)") WHERE id = \(owner)")
        }

        /// Two of three leave the catalog, and one of these comes back.
        private func leave(_ made: CatalogScene.Made, _ path: String, _ owner: UserID, _ round: Int) async throws {
            for version in ["1.0.0", "1.1.0", "2.0.0-beta.1"] where round > 0 {
                if round == 1 {
                    try await call(.post, "\(path)/versions/\(version)/yank", owner, YankRequest(reason: nil))
                } else {
                    try await scene.takeDown(version, of: made)
                }
            }
            guard round == 2, number % 2 == 0 else { return }
            try await scene.features.database.withTransaction { connection in
                try await connection.execute(
                    """
                    UPDATE versions SET state = 'published', state_reason = NULL
                    WHERE template_id = \(made.id) AND number = '1.0.0'
                    """)
                try await Publishing.recomputeLatest(connection, templateID: made.id)
            }
        }

        private func call(
            _ method: HTTPRequest.Method, _ path: String, _ owner: UserID, _ body: some Encodable
        ) async throws {
            let response = try await scene.send(method, path, as: owner, json: body)
            try #require(
                (200...204).contains(response.status.code), "\(method) \(path): \(String(buffer: response.body))")
        }
    }

    private struct Nothing: Encodable {}

    @Test("An entry whose transaction ends late comes behind what was read before, and is not lost")
    func lateCommit() async throws {
        try await CatalogScene.run { scene in
            let early = try await scene.addTemplate("Early")
            let late = try await scene.addTemplate("Late")
            var mirror = CatalogMirror()
            try await mirror.catchUp(scene)
            let before = mirror.seen.count
            try await scene.features.database.withTransaction { connection in
                try await connection.execute("UPDATE templates SET name = 'Begun first' WHERE id = \(late.id)")
                try await scene.features.database.execute("UPDATE templates SET name = 'Ended' WHERE id = \(early.id)")
                try await mirror.catchUp(scene)
                #expect(mirror.seen[before...].map(\.templateId) == [early.id])
            }
            try await mirror.catchUp(scene)
            #expect(mirror.seen[before...].map(\.templateId) == [early.id, late.id])
            let catalog = try await CatalogMirror.catalog(scene)
            #expect(mirror.templates == catalog)
        }
    }

    @Test("What a transaction undoes is in no feed, and the same words twice are one entry")
    func quiet() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            var mirror = CatalogMirror(cursor: nil)
            try await mirror.catchUp(scene)
            #expect(mirror.seen.map(\.kind) == [.versionAdded, .templateAdded])
            #expect(mirror.seen.map(\.reason) == ["published", "published"])
            #expect(mirror.seen.first?.version?.description == "1.0.0")
            let count = mirror.seen.count
            struct Undo: Error {}
            await #expect(throws: Undo.self) {
                try await scene.features.database.withTransaction { connection in
                    try await connection.execute("UPDATE templates SET name = 'Never' WHERE id = \(made.id)")
                    throw Undo()
                }
            }
            try await scene.features.database.withTransaction { connection in
                try await connection.execute("UPDATE templates SET name = 'A' WHERE id = \(made.id)")
                try await connection.execute("UPDATE templates SET name = 'B' WHERE id = \(made.id)")
                // Neither is in the feed: no change, and figures.
                try await connection.execute("UPDATE templates SET name = 'B', downloads = 7 WHERE id = \(made.id)")
            }
            try await mirror.catchUp(scene)
            #expect(mirror.seen[count...].map(\.reason) == ["edited"])
        }
    }

    @Test("A cursor may be old, but not older than what is kept, nor of another feed; the beginning neither")
    func expiry() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("First")
            var mirror = CatalogMirror()
            try await mirror.catchUp(scene)
            let old = try #require(mirror.cursor)
            try await scene.addTemplate("Second")
            try await mirror.catchUp(scene)
            let recent = try #require(mirror.cursor)
            let database = scene.features.database
            #expect(try await ChangeStore.prune(before: Date().addingTimeInterval(-3600), database) == 0)
            _ = try await database.execute("UPDATE changes SET at = at - interval '100 days'")
            let limit = Date().addingTimeInterval(-ChangeService.keptSeconds)
            #expect(try await ChangeStore.prune(before: limit, database) == mirror.seen.count)
            for since in ["?since=\(old)", ""] {
                let answer = try await scene.get("/changes\(since)")
                #expect(answer.status == .gone)
                #expect((try? answer.json(ProblemDocument.self))?.code == .cursorExpired)
            }
            // Who has read everything goes on.
            let first: ChangeList = try await scene.get("/changes?since=\(recent)").json()
            #expect(first == ChangeList(changes: [], nextCursor: recent))
            let now: ChangeList = try await scene.get("/changes?since=now").json()
            #expect(now.nextCursor == recent)
            try await scene.addTemplate("Third")
            let next: ChangeList = try await scene.get("/changes?since=\(recent)").json()
            #expect(next.changes.map(\.slug) == ["third", "third"])
            #expect(next.templates == nil)
            let stranger = ChangeService.cursor(.init(feed: UUID(), position: 1))
            let future = ChangeService.cursor(
                .init(feed: try await ChangeStore.end(database).feed, position: 1_000_000))
            for cursor in [stranger, future] {
                let answer = try await scene.get("/changes?since=\(cursor)")
                #expect(answer.status == .gone)
            }
            for wrong in ["since=WyJhIl0", "limit=0", "limit=501", "include=everything"] {
                let answer = try await scene.get("/changes?\(wrong)")
                #expect(answer.status == (wrong.hasPrefix("since") ? .badRequest : .unprocessableContent), "\(wrong)")
            }
            let nowhere = Cursor(list: "changes", keys: ["nowhere", "1"]).text
            for cursor in ["WyJhIl0", nowhere] {
                let answer = try await scene.get("/changes?since=\(cursor)")
                #expect(answer.problem == .badCursor && answer.pointers == ["since"], "\(cursor)")
            }
        }
    }

    @Test("A deprecated template is told of again when its successor is called something else")
    func successor() async throws {
        try await CatalogScene.run { scene in
            let old = try await scene.addTemplate("Old")
            let new = try await scene.addTemplate("New")
            let answer = try await scene.send(
                .put, "/templates/\(old.id)/deprecation", as: scene.owner,
                json: DeprecationRequest(message: "Use the new one.", successor: new.slug))
            #expect(answer.status == .ok)
            var mirror = CatalogMirror()
            try await mirror.catchUp(scene)
            let patched = try await scene.send(
                .patch, "/templates/\(new.id)", as: scene.owner, json: TemplatePatch(name: "Newer"))
            #expect(patched.status == .ok)
            try await mirror.catchUp(scene)
            #expect(mirror.templates[old.id]?.template.deprecation?.successor?.name == "Newer")
            #expect(mirror.seen.contains { $0.reason == "successor" && $0.templateId == old.id })
            let catalog = try await CatalogMirror.catalog(scene)
            #expect(mirror.templates == catalog)
        }
    }

    @Test("It tells of a new owner, of another version on offer, and of a template whose row is gone")
    func rareReasons() async throws {
        try await CatalogScene.run { scene in
            let mia = UserID.make()
            try await scene.addUser(mia, "mia")
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            let gone = try await scene.addTemplate("Gone")
            var mirror = CatalogMirror()
            try await mirror.catchUp(scene)

            let invited = try await scene.send(
                .post, "/templates/sheet/invitations", as: scene.owner,
                json: InvitationRequest(handle: "mia", role: .owner))
            let invitation = try invited.json(Invitation.self)
            let accepted = try await scene.send(.post, "\(Paths.base)/invitations/\(invitation.id)/accept", as: mia)
            #expect(accepted.status == .ok)
            let handedOver = try await news(&mirror, scene)
            #expect(handedOver.contains("sheet template_changed transferred"))
            #expect(mirror.templates[made.id]?.template.summary.author == "mia")

            let yanked = try await scene.send(
                .post, "/templates/sheet/versions/1.1.0/yank", as: mia, json: YankRequest(reason: nil))
            #expect(yanked.status == .ok)
            let offered = try await news(&mirror, scene)
            #expect(offered.contains("sheet template_changed offer"))
            #expect(mirror.templates[made.id]?.template.summary.version.description == "1.0.0")

            try await delete(gone.id, from: scene.features.database)
            let erased = try await news(&mirror, scene)
            #expect(erased == ["gone template_removed erased"])
            #expect(mirror.present == [made.id] && mirror.templates[gone.id] == nil)
            let answer = try await scene.get("/templates/gone", as: scene.owner)
            #expect(answer.status == .notFound)
        }
    }

    /// What a mirror has not heard before.
    private func news(_ mirror: inout CatalogMirror, _ scene: CatalogScene) async throws -> [String] {
        let before = mirror.seen.count
        try await mirror.catchUp(scene)
        return mirror.seen[before...].map { "\($0.slug) \($0.kind.rawValue) \($0.reason)" }
    }

    /// No call does this: an operator who must be rid of a template does, by hand, with what belongs to it.
    private func delete(_ template: TemplateID, from database: PostgresClient) async throws {
        try await database.execute("ALTER TABLE versions DISABLE TRIGGER versions_immutable")
        try await database.execute(
            """
            WITH names AS (DELETE FROM template_slugs WHERE template_id = \(template)),
                parts AS (DELETE FROM versions WHERE template_id = \(template)),
                uploads AS (DELETE FROM submissions WHERE template_id = \(template))
            DELETE FROM templates WHERE id = \(template)
            """)
    }
}
