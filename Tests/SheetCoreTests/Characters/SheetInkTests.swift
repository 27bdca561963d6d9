// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore
import Testing

@testable import CharacterCore

@Suite("A sheet's strokes, in files beside its own")
struct SheetInkTests {
    private static let noon = Date(timeIntervalSince1970: 1_800_000_000)

    /// Drawn on, moved, rubbed out, undone, and changed by two devices at once.
    private func sheet(_ maker: inout SheetMaker) -> CharacterSheet {
        var sheet = CharacterSheet(maker.character(pages: 2, elements: 12), device: maker.device)
        func draw(_ sheet: inout CharacterSheet, on page: Int) {
            var element = maker.element(order: sheet.nextOrder(on: page), points: maker.count(0...40))
            element.id = sheet.newID()
            if maker.chance(0.1) { element.unknown = ["glow": 3] }
            sheet.perform(.putting([element], on: page), at: Self.noon)
        }
        for step in 0..<10 { draw(&sheet, on: step % 2) }
        var other = sheet.copy(for: DeviceID(bits: 7))
        let some = Set(sheet.content.drawings[0]?.elements.prefix(6).map(\.id) ?? [])
        for (index, dx) in [3.25, 0.1].enumerated() {
            let moved = sheet.content.drawings[0]?.moved(some, by: SelectionTransform(dx: dx)) ?? []
            if index == 0 {
                sheet.perform(.putting(moved, on: 0, name: "Move"), at: Self.noon)
            } else {
                other.perform(.putting(moved, on: 0, name: "Move"), at: Self.noon)
            }
        }
        sheet.merge(other)
        sheet.perform(.removing(some.sorted().prefix(2), from: 0), at: Self.noon)
        draw(&sheet, on: 1)
        sheet.undo(.page(1), at: Self.noon)
        return sheet
    }

    private func read(_ data: Data, _ files: [ContentHash: Data]) throws -> CharacterSheet {
        try CharacterSheet.read(
            data,
            ink: SheetInk { hash in
                guard let data = files[hash] else { throw CocoaError(.fileNoSuchFile) }
                return data
            })
    }

    @Test("with its strokes in files a sheet reads as the very same, with all that can be undone", arguments: 0..<25)
    func roundTrip(seed: Int) throws {
        var maker = SheetMaker(seed)
        let sheet = sheet(&maker)
        let ink = SheetInk()
        let data = try ink.encode(sheet)
        let plain = try SheetJSON.encoder().encode(sheet)
        #expect(data.range(of: Data("\"ink\":0".utf8)) != nil && plain.range(of: Data("\"ink\"".utf8)) == nil)
        var again = try read(data, ink.files)
        #expect(again.agrees(with: sheet) && again.content == sheet.content && again.history == sheet.history)
        // Equal sheets have equal files.
        let second = SheetInk()
        #expect(try second.encode(again) == data && second.files == ink.files)
        var same = try CharacterSheet.read(plain)
        #expect(same.agrees(with: again))
        again.undo(.everything, at: Self.noon)
        same.undo(.everything, at: Self.noon)
        #expect(again.content == same.content)
    }

    @Test("a stroke stands in the files once, whoever names it, and others of its id beside it")
    func once() throws {
        var maker = SheetMaker(3)
        var sheet = CharacterSheet(maker.character(pages: 1, elements: 0), device: maker.device)
        let stroke = PageElement(id: sheet.newID(), order: 1, .stroke(maker.stroke(points: 500)))
        sheet.perform(.putting([stroke], on: 0), at: Self.noon)
        let small = SheetInk()
        _ = try small.encode(sheet)
        let bytes = small.files.values.reduce(0) { $0 + $1.count }
        sheet.perform(.putting([stroke.applying(SelectionTransform(dx: 1))], on: 0, name: "Move"), at: Self.noon)
        sheet.perform(.putting([stroke], on: 0, name: "Back"), at: Self.noon)
        let ink = SheetInk()
        let data = try ink.encode(sheet)
        #expect(ink.files.values.reduce(0) { $0 + $1.count } < 5 * bytes / 2)
        #expect(try read(data, ink.files).content.drawings[0]?.elements == [stroke])
    }

    @Test("a file that is missing or damaged, or a number that there is not, is refused; nothing is left out")
    func damage() throws {
        var maker = SheetMaker(5)
        let sheet = sheet(&maker)
        let ink = SheetInk()
        let data = try ink.encode(sheet)
        let (hash, file) = try #require(ink.files.first)
        #expect(throws: FormatFailure.self) { try CharacterSheet.read(data) }
        let source = SheetInk { _ in throw CocoaError(.fileNoSuchFile) }
        #expect(throws: FormatFailure.self) { try CharacterSheet.read(data, ink: source) }
        #expect((source.failure as? CocoaError)?.code == .fileNoSuchFile)
        for place in [9, file.count / 2, file.count - 1] {
            var broken = file
            broken[place] ^= 4
            let refusal = #expect(throws: FormatFailure.self) { try read(data, [hash: broken]) }
            #expect(refusal?.description.contains("/ink") == true)
        }
        let text = String(decoding: data, as: UTF8.self)
        let beyond = Data(text.replacing("\"ink\":0}", with: "\"ink\":99999}").utf8)
        #expect(throws: FormatFailure.self) { try read(beyond, ink.files) }
        // An edit that another device tells may not name strokes of a file at all.
        let edit = #"""
            {"id":"b-1","clock":1,"date":"2027-01-15T08:00:00Z","key":"element/0/b-1","value":{"ink":0},"replaces":[]}
            """#
        #expect(throws: FormatFailure.self) { try SheetOperation.readList(Data("[\(edit)]".utf8)) }
    }

    @Test("rounded ink is kept in rounded blocks, bit for bit, and fresh ink in full")
    func rounding() throws {
        var maker = SheetMaker(8)
        let content = maker.character(pages: 1, elements: 60)
        let fresh = try #require(content.drawings[0])
        let exact = try DrawingFile.write(fresh, .lossless)
        let rounded = try DrawingFile.write(fresh)
        let read = try DrawingFile.read(rounded).drawing
        #expect(try DrawingFile.write(read, .lossless) == rounded && exact.count > 3 * rounded.count)
        #expect(try DrawingFile.read(rounded).drawing == read && DrawingFile.read(exact).drawing == fresh)
        // One number that rounding would change keeps its whole block exact.
        var elements = read.elements
        let place = try #require(
            elements.firstIndex {
                if case .stroke(let stroke) = $0.content { !stroke.points.isEmpty } else { false }
            })
        guard case .stroke(var stroke) = elements[place].content else { return }
        stroke.points[0].x += 1e-12
        elements[place].content = .stroke(stroke)
        let changed = PageDrawing(size: read.size, layers: read.layers, elements: elements)
        #expect(try DrawingFile.read(DrawingFile.write(changed, .lossless)).drawing == changed)
        #expect(try DrawingFile.write(changed, .lossless) != DrawingFile.write(changed))
    }
}
