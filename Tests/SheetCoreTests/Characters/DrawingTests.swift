// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import CharacterCore
@testable import SheetCore

@Suite("What is drawn on a page")
struct DrawingTests {
    private let page = PageSize(width: 612, height: 792)

    private func element(_ number: Int, _ content: PageElement.Content, layer: String = "base") -> PageElement {
        PageElement(id: EditID(device: DeviceID(bits: 7), number: number), layer: layer, order: number, content)
    }

    private func line(_ from: PagePoint, _ to: PagePoint, points: Int = 20) -> Stroke {
        Stroke(
            points: (0..<points).map {
                let place = from.toward(to, Double($0) / Double(points - 1))
                return InkPoint(x: place.x, y: place.y)
            })
    }

    /// A figure's outline drawn by a hand that trembles by that part of the size.
    private func rough(_ corners: [PagePoint], tremble: Double, _ maker: inout SheetMaker) -> Stroke {
        var points: [InkPoint] = []
        for (start, end) in zip(corners, corners.dropFirst()) {
            let steps = max(4, Int(start.distance(to: end) / 6))
            for step in 0..<steps {
                let place = start.toward(end, Double(step) / Double(steps))
                points.append(
                    InkPoint(
                        x: place.x + maker.number(-tremble...tremble), y: place.y + maker.number(-tremble...tremble)))
            }
        }
        return Stroke(points: points)
    }

