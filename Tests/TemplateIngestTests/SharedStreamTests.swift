// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import Testing

@Suite("Streams that stand in two places")
struct SharedStreamTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
    }

    /// A stream as a deflated one, its bytes in hexadecimal digits.
    private static func deflated(_ content: String, entries: String = "") -> String {
        let bytes = Array(content.utf8)
        var (a, b) = (UInt32(1), UInt32(0))
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        // One block that is stored as it is (RFC 1951, section 3.2.4) in the format of zlib (RFC 1950).
        let length = UInt16(bytes.count)
        var packed: [UInt8] = [0x78, 0x01, 0x01]
        packed += [UInt8(truncatingIfNeeded: length), UInt8(length >> 8)]
        packed += [UInt8(truncatingIfNeeded: ~length), UInt8(truncatingIfNeeded: ~length >> 8)]
        packed += bytes
        for half in [b, a] { packed += [UInt8(half >> 8), UInt8(truncatingIfNeeded: half)] }
        let digits = packed.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + ">"
        return "<< /Length \(digits.utf8.count) /Filter [/ASCIIHexDecode /FlateDecode] \(entries) >>\nstream\n"
            + "\(digits)\nendstream"
    }

    /// A page that uses its own contents in the middle of them, once they have an object of their own to be found by.
    private static func sheet(using operators: String, resources: String = "", entries: String = "") -> PDFBuilder {
        var builder = PDFBuilder()
        let page = builder.addPage()
        let font = builder.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        let contents = builder.add("")
        let text =
            PDFBuilder.text("First", x: 50, y: 700, size: 20) + operators + "\n0 g 40 40 500 300 re f\n"
            + PDFBuilder.text("Later", x: 50, y: 600, size: 20)
        builder.set(contents, deflated(text, entries: entries))
        let own = resources.replacing("SELF", with: "\(contents) 0 R")
        builder.set(
            page,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents \(contents) 0 R "
                + "/Resources << /Font << /F1 \(font) 0 R >> \(own) >> >>")
        return builder
    }

    @Test(
        "contents that are read again while they are shown are shown to their end",
        arguments: [
            ("/X Do", "/XObject << /X SELF >>", "/Type /XObject /Subtype /Form /BBox [0 0 1 1]"),
            ("/C cs 1 sc 0 0 1 1 re f", "/ColorSpace << /C [/Indexed /DeviceRGB 1 SELF] >>", ""),
        ])
    func ownContents(operators: String, resources: String, entries: String) async throws {
        let plain = try await bench.read(Self.sheet(using: ""))
        let page = try #require(plain.pages.first)
        #expect(page.text?.contains("Later") == true)
        let tangled = try await bench.read(Self.sheet(using: operators, resources: resources, entries: entries))
        #expect(tangled.verdict == .accepted)
        #expect(tangled.pages.first?.text?.hasSuffix("Later") == true)
        #expect(tangled.pages.first?.lookHash == page.lookHash)
    }

    @Test("a stream within another object is no reason to stop", arguments: ["[STREAM]", "<< /A STREAM >>"])
    func nested(body: String) async throws {
        var builder = PDFBuilder.sheet()
        builder.add(body.replacing("STREAM", with: Self.deflated("abc")))
        #expect(try await bench.read(builder).verdict == .accepted)
    }

    @Test("a picture is drawn of its own bytes, whatever its dictionary holds")
    func pictures() async throws {
        func sheet(_ entries: String) -> PDFBuilder {
            var builder = PDFBuilder()
            let dark = String(repeating: "\u{1}", count: 100)
            let picture = builder.add(
                Self.deflated(
                    dark,
                    entries: "/Type /XObject /Subtype /Image /Width 10 /Height 10 /ColorSpace /DeviceGray "
                        + "/BitsPerComponent 8 \(entries)"))
            let page = builder.addPage()
            let contents = builder.addStream("q 400 0 0 300 100 200 cm /I Do Q")
            builder.set(
                page,
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents \(contents) 0 R "
                    + "/Resources << /XObject << /I \(picture) 0 R >> >> >>")
            return builder
        }
        let light = Self.deflated(String(repeating: "\u{7F}", count: 100))
        let plain = try await bench.read(sheet(""))
        let holding = try await bench.read(sheet("/N \(light)"))
        #expect(plain.pages.first?.lookHash != nil)
        #expect(holding.pages.first?.lookHash == plain.pages.first?.lookHash)
    }
}
