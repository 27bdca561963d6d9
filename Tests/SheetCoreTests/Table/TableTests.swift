// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

@testable import CharacterCore

@Suite("At the table")
struct TableTests {
    // MARK: - Rolls

    @Test("a book keeps numbers and formulas, a history what was rolled, both bounded")
    func books() throws {
        var book = RollBook(name: "Mira")
        try book.set("str", to: 4)
        try book.save("hit: 1d20 + @str", as: "attack")
        #expect(try book.formula("attack").variables == ["str"])
        #expect(try book.formula("2d6").description == "2d6")
        #expect(throws: DiceError.self) { try book.save("4d", as: "broken") }
        #expect(throws: DiceError.self) { try book.set("a}b", to: 1) }
        #expect(try JSONDecoder().decode(RollBook.self, from: JSONEncoder().encode(book)) == book)
        var history = RollHistory()
        for number in 0..<600 {
            var generator = SeededGenerator(seed: UInt64(number))
            let outcomes = try RollFormula("300d6").roll(using: &generator)
            history.add(
                .init(
                    rolledAt: Date(timeIntervalSince1970: 0), formula: "\(number)", book: nil, seed: 1,
                    outcomes: outcomes))
        }
        #expect(history.entries.count == RollHistory.maximumEntries && history.entries.last?.formula == "599")
        #expect(history.entries[0].outcomes[0].groups.isEmpty)
    }

    // MARK: - Oracles

    @Test("what is local overrides what is imported, and phrases are filled with words")
    func oracle() throws {
        func word(_ text: String, _ meaning: String, _ category: String?) -> VocabularyPack.Word {
            .init(word: text, romanization: text.uppercased(), meaning: meaning, category: category)
        }
        let phrase = VocabularyPack.Phrase(
            name: "Name a sword", meaning: "the … sword of …",
            components: [.init(type: "Adjective"), .init(type: "noun", text: "geom"), .init(type: "place")])
        let local = VocabularyPack(words: [word("red", "crimson", "adjective")], phrases: [])
        let imported = VocabularyPack(
            words: [word("red", "red", "Adjective"), word("old", "ancient", "adjective"), word("hi", "hello", nil)],
            phrases: [phrase])
        let skill = SkillLibrary.Skill(id: "hack", name: "Hacking", category: "Tech")
        let oracle = Oracle(local: [local], imported: [imported], skills: [skill])
        #expect(oracle.tables.map(\.name) == ["adjective", "Tech", "words"])
        #expect(oracle.table("ADJECTIVE")?.entries.map(\.meaning) == ["crimson", "ancient"])
        var generator = SeededGenerator(seed: 3)
        let answer = try #require(oracle.draw("name a sword", using: &generator))
        #expect(answer.text == "\(answer.parts[0].text) geom [place]")
        #expect(answer.meaning == "the \(answer.parts[0].meaning ?? "") sword of …")
        #expect(answer.romanization == "\(answer.parts[0].text.uppercased()) geom [place]")
        #expect(oracle.draw("tech", using: &generator)?.text == "Hacking")
        #expect(oracle.draw("nothing", using: &generator) == nil)
        let drawn = Set((0..<50).compactMap { _ in oracle.draw("adjective", using: &generator)?.text })
        #expect(drawn == ["red", "old"])
    }

    @Test("imported skills take from their source what they do not say themselves")
    func skills() {
        let core = SkillLibrary(
            name: "Core", templates: [.init(id: "lore", name: "Lore", category: "Mind", maximumRank: 5)])
        let middle = SkillLibrary(
            name: "Middle",
            templates: [
                .init(id: "lore", name: "Lore", scope: .imported, attribute: "INT", source: .init(library: "Core")),
                .init(id: "loop", name: "Loop", scope: .imported, source: .init(library: "Middle")),
            ])
        let mine = SkillLibrary(
            name: "Mine",
            templates: [
                .init(
                    id: "lore", name: "Old lore", scope: .imported, maximumRank: 3,
                    source: .init(library: "Middle", version: "2")),
                .init(id: "loop", name: "Loop", scope: .imported, source: .init(library: "Middle")),
                .init(id: "gone", name: "Gone", scope: .imported, source: .init(library: "Core")),
                .init(id: "own", name: "Own"),
            ])
        let made = SkillComposition.resolved(mine, from: [(core, nil), (middle, "2")])
        #expect(made.skills[0].name == "Old lore" && made.skills[0].maximumRank == 3)
        #expect(made.skills[0].category == "Mind" && made.skills[0].attribute == "INT")
        #expect(made.missing == ["loop", "gone"])
    }

