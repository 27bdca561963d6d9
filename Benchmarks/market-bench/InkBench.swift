// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import SheetCore

/// How fast drawings are written and read, and how large they are.
struct Ink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write and read made-up handwriting; prints JSON with milliseconds and bytes.")

    @Option(help: "A folder for the JSON of 50 strokes, that others may pack.")
    var folder: String

    func run() async throws {
        let figures = try InkFigures.measure(jsonIn: URL(fileURLWithPath: folder))
        print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
    }
}

/// An archive for `sheets` to be measured with.
struct InkArchive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the archive of characters, Hero 1 and so on, with 50 strokes on each page of a sheet.")

    @Option(help: "The PDF.") var sheet: String
    @Option(help: "How many pages it has.") var pages: Int
    @Option(help: "How many characters.") var characters = 1
    @Argument(help: "The archive.") var archive: String

    func run() async throws {
        let pdf = try Data(contentsOf: URL(fileURLWithPath: sheet))
        let template = CharacterTemplate(sha256: ContentHash(hashing: pdf), name: "Sheet", license: "CC-BY-4.0")
        var random = Handwriting()
        var made = Data()
        try CharacterArchive.write(
            count: characters, at: Date(),
            character: { place in
                var hero = ArchivedCharacter(
                    SheetContent(
                        character: PlayerCharacter(
                            id: .make(), name: "Hero \(place + 1)", template: template, createdAt: Date()),
                        drawings: Dictionary(uniqueKeysWithValues: (0..<pages).map { ($0, random.drawing(50)) })))
                hero.template = pdf
                return hero
            }, to: { made += $0 })
        try made.write(to: URL(fileURLWithPath: archive))
    }
}

/// The measurements themselves.
enum InkFigures {
    static func measure(jsonIn folder: URL) throws -> [String: Double] {
        var random = Handwriting()
        var figures: [String: Double] = [:]
        for count in [50, 10_000] {
            let drawing = random.drawing(count)
            for (name, precision) in [("", DrawingPrecision.rounded), ("lossless ", .lossless)] {
                let data = try DrawingFile.write(drawing, precision)
                figures["\(name)bytes \(count)"] = Double(data.count)
                figures["\(name)write \(count)"] = try milliseconds { _ = try DrawingFile.write(drawing, precision) }
                figures["\(name)read \(count)"] = try milliseconds { _ = try DrawingFile.read(data) }
            }
            let read = try DrawingFile.read(try DrawingFile.write(drawing)).drawing
            figures["points \(count)"] = Double(drawing.elements.reduce(0) { $0 + points($1).count })
            figures["loss \(count)"] = zip(drawing.elements, read.elements).flatMap { one, other in
                zip(points(one), points(other)).map { $0.place.distance(to: $1.place) }
            }.max()
            let clock = ContinuousClock()
            var deltas = Data()
            let taken = clock.measure { deltas = self.deltas(drawing) }
            figures["deltas \(count)"] = Double(taken.components.attoseconds) * 1e-15
            try deltas.write(to: folder.appendingPathComponent("deltas-\(count)"))
            guard count == 50 else { continue }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try encoder.encode(drawing.elements).write(to: folder.appendingPathComponent("exact.json"))
            try encoder.encode(read.elements).write(to: folder.appendingPathComponent("rounded.json"))
        }
        return figures
    }

    /// What another codec would pack: the same rounded numbers, channel by channel as differences of differences, in as few
    /// bytes as each needs.
    private static func deltas(_ drawing: PageDrawing) -> Data {
        let steps = [40.0, 40, 256, 64, 64, 1000, 32]
        var bytes: [UInt8] = []
        func put(_ number: Int) {
            var left = UInt(bitPattern: number << 1 ^ number >> 63)
            while left > 127 {
                bytes.append(UInt8(left & 127) | 128)
                left >>= 7
            }
            bytes.append(UInt8(left))
        }
        for element in drawing.elements {
            let points = points(element)
            put(points.count)
            for (channel, step) in steps.enumerated() {
                var (last, before) = (0, 0)
                for (place, point) in points.enumerated() {
                    let values = [
                        point.x, point.y, point.pressure, point.tilt, point.azimuth, point.time, point.width,
                    ]
                    let value = Int((values[channel] * step).rounded())
                    // The width is as the pressure, the angles hardly move: one step back is enough for these.
                    let isSmooth = [0, 1, 5].contains(channel) && place > 1
                    put(isSmooth ? value - 2 * last + before : value - last)
                    (last, before) = (value, last)
                }
            }
        }
        return Data(bytes)
    }

    private static func points(_ element: PageElement) -> [InkPoint] {
        if case .stroke(let stroke) = element.content { stroke.points } else { [] }
    }

    /// The median.
    private static func milliseconds(times: Int = 9, _ work: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let taken = try (0..<times).map { _ in try clock.measure(work) }.sorted()[times / 2]
        return Double(taken.components.seconds) * 1e3 + Double(taken.components.attoseconds) * 1e-15
    }
}

/// Strokes of 20 to 60 points, as a tablet tells them 120 times a second.
private struct Handwriting {
    private var state: UInt64 = 1
    private var number = 0

    private mutating func random(_ low: Double, _ high: Double) -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return low + (high - low) * Double(state >> 11) / Double(UInt64(1) << 53)
    }

    mutating func drawing(_ strokes: Int) -> PageDrawing {
        let elements = (1...strokes).map { order -> PageElement in
            number += 1
            let id = EditID(device: DeviceID(bits: 0x5EED), number: number)
            return PageElement(id: id, order: order, .stroke(stroke()))
        }
        return PageDrawing(size: PageSize(width: 612, height: 792), elements: elements)
    }

    private mutating func stroke() -> Stroke {
        var (x, y) = (random(20, 590), random(20, 770))
        var (direction, turn, pressure) = (random(-3, 3), random(-0.3, 0.3), random(0.2, 0.5))
        let (speed, tilt, azimuth) = (random(0.6, 3), random(0.7, 1.2), random(0, 6))
        let points = (0..<Int(random(20, 60))).map { place -> InkPoint in
            turn += random(-0.06, 0.06)
            direction += turn
            pressure = min(1, max(0.05, pressure + random(-0.03, 0.03)))
            x += speed * cos(direction) + random(-0.05, 0.05)
            y += speed * sin(direction) + random(-0.05, 0.05)
            return InkPoint(
                x: x, y: y, pressure: pressure, tilt: tilt + random(-0.01, 0.01),
                azimuth: azimuth + random(-0.01, 0.01),
                time: Double(place) / 120 + random(-0.0004, 0.0004), width: 1 + 3 * pressure)
        }
        return Stroke(color: Palette.standard.colors[Int(random(0, 11.9))], points: points)
    }
}
