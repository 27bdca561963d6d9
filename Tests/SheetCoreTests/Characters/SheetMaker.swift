// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import CharacterCore
@testable import SheetCore

/// Makes characters and drawings by chance.
struct SheetMaker {
    var random: SplitMix64
    let device: DeviceID
    private var number = 0

    init(_ seed: Int) {
        random = SplitMix64(state: UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15)
        device = DeviceID(bits: UInt64(seed + 1) &* 0x1234_5678_9ABC_DEF1)
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    mutating func chance(_ odds: Double) -> Bool { number(0...1) < odds }
    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func newID() -> EditID {
        number += 1
        return EditID(device: device, number: number)
    }

    /// Handwriting, as a tablet tells it 120 times a second: a smooth path, with the trembling of a hand.
    mutating func stroke(points: Int) -> Stroke {
        var (x, y) = (number(20...590), number(20...770))
        var (direction, turn, pressure) = (number(-3...3), number(-0.3...0.3), number(0.2...0.5))
        let speed = number(0.6...3)
        let (tilt, azimuth) = (number(0.7...1.2), number(0...6))
        let made = (0..<points).map { place -> InkPoint in
            turn += number(-0.06...0.06)
            direction += turn
            pressure = min(1, max(0.05, pressure + number(-0.03...0.03)))
            x += speed * cos(direction) + number(-0.05...0.05)
            y += speed * sin(direction) + number(-0.05...0.05)
            return InkPoint(
                x: x, y: y, pressure: pressure, tilt: tilt + number(-0.01...0.01),
                azimuth: azimuth + number(-0.01...0.01),
                time: Double(place) / 120 + number(-0.0004...0.0004), width: 1 + 3 * pressure)
        }
        return Stroke(
            tool: [.pen, .pencil, .marker][count(0...2)], color: Palette.standard.colors[count(0...11)], points: made)
    }

    mutating func text() -> String {
        let words = ["sword", "Ünïcode", "검", "חרב", "🎲", "line\nbreak", "\"quoted\"", "", "100 % / gold"]
        return (0..<count(1...4)).map { _ in words[count(0...words.count - 1)] }.joined(separator: " ")
    }

    mutating func rect() -> PageRect {
        PageRect(x: number(0...400), y: number(0...600), width: number(5...200), height: number(5...100))
    }

    mutating func element(order: Int, points: Int) -> PageElement {
        let content: PageElement.Content
        switch count(0...9) {
        case 0:
            let kinds: [Shape.Kind] = [.line, .arrow, .rectangle, .ellipse]
            content = .shape(
                Shape(
                    kinds[count(0...3)], from: PagePoint(number(0...500), number(0...700)),
                    to: PagePoint(number(0...500), number(0...700)), rotation: chance(0.5) ? 0 : number(-3...3)))
        case 1: content = .text(TextBox(text(), in: rect(), alignment: .trailing, direction: .rightToLeft))
        case 2:
            content = .image(
                PageImage(
                    sha256: ContentHash(hashing: Data([UInt8(count(0...255))])), mediaType: "image/png", frame: rect()))
        case 3:
            content = .foreign(
                ForeignInk(
                    format: "com.apple.pencilkit", data: Data((0..<count(0...80)).map { UInt8($0) }), frame: rect()))
        default: content = .stroke(stroke(points: points))
        }
        return PageElement(id: newID(), layer: DrawingLayer.standard[count(0...2)].id, order: order, content)
    }

    mutating func drawing(elements: Int, points: ClosedRange<Int> = 1...20) -> PageDrawing {
        PageDrawing(
            size: PageSize(width: 612, height: 792),
            elements: (0..<elements).map { element(order: $0 + 1, points: count(points)) })
    }

    mutating func character(pages: Int, elements: Int = 5) -> SheetContent {
        let character = PlayerCharacter(
            id: CharacterID(rawValue: UUID.version7(at: Date(timeIntervalSince1970: number(1e9...2e9)))),
            name: "Brom " + text().replacing("\n", with: " "),
            template: CharacterTemplate(
                sha256: ContentHash(hashing: Data("sheet".utf8)), name: "Quest sheet", license: "CC0-1.0"),
            lastPage: count(0...3), isFavourite: chance(0.5), notes: text(),
            createdAt: Date(timeIntervalSince1970: 1_700_000_000))
        let drawings = (0..<pages).map { ($0, drawing(elements: elements)) }
        return SheetContent(character: character, drawings: Dictionary(uniqueKeysWithValues: drawings))
    }
}
