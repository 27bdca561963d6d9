// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import Postgres
import SheetCore
import Synchronization
import TestSupport
import Testing

@testable import MarketCatalog
@testable import MarketSearch

@Suite("Which way matches are found")
struct SearchPlanChoiceTests {
    private static let shares = ["a": 0.5, "b": 0.2, "it's": 0.1, "back\\slash": 0.4]

    @Test(
        "How much fits a query is reckoned from its words, as PostgreSQL writes it",
        arguments: [
            ("'a'", 0.5, 0.5, 1), ("'a':A", 0.5, 0.5, 1), ("'a' & 'b'", 0.1, 0.2, 2),
            ("'a' | 'b'", 0.6, 0.7, 2), ("'a' & !'b'", 0.4, 0.5, 2), ("'a' <-> 'b'", 0.1, 0.2, 2),
            ("'a' <2> 'b' | 'a'", 0.55, 0.7, 3), ("( 'a' | 'b' ) & 'it''s'", 0.06, 0.1, 3),
            ("('a') & 'back\\\\slash'", 0.2, 0.4, 2), ("!( 'a' | 'b' )", 0.4, 1, 2), ("'unheard'", 0.01, 0.01, 1),
            ("", 0, 0, 0), ("'a' &", 0, 0, 0), ("'a", 0, 0, 0), ("('a'", 0, 0, 0),
            (String(repeating: "(", count: 5000) + "'a'", 0, 0, 0),
        ] as [(String, Double, Double, Int)])
    func estimate(_ query: String, _ share: Double, _ passed: Double, _ lexemes: Int) {
        let estimate = MatchEstimate(of: query) { Self.shares[$0] ?? 0.01 }
        #expect(abs(estimate.share - share) < 1e-9 && abs(estimate.passed - passed) < 1e-9, "\(estimate)")
        #expect(estimate.lexemes == lexemes)
    }

    @Test("A time behind which some share lies is found between the bounds that are known")
    func times() {
        let statistics = CatalogStatistics(bounds: ["updated_at": [0, 10, 20, 40]])
        func time(_ share: Double, before last: Double? = nil) -> Double? {
            statistics.time(of: "updated_at", behind: share, before: last).map { ($0 * 1000).rounded() / 1000 }
        }
        #expect(time(0.5) == 15)
        #expect(time(0.1, before: 100) == 34)
        #expect(time(0.25, before: 30) == 17.5)
        #expect(time(0.9, before: 20) == nil)
        #expect(time(0.1, before: -5) == nil)
        #expect(statistics.time(of: "published_at", behind: 0.1, before: nil) == nil)
    }

