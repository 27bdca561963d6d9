// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

@testable import SheetLayout

@Suite("Scores of candidates")
struct ScoreTests {
    /// The numbers that `Training/golden.py` makes.
    private func rows(_ count: Int, _ features: Int) -> [[Int16]] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            (0..<features).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int16(Int(state >> 40) % 2001 - 500)
            }
        }
    }

    @Test("the trees say what the trainer says they say")
    func golden() throws {
        let forest = try #require(RegionScores.standard?.first)
        #expect(forest.featureCount == ForestGolden.measures)
        #expect(rows(16, forest.featureCount).map(forest.score) == ForestGolden.scores)
        let second = try #require(RegionScores.standard?.second)
        #expect(second.featureCount == ForestGolden.secondMeasures)
        #expect(rows(16, second.featureCount).map(second.score) == ForestGolden.secondScores)
    }

    @Test("what is no file of trees is refused")
    func garbage() {
        #expect(ScoreForest([]) == nil)
        #expect(RegionScores(first: [], second: []) == nil)
        #expect(ScoreForest(Array("SMF1".utf8)) == nil)
        // One tree whose split leads back to itself.
        let loop: [UInt8] = Array("SMF1".utf8) + [1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0]
        #expect(ScoreForest(loop) == nil)
        let good: [UInt8] = Array("SMF1".utf8) + [1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0xFF, 0xFE, 10, 0, 20, 0]
        #expect(RegionScores(first: good, second: good) == nil)
        #expect(ScoreForest(good)?.score([5]) == 10)
        #expect(ScoreForest(good)?.score([6]) == 20)
        #expect(ScoreForest(good)?.score([6, 7]) == 0)
    }

    @Test("the measures of a page are as many as the trees expect, and the same every time")
    func measures() throws {
        var sketch = PageSketch()
        sketch.block("Skills", 40, 60, 250, 320)
        sketch.block("Combat", 320, 60, 250, 320)
        let page = sketch.finished()
        let (names, found) = RegionFinder().candidates(on: page)
        #expect(names.count == RegionScores.standard?.first.featureCount)
        #expect(Set(names).count == names.count)
        #expect(names[TitlePlaces.title] == "title" && names[TitlePlaces.titleIsHeading] == "titleIsHeading")
        #expect(names[TitlePlaces.titleIsTerm] == "titleIsTerm" && names[TitlePlaces.footIsHeading] == "footIsHeading")
        #expect(RegionScores.standard?.sieve.map { names.count > $0.featureCount } == true)
        #expect(!found.isEmpty && found.allSatisfy { $0.measures.count == names.count })
        let again = RegionFinder().candidates(on: page).found
        #expect(found.map(\.measures) == again.map(\.measures))
    }
}

@Suite("What is measured of candidates beside each other")
struct ContextTests {
    /// The numbers that `Training/golden.py` makes boxes and scores of.
    private func candidates(_ count: Int) -> [LikelyCandidate] {
        var state: UInt64 = 7
        func next(_ most: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 40) % most
        }
        return (0..<count).map { _ in
            let (left, top) = (next(20) * 20, next(24) * 20)
            let box = PixelBox(
                left: left, top: top, right: left + 20 + next(10) * 20, bottom: top + 20 + next(10) * 20)
            return LikelyCandidate(
                box: box, score: 1_201 + next(9_000), title: next(4) * 60, titleIsHeading: next(2) == 1,
                titleIsTerm: next(2) == 1, footIsHeading: next(2) == 1)
        }
    }

    @Test("Swift measures what the trainer measures")
    func golden() {
        let all = candidates(60)
        let context = ContextMeasures(all, pageArea: 600 * 800)
        let rows = all.indices.map { place in
            [Int16](unsafeUninitializedCapacity: 64) { room, made in
                var features = CandidateFeatures(in: room)
                context.add(place, to: &features)
                made = features.count
            }
        }
        #expect(Array(rows.prefix(ForestGolden.context.count)) == ForestGolden.context)
    }

    @Test("a page full of likely candidates is cut down to the best, in their own order")
    func likely() {
        #expect(ContextMeasures.likely([5_000, 1_200, 1_201]) == [0, 2])
        let many = ContextMeasures.likely((0..<1_000).map { 2_000 + $0 })
        #expect(many == Array(1_000 - ContextMeasures.most..<1_000))
    }
}

@Suite("The sieve before the scores")
struct SieveTests {
    private func search() throws -> RegionSearch {
        var sketch = PageSketch()
        for row in 0..<4 {
            for column in 0..<2 {
                sketch.block("Block \(row) \(column)", 40 + 280 * column, 40 + 180 * row, 250, 150)
            }
        }
        return try #require(RegionSearch(sketch.finished()))
    }

