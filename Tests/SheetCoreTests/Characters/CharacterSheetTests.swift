// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import CharacterCore
@testable import SheetCore

@Suite("A character's sheet as several devices edit it")
struct CharacterSheetTests {
    private static let noon = Date(timeIntervalSince1970: 1_800_000_000)

    /// Something that somebody might do.
    private func edit(_ sheet: inout CharacterSheet, _ maker: inout SheetMaker) -> SheetEdit {
        let page = maker.count(0...1)
        let drawing = sheet.content.drawings[page]
        let known = drawing?.elements ?? []
        switch maker.count(0...8) {
        case 7:
            let size = PageSize(width: maker.number(300...900), height: 792)
            return SheetEdit("Page", page: page, [.init(.page(page), .page(PageFrame(size: size)))])
        case 8:
            let layer = DrawingLayer(id: "own\(maker.count(0...1))", name: maker.text(), order: 5)
            return maker.chance(0.3)
                ? SheetEdit("Layer", page: page, [.init(.layer(page: page, id: layer.id), nil)])
                : .putting(layer, on: page)
        case 0: return SheetEdit("Rename", [.init(.field("name"), .field(.string(maker.text())))])
        case 1: return SheetEdit("Portrait", [.init(.field("portrait"), nil)])
        case 2 where !known.isEmpty:
            return .removing([known[maker.count(0...known.count - 1)].id], from: page)
        case 3 where !known.isEmpty:
            let ids = Set(known.filter { _ in maker.chance(0.5) }.map(\.id))
            let transform = SelectionTransform(dx: maker.number(-9...9), dy: 1)
            return .putting(drawing?.moved(ids, by: transform) ?? [], on: page, name: "Move")
        case 4:
            var layer = DrawingLayer.notes
            layer.opacity = maker.number(0...1)
            return .putting(layer, on: page)
        default:
            var element = maker.element(order: sheet.nextOrder(on: page), points: 3)
            element.id = sheet.newID()
            return .putting([element], on: page)
        }
    }

    @Test("undoing everything gives what was, doing it again what became of it", arguments: 0..<20)
    func undo(seed: Int) {
        var maker = SheetMaker(seed)
        var sheet = CharacterSheet(maker.character(pages: 2), device: maker.device)
        var states = [sheet.content]
        for _ in 0..<30 {
            let edit = edit(&sheet, &maker)
            if !sheet.perform(edit, at: Self.noon).isEmpty { states.append(sheet.content) }
        }
        func bare(_ content: SheetContent) -> SheetContent {
            var content = content
            content.character.changedAt = Self.noon
            return content
        }
        for state in states.dropLast().reversed() {
            #expect(!sheet.undo(.everything, at: Self.noon).isEmpty)
            #expect(bare(sheet.content) == bare(state))
        }
        #expect(sheet.undo(.everything).isEmpty)
        for state in states.dropFirst() {
            sheet.redo(.everything, at: Self.noon)
            #expect(bare(sheet.content) == bare(state))
        }
        #expect(sheet.redo(.everything).isEmpty)
    }

    @Test(
        "of one page, or of the character itself, all can be undone and done again; the rest stays", arguments: 0..<20)
    func undoByScope(seed: Int) {
        var maker = SheetMaker(seed)
        var sheet = CharacterSheet(maker.character(pages: 2), device: maker.device)
        let before = sheet.content
        for _ in 0..<40 { sheet.perform(edit(&sheet, &maker), joining: maker.chance(0.2), at: Self.noon) }
        let after = sheet.content
        func fields(_ content: SheetContent) -> [String: JSONValue] { content.character.fields }
        for page in 0...1 {
            while !sheet.undo(.page(page), at: Self.noon).isEmpty {}
            #expect(sheet.content.drawings[page] == before.drawings[page])
            #expect(sheet.content.drawings[1 - page] == after.drawings[1 - page])
            #expect(fields(sheet.content) == fields(after))
            while !sheet.redo(.page(page), at: Self.noon).isEmpty {}
            #expect(sheet.content.drawings == after.drawings)
        }
        while !sheet.undo(.character, at: Self.noon).isEmpty {}
        #expect(fields(sheet.content) == fields(before) && sheet.content.drawings == after.drawings)
        while !sheet.redo(.character, at: Self.noon).isEmpty {}
        #expect(fields(sheet.content) == fields(after) && sheet.content.drawings == after.drawings)
    }

