// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import CharacterCore
@testable import SheetCore

@Suite("Formats of characters, older and newer")
struct CharacterFormatTests {
    private static let noon = CharacterArchiveTests.noon

    /// What a newer program might add.
    private func news(_ maker: inout SheetMaker) -> [String: JSONValue] {
        let values: [JSONValue] = [
            .null, .bool(true), .integer(7), .number(0.5), .string(maker.text()), .array([.integer(1), .null]),
            .object(["deep": .object(["er": .string("x")])]),
        ]
        return Dictionary((0..<maker.count(1...3)).map { ("new\($0)", values[maker.count(0...6)]) }) { $1 }
    }

    /// A page with something new in whatever stands on it, and in itself.
    private func page(_ maker: inout SheetMaker) -> PageDrawing {
        let plain = maker.drawing(elements: 12, points: 1...6)
        let elements = plain.elements.map { element -> PageElement in
            var element = element
            if maker.chance(0.3) { element.unknown = news(&maker) }
            switch element.content {
            case .stroke(var stroke):
                if maker.chance(0.5) { stroke.unknown = news(&maker) }
                element.content = .stroke(stroke)
            case .shape(var shape):
                shape.unknown = news(&maker)
                element.content = .shape(shape)
            case .text(var box):
                box.unknown = news(&maker)
                element.content = .text(box)
            case .image(var image):
                image.unknown = news(&maker)
                element.content = .image(image)
            case .foreign(var ink):
                ink.unknown = news(&maker)
                element.content = .foreign(ink)
            case .unknown: break
            }
            return element
        }
        var layer = DrawingLayer(id: "mine", name: "Mine", order: 7, blendMode: .multiply)
        layer.unknown = news(&maker)
        return PageDrawing(
            size: plain.size, layers: DrawingLayer.standard + [layer], elements: elements,
            unknownBlocks: [.init(kind: 9, flags: 1, count: 2, payload: Data([1, 2]))], unknown: news(&maker))
    }

    @Test("what a newer program added, anywhere, is there after every round trip", arguments: 0..<25)
    func unknown(seed: Int) throws {
        var maker = SheetMaker(seed)
        var character = maker.character(pages: 0)
        character.drawings[0] = page(&maker)
        var palette = Palette.standard
        palette.unknown = news(&maker)
        character.character.palettes = [palette]
        character.character.template?.unknown = news(&maker)
        character.character.unknown = news(&maker)
        // What is rounded once is not rounded again; a stroke with something new is not rounded at all.
        let content = try character.rounded()
        #expect(content.drawings[0]?.unknown == character.drawings[0]?.unknown)
        #expect(content.drawings[0]?.layers == character.drawings[0]?.layers)
        let news = character.drawings[0]?.elements.map(\.unknown)
        #expect(content.drawings[0]?.elements.map(\.unknown) == news)
        // As a sheet that devices edit, and as its file.
        let sheet = CharacterSheet(content)
        #expect(sheet.content == content)
        let stored = try CharacterSheet.read(SheetJSON.encoder().encode(sheet))
        #expect(stored.content == content)
        // As a save.
        var saves = SaveHistory()
        try saves.save(content, at: Self.noon)
        #expect(try saves.content(of: #require(saves.saves.first)) == content)
        // As an archive, with what stands beside the characters in it.
        var archived = ArchivedCharacter(content, template: Data("sheet".utf8), others: ["voice/a.opus": Data([1])])
        archived.surroundings.files = ["club/rules.txt": Data("x".utf8)]
        archived.surroundings.manifest = self.news(&maker)
        archived.surroundings.entry = self.news(&maker)
        let data = try CharacterArchive.write([archived], at: Self.noon)
        let read = try CharacterArchive.read(data)
        #expect(read.characters == [archived])
        #expect(try CharacterArchive.write(read.characters, at: Self.noon) == data)
    }

    // MARK: - Versions

    /// A format that has changed twice.
    private struct Changed: VersionedFormat, Equatable {
        static let formatName = "A test"
        static let formatVersion = 3
        static let maximumBytes = 1000
        static let migrations: [Int: FormatMigration] = [
            1: { members in members["title"] = members.removeValue(forKey: "name") },
            2: { members in
                guard case .integer(let page)? = members["page"] else { throw FormatFailure("/page", "No page.") }
                members["page"] = .integer(page - 1)
            },
        ]

        var title: String
        var page: Int

        private enum CodingKeys: String, CodingKey { case title, page }

        init(title: String, page: Int) { (self.title, self.page) = (title, page) }

        init(from decoder: any Decoder) throws {
            if let older = try Self.migrated(decoder) {
                self = older
                return
            }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            title = try container.decode(String.self, forKey: .title)
            page = try container.decode(Int.self, forKey: .page)
        }
    }