    // MARK: - Initiative

    private func trio() throws -> Initiative {
        var order = Initiative()
        try order.add("Goblin", score: 12)
        try order.add("Mira", score: 18)
        try order.add("Tam", score: 12, tiebreaker: 2)
        try order.add("Wolf", score: 12)
        return order
    }

    @Test("scores, tiebreakers and joining settle the order; ties can be placed by hand")
    func order() throws {
        var order = try trio()
        #expect(order.combatants.map(\.name) == ["Mira", "Tam", "Goblin", "Wolf"])
        #expect(order.ties == [["Goblin", "Wolf"]])
        try order.place("wolf", before: "Goblin")
        #expect(order.combatants.map(\.name) == ["Mira", "Tam", "Wolf", "Goblin"])
        #expect(throws: Initiative.Refusal.self) { try order.place("Mira", before: "Tam") }
        #expect(throws: Initiative.Refusal.self) { try order.add("MIRA", score: 1) }
        #expect(throws: Initiative.Refusal.self) { try order.delay() }
        #expect(try order.next() == [.round(1), .turn("Mira")])
        #expect(try order.remove("Mira") == [.turn("Tam")])
        try order.setScore("Goblin", to: 30)
        #expect(order.combatants.map(\.name) == ["Goblin", "Tam", "Wolf"])
    }

