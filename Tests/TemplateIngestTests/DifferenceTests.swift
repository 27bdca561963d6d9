// SPDX-License-Identifier: Apache-2.0
import CWebP
import Foundation
import IngestWire
import SheetCore
import SystemPackage
import TemplateIngest
import Testing

@Suite("Pictures of what differs between two pages, drawn in the sandbox")
struct DifferenceTests {
    private typealias Sheet = ComparisonTests.Sheet

    /// A sheet's first page as the reader draws it, in a file of its own, and as it is compared.
    private struct DrawnPage {
        var file: URL
        var page: ComparedPage
    }

    private actor Pictures {
        private(set) var first: PagePreview?
        func take(_ picture: PagePreview) { if first == nil { first = picture } }
    }

    private let workbench: Workbench

    init() throws {
        workbench = try Workbench()
    }

    private func draw(_ sheet: Sheet, _ name: String) async throws -> DrawnPage {
        var builder = PDFBuilder()
        var fields: [Int] = []
        sheet.add(to: &builder, &fields)
        builder.catalog = "/AcroForm << /Fields [\(fields.map { "\($0) 0 R" }.joined(separator: " "))] >>"
        let pictures = Pictures()
        let report = try await Workbench.reader.read(
            try workbench.file("\(name).pdf", builder.data()),
            request: ReaderRequest(limits: .calm, previewWidths: [1200]),
            onPreview: { await pictures.take($0) }
        ).value
        let webp = try #require(await pictures.first).webp
        let file = try workbench.file("\(name).webp", Data(webp))
        return DrawnPage(file: URL(fileURLWithPath: file.string), page: ComparedPage(try #require(report.pages.first)))
    }

    private func difference(_ old: Sheet, _ new: Sheet) async throws -> (picture: DrawnDifference, pixels: Pixels) {
        let (before, now) = (try await draw(old, "old"), try await draw(new, "new"))
        let plan = DifferenceRenderer.Plan(transform: PageAlignment.transform(from: before.page, to: now.page))
        let drawer = DifferenceRenderer(reader: Workbench.reader, limits: .calm)
        let drawn = try await drawer.draw(from: before.file, to: now.file, plan)
        let picture = try #require(drawn)
        return (picture, try Pixels(picture.webp))
    }

    /// A decoded picture, and where its colours are.
    private struct Pixels {
        let width: Int
        let height: Int
        private let bytes: [UInt8]

        init(_ webp: [UInt8]) throws {
            var (wide, high): (Int32, Int32) = (0, 0)
            let start = try #require(WebPDecodeRGB(webp, webp.count, &wide, &high))
            defer { WebPFree(start) }
            width = Int(wide)
            height = Int(high)
            bytes = Array(UnsafeBufferPointer(start: start, count: width * height * 3))
        }

        /// Vermilion and blue pixels, all or in a part of the picture (0…1).
        func count(in part: (left: Double, top: Double, right: Double, bottom: Double) = (0, 0, 1, 1)) -> (
            gone: Int, come: Int, grey: Int
        ) {
            var (gone, come, grey) = (0, 0, 0)
            for y in Int(part.top * Double(height))..<Int(part.bottom * Double(height)) {
                for x in Int(part.left * Double(width))..<Int(part.right * Double(width)) {
                    let place = (y * width + x) * 3
                    let (red, blue) = (Int(bytes[place]), Int(bytes[place + 2]))
                    if red > blue + 40 {
                        gone += 1
                    } else if blue > red + 40 {
                        come += 1
                    } else if red < 240 {
                        grey += 1
                    }
                }
            }
            return (gone, come, grey)
        }
    }

    @Test(
        "a changed word is in both colours where it stands, and all else in grey; the same pictures give the same bytes"
    )
    func word() async throws {
        var changed = Sheet()
        changed.labels[4] = "Widgets"
        let (picture, pixels) = try await difference(Sheet(), changed)
        #expect(picture.width == 1200 && pixels.width == 1200)
        let all = pixels.count()
        // The fifth label: second column, second row, 12 points high.
        let there = pixels.count(in: (left: 0.35, top: 150.0 / 842, right: 0.55, bottom: 180.0 / 842))
        #expect(there.gone > 100 && there.come > 100)
        #expect(there.gone == all.gone && there.come == all.come)
        #expect(all.grey > 20_000)
        #expect(try await difference(Sheet(), changed).picture == picture)
    }

    @Test("other margins and another scale are no difference: pages are aligned first")
    func moved() async throws {
        for moved in [Sheet(move: (x: 18, y: 27)), Sheet(scale: 0.94, move: (x: 12, y: 20))] {
            let all = try await difference(Sheet(), moved).pixels.count()
            #expect(all.grey > 15_000)
            #expect(all.gone + all.come < all.grey / 100, "\(all)")
        }
    }

    @Test("a redesigned page shows both; what reached beyond the newer page is still shown")
    func redesigned() async throws {
        var other = Sheet(box: (width: 500, height: 700), labels: Sheet.others)
        other.scale = 0.8
        let all = try await difference(Sheet(), other).pixels.count()
        #expect(all.gone > 5000 && all.come > 5000)
        // Everything stands where it stood, and half of the paper is cut off.
        let cut = try await difference(Sheet(), Sheet(box: (width: 300, height: 842)))
        #expect(cut.picture.width > 1200)
        #expect(cut.pixels.count(in: (left: 0.75, top: 0, right: 1, bottom: 1)).gone > 1000)
    }

    @Test("boxes are drawn where they are said to be; pages without a fellow are all of one colour")
    func boxes() async throws {
        let page = try await draw(Sheet(), "page")
        let drawer = DifferenceRenderer(reader: Workbench.reader, limits: .calm)
        let plan = DifferenceRenderer.Plan(
            added: [NormalizedRect(x: 0.1, y: 0.1, width: 0.2, height: 0.05)],
            removed: [NormalizedRect(x: 0.6, y: 0.8, width: 0.2, height: 0.05)])
        let marked = try Pixels(try #require(try await drawer.draw(from: page.file, to: page.file, plan)).webp)
        let (above, below) = (
            marked.count(in: (left: 0, top: 0, right: 1, bottom: 0.5)),
            marked.count(in: (left: 0, top: 0.5, right: 1, bottom: 1))
        )
        #expect(above.come > 800 && above.gone == 0 && below.gone > 800 && below.come == 0)
        let new = try Pixels(try #require(try await drawer.draw(from: nil, to: page.file, .init())).webp).count()
        #expect(new.come > 15_000 && new.gone == 0 && new.grey < new.come / 5)
        let old = try Pixels(try #require(try await drawer.draw(from: page.file, to: nil, .init())).webp).count()
        #expect(old.gone > 15_000 && old.come == 0)
    }

    @Test("what is no picture, and what lies about itself, gives nothing, and the reader goes on")
    func hostile() async throws {
        let page = try await draw(Sheet(), "page")
        let drawer = DifferenceRenderer(reader: Workbench.reader, limits: .calm)
        let bytes = try Data(contentsOf: page.file)
        var huge = bytes
        // A VP8 frame's width and height: 14 bits each, after the key frame's three magic bytes.
        if let magic = huge.firstRange(of: Data([0x9d, 0x01, 0x2a])) {
            huge.replaceSubrange(magic.upperBound..<magic.upperBound + 4, with: [0xff, 0x3f, 0xff, 0x3f])
        }
        let bad = [
            Data("no picture".utf8), Data("%PDF-1.7\n".utf8), bytes.prefix(bytes.count / 2), huge,
            Data(repeating: 0, count: 9 << 20),
        ]
        for (number, content) in bad.enumerated() {
            let file = URL(fileURLWithPath: try workbench.file("bad-\(number).webp", Data(content)).string)
            #expect(try await drawer.draw(from: file, to: page.file, .init()) == nil, "\(number)")
            #expect(try await drawer.draw(from: page.file, to: file, .init()) == nil, "\(number)")
        }
        for transform in [
            PageTransform(scaleX: 0, scaleY: 1, offsetX: 0, offsetY: 0),
            PageTransform(scaleX: 1, scaleY: 1e9, offsetX: 0, offsetY: 0),
            PageTransform(scaleX: 1, scaleY: 1, offsetX: 0, offsetY: -1e300),
        ] {
            let plan = DifferenceRenderer.Plan(transform: transform)
            #expect(try await drawer.draw(from: page.file, to: page.file, plan) == nil)
        }
        #expect(try await drawer.draw(from: page.file, to: page.file, .init()) != nil)
    }
}
