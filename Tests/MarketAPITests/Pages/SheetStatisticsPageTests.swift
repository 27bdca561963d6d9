// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketPlatform

@Suite("The statistics of a sheet")
struct SheetStatisticsPageTests {
    /// A clock that stands, so that no day ends between two lines.
    private static let noon = Date(timeIntervalSince1970: 1_900_000_000)
    private static let home = "/sheets/sheet/downloads"

    @Test("Authors see downloads by day or week, as a chart, a table and a file; nobody else does")
    func downloads() async throws {
        try await CatalogScene.run { scene in
            let made = try await scene.addTemplate("Sheet")
            let today = UTCDay(scene.features.now()).text
            try await scene.features.database.execute(
                """
                INSERT INTO download_days (template_id, day, downloads)
                SELECT \(made.id), \(today)::text::date - ago, 3 + ago FROM unnest(ARRAY[0, 6, 40]) AS ago
                """)
            let stranger = UserID.make()
            try await scene.addUser(stranger, "stranger")
            let home = Self.home
            for path in [home, "\(home).csv"] {
                #expect(try await ManagePageTests.page(path, as: stranger, in: scene).status == 403)
            }
            #expect(try await scene.get("/templates/sheet/statistics", as: stranger).status == .forbidden)
            let month = try await ManagePageTests.page(home, as: scene.owner, in: scene)
            #expect(month.text.contains("12 downloads in the last 30 days. The best day was"))
            #expect(month.text.components(separatedBy: "<rect ").count - 1 == 30)
            #expect(month.text.contains("<td class=\"end\">9</td>") && month.text.contains("role=\"img\""))
            let year = try await ManagePageTests.page("\(home)?days=365", as: scene.owner, in: scene)
            #expect(year.text.contains("55 downloads in the last 365 days. The best week was"))
            #expect(year.text.components(separatedBy: "<rect ").count - 1 == 53)
            for wrong in ["days=7", "show=everything"] {
                #expect(try await ManagePageTests.page("\(home)?\(wrong)", as: scene.owner, in: scene).status == 422)
            }

            let file = try await scene.send(.get, "\(home).csv?days=90", as: scene.owner)
            let lines = String(buffer: file.body).components(separatedBy: "\r\n")
            #expect(file.headers[.contentType] == "text/csv; charset=utf-8")
            #expect(lines.count == 92 && lines.first == "day,downloads,installs,visits")
            #expect(lines[90] == "\(today),3,0,0")
            let manage = try await ManagePageTests.page("/sheets/sheet/manage", as: scene.owner, in: scene)
            #expect(manage.text.contains("href=\"\(home)\""))
        }
    }

    /// Somebody at `client` has the sheet's page shown.
    private static func visit(
        _ scene: CatalogScene, from client: String, by referrer: String? = nil, agent: String = "Mozilla/5.0"
    ) async throws {
        var headers: HTTPFields = [.xForwardedFor: client, .userAgent: agent]
        headers[.referer] = referrer
        let answer = try await scene.send(.get, "/sheets/sheet", headers: headers)
        #expect(answer.status == .ok)
    }

    private static func statistics(_ scene: CatalogScene) async throws -> TemplateStatistics {
        await scene.features.community.interest.flush()
        return try await scene.get("/templates/sheet/statistics", as: scene.owner).json(TemplateStatistics.self)
    }