    @Test("in each round each acts once, and conditions of n turns last n turns, whoever delays")
    func laws() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            var order = Initiative()
            let names = (0..<(2 + generator.number(below: 5))).map { "c\($0)" }
            for name in names {
                try order.add(name, score: generator.number(below: 4), tiebreaker: generator.number(below: 2))
            }
            _ = try order.next()
            let cursed = names[generator.number(below: names.count)]
            let turns = 1 + generator.number(below: 3)
            let moment: Initiative.Condition.Moment = generator.number(below: 2) == 0 ? .start : .end
            try order.begin("cursed", of: cursed, turns: turns, moment: moment)
            var acted = [order.current ?? ""]
            // Who was interrupted by somebody back from a delay goes on with the same turn.
            var interrupted: Set<String> = []
            var ended: Int?
            while order.round < 8 {
                let round = order.round
                let waiting = order.combatants.first { $0.isDelaying }
                let active = order.combatants.count { !$0.isDelaying }
                let events: [Initiative.Event]
                switch generator.number(below: 4) {
                case 0 where active > 1:
                    acted.removeAll { $0 == order.current }
                    events = try order.delay()
                case 1 where waiting != nil:
                    interrupted.insert(order.current ?? "")
                    events = try order.act(waiting?.name ?? "")
                default: events = try order.next()
                }
                if events.contains(.ended(condition: "cursed", of: cursed)) { ended = ended ?? round }
                if order.round != round { acted = [] }
                let current = try #require(order.current)
                if interrupted.remove(current) == nil {
                    #expect(!acted.contains(current))
                    acted.append(current)
                }
            }
            let last = try #require(ended)
            #expect((turns - 1...turns + 1).contains(last), "\(turns) turns ended in round \(last)")
        }
    }

    @Test("when whoever is up leaves while all others delay, these are called back, and the round goes on")
    func allDelaying() throws {
        var order = try trio()
        _ = try order.next()
        try order.begin("dazed", of: "Mira", turns: 2)
        for name in ["Mira", "Tam", "Goblin"] {
            #expect(order.current == name)
            _ = try order.delay()
        }
        #expect(try order.remove("Wolf").isEmpty && order.current == nil)
        #expect(throws: Initiative.Refusal.self) { try order.next() }
        #expect(throws: Initiative.Refusal.self) { try order.act("Wolf") }
        #expect(try order.act("Goblin") == [.turn("Goblin")])
        #expect(try order.act("Mira") == [.turn("Mira")])
        #expect(order.combatants.map(\.name) == ["Mira", "Goblin", "Tam"] && order.round == 1)
        #expect(try order.next() == [.turn("Goblin")])
        #expect(try order.next() == [.round(2), .delaying("Tam"), .turn("Mira")])
        #expect(try order.next() == [.ended(condition: "dazed", of: "Mira"), .turn("Goblin")])
    }

    @Test("an order that an earlier version kept goes on")
    func earlierFile() throws {
        let json = #"""
            {"format":1,"round":1,"current":"Mira","combatants":[
            {"name":"Mira","score":18,"tiebreaker":0,"isDelaying":false,"conditions":[],"hasEnded":true},
            {"name":"Tam","score":12,"tiebreaker":0,"isDelaying":false,"readied":"a noise","conditions":[]}]}
            """#
        var order = try JSONDecoder().decode(Initiative.self, from: Data(json.utf8))
        #expect(try order.next() == [.lapsed(trigger: "a noise", of: "Tam"), .turn("Tam")])
        #expect(try JSONDecoder().decode(Initiative.self, from: JSONEncoder().encode(order)) == order)
    }

    @Test("delaying, readying and conditions tell what happens")
    func events() throws {
        var order = try trio()
        _ = try order.next()
        try order.begin("blessed", of: "Tam", turns: 1)
        #expect(try order.delay() == [.turn("Tam")])
        #expect(
            try order.ready(trigger: "the door opens") == [.ended(condition: "blessed", of: "Tam"), .turn("Goblin")])
        #expect(try order.act("mira") == [.turn("Mira")])
        #expect(order.combatants.map(\.name) == ["Tam", "Mira", "Goblin", "Wolf"])
        #expect(try order.next() == [.turn("Goblin")])
        #expect(try order.trigger("Tam") == "the door opens")
        #expect(throws: Initiative.Refusal.self) { try order.trigger("Tam") }
        _ = try order.next()
        #expect(try order.next() == [.round(2), .turn("Tam")])
        _ = try order.ready(trigger: "a shout")
        for _ in 0..<2 { _ = try order.next() }
        #expect(try order.next() == [.round(3), .lapsed(trigger: "a shout", of: "Tam"), .turn("Tam")])
        let copy = try JSONDecoder().decode(Initiative.self, from: JSONEncoder().encode(order))
        #expect(copy == order)
    }

    // MARK: - Campaigns

    @Test("notes are kept by day and found by all words in any case and accent")
    func campaign() throws {
        var campaign = try Campaign(name: "The Long Road", gameSystem: "dnd5e")
        let day = try #require(CalendarDay("2026-03-01"))
        let later = try #require(CalendarDay("2026-03-08"))
        try campaign.write("They met Zoë.\nA storm came.", title: "Second", on: later)
        let first = try campaign.write("An inn, and a café by the sea.", title: "First", on: day)
        #expect(campaign.notes.map(\.title) == ["First", "Second"])
        #expect(campaign.search("ZOE storm").map(\.note.title) == ["Second"])
        #expect(campaign.search("ZOE storm").first?.excerpt == "They met Zoë.")
        #expect(campaign.search("CAFE\u{301}").map(\.note.id) == [first.id])
        #expect(campaign.search("zoe inn").isEmpty && campaign.search("  ").isEmpty)
        #expect(campaign.search("2026-03").map(\.note.title) == ["Second", "First"])
        try campaign.join(.init(name: "Mira", player: "Ada"))
        try campaign.join(.init(id: "0198", name: "mira"))
        #expect(campaign.members == [.init(id: "0198", name: "mira", player: "Ada")])
        campaign.archive()
        #expect(throws: Campaign.Refusal.self) { try campaign.erase(first.id) }
        campaign.archive(false)
        try campaign.erase(first.id)
        try campaign.leave("MIRA")
        #expect(try JSONDecoder().decode(Campaign.self, from: JSONEncoder().encode(campaign)) == campaign)
        #expect(["2026-02-29", "2026-13-01", "26-1-1", "2026-04-31", ""].allSatisfy { CalendarDay($0) == nil })
        #expect(CalendarDay("2024-02-29") != nil)
    }
}
