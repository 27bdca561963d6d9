// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore
import Testing

@testable import MarketHTTP

/// What a body came to, its pieces put together again.
private struct Parsed: Equatable {
    var heads: [MultipartHead] = []
    var contents: [String] = []
    var isComplete = false
}

@Suite("Multipart bodies")
struct MultipartParserTests {
    private static let boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"

    /// Feeds `pieces` one by one and takes all events after each.
    private static func parse(
        _ pieces: [[UInt8]], boundary: String = boundary, limits: MultipartLimits = MultipartLimits()
    ) throws -> Parsed {
        let boundary = try #require(MultipartBoundary(boundary))
        var parser = MultipartParser(boundary: boundary, limits: limits)
        var parsed = Parsed()
        var content: [UInt8] = []
        func take(_ event: MultipartParser.Event) {
            switch event {
            case .part(let head): parsed.heads.append(head)
            case .bytes(let bytes):
                #expect(bytes.readableBytes > 0)
                content += Array(buffer: bytes)
            case .partEnd:
                parsed.contents.append(String(decoding: content, as: UTF8.self))
                content = []
            case .end: parsed.isComplete = true
            }
        }
        for piece in pieces {
            try parser.append(ByteBuffer(bytes: piece))
            while let event = try parser.next() { take(event) }
        }
        try parser.finish()
        return parsed
    }