    @Test("rough figures are recognized as what was meant, scribbles and letters are not")
    func recognition() {
        var maker = SheetMaker(11)
        var right = 0
        for _ in 0..<100 {
            let box = PageRect(
                x: maker.number(0...200), y: maker.number(0...200), width: maker.number(60...200),
                height: maker.number(60...200))
            let corners = box.corners
            let far = PagePoint(box.x + box.width, box.y + maker.number(0...box.height))
            let (dx, dy) = ((far.x - box.x) / 5, (far.y - box.y) / 5)
            let figures: [(Shape.Kind, [PagePoint])] = [
                (.rectangle, corners + [corners[0]]),
                (
                    .ellipse,
                    (0...24).map {
                        let angle = Double($0) / 24 * 2 * .pi
                        return PagePoint(
                            box.center.x + box.width / 2 * cos(angle), box.center.y + box.height / 2 * sin(angle))
                    }
                ),
                (.line, [PagePoint(box.x, box.y), far]),
                (
                    .arrow,
                    [
                        PagePoint(box.x, box.y), far, PagePoint(far.x - dx - dy * 0.8, far.y - dy + dx * 0.8), far,
                        PagePoint(far.x - dx + dy * 0.8, far.y - dy - dx * 0.8),
                    ]
                ),
            ]
            for (kind, path) in figures {
                let found = ShapeRecognition.recognize(rough(path, tremble: 1.2, &maker))
                if found?.shape.kind == kind { right += 1 }
                if let found { #expect((ShapeRecognition.least...1).contains(found.confidence)) }
            }
            let scribble = (0..<12).map { _ in PagePoint(maker.number(0...100), maker.number(0...100)) }
            #expect(ShapeRecognition.recognize(rough(scribble, tremble: 1, &maker)) == nil)
        }
        #expect(right >= 380, "\(right) of 400")
        #expect(ShapeRecognition.recognize(line(PagePoint(0, 0), PagePoint(5, 0))) == nil)
        #expect(ShapeRecognition.recognize(Stroke(points: [])) == nil)
    }

    @Test("nearly level lines become level, ends lie on the grid")
    func snapping() {
        let level = Shape(.line, from: PagePoint(0, 0), to: PagePoint(100, 4)).snapped()
        #expect(abs(level.end.y) < 1e-9 && level.end.x > 100)
        let steep = Shape(.line, from: PagePoint(0, 0), to: PagePoint(100, 25))
        #expect(steep.snapped() == steep)
        let box = Shape(.rectangle, from: PagePoint(11, 9), to: PagePoint(48, 52)).snapped(grid: 10)
        #expect(box.start == PagePoint(10, 10) && box.end == PagePoint(50, 50))
    }

    @Test("the pixel eraser leaves what it did not touch, where it was, and nothing of what it did", arguments: 0..<20)
    func pixelEraser(seed: Int) {
        var maker = SheetMaker(seed)
        let drawing = maker.drawing(elements: 12, points: 2...40)
        let path = (0..<maker.count(1...4)).map { _ in PagePoint(maker.number(0...600), maker.number(0...780)) }
        let eraser = Eraser(.pixel, radius: maker.number(3...40))
        var ids = 0
        let result = eraser.pass(over: drawing, along: path) {
            ids += 1
            return EditID(device: DeviceID(bits: 9), number: ids)
        }
        func isUnder(_ point: PagePoint) -> Bool {
            zip(path, path.dropFirst() + path.suffix(1)).contains {
                point.distance(toLineFrom: $0, to: $1) < eraser.radius - 1e-6
            }
        }
        let strokes = drawing.elements.compactMap { element -> (EditID, Stroke)? in
            if case .stroke(let stroke) = element.content { (element.id, stroke) } else { nil }
        }
        let left = result.added.compactMap { if case .stroke(let stroke) = $0.content { stroke } else { nil } }
        #expect(left.count == result.added.count)
        for point in left.flatMap(\.points) {
            #expect(!isUnder(point.place))
            let nearest =
                strokes.map { _, stroke in
                    zip(stroke.points, stroke.points.dropFirst() + stroke.points.suffix(1)).map {
                        point.place.distance(toLineFrom: $0.place, to: $1.place)
                    }.min() ?? .infinity
                }.min() ?? .infinity
            #expect(nearest < 1e-6)
        }
        for (id, stroke) in strokes {
            let outside = stroke.points.filter { !isUnder($0.place) }
            if outside.count < stroke.points.count { #expect(result.removed.contains(id)) }
            guard result.removed.contains(id) else { continue }
            // Every point that was not under the eraser is still there.
            for point in outside where !isUnder(PagePoint(point.x, point.y)) {
                #expect(
                    left.contains { $0.points.contains(point) }
                        || path.count == 1 && point.place.distance(to: path[0]) <= eraser.radius + 1e-6)
            }
        }
        let whole = Eraser(.stroke, radius: eraser.radius).pass(over: drawing, along: path) {
            EditID(device: DeviceID(bits: 9), number: 0)
        }
        #expect(whole.removed == result.removed && whole.added.isEmpty)
    }

    @Test("locked and hidden layers are neither rubbed out nor selected")
    func lockedLayers() {
        var notes = DrawingLayer.notes
        notes.isLocked = true
        let stroke = PageElement.Content.stroke(line(PagePoint(0, 0), PagePoint(100, 0)))
        let drawing = PageDrawing(
            size: page, layers: [.base, notes],
            elements: [element(1, stroke), element(2, stroke, layer: "notes"), element(3, stroke, layer: "lost")])
        let result = Eraser(.stroke, radius: 5).pass(over: drawing, along: [PagePoint(50, 0)]) {
            EditID(device: DeviceID(bits: 1), number: 1)
        }
        #expect(result.removed.map(\.number).sorted() == [1, 3])
        let everything = PageRect(x: 0, y: -9, width: 200, height: 200)
        #expect(drawing.selection(in: everything).map(\.number).sorted() == [1, 3])
        let around = [PagePoint(-10, -10), PagePoint(110, -10), PagePoint(110, 10), PagePoint(-10, 10)]
        #expect(drawing.selection(within: around).count == 2)
        #expect(drawing.selection(within: Array(around.dropLast())).isEmpty)
        #expect(drawing.visible.map(\.elements.count) == [2, 1])
    }

    @Test("what is moved and moved back is where it was; scaling and turning keep the middle", arguments: 0..<20)
    func transforms(seed: Int) throws {
        var maker = SheetMaker(seed)
        let element = maker.element(order: 1, points: 12)
        let transform = SelectionTransform(
            about: PagePoint(maker.number(0...600), maker.number(0...700)), scale: maker.number(0.3...3),
            rotation: maker.number(-3...3), dx: maker.number(-50...50), dy: maker.number(-50...50))
        let back = element.applying(transform).applying(transform.inverse)
        switch (element.content, back.content) {
        case (.stroke(let one), .stroke(let two)):
            for (before, after) in zip(one.points, two.points) {
                #expect(before.place.distance(to: after.place) < 1e-9 && abs(before.width - after.width) < 1e-9)
            }
        case (.shape(let one), .shape(let two)):
            #expect(one.start.distance(to: two.start) < 1e-9 && one.end.distance(to: two.end) < 1e-9)
        case (.foreign, .foreign): #expect(element == back)
        default:
            let (one, two) = (try #require(element.bounds), try #require(back.bounds))
            #expect(abs(one.x - two.x) < 1e-6 && abs(one.width - two.width) < 1e-6)
        }
    }

    @Test(
        "copies lie on the page they are put on, in front, under new names, on a layer that is there", arguments: 0..<10
    )
    func copies(seed: Int) throws {
        var maker = SheetMaker(seed)
        let other = maker.drawing(elements: 8)
        var own = DrawingLayer.base
        own.id = "own"
        let target = PageDrawing(
            size: page, layers: [.base, own],
            elements: [element(40, .shape(Shape(.line, from: PagePoint(0, 0), to: PagePoint(9, 9))))])
        let copies = target.copies(of: other.elements, offset: PagePoint(400, 300)) { maker.newID() }
        #expect(
            copies.count == other.elements.count && Set(copies.map(\.id)).isDisjoint(with: other.elements.map(\.id)))
        #expect(copies.allSatisfy { $0.order > 40 && ["base", "own"].contains($0.layer) })
        let around = try #require(copies.compactMap(\.bounds).reduce(nil) { $0?.union($1) ?? $1 } as PageRect?)
        if around.width < page.width, around.height < page.height {
            #expect(around.x >= -1e-6 && around.x + around.width <= page.width + 1e-6)
        }
    }

    @Test("a palette has twelve colours, and a colour reads as it is written")
    func palettes() throws {
        #expect(Palette(name: "Two", colors: [.black, .black]) == nil)
        #expect(Palette.standard.colors.count == 12)
        #expect(
            InkColor("#0a0B0c")?.description == "#0a0b0cff" && InkColor("#12345") == nil && InkColor("123456") == nil)
        let json = ##"{"name":"x","colors":["#000000"]}"##
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Palette.self, from: Data(json.utf8)) }
    }

    @Test("a page is told in a sentence: what is on it, how dense, where, and what is written")
    func sentence() throws {
        func element(_ number: Int, _ content: PageElement.Content, layer: String = "base") -> PageElement {
            PageElement(id: EditID(device: DeviceID(bits: 1), number: number), layer: layer, order: number, content)
        }
        let size = PageSize(width: 600, height: 800)
        #expect(PageDrawing(size: size).sentence == "Nothing is drawn on it.")
        let line = Stroke(points: (0..<40).map { InkPoint(x: Double($0), y: 10) })
        let elements = [
            element(1, .stroke(line)), element(2, .stroke(line)),
            element(3, .shape(Shape(.rectangle, from: PagePoint(10, 10), to: PagePoint(90, 90)))),
            element(4, .text(TextBox("Torch", in: PageRect(x: 20, y: 100, width: 60, height: 12)))),
        ]
        let drawing = PageDrawing(size: size, elements: elements)
        #expect(
            drawing.sentence == "2 strokes, 1 shape and 1 text, sparse, mostly at the top left. Written: Torch.",
            "\(drawing.sentence)")
        #expect(InkSummary(drawing)?.marks == 4)
        #expect(InkSummary(drawing, in: NormalizedRect(x: 0.5, y: 0.5, width: 0.5, height: 0.5)) == nil)
        // What is on a hidden layer is not told.
        var hidden = DrawingLayer.notes
        hidden.isVisible = false
        let behind = PageDrawing(
            size: size, layers: [.base, hidden], elements: [element(1, .stroke(line), layer: "notes")])
        #expect(behind.sentence == "Nothing is drawn on it.")
    }
}