    @Test("a layer and a page that two devices changed at once keep both, in an archive too, until somebody chooses")
    func pageConflicts() throws {
        var maker = SheetMaker(8)
        var here = CharacterSheet(maker.character(pages: 1), device: DeviceID(bits: 1))
        var there = here.copy(for: DeviceID(bits: 2))
        let (layerKey, pageKey) = (SheetKey.layer(page: 0, id: "notes"), SheetKey.page(0))
        func layer(_ opacity: Double) -> DrawingLayer {
            var layer = DrawingLayer.notes
            layer.opacity = opacity
            return layer
        }
        func frame(_ width: Double) -> SheetValue { .page(PageFrame(size: PageSize(width: width, height: 792))) }
        here.perform(.putting(layer(0.25), on: 0))
        here.perform(SheetEdit("Page", page: 0, [.init(pageKey, frame(100))]))
        there.perform(.putting(layer(0.5), on: 0))
        there.perform(SheetEdit("Page", page: 0, [.init(pageKey, frame(200))]))
        // Its last word is that the layer is as every page's.
        there.perform(.putting(DrawingLayer.notes, on: 0))
        here.merge(there)
        #expect(here.conflicts == [layerKey: [.layer(layer(0.25))], pageKey: [frame(100)]])
        let data = try CharacterArchive.write([ArchivedCharacter(here.content)], at: Self.noon)
        var carried = CharacterSheet(try #require(try CharacterArchive.read(data).characters.first).content)
        #expect(carried.conflicts == here.conflicts && carried.content.drawings[0]?.size.width == 200)
        #expect(carried.content.character.conflicts.map(\.field) == ["layer/0/notes", "page/0"])
        carried.settle(layerKey, .layer(layer(0.25)))
        carried.settle(pageKey, frame(100))
        #expect(carried.conflicts.isEmpty && carried.content.drawings[0]?.layers.contains(layer(0.25)) == true)
    }

    @Test("any order of delivery gives the same sheet, and nothing is lost", arguments: 0..<40)
    func merge(seed: Int) throws {
        var maker = SheetMaker(seed)
        let start = CharacterSheet(maker.character(pages: 2, elements: 3), device: DeviceID(bits: 1))
        var devices = (2...4).map { start.copy(for: DeviceID(bits: $0)) }
        var all: [SheetOperation] = []
        for _ in 0..<25 {
            let place = maker.count(0...2)
            let edit = edit(&devices[place], &maker)
            all +=
                maker.chance(0.2)
                ? devices[place].undo(.everything, at: Self.noon) : devices[place].perform(edit, at: Self.noon)
            // Now and then one hears some of what another did.
            if maker.chance(0.3) { devices[maker.count(0...2)].receive(all.filter { _ in maker.chance(0.5) }) }
        }
        var sheets = (0..<4).map { _ -> CharacterSheet in
            var sheet = start.copy()
            // Each once, some twice.
            sheet.receive((all + all.filter { _ in maker.chance(0.3) }).shuffled(using: &maker.random))
            return sheet
        }
        // And by copies of the whole instead of operations, in two orders.
        for order in [[0, 1, 2], [2, 0, 1]] {
            var sheet = start.copy()
            for place in order { sheet.merge(devices[place]) }
            sheets.append(sheet)
        }
        let first = try #require(sheets.first)
        for sheet in sheets {
            #expect(sheet.agrees(with: first))
            #expect(sheet.content == first.content)
        }
        var twice = first
        twice.merge(first)
        #expect(twice.agrees(with: first))
        // What nobody replaced stands on the page or among the conflicts: members, elements, layers and pages.
        let replaced = Set(all.flatMap(\.replaces))
        let drawings = first.content.drawings
        for operation in all where !replaced.contains(operation.id) {
            guard let value = operation.value else { continue }
            if case .element(let element) = value, case .element(let page, _) = operation.key {
                // Under its own name, or under that of the edit that made it.
                let found = [element.id, operation.id].contains { id in
                    var shown = drawings[page]?[id]
                    shown?.id = element.id
                    return shown == element
                }
                #expect(found, "\(operation)")
            } else {
                let lost = first.conflicts[operation.key] ?? []
                #expect(first.value(at: operation.key) == value || lost.contains(value), "\(operation)")
            }
        }
        // And an archive carries it all.
        let carried = CharacterSheet(first.content)
        #expect(carried.content == first.content && carried.conflicts.count == first.conflicts.count)
        #expect(
            try SheetJSON.decoder().decode(CharacterSheet.self, from: SheetJSON.encoder().encode(first)).agrees(
                with: first))
    }