    @Test("Visits are counted once a day and person, by the host of the link; rare hosts are told together")
    func sources() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            try await scene.addTemplate("Sheet")
            for number in 1...3 {
                let client = "192.0.2.\(number)"
                try await Self.visit(scene, from: client, by: "https://www.Forum.example.org/thread/\(number)")
                try await Self.visit(scene, from: client, by: "http://localhost/?gameSystem=dnd5e")
            }
            try await Self.visit(scene, from: "192.0.2.4", by: "https://rare.example.org/")
            try await Self.visit(scene, from: "192.0.2.5", by: "http://10.1.2.3/")
            try await Self.visit(scene, from: "192.0.2.6")
            try await Self.visit(scene, from: "192.0.2.7", by: "http://localhost/")
            try await Self.visit(scene, from: "192.0.2.8", agent: "Examplebot/2.0")
            let told = try await Self.statistics(scene)
            #expect(told.days.last?.visits == 7)
            #expect(
                told.sources == [
                    .init(source: "forum.example.org", visits: 3), .init(source: "direct", visits: 1),
                    .init(source: "market", visits: 1), .init(source: "other", visits: 2),
                ])
            let kept = try await scene.features.database.all("SELECT value FROM interest_days") {
                try $0.get(0, as: String.self)
            }
            #expect(!kept.contains { $0.contains("192.0.2") || $0.contains("thread") || $0.contains("10.1") })
            let page = try await ManagePageTests.page("\(Self.home)?show=visits", as: scene.owner, in: scene)
            #expect(
                page.text.contains("<th scope=\"row\">This market</th>") && page.text.contains("7 visits in the last"))
            let file = try await scene.send(.get, "\(Self.home).csv?of=sources", as: scene.owner)
            #expect(String(buffer: file.body).hasPrefix("source,visits\r\nforum.example.org,3\r\n"))
        }
    }

    @Test("A search is told once three people came by it on one day, and is written nowhere before")
    func searches() async throws {
        let clock = Mutex(Self.noon)
        try await CatalogScene.run(now: { clock.withLock { $0 } }) { scene in
            try await scene.addTemplate("Sheet")
            let search = "http://localhost/?gameSystem=dnd5e&q=Lantern++light"
            for _ in 0..<5 { try await Self.visit(scene, from: "192.0.2.1", by: search) }
            try await Self.visit(scene, from: "192.0.2.2", by: search)
            for number in 1...4 {
                try await Self.visit(scene, from: "192.0.2.\(number)", by: "http://localhost/?q=ada%40example.org")
                try await Self.visit(scene, from: "192.0.2.\(number)", by: "https://elsewhere.example.org/?q=secret")
            }
            #expect(try await Self.statistics(scene).searches == [])
            // The next day nobody is known any more.
            clock.withLock { $0 = Self.noon.addingTimeInterval(86_400) }
            try await Self.visit(scene, from: "192.0.2.3", by: search)
            #expect(try await Self.statistics(scene).searches == [])
            for number in 4...6 { try await Self.visit(scene, from: "192.0.2.\(number)", by: search) }
            // More letters than the table takes, though they look like sixty; and a formula behind a mark.
            let long = String(repeating: "e%CC%81%CC%81%CC%81", count: 60)
            for number in 4...6 {
                for words in [long, "%3D%CC%81cmd"] {
                    try await Self.visit(scene, from: "192.0.2.\(number)", by: "http://localhost/?q=\(words)")
                }
            }
            let formula = "=\u{301}cmd"
            #expect(
                try await Self.statistics(scene).searches == [
                    .init(term: "lantern light", visits: 4), .init(term: formula, visits: 3),
                ])
            let file = try await scene.send(.get, "\(Self.home).csv?of=searches", as: scene.owner)
            #expect(String(buffer: file.body) == "term,visits\r\nlantern light,4\r\n'\(formula),3\r\n")
        }
    }

    @Test("Downloads are told by version, those by programs apart, and the rating by day")
    func versions() async throws {
        try await CatalogScene.run(now: { Self.noon }) { scene in
            let made = try await scene.addTemplate("Sheet")
            let answer = try await scene.get("/templates/sheet/versions/latest/download")
            let address = try #require(answer.headers[.location])
            for (client, agent) in [("1", "Mozilla/5.0"), ("1", "Mozilla/5.0"), ("2", "sheets/1.0"), ("3", "a bot")] {
                _ = try await scene.send(
                    .get, address, headers: [.xForwardedFor: "192.0.2.\(client)", .userAgent: agent])
            }
            for (stars, ago) in [(5, 9), (2, 3), (5, 3)] {
                let reader = UserID.make()
                let written = Self.noon.addingTimeInterval(-86_400 * Double(ago))
                try await scene.addUser(reader, "reader-\(stars)-\(ago)-\(Int.random(in: 1...99999))")
                try await scene.features.database.execute(
                    """
                    INSERT INTO reviews (id, template_id, user_id, version_id, stars, created_at, updated_at)
                    SELECT gen_random_uuid(), \(made.id), \(reader), v.id, \(Int32(stars)), \(written), \(written)
                    FROM versions AS v WHERE v.template_id = \(made.id)
                    """)
            }
            let told = try await Self.statistics(scene)
            #expect(told.versions == [.init(version: .init(1, 0, 0), downloads: 2, installs: 1)])
            #expect(told.days.last?.installs == 1)
            #expect(told.ratings.map(\.reviews) == [1, 3] && told.ratings.map(\.mean) == [5, 4])
            let page = try await ManagePageTests.page(Self.home, as: scene.owner, in: scene)
            #expect(page.text.contains("4.0 of 5 from 3 reviews by now. It began with 5.0 of 5 from 1 review."))
            #expect(page.text.contains("<polyline points="))
        }
    }
}