    @Test("an older file is brought up step by step, within others too; a newer one is refused by name")
    func migration() throws {
        let expected = Changed(title: "Brom", page: 1)
        for json in [
            #"{"name":"Brom","page":2}"#, #"{"formatVersion":1,"name":"Brom","page":2}"#,
            #"{"formatVersion":2,"title":"Brom","page":2}"#, #"{"formatVersion":3,"title":"Brom","page":1}"#,
        ] {
            #expect(try Changed.read(Data(json.utf8)) == expected)
            let list = try SheetJSON.decoder().decode([Changed].self, from: Data("[\(json)]".utf8))
            #expect(list == [expected])
        }
        func failure<Format: VersionedFormat>(_ type: Format.Type, _ json: String) -> String {
            do {
                _ = try Format.read(Data(json.utf8))
                return ""
            } catch { return error.description }
        }
        #expect(failure(Changed.self, #"{"formatVersion":4}"#).contains("A test is of version 4; up to 3"))
        #expect(failure(Changed.self, #"{"formatVersion":0}"#).contains("version 0"))
        #expect(failure(Changed.self, #"{"formatVersion":2,"title":"x"}"#).contains("No page"))
        #expect(failure(Changed.self, String(repeating: " ", count: 1001)).contains("at most"))
        let newer = #"{"formatVersion":2}"#
        #expect(failure(CharacterSheet.self, #"{"formatVersion":3}"#).contains("A newer program wrote it"))
        #expect(failure(SheetOperation.self, newer).contains("A newer program wrote it"))
        #expect(failure(SaveHistory.self, newer).contains("A newer program wrote it"))
        #expect(failure(PlayerCharacter.self, newer).contains("A newer program wrote it"))
    }

    @Test("sheets, edits and saves of version 1 are read for good, with and without the member that says so")
    func fixtures() throws {
        let folder = CharacterArchiveTests.root.appending(path: "Tests/Fixtures/characters")
        func file(_ name: String) -> URL { folder.appending(path: name) }
        if ProcessInfo.processInfo.environment["SHEETMARKET_WRITE_FIXTURES"] != nil {
            var maker = SheetMaker(31)
            var content = maker.character(pages: 0)
            content.drawings[0] = page(&maker)
            var sheet = CharacterSheet(content, device: DeviceID(bits: 0xA1))
            var other = sheet.copy(for: DeviceID(bits: 0xB2))
            let key = SheetKey.field("name")
            var made = sheet.perform(SheetEdit("Rename", [.init(key, .field("Brom"))]), at: Self.noon)
            var layer = DrawingLayer.notes
            layer.opacity = 0.5
            made += sheet.perform(.putting(layer, on: 0), at: Self.noon)
            made += sheet.perform(.putting([maker.element(order: 99, points: 3)], on: 0), at: Self.noon)
            made += sheet.undo(.page(0), at: Self.noon)
            other.perform(SheetEdit("Rename", [.init(key, .field("Bromley"))]), at: Self.noon)
            sheet.merge(other)
            var saves = SaveHistory()
            try saves.save(content, at: Self.noon)
            try saves.save(sheet.content, at: Self.noon + 60)
            try SheetJSON.encoder().encode(sheet).write(to: file("sheet-1.json"))
            try SheetJSON.encoder().encode(made).write(to: file("operations-1.json"))
            try SheetJSON.encoder().encode(saves).write(to: file("history-1.json"))
            try DrawingFile.write(page(&maker)).write(to: file("rounded-1.ink"))
        }
        let data = try Data(contentsOf: file("sheet-1.json"))
        let sheet = try CharacterSheet.read(data)
        #expect(sheet.content.character.name == "Bromley")
        #expect(sheet.content.character.conflicts == [FieldConflict(field: "name", value: "Brom")])
        #expect(sheet.content.drawings[0]?.elements.count == 12 && sheet.content.drawings[0]?.unknown != nil)
        #expect(sheet.history.undoName(.page(0)) == "Layer" && sheet.history.redoName(.page(0)) == "Draw")
        // As the first program wrote it, which said no version.
        var members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(members.removeValue(forKey: "formatVersion") as? Int == 1)
        #expect(try CharacterSheet.read(JSONSerialization.data(withJSONObject: members)).agrees(with: sheet))
        let operations = try SheetOperation.readList(Data(contentsOf: file("operations-1.json")))
        #expect(operations.count == 4 && operations.map(\.key.page) == [nil, 0, 0, 0])
        let drawn = try #require(operations.dropLast().last)
        #expect(operations.last?.value == nil && operations.last?.replaces == [drawn.id])
        let saves = try SaveHistory.read(Data(contentsOf: file("history-1.json")))
        #expect(saves.saves.count == 2)
        for save in saves.saves { #expect(try saves.content(of: save).drawings[0]?.elements.count == 12) }
        #expect(Set(saves.saves[1].changes.map(\.what)) == ["name", "page"])
        let drawing = try DrawingFile.read(Data(contentsOf: file("rounded-1.ink")))
        #expect(drawing.damage.isEmpty && drawing.drawing.elements.count == 12 && drawing.drawing.layers.count == 4)
    }
}