    @Test("two names given at once are both kept until somebody chooses")
    func fieldConflict() {
        var maker = SheetMaker(1)
        var here = CharacterSheet(maker.character(pages: 1), device: DeviceID(bits: 1))
        var there = here.copy(for: DeviceID(bits: 2))
        let key = SheetKey.field("name")
        here.perform(SheetEdit("Rename", [.init(key, .field(.string("Brom")))]))
        there.perform(SheetEdit("Rename", [.init(key, .field(.string("Bromley")))]))
        here.merge(there)
        #expect(here.content.character.name == "Bromley")
        #expect(here.content.character.conflicts == [FieldConflict(field: "name", value: .string("Brom"))])
        // A third name does not end it, and an archive carries it.
        here.perform(SheetEdit("Rename", [.init(key, .field(.string("Bram")))]))
        #expect(here.conflicts == [key: [.field(.string("Brom"))]])
        #expect(CharacterSheet(here.content).content == here.content)
        here.settle(key, .field(.string("Brom")))
        there.merge(here)
        #expect(there.conflicts.isEmpty && there.content.character.name == "Brom")
    }

    @Test(
        "one drawing moved at once on two devices stands on the page twice; a removed one that was changed comes back")
    func elementConflict() throws {
        var maker = SheetMaker(2)
        let content = SheetContent(
            character: maker.character(pages: 0).character, drawings: [0: maker.drawing(elements: 1)])
        var here = CharacterSheet(content, device: DeviceID(bits: 1))
        var there = here.copy(for: DeviceID(bits: 2))
        let element = try #require(content.drawings[0]?.elements.first)
        here.perform(.putting([element.applying(.init(dx: 5))], on: 0))
        there.perform(.putting([element.applying(.init(dy: 5))], on: 0))
        here.merge(there)
        let both = try #require(here.content.drawings[0]).elements
        #expect(both.count == 2 && both[0].id != both[1].id)
        // Each is one of its own from now on.
        here.perform(.removing([both[1].id], from: 0))
        #expect(here.content.drawings[0]?.elements.map(\.content) == [both[0].content])
        here.undo(.page(0))
        #expect(Set(here.content.drawings[0]?.elements ?? []) == Set(both))
        here.perform(.removing([both[0].id], from: 0))
        #expect(here.content.drawings[0]?.elements.map(\.content) == [both[1].content])
        there.merge(here)
        let last = try #require(there.content.drawings[0]?.elements.first)
        here.perform(.removing([last.id], from: 0))
        there.perform(.putting([last.applying(.init(dx: 1))], on: 0))
        here.merge(there)
        #expect(here.content.drawings[0]?.elements.count == 1)
    }

    @Test(
        "undo takes back one's own steps only, page by page, as many as are kept; letters typed in a row are one step")
    func scopes() {
        var maker = SheetMaker(3)
        var here = CharacterSheet(maker.character(pages: 2), device: DeviceID(bits: 1))
        func rename(_ name: String) -> SheetEdit { SheetEdit("Type", [.init(.field("name"), .field(.string(name)))]) }
        here.perform(rename("B"))
        here.perform(rename("Br"), joining: true)
        here.perform(rename("Bro"), joining: true)
        var element = maker.element(order: 99, points: 2)
        element.id = here.newID()
        here.perform(.putting([element], on: 1))
        #expect(here.history.undoName(.character) == "Type" && here.history.undoName(.page(1)) == "Draw")
        here.undo(.character)
        #expect(here.content.character.name.hasPrefix("Brom ") && here.history.undoName(.character) == nil)
        here.redo(.character)
        #expect(here.content.character.name == "Bro" && here.content.drawings[1]?[element.id] != nil)
        // Another device moved it since: it stays.
        var there = here.copy(for: DeviceID(bits: 2))
        here.receive(there.perform(.putting([element.applying(.init(dx: 1))], on: 1)))
        #expect(here.undo(.page(1)).isEmpty && here.content.drawings[1]?[element.id] != nil)
        for step in 0..<250 { here.perform(rename("\(step)")) }
        var steps = 0
        while !here.undo(.character).isEmpty { steps += 1 }
        #expect(steps == EditHistory.most)
    }