    @Test("what it looks at are the first measures of all")
    func outlines() throws {
        let (search, sieve) = (try search(), try #require(RegionScores.standard?.sieve))
        let forest = try #require(RegionScores.standard?.first)
        let outlines = try #require(search.measures.outlines(of: search.boxes.all, each: sieve.featureCount))
        let values = try #require(search.measures.values(of: search.boxes.all, each: forest.featureCount))
        for place in search.boxes.all.indices {
            let outline = outlines[(place * sieve.featureCount)..<((place + 1) * sieve.featureCount)]
            #expect(values[(place * forest.featureCount)...].starts(with: outline))
        }
    }

    @Test("it lets through all that can be chosen, and not all of the rest")
    func passes() throws {
        let search = try search()
        let scores = try #require(RegionScores.standard)
        let sifted = search.sifted(by: scores)
        #expect(sifted.count < search.boxes.all.count)
        let (left, all) = (search.scored(sifted, by: scores), search.scored(search.boxes.all, by: scores))
        #expect(RegionChoice(candidates: left).best().map(\.box) == RegionChoice(candidates: all).best().map(\.box))
    }
}

@Suite("Terms of character sheets")
struct RegionTermsTests {
    @Test(
        "headings of several languages have their kind",
        arguments: [
            ("Skills", "skills"), ("EQUIPMENT", "equipment"), ("Weapons:", "combat"), ("Zauber", "spells"),
            ("Ausrüstung", "equipment"), ("Compétences", "skills"), ("Perícias", "skills"), ("Punti Ferita", "combat"),
            ("Class Features", "features"), ("Attribute", "abilities"), ("Campaign Notes", "notes"),
            ("Hechizos", "spells"), ("Equipo", "equipment"), ("Umiejętności", "skills"), ("Broń i pancerz", "combat"),
            ("技能", "skills"), ("武器・防具", "combat"), ("所持品（装備）", "equipment"), ("冒険の記録", "notes"),
        ])
    func kinds(_ heading: String, _ kind: String) {
        #expect(RegionTerms.standard.kind(ofHeading: heading) == kind)
    }

    @Test("what is no term has no kind")
    func unknown() {
        #expect(RegionTerms.standard.kind(ofHeading: "Xyzzy") == nil)
        #expect(RegionTerms.standard.kind(ofHeading: "") == nil)
    }

    @Test("terms are read line by line, the first of two counts, and other lines are passed over")
    func lines() {
        let text = "# combat: no\n\n[* en]\nidentityFields: name, eye colour\nskills: lore, old lore\nnotes: lore, ab\n"
        let terms = RegionTerms(Array(text.utf8))
        #expect(terms.identity == ["name", "eye", "colour"])
        #expect(terms.abilities.isEmpty)
        #expect(terms.kind(ofHeading: "Old Lore") == "skills")
        #expect(terms.kind(ofHeading: "More lore") == "skills")
        #expect(terms.kind(ofHeading: "AB") == "notes")
        #expect(terms.kind(ofHeading: "AB CD") == nil)
        #expect(terms.kind(ofHeading: "no") == nil)
    }

    @Test("the terms that ship are written as the words of headings are compared")
    func shipped() throws {
        let text = String(decoding: PackageResources.terms_txt, as: UTF8.self)
        for line in text.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("[") {
            let colon = try #require(line.firstIndex(of: ":"))
            for term in line[line.index(after: colon)...].split(separator: ",") {
                let term = term.dropFirst()
                #expect(RegionTerms.words(of: String(term)).joined(separator: " ") == term)
            }
        }
    }

    @Test("the kind of a region survives encoding, old regions have none, and odd kinds are dropped")
    func coding() throws {
        let rect = NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
        let region = ZoomRegion(id: "skills", name: "Skills", rect: rect, pageIndex: 0, kind: "skills")
        let decoded = try JSONDecoder().decode(ZoomRegion.self, from: JSONEncoder().encode(region))
        #expect(decoded == region && decoded.kind == "skills")
        let old = Data(
            #"{"id":"a","name":"A","rect":{"x":0,"y":0,"width":1,"height":1},"scale":1,"pageIndex":0}"#.utf8)
        #expect(try JSONDecoder().decode(ZoomRegion.self, from: old).kind == nil)
        #expect(ZoomRegion(id: "a", name: "A", rect: rect, pageIndex: 0, kind: "No kind!").kind == nil)
    }
}
