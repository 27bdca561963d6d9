// SPDX-License-Identifier: Apache-2.0
import Glibc
import SheetCore

/// What the outside of a file tells before a PDF parser sees it: is it one, and is it something else as well?
struct FileSniff {
    private(set) var findings: [Finding] = []
    /// Whether it is worth parsing.
    private(set) var isPDF = false

    /// The header must start within this many bytes (PDF 1.7, implementation note 13).
    private static let headerReach = 1024
    /// Longest end of a ZIP archive: its record and the comment.
    private static let zipTail = 22 + 65_535
    /// Bytes after the last end marker that signing tools and mail programs leave.
    private static let harmlessTail = 1024
    private static let markup = ["<html", "<!doctype", "<script", "<svg", "<?php", "<body", "<iframe"]

    init(_ bytes: UnsafeRawBufferPointer) {
        guard let header = Self.find("%PDF-", in: bytes, from: 0, to: Self.headerReach + 5) else {
            findings.append(
                Finding(.notAPDF, .blocker, message: "This is not a PDF file: it does not begin as one.")
            )
            return
        }
        isPDF = true
        lookBefore(header, in: bytes)
        lookIntoComments(after: header, in: bytes)
        lookForOtherFormats(in: bytes)
        lookAfterEnd(in: bytes)
    }

    private mutating func polyglot(_ what: String) {
        guard !findings.contains(where: { $0.code == .polyglot }) else { return }
        findings.append(
            Finding(
                .polyglot,
                .blocker,
                message: "The file is a PDF and something else at once (\(what)). Export it again as a plain PDF."
            )
        )
    }

    private mutating func lookBefore(_ header: Int, in bytes: UnsafeRawBufferPointer) {
        guard header > 0 else { return }
        let prefix = bytes[..<header]
        if prefix.allSatisfy({ Self.isSpace($0) || [0xEF, 0xBB, 0xBF].contains($0) }) {
            findings.append(
                Finding(.surroundingJunk, .warning, message: "Blank space comes before the beginning of the PDF.")
            )
        } else {
            polyglot("\(header) bytes come before the PDF header")
        }
    }

    /// Programs that guess a file's type from its first bytes look into comments too.
    private mutating func lookIntoComments(after header: Int, in bytes: UnsafeRawBufferPointer) {
        var at = header
        let stop = min(bytes.count, header + Self.headerReach)
        while at < stop, bytes[at] == UInt8(ascii: "%") || Self.isSpace(bytes[at]) {
            var end = at
            while end < stop, bytes[end] != 10, bytes[end] != 13 { end += 1 }
            // Honest comments hold no markup at all.
            if bytes[at..<end].contains(UInt8(ascii: "<")) {
                let line = String(decoding: bytes[at..<end], as: UTF8.self).lowercased()
                if Self.markup.contains(where: line.contains) { polyglot("markup in a comment") }
            }
            at = end + 1
        }
    }

    private mutating func lookForOtherFormats(in bytes: UnsafeRawBufferPointer) {
        if Self.matches("ustar", in: bytes, at: 257) { polyglot("a tar archive") }
        if Self.matches("DICM", in: bytes, at: 128) { polyglot("a DICOM picture") }
        if Self.matches("CD001", in: bytes, at: 32_769) { polyglot("a disc image") }
        var at = max(0, bytes.count - Self.zipTail)
        while let end = Self.find("PK\u{5}\u{6}", in: bytes, from: at, to: bytes.count) {
            if end + 22 <= bytes.count, end + 22 + Int(bytes[end + 20]) + Int(bytes[end + 21]) << 8 == bytes.count {
                polyglot("a ZIP archive")
                return
            }
            at = end + 1
        }
    }

    private mutating func lookAfterEnd(in bytes: UnsafeRawBufferPointer) {
        guard let marker = Self.findLast("%%EOF", in: bytes) else { return }
        lookForSecondFile(in: bytes, before: marker)
        var tail = bytes[(marker + 5)...]
        tail = tail.drop(while: { Self.isSpace($0) })
        guard !tail.isEmpty else { return }
        let rest = UnsafeRawBufferPointer(rebasing: tail)
        let magics = [
            "PK\u{3}\u{4}", "Rar!", "7z", "GIF8", "MZ", "\u{7F}ELF", "#!", "<html", "<!DOCTYPE", "<script", "<?php",
            "<svg",
            "BM", "RIFF", "{\\rtf", "From ",
        ]
        if magics.contains(where: { Self.matches($0, in: rest, at: 0) })
            || rest.starts(with: [0x89, 0x50, 0x4E, 0x47]) || rest.starts(with: [0xFF, 0xD8, 0xFF])
            || rest.starts(with: [0x1F, 0x8B])
        {
            polyglot("another file follows the PDF")
        } else if rest.count > Self.harmlessTail, !Self.looksLikeObjects(rest) {
            polyglot("\(rest.count) bytes follow the end of the PDF")
        } else {
            findings.append(
                Finding(.surroundingJunk, .warning, message: "\(rest.count) bytes follow the end of the PDF.")
            )
        }
    }

    /// A file that lost its end goes on with its own objects.
    private static func looksLikeObjects(_ bytes: UnsafeRawBufferPointer) -> Bool {
        ["trailer", "xref", "startxref"].contains { matches($0, in: bytes, at: 0) }
            || bytes.first.map { (48...57).contains($0) } == true && find(" obj", in: bytes, from: 0, to: 24) != nil
    }

    /// An update appends objects, never a second header.
    private mutating func lookForSecondFile(in bytes: UnsafeRawBufferPointer, before last: Int) {
        var at = 0
        while let marker = Self.find("%%EOF", in: bytes, from: at, to: last) {
            var next = marker + 5
            while next < last, Self.isSpace(bytes[next]) { next += 1 }
            if Self.matches("%PDF-", in: bytes, at: next) {
                polyglot("two PDF files in one")
                return
            }
            at = marker + 5
        }
    }

    // MARK: - Bytes

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 32 || (9...13).contains(byte) || byte == 0
    }

    private static func matches(_ text: String, in bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        let length = text.utf8.count
        guard let base = bytes.baseAddress, start >= 0, start + length <= bytes.count else { return false }
        return text.withCString { memcmp(base + start, $0, length) == 0 }
    }

    private static func find(_ text: String, in bytes: UnsafeRawBufferPointer, from: Int, to end: Int) -> Int? {
        guard let start = bytes.baseAddress, let first = text.utf8.first, from >= 0 else { return nil }
        let last = min(end, bytes.count) - text.utf8.count
        var at = from
        while at <= last, let found = memchr(start + at, Int32(first), last - at + 1) {
            at = UnsafeRawPointer(found) - start
            if matches(text, in: bytes, at: at) { return at }
            at += 1
        }
        return nil
    }

    private static func findLast(_ text: String, in bytes: UnsafeRawBufferPointer) -> Int? {
        var last: Int?
        while let next = find(text, in: bytes, from: last.map { $0 + 1 } ?? 0, to: bytes.count) { last = next }
        return last
    }
}