    @Test("a file or a device that counts to the end leaves this one numbers to go on with")
    func bounds() throws {
        var maker = SheetMaker(5)
        var sheet = CharacterSheet(maker.character(pages: 1), device: DeviceID(bits: 1))
        let rename = SheetEdit("Rename", [.init(.field("name"), .field(.string("Brom")))])
        sheet.receive([
            SheetOperation(
                id: EditID(device: DeviceID(bits: 1), number: .max - 1), clock: .max, date: Self.noon,
                key: .field("notes"), value: .field(.string("Far")), replaces: [])
        ])
        #expect(!sheet.perform(rename).isEmpty && sheet.newID().number < .max)
        var members = try #require(
            try JSONSerialization.jsonObject(with: SheetJSON.encoder().encode(sheet)) as? [String: Any])
        members["number"] = Int.max
        members["clock"] = Int.max
        members["operations"] = [Any]()
        var read = try SheetJSON.decoder().decode(
            CharacterSheet.self, from: JSONSerialization.data(withJSONObject: members))
        #expect(!read.perform(rename).isEmpty)
        let element = PageElement(
            id: EditID(device: DeviceID(bits: 1), number: .max - 1), order: 1, .stroke(Stroke(points: [])))
        var content = maker.character(pages: 0)
        content.drawings[0] = PageDrawing(size: PageSize(width: 1, height: 1), elements: [element])
        var made = CharacterSheet(content, device: DeviceID(bits: 1))
        #expect(made.newID().number < .max)
    }

    @Test("what lost stands in one order, whatever the order of members in memory")
    func conflictOrder() {
        var maker = SheetMaker(6)
        let start = CharacterSheet(maker.character(pages: 0), device: DeviceID(bits: 1))
        let values = (1...9).map { number in
            let members = (0..<12).map { ("\(($0 * number) % 12)", JSONValue.integer(number)) }
            return JSONValue.object(Dictionary(members) { $1 })
        }
        var sheet = start.copy(for: DeviceID(bits: 2))
        for (place, value) in values.enumerated() {
            var other = start.copy(for: DeviceID(bits: UInt64(place) + 3))
            sheet.receive(other.perform(SheetEdit("Spirit", [.init(.field("spirit"), .field(value))])))
        }
        let lost = sheet.content.character.conflicts.map(\.value.json)
        #expect(lost.count == 8 && lost == lost.sorted())
    }

    @Test("the last ten saves are kept once each, say what changed, and any can be had again", arguments: 0..<5)
    func saves(seed: Int) throws {
        var maker = SheetMaker(seed)
        var sheet = CharacterSheet(maker.character(pages: 2), device: maker.device)
        var saves = SaveHistory()
        var kept: [SheetContent] = []
        for minute in 0..<25 {
            let date = Self.noon + Double(60 * minute)
            if minute % 3 != 2 { sheet.perform(edit(&sheet, &maker), at: date) }
            if try saves.save(sheet.content, at: date) { kept.append(sheet.content) }
        }
        #expect(saves.saves.count == min(10, kept.count))
        #expect(Set(saves.parts.keys) == Set(saves.saves.flatMap { [$0.character] + $0.pages.values }))
        for (save, content) in zip(saves.saves.reversed(), kept.reversed()) {
            let read = try saves.content(of: save)
            #expect(try read == content.rounded())
            sheet.perform(sheet.edit("Restore", to: read))
            #expect(sheet.content.drawings == read.drawings && sheet.content.character.name == read.character.name)
        }
        #expect(saves.saves.last?.changes.isEmpty == false)
    }
}

extension SheetContent {
    /// As a file of it reads.
    func rounded() throws -> SheetContent {
        var made = self
        made.drawings = try drawings.mapValues { try DrawingFile.read(DrawingFile.write($0)).drawing }
        return made
    }
}