    @Test("A block is the same whichever way it is found, also where common words come late")
    func blocks() async throws {
        try await CatalogScene.run { scene in
            // The ledgers come so late that reading for as long as is expected meets some, not all that are wanted.
            try await scene.add(
                (0..<1200).map {
                    CatalogScene.Entry($0 < 700 ? "Dragon sheet \($0)" : "Dragon ledger \($0)", downloads: 5000 - $0)
                })
            try await scene.index(popular: 1000)
            let database = scene.features.database
            let known = try await CatalogStatistics.read(database)
            #expect(known.popular == 1000)
            #expect(known.estimate(of: "'dragon'").share > 0.9 && known.estimate(of: "'unheard'").share < 0.01)
            let misled = CatalogStatistics(popular: 1000, shares: ["dragon": 1, "dnd5e": 1, "ledger": 1])
            for (query, count) in [
                ("'dragon' & 'dnd5e'", 300), ("'dragon' & 'ledger' & 'dnd5e'", 300), ("'unheard'", 0),
            ] {
                let criteria = RelevanceStore.Criteria(
                    words: query, rankedBy: query, preferred: nil, filters: SearchFilters(CatalogQuery()))
                let places: [(from: Int, to: Int?)] = [(0, nil), (0, 350), (650, nil), (650, 1000)]
                for bounds in places {
                    let blockRequest = RelevanceStore.BlockRequest(
                        criteria: criteria,
                        bounds: .popular(generation: nil, from: bounds.from, to: bounds.to, former: false))
                    let indexed = try await RelevanceStore.block(blockRequest, CatalogStatistics(), database)
                    if bounds == (0, nil) { #expect(indexed.matches.count == count) }
                    for statistics in [known, misled] {
                        let block = try await RelevanceStore.block(blockRequest, statistics, database)
                        #expect(block.matches.map(\.id) == indexed.matches.map(\.id), "\(query) \(bounds)")
                        #expect(block.to == indexed.to && block.generation == indexed.generation)
                    }
                }
            }
        }
    }

    @Test("Words of most templates are looked at on the rows that fit the filters, and find the same")
    func leftToTheRows() async throws {
        try await CatalogScene.run { scene in
            try await scene.add(
                (0..<60).map {
                    CatalogScene.Entry(
                        $0 % 3 == 0 ? "Wyrm \($0)" : "Dragon \($0)", $0 < 30 ? "dnd5e" : "pathfinder2e", downloads: $0)
                })
            try await scene.index(popular: 10)
            let common = CatalogStatistics(
                all: 1_000_000, popular: 10, shares: ["dragon": 0.9, "=s:pathfinder2e": 0.001])
            var query = CatalogQuery()
            query.gameSystem = "pathfinder2e"
            let filters = SearchFilters(query)
            let lexemes = try #require(filters.lexemes)
            #expect(common.isCheaper(lexemes, without: "'dragon'"))
            #expect(!common.isCheaper(lexemes, without: "'wyrm'"))
            #expect(!common.isCheaper("'dragon'", without: "'dragon'"), "nothing is spared where all fits")
            // Of a word whose uses are known it is not reckoned, and what must not fit is never asked for alone.
            let known = common.split("'wyrm' & 'dragon' & !'ledger'", uses: ["wyrm": 900_000, "dragon": 20])
            #expect(known.asked == "('dragon')" && known.left == "('wyrm') & (!'ledger')")
            #expect(common.split("'dragon' | 'wyrm'", uses: [:]).left == nil)
            #expect(common.split("!'ledger' & !'dragon'", uses: [:]).left == nil)
            #expect(CatalogStatistics().split("'wyrm' & 'dragon'", uses: ["wyrm": 1]).left == nil)
            let criteria = RelevanceStore.Criteria(
                words: "'dragon'", rankedBy: "'dragon'", preferred: nil, filters: filters)
            let blockRequest = RelevanceStore.BlockRequest(criteria: criteria, bounds: .few(least: nil))
            let database = scene.features.database
            let left = try await RelevanceStore.block(blockRequest, common, database)
            let indexed = try await RelevanceStore.block(blockRequest, CatalogStatistics(), database)
            #expect(left.matches.map(\.id) == indexed.matches.map(\.id) && left.matches.count == 20)
            // Without filters the same goes for words among themselves.
            let words = "'dragon' & 'pathfinder2e'"
            let plain = RelevanceStore.Criteria(
                words: words, rankedBy: "'dragon'", preferred: nil, filters: SearchFilters(CatalogQuery()),
                uses: ["dragon": 900_000, "pathfinder2e": 30])
            #expect(common.split(words, uses: plain.uses) == ("('pathfinder2e')", "('dragon')"))
            let rest = RelevanceStore.BlockRequest(criteria: plain, bounds: .few(least: nil))
            #expect(try await RelevanceStore.block(rest, common, database).matches.map(\.id) == left.matches.map(\.id))
        }
    }

    @Test(
        "A query is taken apart where all of it has to fit",
        arguments: [
            ("'a'", ["'a'"]), ("'a' & 'b' & !'c'", ["'a'", "'b'", "!'c'"]),
            ("'a' & ( 'b' | 'c' )", ["'a'", "'b' | 'c'"]),
            ("'a' | 'b' & 'c'", ["'a' | 'b' & 'c'"]),
            ("(('a' & 'b')) & !( 'c' & 'd' )", ["'a'", "'b'", "!( 'c' & 'd' )"]),
            ("('a' & 'b') & ('c' | 'd')", ["'a'", "'b'", "'c' | 'd'"]),
            ("'a' <-> 'b' & 'c':A", ["'a' <-> 'b'", "'c':A"]),
            ("('a') <-> ('b')", ["('a') <-> ('b')"]),
            (#"'it''s & so' & 'back\\(' & 'a\'|'"#, ["'it''s & so'", #"'back\\('"#, #"'a\'|'"#]),
            ("", [""]), ("('a'", ["('a'"]), ("'a", ["'a"]),
        ] as [(String, [String])])
    func parts(_ query: String, _ parts: [String]) {
        #expect(QueryConjuncts.all(of: query) == parts)
    }

    @Test("Lexemes of a query are replaced by others, but those with weights")
    func replaced() {
        let query = #"'a' & !( 'it''s' | 'a':B ) & 'a\\'"#
        let found = QueryConjuncts.replacing(query) { ["a": "('x' & 'y')", "it's": "'z'", #"a\"#: "'w'"][$0] }
        #expect(found == "('x' & 'y') & !( 'z' | 'a':B ) & 'w'")
        #expect(QueryConjuncts.replacing(query) { _ in nil } == query)
        #expect(QueryConjuncts.replacing("'open") { _ in nil } == "'open")
    }

    @Test("Words of systems' names are looked for together with the system, and find the same")
    func systemWords() async throws {
        try await CatalogScene.run { scene in
            try await scene.add(
                (0..<60).map {
                    CatalogScene.Entry(
                        $0 % 6 == 0 ? "Cthulhu \($0)" : "Ledger \($0)", $0 < 30 ? "call-of-cthulhu" : "dnd5e")
                })
            try await scene.index(popular: 10)
            try await scene.addTemplate("Cthulhu at last")
            let database = scene.features.database
            let statistics = try await CatalogStatistics.read(database)
            let paired = statistics.paired(
                "('cthulhu' & !'=n:ledger' & ( '=n:cthulhu' | 'ledger' )) & '=s:dnd5e'", of: "dnd5e")
            #expect(
                paired
                    == "('=w:dnd5e/cthulhu') & (!'=n:ledger') & (('=w:dnd5e/cthulhu' & '=n:cthulhu') | 'ledger')")
            #expect(statistics.paired("'ledger' & '=s:dnd5e'", of: "dnd5e") == "'ledger' & '=s:dnd5e'")
            #expect(statistics.paired("'call' <-> 'cthulhu'", of: "dnd5e") == "'call' <-> 'cthulhu'")
            for (system, count) in [("dnd5e", 6), ("call-of-cthulhu", 30)] {
                var query = CatalogQuery()
                query.gameSystem = system
                for words in ["'cthulhu'", "'=n:cthulhu'", "'cthulhu' & !'=n:ledger'", "'cthulhu' | 'ledger'"] {
                    let criteria = RelevanceStore.Criteria(
                        words: words, rankedBy: "'cthulhu'", preferred: nil, filters: SearchFilters(query))
                    let blockRequest = RelevanceStore.BlockRequest(criteria: criteria, bounds: .few(least: nil))
                    let found = try await RelevanceStore.block(blockRequest, statistics, database)
                    let plain = try await RelevanceStore.block(blockRequest, CatalogStatistics(), database)
                    #expect(found.matches.map(\.id) == plain.matches.map(\.id), "\(words) in \(system)")
                    if words == "'cthulhu'" { #expect(found.matches.count == count) }
                }
            }
        }
    }

    @Test(
        "What arrives between pages moves nothing of a list of some hundred matches out of it, or into it twice",
        arguments: [(499, 2), (501, 1), (500, 3)])
    func arrivals(_ count: Int, _ more: Int) async throws {
        try await CatalogScene.run { scene in
            try await scene.add((0..<count).map { CatalogScene.Entry("Ledger \($0)", downloads: $0) })
            try await scene.index(popular: 10)
            let database = scene.features.database
            let words = try await SearchTermStore.lookUp(SearchWords("ledger"), endings: nil, database)
            for seconds in [0.0, 3600] {
                let memory = SearchCache(seconds: seconds)
                let search = RelevanceSearch(
                    database: database, cache: memory, words: words, filters: SearchFilters(CatalogQuery()), limit: 97)
                let there = try await database.all("SELECT id FROM listings") { try $0.get(0, as: TemplateID.self) }
                let all = RelevanceCursor(.all, .few(least: nil))
                var page = try await search.page(from: all)
                var found = page.ids
                for number in 0..<more {
                    try await scene.addTemplate("Ledger \(number) of \(seconds)", downloads: 90_000)
                }
                memory.removeAll()
                while let next = page.next {
                    // As a client hands it on.
                    let place = try #require(RelevanceCursor(keys: next.keys))
                    page = try await search.page(from: place)
                    found += page.ids
                }
                #expect(Set(found).count == found.count)
                #expect(Set(there).isSubset(of: found))
            }
        }
    }

    @Test(
        "Filters of any length and spelling find nothing, and no fault",
        arguments: [
            String(repeating: "a", count: 2100), String(repeating: "👩🏽‍🚀", count: 300), "x'\u{301}", "\\\u{301}", "a/b",
            "'", "it's",
        ])
    func oddFilters(_ text: String) async throws {
        try await CatalogScene.run { scene in
            try await scene.add((0..<3).map { CatalogScene.Entry("Cthulhu \($0)", "call-of-cthulhu") })
            try await scene.index(popular: 1)
            let value = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            for filter in ["gameSystem", "tag", "author", "license", "language"] {
                for words in ["", "&q=cthulhu", "&q=cthulhu&sort=updated"] {
                    let list = try await scene.list("\(filter)=\(value)\(words)")
                    #expect(list.templates.isEmpty)
                }
            }
        }
    }

    @Test("Words that are rare together are asked for once; where they turn out not to be, as common ones are")
    func rareTogether() async throws {
        try await CatalogScene.run { scene in
            try await scene.add(
                (0..<1200).map { number in
                    let words = [
                        number < 400 ? "alpha" : "", number >= 390 && number < 790 ? "beta" : "",
                        number < 590 ? "gamma delta" : "",
                    ]
                    return CatalogScene.Entry("Sheet \(number) \(words.joined(separator: " "))", downloads: number)
                })
            try await scene.index(popular: 1000)
            let log = StatementLog(database: scene.features.database)
            for (text, count, blocks) in [("alpha beta sheet", 10, 1), ("gamma delta sheet", 590, 2)] {
                let memory = SearchCache()
                let words = try await memory.lookUp(SearchWords(text), endings: nil, log)
                #expect(words.uses["sheet"] == 1200)
                let search = RelevanceSearch(
                    database: log, cache: memory, words: words, filters: SearchFilters(CatalogQuery()), limit: 20)
                log.forget()
                var page = try await search.page(from: nil)
                #expect(log.statements { $0.contains("WITH block") } == blocks, "\(text)")
                var found = page.ids
                while let next = page.next {
                    page = try await search.page(from: next)
                    found += page.ids
                }
                #expect(found.count == count && Set(found).count == count, "\(text)")
            }
        }
    }

    @Test("Common words are read on for, rare ones looked up; where reading holds too few, the index is asked")
    func plans() async throws {
        let statistics = CatalogStatistics(popular: 50_000, shares: ["common": 0.8, "medium": 0.02, "rare": 0.0004])
        func plans(_ query: String, behind place: Int = 0, found: Int) async throws -> [PopularMatchPlanner.Plan] {
            var tried: [PopularMatchPlanner.Plan] = []
            _ = try await PopularMatchPlanner.find(300, of: query, behind: place, statistics, matches: { found }) {
                plan in
                tried.append(plan)
            }
            return tried
        }
        #expect(try await plans("'common'", found: 300) == [.reading(to: 1125)])
        #expect(try await plans("'common'", behind: 1000, found: 299) == [.reading(to: 2125), .index])
        #expect(try await plans("'common'", behind: 49_000, found: 299) == [.reading(to: Int(Int32.max))])
        #expect(try await plans("'medium'", found: 300) == [.index])
        #expect(try await plans("'rare' & 'common'", found: 5) == [.index])
        #expect(try await plans("", found: 0) == [.index])
        #expect(PopularMatchPlanner.plan(to: 500, of: "'common'", behind: 0, to: 400, statistics) == .reading(to: 400))
        #expect(PopularMatchPlanner.plan(to: 500, of: "'medium'", behind: 0, to: 30_000, statistics) == .index)
        let last = Int(Int32.max)
        #expect(PopularMatchPlanner.plan(to: 500, of: "'common'", behind: 0, to: last, statistics) == .index)
        #expect(
            PopularMatchPlanner.plan(to: 500, of: "'common'", behind: 49_000, to: last, statistics)
                == .reading(to: last))
    }

    @Test("Lines of a text are counted")
    func tally() {
        let counts = LineTally.counts("=t:print\n=l:en\n=t:print\n=t:añejo\n")
        #expect(
            Dictionary(uniqueKeysWithValues: counts.map { ($0.line, $0.count) }) == [
                "=t:print": 2, "=l:en": 1, "=t:añejo": 1,
            ])
        #expect(LineTally.counts("").isEmpty)
    }
}

/// Runs statements, and keeps them.
private final class StatementLog: PostgresExecutor {
    private let database: any PostgresExecutor
    private let kept = Mutex<[String]>([])

    init(database: any PostgresExecutor) {
        self.database = database
    }

    func run(_ query: PostgresQuery, at site: PostgresCallSite) async throws -> PostgresResult {
        kept.withLock { $0.append(query.sql) }
        return try await database.run(query, at: site)
    }

    func forget() { kept.withLock { $0 = [] } }

    func statements(where condition: (String) -> Bool) -> Int { kept.withLock { $0.filter(condition).count } }
}
