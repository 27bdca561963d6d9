// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import CharacterCore
@testable import SheetCore

@Suite("The file of a drawing")
struct DrawingFileTests {
    @Test(
        "lossless gives the very same, rounded nothing farther off than it says, and both the same bytes again",
        arguments: 0..<30)
    func roundTrip(seed: Int) throws {
        var maker = SheetMaker(seed)
        let drawing = maker.drawing(elements: maker.count(0...40), points: 0...60)
        let exact = try DrawingFile.write(drawing, .lossless)
        #expect(try DrawingFile.read(exact) == DrawingReading(drawing: drawing, damage: []))
        let rounded = try DrawingFile.write(drawing)
        let read = try DrawingFile.read(rounded)
        #expect(read.damage.isEmpty && read.drawing.layers == drawing.layers)
        for (before, after) in zip(drawing.elements, read.drawing.elements) {
            guard case .stroke(let one) = before.content, case .stroke(let two) = after.content else {
                #expect(before == after)
                continue
            }
            #expect(
                before.id == after.id && before.order == after.order && one.color == two.color && one.tool == two.tool)
            #expect(one.points.count == two.points.count)
            for (old, new) in zip(one.points, two.points) {
                #expect(old.place.distance(to: new.place) < 0.02)
                #expect(
                    abs(old.pressure - new.pressure) <= 1.0 / 512 + 1e-12
                        && abs(old.tilt - new.tilt) <= 1.0 / 128 + 1e-12)
                #expect(abs(old.time - new.time) <= 0.0005 + 1e-12 && abs(old.width - new.width) <= 1.0 / 64 + 1e-12)
            }
        }
        #expect(try DrawingFile.write(read.drawing) == rounded)
    }

    @Test("odd numbers survive without loss, and are refused where they would be rounded")
    func oddNumbers() throws {
        let odd = [0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, Double.pi]
        let points = odd.map { InkPoint(x: $0, y: -$0, pressure: $0, time: $0, width: $0) }
        let drawing = PageDrawing(
            size: PageSize(width: 1, height: 1),
            elements: [
                PageElement(
                    id: EditID(device: DeviceID(bits: .max), number: .max - 1), order: -5,
                    .stroke(Stroke(points: points)))
            ])
        let read = try DrawingFile.read(DrawingFile.write(drawing, .lossless)).drawing
        #expect(read == drawing)
        #expect(throws: DrawingFailure.badNumber) { try DrawingFile.write(drawing) }
    }

    @Test("a damaged block costs only itself, and the reader says which", arguments: 0..<20)
    func damage(seed: Int) throws {
        var maker = SheetMaker(seed)
        let elements = (1...2500).map { number in
            PageElement(
                id: EditID(device: maker.device, number: number), order: number,
                .stroke(Stroke(points: [InkPoint(x: Double(number % 600), y: 1)])))
        }
        let data = try DrawingFile.write(PageDrawing(size: PageSize(width: 612, height: 792), elements: elements))
        let whole = try DrawingFile.read(data).drawing
        var damaged = data
        // Past the file's own eight bytes.
        let place = maker.count(8...data.count - 1)
        damaged[place] ^= UInt8(1 << maker.count(0...7))
        let read = try DrawingFile.read(damaged)
        #expect(read.damage.count == 1)
        let lost = try #require(read.damage.first)
        #expect(lost.offset <= place)
        #expect(2500 - read.drawing.elements.count <= DrawingWriter.strokesPerBlock)
        if let count = lost.lost, read.drawing.size == whole.size, count > 3 {
            #expect(2500 - read.drawing.elements.count == count)
        }
        #expect(Set(read.drawing.elements).isSubset(of: whole.elements))
        let cut = try DrawingFile.read(data.prefix(place))
        #expect(Set(cut.drawing.elements).isSubset(of: whole.elements))
    }

    @Test("whatever the bytes, reading ends, and with no more than was promised", arguments: 0..<200)
    func fuzz(seed: Int) throws {
        var maker = SheetMaker(seed)
        var data = try DrawingFile.write(maker.drawing(elements: 6), maker.chance(0.5) ? .lossless : .rounded)
        for _ in 0..<maker.count(1...8) {
            let place = maker.count(4...data.count - 1)
            data[place] = UInt8(maker.count(0...255))
        }
        // With their checksums right, so that what is behind them is reached, and as they are.
        for first in [UInt8(0), 1] {
            let complaint = CharacterTrial.drawing([first] + data)
            #expect(complaint == nil, "\(complaint ?? "")")
        }
    }

    @Test("a small file cannot ask for much memory")
    func bomb() throws {
        // A million points that are all the same take next to nothing; one more is refused.
        func drawing(_ points: Int) -> PageDrawing {
            let stroke = Stroke(points: .init(repeating: InkPoint(x: 1, y: 1), count: points / 2))
            let elements = (1...2).map {
                PageElement(id: EditID(device: DeviceID(bits: 1), number: $0), order: $0, .stroke(stroke))
            }
            return PageDrawing(size: PageSize(width: 1, height: 1), elements: elements)
        }
        let data = try DrawingFile.write(drawing(DrawingLimits.points))
        #expect(data.count < 1000)
        #expect(try DrawingFile.read(data).drawing.elements.count == 2)
        #expect(throws: DrawingFailure.tooLarge) { try DrawingFile.write(drawing(DrawingLimits.points + 2)) }
    }

    @Test("of all texts together no more is written or read than the limit, though each block is below its own")
    func texts() throws {
        #expect(DrawingLimits.textBytes == 16 << 20)
        // Every 64 things begin a block: these are two of some 15 and 9 kB.
        let elements = (1...100).map {
            PageElement(
                id: EditID(device: DeviceID(bits: 1), number: $0), order: $0,
                .text(TextBox("a", in: PageRect(x: 0, y: 0, width: 9, height: 9))))
        }
        let drawing = PageDrawing(size: PageSize(width: 1, height: 1), elements: elements)
        let data = Array(try DrawingFile.write(drawing))
        let most = try [64, 36].reduce(1000) { $0 + (try SheetJSON.encoder().encode(Array(elements[..<$1])).count) }
        var (enough, little) = (
            DrawingWriter(isLossless: false, textBytes: most), DrawingWriter(isLossless: false, textBytes: most - 2000)
        )
        #expect(try Array(enough.write(drawing)) == data)
        #expect(throws: DrawingFailure.tooLarge) { try little.write(drawing) }
        let budget = DrawingBudget(
            points: DrawingLimits.points, elements: DrawingLimits.elements, textBytes: most)
        var reader = DrawingReader(budget)
        #expect(try reader.read(data).drawing.elements.count == 100)
        // The blocks of one file behind those of another.
        reader = DrawingReader(budget)
        let twice = try reader.read(data + data[8...])
        #expect(twice.drawing.elements.count == 100 && twice.damage.map(\.lost) == [64, 36], "\(twice.damage)")
    }

    @Test("what a newer program added is carried along")
    func newer() throws {
        let json = #"{"id":"7-1","layer":"base","order":1,"hologram":{"depth":[1,2.5,null,true,"x"]}}"#
        let element = try JSONDecoder().decode(PageElement.self, from: Data(json.utf8))
        #expect(element.content == .unknown)
        let block = PageDrawing.UnknownBlock(kind: 77, flags: 3, count: 9, payload: Data([1, 2, 3]))
        let drawing = PageDrawing(size: PageSize(width: 1, height: 1), elements: [element], unknownBlocks: [block])
        let read = try DrawingFile.read(DrawingFile.write(drawing)).drawing
        #expect(read == drawing)
        var maker = SheetMaker(1)
        let content = SheetContent(character: maker.character(pages: 0).character, drawings: [0: drawing])
        #expect(CharacterSheet(content).content.drawings[0]?.unknownBlocks == [block])
        #expect(CharacterSheet(content).content.drawings[0]?.elements == [element])
    }

    @Test("other files and newer versions are refused by name")
    func refused() {
        #expect(throws: DrawingFailure.notADrawing) { try DrawingFile.read(Data("%PDF-1.4".utf8)) }
        #expect(throws: DrawingFailure.notADrawing) { try DrawingFile.read(Data()) }
        #expect(throws: DrawingFailure.newerVersion(2)) {
            try DrawingFile.read(Data("TINK".utf8) + Data([2, 0, 0, 0]))
        }
    }

    @Test("handwriting takes a fifth of its JSON packed by zlib, or less; a quarter, if that is rounded first")
    func size() throws {
        var maker = SheetMaker(5)
        let elements = (1...50).map { number in
            PageElement(
                id: EditID(device: maker.device, number: number), order: number,
                .stroke(maker.stroke(points: maker.count(20...60))))
        }
        let drawing = PageDrawing(size: PageSize(width: 612, height: 792), elements: elements)
        let rounded = try DrawingFile.write(drawing)
        // The same strokes as JSON, with no more digits than the file keeps.
        let read = try DrawingFile.read(rounded).drawing
        let file = FileManager.default.temporaryDirectory.appending(path: "ink-\(UUID().uuidString).json")
        try SheetJSON.encoder().encode(read.elements).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let script = "import sys, zlib; print(len(zlib.compress(open(sys.argv[1], 'rb').read(), 9)))"
        let packed = try CharacterArchiveTests().python(["-c", script, file.path])
        let count = try #require(Int(packed.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(packed)")
        #expect(4 * rounded.count < count, "\(rounded.count) bytes, and \(count) of JSON")
        // Whoever does not round first keeps JSON of all digits.
        try SheetJSON.encoder().encode(elements).write(to: file)
        let exact = try CharacterArchiveTests().python(["-c", script, file.path])
        let most = try #require(Int(exact.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(exact)")
        #expect(5 * rounded.count < most, "\(rounded.count) bytes, and \(most) of JSON")
    }
}
