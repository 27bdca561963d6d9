// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import HummingbirdTesting
import MarketCatalog
import MarketPages
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Testing

@testable import MarketAPI

@Suite("Versions for good, and their channels")
struct ChannelTests {
    /// Versions as text, in the order that the database gives them.
    private func order(_ numbers: [String], _ database: PostgresClient) async throws -> [String] {
        try await database.all(
            """
            SELECT number FROM unnest(\(numbers)::text[]) AS number
            ORDER BY version_precedence(number) COLLATE "C"
            """
        ) { try $0.get(0) }
    }

    @Test("the database orders numbers as Semantic Versioning 2.0.0 does, and as the clients do")
    func precedence() async throws {
        try await CatalogScene.run { scene in
            let database = scene.features.database
            // Section 11 of the specification.
            let specified = [
                "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
                "1.0.0-rc.1", "1.0.0", "2.0.0", "2.1.0", "2.1.1",
            ]
            #expect(try await order(specified.shuffled(), database) == specified)
            var random = SystemRandomNumberGenerator()
            let parts = [
                "0", "1", "2", "9", "10", "11", "99", "100", "18446744073709551615", "a", "A", "ab", "b", "a-", "-",
                "--",
                "0a", "rc", "rc1", "beta", "alpha", "1a", "123456789012345678901234567890",
            ]
            func number() -> String {
                func core() -> String {
                    ["0", "1", "2", "10", "18446744073709551615"].randomElement(using: &random) ?? "0"
                }
                var text = "\(core()).\(core()).\(core())"
                for place in 0..<Int.random(in: 0...3, using: &random) {
                    text += (place == 0 ? "-" : ".") + (parts.randomElement(using: &random) ?? "")
                }
                return text
            }
            let numbers = Set((0..<600).map { _ in number() }.filter { SemanticVersion($0) != nil })
            let sorted = numbers.compactMap { SemanticVersion($0) }.sorted().map(\.description)
            #expect(numbers.count > 200)
            #expect(try await order(Array(numbers), database) == sorted)
            // What follows a plus sign takes no part.
            let same = try await database.scalar(
                "SELECT version_precedence('1.0.0-a+b.1') = version_precedence('1.0.0-a+c')", as: Bool.self)
            #expect(same)
        }
    }

