// SPDX-License-Identifier: Apache-2.0
import CWebP
import Foundation
import IngestWire
import SheetCore
import TemplateIngest
import Testing

/// People's pictures, which are read in the sandbox and redrawn there.
@Suite("Pictures of people")
struct PortraitTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    private static func fixture(_ name: String) throws -> Data {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: tests.appendingPathComponent("Fixtures/pictures/\(name)"))
    }

    private func redraw(_ picture: Data, sides: [Int] = [64, 16]) async throws -> [DrawnPortrait] {
        try await PortraitRenderer(reader: Workbench.reader, limits: .calm).redraw(picture, sides: sides)
    }

    /// Red, green and blue of a place, in parts of the side.
    private func colour(_ picture: DrawnPortrait, _ x: Double, _ y: Double) throws -> [Int] {
        var (width, height): (Int32, Int32) = (0, 0)
        let pixels = try #require(WebPDecodeRGB(picture.webp, picture.webp.count, &width, &height))
        defer { WebPFree(pixels) }
        #expect(width == picture.side && height == picture.side)
        let place = (Int(y * Double(height)) * Int(width) + Int(x * Double(width))) * 3
        return (0..<3).map { Int(pixels[place + $0]) }
    }

    private func isNear(_ one: [Int], _ other: [Int]) -> Bool { zip(one, other).allSatisfy { abs($0 - $1) < 40 } }

    @Test("A photograph is turned as its camera says, and keeps neither the camera nor the place")
    func turned() async throws {
        let original = try Self.fixture("turned.jpg")
        #expect(original.range(of: Data("SECRETCAM".utf8)) != nil && original.range(of: Data("Exif".utf8)) != nil)
        let drawn = try await redraw(original)
        #expect(drawn.map(\.side) == [64, 16])
        for picture in drawn {
            #expect(isNear(try colour(picture, 0.2, 0.2), [200, 30, 30]), "red is above")
            #expect(isNear(try colour(picture, 0.8, 0.2), [200, 30, 30]))
            #expect(isNear(try colour(picture, 0.2, 0.8), [30, 30, 200]), "blue is below")
            let bytes = Data(picture.webp)
            for word in ["SECRETCAM", "EXIF", "Exif", "XMP ", "ICCP", "GPS"] {
                #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)")
            }
        }
    }

    @Test("The middle is taken, and what is seen through is white")
    func middle() async throws {
        let drawn = try await redraw(try Self.fixture("see-through.png"))
        #expect(isNear(try colour(drawn[0], 0.2, 0.5), [20, 160, 60]))
        #expect(isNear(try colour(drawn[0], 0.8, 0.5), [255, 255, 255]))
        #expect(Data(drawn[0].webp).range(of: Data("SECRETPLACE".utf8)) == nil)
    }

    @Test(
        "Every usual kind is read, larger and smaller than what is drawn",
        arguments: ["progressive.jpg", "four-inks.jpg", "tall.webp", "exact.webp", "flat.png"])
    func kinds(_ name: String) async throws {
        let drawn = try await redraw(try Self.fixture(name), sides: [256, 96])
        #expect(drawn.map(\.side) == [256, 96])
        for picture in drawn {
            let seen = try colour(picture, 0.25, 0.5)
            #expect(isNear(seen, name == "flat.png" ? [255, 255, 255] : [200, 30, 30]), "\(name): \(seen)")
        }
    }

    @Test("The same picture always gives the same bytes, whoever read it")
    func same() async throws {
        let picture = try Self.fixture("turned.jpg")
        #expect(try await redraw(picture) == redraw(picture))
    }

    @Test("What moves is not taken", arguments: ["moving.png", "moving.webp"])
    func moving(_ name: String) async throws {
        await #expect(throws: PortraitRefusal.animated) { try await redraw(try Self.fixture(name)) }
    }

    @Test("Few bytes that are many pixels are refused before they are unpacked", arguments: ["png", "jpg", "webp"])
    func bombs(_ kind: String) async throws {
        await #expect(throws: PortraitRefusal.tooLarge) { try await redraw(try Self.fixture("bomb.\(kind)")) }
    }

    @Test(
        "What ends too early, or has passes without end, is refused",
        arguments: ["cut-turned.jpg", "cut-see-through.png", "cut-tall.webp", "scans.jpg"])
    func damaged(_ name: String) async throws {
        await #expect(throws: PortraitRefusal.damaged) { try await redraw(try Self.fixture(name)) }
    }

    @Test("What is no picture of these kinds is refused, whatever it calls itself")
    func others() async throws {
        let builder = PDFBuilder()
        let others: [Data] = [
            try Self.fixture("picture.gif"), builder.data(), Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8),
            Data(), Data([0xFF]), Data("RIFF".utf8), Data(repeating: 0, count: 4096),
        ]
        for other in others {
            await #expect(throws: PortraitRefusal.notAPicture, "\(other.prefix(8))") { try await redraw(other) }
        }
        for start in [
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF], Array("RIFF0000WEBP".utf8),
        ] {
            await #expect(throws: PortraitRefusal.damaged) {
                try await redraw(Data(start) + Data(repeating: 7, count: 100))
            }
        }
    }

    @Test("Any byte of a picture may be another: there is a picture, or a refusal, and the reader lives")
    func flipped() async throws {
        let reader = Workbench.reader
        let renderer = PortraitRenderer(reader: reader, limits: .calm)
        var numbers = SystemRandomNumberGenerator()
        for name in ["turned.jpg", "see-through.png", "tall.webp", "exact.webp"] {
            let good = try Self.fixture(name)
            for _ in 0..<25 {
                var picture = good
                let place = Int.random(in: 0..<picture.count, using: &numbers)
                picture[place] = UInt8.random(in: 0...255, using: &numbers)
                do {
                    let drawn = try await renderer.redraw(picture, sides: [16])
                    #expect(drawn.count == 1)
                } catch is PortraitRefusal {}
            }
        }
        #expect(try await renderer.redraw(try Self.fixture("turned.jpg"), sides: [16]).count == 1)
    }

    @Test("A picture larger than what may be read is refused")
    func manyBytes() async throws {
        var limits = ReaderLimits.calm
        limits.fileBytes = 1000
        let renderer = PortraitRenderer(reader: Workbench.reader, limits: limits)
        await #expect(throws: PortraitRefusal.tooLarge) {
            try await renderer.redraw(try Self.fixture("turned.jpg"), sides: [16])
        }
    }

    @Test("A reader that was taken over cannot pass anything off as a portrait")
    func liar() async throws {
        let webp = "RIFFxxxxWEBPVP8 zzzz"
        let answers = [
            #"printf '{"kind":"portrait","bytes":20,"width":17,"height":17}\n%s' '\#(webp)'"#,
            #"printf '{"kind":"portrait","bytes":4,"width":16,"height":16}\n<svg'"#,
            #"printf '{"kind":"portraitRefused","bytes":4}\noops'"#,
            #"printf '{"kind":"preview","bytes":20,"page":0,"width":16,"height":16}\n%s' '\#(webp)'"#,
        ]
        for answer in answers {
            let reader = try bench.fakeReader(answer + #"; printf '{"kind":"end","bytes":0}\n'; sleep 60"#)
            await #expect(throws: PortraitRefusal.damaged, "\(answer)") {
                try await PortraitRenderer(reader: reader, limits: .calm).redraw(Data([1]), sides: [16])
            }
        }
    }
}
