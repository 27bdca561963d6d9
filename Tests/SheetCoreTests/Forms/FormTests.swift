// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation
import SheetCore
import Testing

@Suite("Fields of forms")
struct FormTests {
    @Test(
        "fields are known by the names that sheets of a system give them, however they are written",
        arguments: [
            ("dnd5e", "CharacterName 2", "name"), ("dnd5e", "STR", "strength"),
            ("dnd5e", "DEXmod ", "dexterity_modifier"),
            ("dnd5e", "CHamod", "charisma_modifier"), ("dnd5e", "ST Wisdom", "wisdom_save"),
            ("dnd5e", "Wpn Name", "attack_1_name"), ("dnd5e", "Wpn3 AtkBonus  ", "attack_3_bonus"),
            ("dnd5e", "Wpn Name 2", "attack_2_name"), ("dnd5e", "HPMax", "hit_points_maximum"),
            ("dnd5e", "identity-heros-name", "name"), ("dnd5e", "combat-armor-class", "armor_class"),
            ("dnd5e", "abilities-strength-score", "strength"), ("dnd5e", "attacks-bonus-05", "attack_5_bonus"),
            ("dnd5e", "skills-sleight-of-hand-proficient", "sleight_of_hand_proficient"),
            ("dnd5e", "form1[0].page1[0].ARMOR_CLASS[0]", "armor_class"),
            ("pathfinder2e", "spell_entry88_rank", "spell_88_rank"), ("pathfinder2e", "Fort", "fortitude"),
            ("call-of-cthulhu", "Investigators_Name", "name"), ("call-of-cthulhu", "POW_half", "power_half"),
            ("cepheus-engine", "weapon_type_03", "weapon_3_name"), ("cairn", "Max HP", "hit_protection_maximum"),
            ("the-dark-eye", "KK", "strength"), ("the-dark-eye", "Körperkraft", "strength"),
        ])
    func presets(_ system: String, _ field: String, _ name: String) {
        #expect(FieldMatcher(gameSystem: system).meaning(of: field) == name)
    }

    @Test("what is something else is not taken for a field that sounds alike")
    func strangers() {
        let matcher = FieldMatcher(gameSystem: "dnd5e")
        for field in [
            "companions-name", "companions-ac-2", "Text21", "Check Box 11", "spell-list-range", "Schaltfläche2.0", "",
        ] {
            #expect(matcher.meaning(of: field) == nil, "\(field)")
        }
    }

    @Test("each game system of which fields are known has a way through its sheets' regions, too")
    func zoomPresets() {
        for system in FieldNames.presets.compactMap(\.gameSystem) {
            let own = ZoomPreset.known(for: system).filter { $0.gameSystem == system }
            #expect(own.contains { !$0.stops.isEmpty }, "\(system)")
        }
    }

    @Test("no preset has a name twice, each field's own name is known, and the likely system is found")
    func tables() throws {
        for preset in FieldNames.presets {
            let system = try #require(preset.gameSystem)
            let matcher = FieldMatcher(gameSystem: system)
            for name in preset.fields.keys {
                let asked = name.replacing("#", with: "7")
                #expect(matcher.meaning(of: asked) == asked, "\(system): \(name)")
            }
        }
        #expect(FieldNames.likely(for: ["STR", "DEX", "CON", "WIS", "Inspiration", "HDTotal"]) == "dnd5e")
        #expect(FieldNames.likely(for: ["Name", "Notes", "Text1"]) == nil)
    }

    @Test("a mapping of one's own counts first; others than such are refused")
    func mappings() throws {
        let json = #"{"format":"fieldnames","formatVersion":1,"fields":{"strength":["Text#1"],"x_#":["A # B #"]}}"#
        let own = try FieldNames.read(Data(json.utf8))
        let matcher = FieldMatcher(gameSystem: "dnd5e", own: own)
        #expect(matcher.meaning(of: "STR") == "strength" && matcher.meaning(of: "A 2 b 3") == "x_2")
        #expect(try FieldNames.read(SheetJSON.encoder().encode(own)) == own)
        for wrong in [
            "{", #"{"format":"x","formatVersion":1,"fields":{}}"#,
            #"{"format":"fieldnames","formatVersion":2,"fields":{}}"#,
            #"{"format":"fieldnames","formatVersion":1,"fields":{"":["a"]}}"#,
        ] {
            #expect(throws: FormatFailure.self) { try FieldNames.read(Data(wrong.utf8)) }
        }
    }