    @Test("everybody is offered the newest stable version; previews go to those who ask for beta")
    func offers() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.0.0")
            try await scene.addVersion("1.1.0", of: made, channel: .beta)
            func offered(_ query: String = "") async throws -> [String] {
                let detail = try await scene.get("/templates/sheet\(query)").json(TemplateDetail.self)
                let version = try await scene.get("/templates/sheet/versions/latest\(query)").json(VersionDetail.self)
                #expect(detail.latest == version && detail.summary.version == version.version)
                #expect(detail.summary.downloadURL.contains("/versions/\(version.version)/"))
                return ["\(version.version)", version.channel.rawValue]
            }
            #expect(try await offered() == ["1.0.0", "stable"])
            #expect(try await offered("?channel=stable") == ["1.0.0", "stable"])
            #expect(try await offered("?channel=beta") == ["1.1.0", "beta"])
            // The scene has nobody who listens for news of the catalog.
            try await scene.addVersion("1.2.0-rc.1", of: made)
            scene.features.catalog.catalogChanged()
            #expect(try await offered("?channel=beta") == ["1.2.0-rc.1", "beta"])
            // Beta is stable and more.
            try await scene.addVersion("1.2.0", of: made)
            scene.features.catalog.catalogChanged()
            #expect(try await offered() == ["1.2.0", "stable"])
            #expect(try await offered("?channel=beta") == ["1.2.0", "stable"])
            let ticket = try await scene.get("/templates/sheet/versions/latest/download?channel=beta&redirect=false")
            #expect(try ticket.json(DownloadTicket.self).version == SemanticVersion(1, 2, 0))
            let wrong = try await scene.get("/templates/sheet?channel=nightly")
            #expect(wrong.status == .unprocessableContent && wrong.pointers == ["channel"])
            #expect(try await scene.list("").templates.map(\.version) == [SemanticVersion(1, 2, 0)])
        }
    }

    @Test("a template that has only previews offers the newest of them")
    func previewsOnly() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "2.0.0-beta.2")
            try await scene.addVersion("2.0.0-beta.11", of: made)
            try await scene.addVersion("1.9.0", of: made, channel: .beta)
            let detail = try await scene.get("/templates/sheet").json(TemplateDetail.self)
            #expect(detail.latest.version.description == "2.0.0-beta.11" && detail.latest.channel == .beta)
        }
    }

    @Test("a beta version becomes stable by its author's word, a pre-release never")
    func promotion() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.0.0")
            try await scene.addVersion("1.1.0", of: made, channel: .beta)
            try await scene.addVersion("1.2.0-rc.1", of: made)
            let stranger = UserID.make()
            try await scene.addUser(stranger, "stranger")
            func set(_ number: String, _ channel: ReleaseChannel, as caller: UserID?) async throws -> Int {
                try await scene.send(
                    .put, "/templates/sheet/versions/\(number)/channel", as: caller,
                    json: ChannelRequest(channel: channel)
                ).status.code
            }
            #expect(try await set("1.1.0", .stable, as: nil) == 401)
            #expect(try await set("1.1.0", .stable, as: stranger) == 403)
            #expect(try await set("1.1.0", .stable, as: scene.owner) == 200)
            let latest = try await scene.get("/templates/sheet/versions/latest").json(VersionDetail.self)
            #expect(latest.version == SemanticVersion(1, 1, 0))
            #expect(try await set("1.2.0-rc.1", .stable, as: scene.owner) == 422)
            #expect(try await set("1.1.0", .beta, as: scene.owner) == 200)
            #expect(
                try await scene.get("/templates/sheet/versions/latest").json(VersionDetail.self).version
                    == SemanticVersion(1, 0, 0))
            // The database holds to it whoever asks.
            try await scene.features.database.execute("UPDATE versions SET channel = 'stable'")
            let channels = try await scene.features.database.all("SELECT number FROM versions WHERE channel = 'beta'") {
                try $0.get(0, as: String.self)
            }
            #expect(channels == ["1.2.0-rc.1"])
        }
    }

    @Test("updates are of the channel that is asked for, and say what they need")
    func updates() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.0.0")
            try await scene.addVersion("1.1.0", of: made, channel: .beta, minimumClient: "0.9.0")
            let installed = UpdateQuery.Installed(
                templateId: made.id, version: SemanticVersion(1, 0, 0), sha256: ContentHash(hashing: [UInt8(1)]))
            func entry(_ channel: ReleaseChannel?) async throws -> UpdateReport.Entry? {
                try await scene.send(
                    .post, "/updates", as: nil, json: UpdateQuery(installed: [installed], channel: channel)
                ).json(UpdateReport.self).updates.first
            }
            #expect(try await entry(nil)?.newer == nil)
            #expect(try await entry(.stable)?.newer == nil)
            let beta = try await entry(.beta)
            #expect(beta?.newer == SemanticVersion(1, 1, 0))
            #expect(beta?.minimumClientVersion == SemanticVersion(0, 9, 0))
            // From before there were channels.
            let old = #"{"installed":[]}"#
            #expect(try WireJSON.decoder().decode(UpdateQuery.self, from: Data(old.utf8)).channel == nil)
        }
    }

    @Test("a number is never used again: not while it is offered, nor yanked, nor taken down, nor with another build")
    func numbers() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.0.0")
            for number in ["1.1.0", "1.2.0", "2.0.0-rc.1+5"] { try await scene.addVersion(number, of: made) }
            #expect(
                try await scene.send(.post, Paths.base + "/templates/sheet/versions/1.1.0/yank", as: scene.owner).status
                    == .ok)
            try await scene.takeDown("1.2.0", of: made)
            for number in ["1.0.0", "1.1.0", "1.2.0", "1.0.0+b", "1.1.0+again", "2.0.0-rc.1", "2.0.0-rc.1+6"] {
                let answer = try await scene.upload(.init(version: number), to: "sheet", as: scene.owner)
                #expect(answer.status == .conflict && answer.problem == .versionExists, "\(number)")
            }
            let fresh = try await scene.upload(.init(version: "1.2.1"), to: "sheet", as: scene.owner)
            #expect(fresh.status == .accepted)
            // While one is under way its number is taken; when it was refused, nothing was published under it.
            #expect(
                try await scene.upload(.init(version: "1.2.1"), to: "sheet", as: scene.owner).status == .conflict)
            try await scene.features.database.execute(
                "UPDATE submissions SET state = 'rejected' WHERE version = '1.2.1'")
            #expect(
                try await scene.upload(.init(version: "1.2.1"), to: "sheet", as: scene.owner).status == .accepted)
        }
    }

    @Test("two numbers of one precedence that were under way at once: only the first is published")
    func racingBuilds() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.0.0")
            await #expect(throws: PostgresError.self) { try await scene.addVersion("1.0.0+b", of: made) }
            let database = scene.features.database
            let count = try await database.scalar("SELECT count(*) FROM versions", as: Int.self)
            #expect(count == 1)
        }
    }

    @Test("the database lets nobody change or remove a version, or what an artifact is")
    func immutable() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet", version: "1.0.0")
            let other = try await scene.store(Array("%PDF-1.7 another".utf8), as: "application/pdf")
            let database = scene.features.database
            let attempts: [PostgresQuery] = [
                "UPDATE versions SET artifact_sha256 = \(other.hash)", "UPDATE versions SET number = '1.0.1'",
                "UPDATE versions SET size_bytes = 1", "UPDATE versions SET changelog = 'Other.'",
                "UPDATE versions SET minimum_client_version = '9.0.0'", "UPDATE versions SET page_count = 9",
                "UPDATE versions SET published_at = now() - interval '1 year'", "DELETE FROM versions",
                "UPDATE artifacts SET size_bytes = 1", "UPDATE artifacts SET sha256 = sha256('x')",
                "DELETE FROM artifacts WHERE sha256 IN (SELECT artifact_sha256 FROM versions)",
            ]
            for attempt in attempts {
                await #expect(throws: PostgresError.self, "\(attempt)") { try await database.execute(attempt) }
            }
            try await scene.takeDown("1.0.0", of: made)
            let left = try await database.scalar("SELECT number FROM versions", as: String.self)
            #expect(left == "1.0.0")
        }
    }

    @Test("an upload names its channel and the client it needs; wrong ones are refused")
    func metadata() async throws {
        try await CatalogScene.run { scene in
            try await scene.addTemplate("Sheet", version: "1.0.0")
            let good = UploadMetadata(version: "1.1.0", channel: "beta", minimumClientVersion: "0.3.0")
            #expect(try await scene.upload(good, to: "sheet", as: scene.owner).status == .accepted)
            let stored = try await scene.features.database.one(
                "SELECT metadata FROM submissions WHERE version = '1.1.0'"
            ) { try $0.get(0, as: PostgresJSON<UploadMetadata>.self).value }
            #expect(stored.channel == "beta" && stored.minimumClientVersion == "0.3.0")
            for (metadata, pointer) in [
                (UploadMetadata(version: "1.2.0", channel: "nightly"), "/channel"),
                (UploadMetadata(version: "1.2.0-rc.1", channel: "stable"), "/channel"),
                (UploadMetadata(version: "1.2.0", minimumClientVersion: "soon"), "/minimumClientVersion"),
            ] {
                let answer = try await scene.upload(metadata, to: "sheet", as: scene.owner)
                #expect(answer.status == .unprocessableContent && answer.pointers == [pointer])
            }
        }
    }

    @Test("what an administrator yanks, only an administrator puts back; the reason is shown")
    func withdrawals() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("1.1.0", of: made)
            let ada = UserID.make()
            try await scene.addUser(ada, "ada", role: .administrator)
            let path = "/templates/sheet/versions/1.1.0"
            func yank(_ reason: String, as caller: UserID) async throws -> VersionDetail {
                try await scene.send(.post, "\(path)/yank", as: caller, json: YankRequest(reason: reason)).json(
                    VersionDetail.self)
            }
            func unyank(as caller: UserID) async throws -> Int {
                try await scene.send(.post, "\(Paths.base)\(path)/unyank", as: caller).status.code
            }
            let own = try await yank("A typo.", as: scene.owner)
            #expect(own.yankedBy == .author && own.yankReason == "A typo.")
            #expect(try await unyank(as: scene.owner) == 200)
            let theirs = try await yank("Copied.", as: ada)
            #expect(theirs.yankedBy == .administrator && theirs.yankReason == "Copied.")
            #expect(try await unyank(as: scene.owner) == 403)
            // The owner cannot make it their own by yanking it once more.
            let again = try await yank("Mine.", as: scene.owner)
            #expect(again.yankedBy == .administrator && again.yankReason == "Copied.")
            #expect(try await unyank(as: scene.owner) == 403)
            let page = String(
                buffer: try await scene.send(.get, "/sheets/sheet", headers: [.accept: "text/html"]).body)
            #expect(page.contains("withdrawn by an administrator: Copied."))
            #expect(try await unyank(as: ada) == 200)
            // An administrator's word takes the place of an author's.
            _ = try await yank("A typo.", as: scene.owner)
            #expect(try await yank("Copied.", as: ada).yankedBy == .administrator)
            #expect(try await unyank(as: scene.owner) == 403)
            #expect(try await scene.get(path).json(VersionDetail.self).yankedBy == .administrator)
        }
    }
}
