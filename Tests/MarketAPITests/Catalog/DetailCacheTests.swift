// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import MarketPlatform
import MarketWire
import NIOCore
import NIOFoundationCompat
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketHTTP
@testable import MarketPages
@testable import MarketSearch

@Suite("Templates in full, remembered as JSON")
struct DetailCacheTests {
    /// The answer, which must be what the database says now, in the bytes and with the tag that encoding it gives.
    private func answer(_ scene: CatalogScene, _ path: String) async throws -> TemplateDetail {
        let response = try await scene.get(path)
        let detail = try response.json(TemplateDetail.self)
        let fresh = try await VersionReader(database: scene.features.database)
            .detail(.id(detail.summary.id), channel: path.hasSuffix("beta") ? .beta : .stable)
        let encoded = try ByteBuffer.json(fresh)
        #expect(String(buffer: response.body) == String(buffer: encoded), "\(path)")
        #expect(response.headers[.eTag] == EntityTag.of(encoded, state: fresh.editState), "\(path)")
        return detail
    }

    @Test("A template is the same, byte for byte, whether it is written or remembered, whoever asks")
    func same() async throws {
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero)) { scene in
            let made = try await scene.addTemplate(
                #"Wanderer's "Sheet" / ü 🎲 \"#, summary: "One\nand\ttwo.", tags: ["print", "a4"], rating: 10.0 / 3)
            _ = try await answer(scene, "/templates/\(made.slug)")
            _ = try await answer(scene, "/templates/\(made.id)")
            let signedIn = try await scene.get("/templates/\(made.slug)", as: scene.owner)
            let nobody = try await scene.get("/templates/\(made.slug)")
            #expect(signedIn.body == nobody.body)
            let figures = scene.features.catalog.details.figures
            #expect(figures.misses == 1 && figures.hits == 3)
        }
    }

    @Test("Whatever changes in a template is in the next answer, also behind the node's back")
    func changes() async throws {
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero)) { scene in
            let made = try await scene.addTemplate("Sheet")
            let ann = try await scene.person("ann")
            let path = "/templates/\(made.id)"
            #expect(try await answer(scene, path).summary.name == "Sheet")
            let patch = TemplatePatch(name: "Folio", description: "More.", slug: "folio")
            #expect(try await scene.send(.patch, path, as: scene.owner, json: patch).status == .ok)
            let renamed = try await answer(scene, path)
            #expect(renamed.summary.name == "Folio" && renamed.summary.slug == "folio")
            #expect(renamed.description == "More.")

            try await scene.addVersion("1.1.0", of: made, pages: 3)
            #expect(try await answer(scene, path).latest.pages.count == 3)
            #expect(try await scene.review("folio", as: ann, 4).status == .created)
            #expect(try await answer(scene, path).ratings?.count == 1)
            let deprecation = DeprecationRequest(message: "Old.")
            let deprecated = try await scene.send(.put, "\(path)/deprecation", as: scene.owner, json: deprecation)
            #expect(deprecated.status == .ok)
            #expect(try await answer(scene, path).deprecation?.message == "Old.")

            let database = scene.features.database
            try await database.execute("UPDATE submission_pages SET form_fields = 77")
            #expect(try await answer(scene, path).latest.pages.first?.formFields == 77)
            try await database.execute("UPDATE users SET handle = 'renamed' WHERE id = \(scene.owner)")
            #expect(try await answer(scene, path).summary.author == "renamed")
            try await scene.takeDown("1.1.0", of: made)
            #expect(try await answer(scene, path).latest.version == SemanticVersion(1, 0, 0))
            try await scene.takeDown("1.0.0", of: made)
            #expect(try await scene.get(path).status == .gone)
        }
    }

    @Test("A beta and the stable version are told apart")
    func channels() async throws {
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero)) { scene in
            let made = try await scene.addTemplate("Sheet")
            try await scene.addVersion("2.0.0-beta.1", of: made, channel: .beta)
            for _ in 0..<2 {
                #expect(try await answer(scene, "/templates/sheet").latest.version == SemanticVersion(1, 0, 0))
                #expect(try await answer(scene, "/templates/sheet?channel=beta").latest.channel == .beta)
            }
        }
    }

    @Test("The memory stays within its bound")
    func bounded() async throws {
        try await CatalogScene.run(responses: ResponseCache(timeToLive: .zero)) { scene in
            let memory = DetailCache(capacityBytes: 6000)
            let reader = VersionReader(database: scene.features.database)
            for number in 0..<12 {
                let made = try await scene.addTemplate("Sheet \(number)")
                for _ in 0..<2 { _ = try await reader.row(of: .id(made.id), .latest).written(memory) }
                #expect(memory.figures.bytes > 0 && memory.figures.bytes <= 6000)
            }
            #expect(memory.figures.hits == 12 && memory.figures.misses == 12)
        }
    }

    @Test("The benchmark has pgbench ask the same of the database")
    func benchmark() throws {
        let path = BuildProducts.root.appending(path: "Benchmarks/detail.sql")
        let asked = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").dropFirst()
        let query = VersionStore.detailsQuery("t.slug = 'bench-' || :n;", version: VersionKey.latest.condition)
        #expect(words(asked.joined(separator: " ")) == words(query.sql))
    }

    private func words(_ sql: String) -> [Substring] { sql.split(whereSeparator: \.isWhitespace) }
}