    private static func body(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let sample = body(
        "This is a preamble.\r\n--X\r\nContent-Disposition: form-data; name=\"metadata\"\r\n"
            + "Content-Type: application/json; charset=utf-8\r\n\r\n{\"a\":1}\r\n--X  \t\r\n"
            + "content-disposition:form-data;name=file;filename=\"a \\\"b\\\".pdf\"\r\nX-More: yes\r\n\r\n"
            + "%PDF-1.7\r\n--\r\n-X\r\r\n--Y\r\n\r\n--X--\r\nepilogue\r\n--X\r\n")

    private static let sampleMeaning = Parsed(
        heads: [
            MultipartHead(name: "metadata", contentType: "application/json"),
            MultipartHead(name: "file", fileName: "a \"b\".pdf"),
        ],
        contents: ["{\"a\":1}", "%PDF-1.7\r\n--\r\n-X\r\r\n--Y\r\n"], isComplete: true)

    @Test("a body means the same wherever it is cut in two")
    func everySplit() throws {
        for cut in 0...Self.sample.count {
            let pieces = [Array(Self.sample[..<cut]), Array(Self.sample[cut...])]
            #expect(try Self.parse(pieces, boundary: "X") == Self.sampleMeaning, "cut at \(cut)")
        }
    }

    @Test("a body means the same byte by byte and in random pieces")
    func randomPieces() throws {
        #expect(try Self.parse(Self.sample.map { [$0] }, boundary: "X") == Self.sampleMeaning)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var rest = Self.sample[...]
            var pieces: [[UInt8]] = []
            while !rest.isEmpty {
                let count = Int.random(in: 0...min(20, rest.count), using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(try Self.parse(pieces, boundary: "X") == Self.sampleMeaning)
        }
    }

    @Test("content made of pieces of the delimiter comes through unchanged, however it is cut")
    func nearDelimiters() throws {
        var random = SystemRandomNumberGenerator()
        let shards = ["\r", "\n", "\r\n", "-", "--", "--bo", "\r\n--", "\r\n--b", "\r\n--bou", "x", "\0", "\r\r\n--bo"]
        for _ in 0..<300 {
            let content = (0..<Int.random(in: 0...30)).map { _ in shards.randomElement(using: &random) ?? "" }.joined()
            let bytes = Self.body(
                "--boundary\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n\(content)\r\n--boundary--")
            var rest = bytes[...]
            var pieces: [[UInt8]] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(9, rest.count), using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(try Self.parse(pieces, boundary: "boundary").contents == [content])
        }
    }

    @Test("every beginning of a body is truncated, until the closing delimiter is whole")
    func everyTruncation() throws {
        let end = Self.sample.count - "\r\nepilogue\r\n--X\r\n".utf8.count
        for length in 0..<end {
            #expect(throws: MultipartError.truncated, "cut off at \(length)") {
                try Self.parse([Array(Self.sample[..<length])], boundary: "X")
            }
        }
        #expect(try Self.parse([Array(Self.sample[..<end])], boundary: "X") == Self.sampleMeaning)
    }

    @Test("random bytes never do worse than throw")
    func randomBytes() throws {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("--X\r\n\r\n: ;=\"\\abcContent-Disposition: form-data; name=".utf8)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...200)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            _ = try? Self.parse([Self.body("--X\r\n") + bytes], boundary: "X")
        }
        for _ in 0..<2000 {
            // One byte of a good body changed: it parses, or it throws; it never stands still or crashes.
            var bytes = Self.sample
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            _ = try? Self.parse([bytes], boundary: "X")
        }
    }

    @Test(
        "malformed bodies are refused",
        arguments: [
            "no delimiter at all",
            "--X\r\nContent-Disposition: form-data; name=\"a\"\n\r\n\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\r\n\r\n\r\n--X--",
            "--X\r\nContent-Disposition: form-data\r\n\r\n\r\n--X--",
            "--X\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n\r\n--X--",
            "--X\r\nContent-Type: text/plain\r\n\r\nx\r\n--X--",
            "--X\r\n\r\nx\r\n--X--",
            "--X\r\nno colon\r\n\r\nx\r\n--X--",
            "--X\r\n : blank name\r\n\r\nx\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n folded: yes\r\n\r\nx\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nx\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\"; =b\r\n\r\nx\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\" b\r\n\r\nx\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\u{01}\"\r\n\r\nx\r\n--X--",
            "--Xjunk\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--X--",
            "--X-junk\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--X--",
            "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--X",
            "",
        ])
    func malformed(_ text: String) {
        #expect(throws: MultipartError.self) { try Self.parse([Self.body(text)], boundary: "X") }
        #expect(throws: MultipartError.self) { try Self.parse(Self.body(text).map { [$0] }, boundary: "X") }
    }

    @Test("a header that is not UTF-8 is refused")
    func headerEncoding() {
        let bytes =
            Self.body("--X\r\nContent-Disposition: form-data; name=\"") + [0xFF, 0xFE]
            + Self.body("\"\r\n\r\nx\r\n--X--")
        #expect(throws: MultipartError.malformed("a header line is not UTF-8")) {
            try Self.parse([bytes], boundary: "X")
        }
    }

    @Test("every limit holds, at the limit and one beyond")
    func limits() throws {
        func part(_ name: String, _ fields: Int = 0) -> String {
            let more = (0..<fields).map { "X-\($0): y\r\n" }.joined()
            return "--X\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(more)\r\nx\r\n"
        }
        var limits = MultipartLimits()
        limits.parts = 3
        let three = String(repeating: part("a"), count: 3) + "--X--"
        #expect(try Self.parse([Self.body(three)], boundary: "X", limits: limits).heads.count == 3)
        #expect(throws: MultipartError.tooManyParts) {
            try Self.parse([Self.body(part("a") + three)], boundary: "X", limits: limits)
        }
        limits.headFields = 3
        _ = try Self.parse([Self.body(part("a", 2) + "--X--")], boundary: "X", limits: limits)
        #expect(throws: MultipartError.headTooLarge) {
            try Self.parse([Self.body(part("a", 3) + "--X--")], boundary: "X", limits: limits)
        }
        limits.headBytes = 100
        _ = try Self.parse([Self.body(part("a") + "--X--")], boundary: "X", limits: limits)
        #expect(throws: MultipartError.headTooLarge) {
            try Self.parse(
                [Self.body(part(String(repeating: "a", count: 100)) + "--X--")], boundary: "X", limits: limits)
        }
        #expect(throws: MultipartError.headTooLarge) {
            try Self.parse([Self.body("--X\r\n" + String(repeating: "a", count: 100))], boundary: "X", limits: limits)
        }
        limits.totalBytes = three.utf8.count
        _ = try Self.parse([Self.body(three)], boundary: "X", limits: limits)
        #expect(throws: MultipartError.tooLarge) {
            try Self.parse([Self.body(three + "\r\n")], boundary: "X", limits: limits)
        }
        limits.totalBytes = 1 << 20
        #expect(throws: MultipartError.self) {
            try Self.parse(
                [Self.body(String(repeating: "a", count: 2000) + "\r\n" + three)], boundary: "X", limits: limits)
        }
        #expect(throws: MultipartError.self) {
            try Self.parse(
                [Self.body("--X" + String(repeating: " ", count: 65) + "\r\n")], boundary: "X", limits: limits)
        }
    }

    @Test("a field is collected up to its limit")
    func fieldLimit() async throws {
        var limits = MultipartLimits()
        limits.fieldBytes = 10
        for (length, fits) in [(10, true), (11, false)] {
            let text =
                "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + String(repeating: "y", count: length)
                + "\r\n--X--"
            let source = AsyncStream<ByteBuffer> { continuation in
                for byte in text.utf8 { continuation.yield(ByteBuffer(bytes: [byte])) }
                continuation.finish()
            }
            var reader = MultipartReader(
                source.makeAsyncIterator(), boundary: try #require(MultipartBoundary("X")), limits: limits)
            #expect(try await reader.next() == .part(MultipartHead(name: "a")))
            if fits {
                #expect(try await reader.field("a").readableBytes == length)
                #expect(try await reader.next() == .end)
            } else {
                await #expect(throws: MultipartError.fieldTooLarge("a")) { try await reader.field("a") }
            }
        }
    }

    @Test("nothing but the beginning of a delimiter is ever held back")
    func nothingHeldBack() throws {
        var parser = MultipartParser(boundary: try #require(MultipartBoundary("boundary")))
        try parser.append(ByteBuffer(string: "--boundary\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n"))
        _ = try parser.next()
        for (piece, given) in [("abc\rdef", "abc\rdef"), ("ghi\r\n--bou", "ghi"), ("nd", ""), ("x", "\r\n--boundx")] {
            try parser.append(ByteBuffer(string: piece))
            var taken = ""
            while case .bytes(let bytes) = try parser.next() { taken += String(buffer: bytes) }
            #expect(taken == given)
        }
    }

    @Test("boundaries are read from the content type as RFC 2046 allows them")
    func boundaries() throws {
        #expect(try MultipartBoundary(contentType: "multipart/form-data; boundary=abc").text == "abc")
        #expect(
            try MultipartBoundary(contentType: "Multipart/Form-Data; charset=utf-8; Boundary=\"a b:c\"").text == "a b:c"
        )
        #expect(try MultipartBoundary(contentType: "multipart/form-data;boundary=abc ; x=y").text == "abc")
        let seventy = String(repeating: "a", count: 70)
        #expect(try MultipartBoundary(contentType: "multipart/form-data; boundary=\(seventy)").text == seventy)
        for bad in [
            "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
            "multipart/form-data; boundary=\(seventy)a", "multipart/form-data; boundary=\"a \"",
            "multipart/form-data; boundary=ä", "multipart/mixed; boundary=abc", "text/plain", "",
            "multipart/form-data; boundary=\"abc",
        ] {
            #expect(throws: MultipartError.badBoundary, "\(bad)") { try MultipartBoundary(contentType: bad) }
        }
    }

    @Test(
        "names of fields and files are read as browsers and programs write them",
        arguments: [
            ("form-data; name=\"file\"; filename=\"sheet.pdf\"", "file", "sheet.pdf"),
            ("form-data; name=file; filename=sheet.pdf", "file", "sheet.pdf"),
            ("form-data; filename=\"\"; name=\"file\"", "file", ""),
            ("form-data; name=\"a%22b\"; filename=\"x%22y.pdf\"", "a\"b", "x\"y.pdf"),
            ("form-data; name=\"file\"; filename=\"a \\\"q\\\" b.pdf\"", "file", "a \"q\" b.pdf"),
            ("form-data; name=\"file\"; filename=\"C:\\Sheets\\held.pdf\"", "file", "C:\\Sheets\\held.pdf"),
            ("form-data; name=\"file\"; filename=\"a;b=c.pdf\"", "file", "a;b=c.pdf"),
            ("form-data; name=\"file\"; filename=\"Charakterbögen 角.pdf\"", "file", "Charakterbögen 角.pdf"),
            ("form-data; name=\"file\"; filename=\"x.pdf\"; filename*=UTF-8''B%C3%B6gen.pdf", "file", "Bögen.pdf"),
            ("form-data; name=\"file\"; filename*=iso-8859-1''B%F6gen.pdf; filename=\"x.pdf\"", "file", "x.pdf"),
            ("form-data; name=\"file\"; filename=\"x.pdf\";", "file", "x.pdf"),
            ("form-data; name=\"file\";\u{301}", nil, nil),
            ("form-data; name=\"file", nil, nil),
            ("form-data; name=\"file\\\"", nil, nil),
        ] as [(String, String?, String?)])
    func names(_ disposition: String, _ name: String?, _ fileName: String?) throws {
        let lines = ["Content-Disposition: \(disposition)"[...]]
        guard let name else {
            #expect(throws: MultipartError.self) { try MultipartHead(lines: lines) }
            return
        }
        #expect(try MultipartHead(lines: lines) == MultipartHead(name: name, fileName: fileName))
    }
}