    @Test("a form takes what it can hold, tells the rest, and gives the same back")
    func filling() throws {
        let form = [
            FormField(name: "Character Name", kind: .text), FormField(name: "STR", kind: .text, maximumLength: 2),
            FormField(name: "Backstory", kind: .text, isMultiline: true), FormField(name: "Bonds", kind: .text),
            FormField(name: "STR prof", kind: .checkBox), FormField(name: "Serial", kind: .text, isReadOnly: true),
            FormField(
                name: "Alignment", kind: .radio, options: [.init(label: "Lawful", value: "0")]),
            FormField(name: "Push", kind: .other), FormField(name: "Text9", kind: .text),
        ]
        var character = PlayerCharacter(id: .make(), name: "Brom", createdAt: Date())
        character.values = [
            "strength": "16", "backstory": "One\nTwo", "bonds": "A\nB", "strength_save_proficient": "yes",
            "Serial": "9", "alignment": "lawful", "gold": "7",
        ]
        let names = FieldMatcher(gameSystem: "dnd5e")
        let filling = FormFilling.into(form, from: character, names)
        let values = Dictionary(uniqueKeysWithValues: filling.entries.map { ($0.field, $0.value) })
        #expect(
            values == [
                "Character Name": "Brom", "STR": "16", "Backstory": "One\nTwo", "Bonds": "A B", "STR prof": "yes",
                "Alignment": "Lawful",
            ])
        #expect(filling.refused.map(\.field) == ["Serial"])
        #expect(filling.unmatchedFields == ["Text9"] && filling.unmatchedNames == ["gold"])
        character.values["strength"] = "160"
        #expect(FormFilling.into(form, from: character, names).refused.map(\.field) == ["STR", "Serial"])
        character.values["strength"] = "16"

