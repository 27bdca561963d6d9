// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import TestSupport
import Testing

@testable import MarketAPI

/// Queries with what they must find first, over a catalog that does not change (`Tests/Fixtures/relevance.json`).
/// A change of ranking that makes one of them worse is seen here; add queries freely, and change an expectation only with
/// a reason.
@Suite("What is found first")
struct RelevanceTests {
    struct Fixture: Decodable {
        struct System: Decodable {
            var slug: String
            var name: String
            var aliases: [String]
        }

        struct Query: Decodable {
            var why: String
            var query: String
            /// The first lines, in this order.
            var top: [String]
            /// The first lines, in whatever order.
            var among: [String]?
            /// Is found, after everything named above.
            var last: String?
            /// Are not found.
            var without: [String]?
            var count: Int?
            var corrected: String?
        }

        var systems: [System]
        var templates: [CatalogScene.Entry]
        var queries: [Query]
    }

    private static func fixture() throws -> Fixture {
        let file = BuildProducts.root.appendingPathComponent("Tests/Fixtures/relevance.json")
        return try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: file))
    }

    /// With everything popular, with a fifth of it, and with nothing: each way of reading the list must rank well.
    @Test("Every query of the frozen suite finds what it should", arguments: [50_000, 100, 0])
    func frozen(popular: Int) async throws {
        let fixture = try Self.fixture()
        try await CatalogScene.run { scene in
            for system in fixture.systems {
                try await scene.features.database.execute(
                    """
                    INSERT INTO game_systems (slug, name, aliases) VALUES (\(system.slug), \(system.name), \(system.aliases))
                    ON CONFLICT (slug) DO UPDATE SET name = excluded.name, aliases = excluded.aliases
                    """)
            }
            try await scene.addUser(.make(), "alice", named: "Alice")
            try await scene.add(fixture.templates)
            try await scene.index(popular: popular)
            // As if each word were common, so that the ways of a large catalog are gone.
            if popular > 0 { try await scene.features.database.execute("UPDATE search_terms SET uses = uses * 1000") }
            for query in fixture.queries { try await check(query, scene) }
        }
    }

    private func check(_ query: Fixture.Query, _ scene: CatalogScene) async throws {
        let address = query.query.split(separator: "&", omittingEmptySubsequences: false)
        // "&" is part of some words.
        var text = String(address[0])
        var filters: [Substring] = []
        for part in address.dropFirst() {
            if part.contains("=") { filters.append(part) } else { text += "&" + part }
        }
        let allowed = CharacterSet.alphanumerics
        let words = text.dropFirst(2).addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        let list = try await scene.list(
            (["q=\(words)", "limit=100"] + filters.map(String.init)).joined(separator: "&"))
        let names = list.templates.map(\.name)
        let context = "\(query.why): \(query.query) found \(names.prefix(6))"
        if query.among == nil { #expect(Array(names.prefix(query.top.count)) == query.top, "\(context)") }
        if let among = query.among {
            #expect(names.prefix(among.count).sorted() == among.sorted(), "\(context)")
            if let first = query.top.first { #expect(names.first == first, "\(context)") }
        }
        if let last = query.last {
            let place = names.firstIndex(of: last)
            #expect(place.map { $0 >= (query.among ?? query.top).count } == true, "\(context)")
        }
        for name in query.without ?? [] { #expect(!names.contains(name), "\(context)") }
        if let count = query.count { #expect(names.count == count, "\(context)") }
        #expect(list.correctedQuery == query.corrected, "\(context)")
    }
}