        // What is read from it changes nothing: neither the line that was joined nor what is empty.
        var filled = form.map { field in
            var field = field
            field.value = values[field.name] ?? ""
            return field
        }
        #expect(FormFilling.out(of: filled, into: character, names).edit.changes.isEmpty)
        filled[1].value = "18"
        filled[4].value = ""
        filled[8].value = "Own"
        filled[3].value = ""
        let read = FormFilling.out(of: filled, into: character, names)
        #expect(
            Set(read.filling.entries.map { "\($0.name)=\($0.value)" }) == [
                "strength=18", "strength_save_proficient=no", "Text9=Own",
            ])
        #expect(read.filling.unmatchedFields == ["Serial", "Text9"])
        let cleared = FormFilling.out(of: filled, into: character, names, clearing: true)
        var sheet = CharacterSheet(SheetContent(character: character))
        sheet.perform(cleared.edit)
        #expect(sheet.content.character.values["bonds"] == nil && sheet.content.character.values["strength"] == "18")
        sheet.undo(.everything)
        #expect(sheet.content.character.values == character.values)
    }

    @Test("fields and rolls merge one by one, and travel in archives with the edits that made them")
    func merging() throws {
        var character = PlayerCharacter(
            id: .make(), name: "Brom", createdAt: Date(timeIntervalSince1970: 1_700_000_000))
        character.values = ["strength": "16", "a/b": "c"]
        character.rolls = ["hit": "1d20 + @str"]
        let drawing = PageDrawing(size: PageSize(width: 612, height: 792))
        var mine = CharacterSheet(SheetContent(character: character, drawings: [0: drawing]))
        let line = Stroke(points: [InkPoint(x: 1.0001, y: 2, width: 2), InkPoint(x: 50, y: 60, width: 2)])
        mine.perform(
            .putting(
                [PageElement(id: mine.newID(), layer: DrawingLayer.base.id, order: 1, .stroke(line))], on: 0))

        func carried(_ sheet: CharacterSheet) throws -> ArchivedCharacter {
            var archived = ArchivedCharacter(sheet.content)
            try archived.tellEdits(of: sheet)
            let reading = try CharacterArchive.read(CharacterArchive.write([archived], at: Date()))
            return try #require(reading.characters.first)
        }
        let first = try carried(mine)
        var theirs = try #require(first.mergeable).copy()
        #expect(theirs.content.character == mine.content.character)
        #expect(theirs.content.drawings[0]?.elements.count == 1)
        func set(_ sheet: inout CharacterSheet, _ values: [String: String]) {
            sheet.perform(SheetEdit("Fields", sheet.content.character.changes(to: values)))
        }
        set(&mine, ["strength": "18", "level": "2"])
        set(&theirs, ["strength": "10", "gold": "5"])
        theirs.perform(.removing(theirs.content.drawings[0]?.elements.map(\.id) ?? [], from: 0))
        let other = try #require(try carried(theirs).mergeable)
        mine.merge(other)
        #expect(mine.content.character.values["level"] == "2" && mine.content.character.values["gold"] == "5")
        #expect(mine.content.drawings[0]?.elements.isEmpty == true)
        #expect(mine.conflicts.map(\.key) == [.field("values/strength")])
        // Conflicts travel, too, and end everywhere once they are settled.
        var third = try #require(try carried(mine).mergeable).copy()
        #expect(third.conflicts.count == 1)
        third.settle(.field("values/strength"), .field("18"))
        mine.merge(try #require(try carried(third).mergeable))
        #expect(mine.conflicts.isEmpty && mine.content.character.values["strength"] == "18")

        // A program that knows no edits changed it: nobody can say how.
        var changed = first
        changed.content.character.values["strength"] = "3"
        #expect(changed.mergeable == nil && changed.sheet.content.character.values["strength"] == "3")
        changed.others["edits.json"] = Data("{".utf8)
        #expect(changed.mergeable == nil)
    }

    @Test("what two devices did to one element is told by an archive as it stands")
    func mergingElements() throws {
        let character = PlayerCharacter(
            id: .make(), name: "Brom", createdAt: Date(timeIntervalSince1970: 1_700_000_000))
        let drawing = PageDrawing(size: PageSize(width: 612, height: 792))
        var mine = CharacterSheet(SheetContent(character: character, drawings: [0: drawing]))
        func shape(_ x: Double) -> PageElement.Content {
            .shape(Shape(.rectangle, from: PagePoint(x, 10.001), to: PagePoint(100, 50)))
        }
        var element = PageElement(id: mine.newID(), layer: DrawingLayer.base.id, order: 1, shape(1))
        mine.perform(.putting([element], on: 0))
        var theirs = mine.copy()
        element.content = shape(2.0001)
        mine.perform(.putting([element], on: 0))
        element.content = shape(3.0001)
        theirs.perform(.putting([element], on: 0))
        mine.merge(theirs)
        #expect(mine.content.drawings[0]?.elements.count == 2)
        var archived = ArchivedCharacter(mine.content)
        try archived.tellEdits(of: mine)
        let reading = try CharacterArchive.read(CharacterArchive.write([archived], at: Date()))
        let read = try #require(reading.characters.first?.mergeable)
        #expect(read.content.drawings[0]?.elements.map(\.id) == mine.content.drawings[0]?.elements.map(\.id))
        theirs.merge(read)
        #expect(theirs.content.drawings[0]?.elements.count == 2)
    }

    @Test("keys of archives are those that OpenSSL writes; anything else is refused")
    func keys() throws {
        // openssl genpkey -algorithm ed25519, and openssl pkey -pubout of it
        let pem = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----

            """
        let key = try ArchiveKey(pem: pem)
        // RFC 8032, section 7.1, test 1.
        #expect(key.publicKey == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        #expect(key.pem == pem)
        for wrong in [
            "", pem.replacing("PRIVATE", with: "PUBLIC"), pem.replacing("MC4C", with: "MC4D"), "\(pem.dropFirst(40))",
        ] {
            #expect(throws: FormatFailure.self) { try ArchiveKey(pem: wrong) }
        }
    }
}
