// SPDX-License-Identifier: Apache-2.0
import Foundation
import NIOCore

/// Reads multipart/form-data (RFC 7578, RFC 2046 section 5.1) however its bytes are cut: bytes go in by `append`,
/// events come out of `next`. A pure state machine: it holds no more than one piece of input and one part's head.
package struct MultipartParser {
    /// What comes next in the body.
    package enum Event: Equatable {
        /// A part begins.
        case part(MultipartHead)
        /// Some bytes of the present part, never empty.
        case bytes(ByteBuffer)
        /// The present part is over.
        case partEnd
        /// The closing delimiter was read; whatever follows it is ignored.
        case end
    }

    private enum State {
        case preamble
        case delimiterTail
        case head
        case content
        case epilogue
    }

    private let limits: MultipartLimits
    /// The line break belongs to the delimiter, not to the part before it.
    private let delimiter: [UInt8]
    private var state = State.preamble
    private var pending: ByteBuffer
    private var totalBytes = 0
    private var preambleBytes = 0
    private var parts = 0
    /// Whether the delimiter that was just read closes a part.
    private var partIsOpen = false

    /// Begins a body whose parts are divided by `boundary`.
    package init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        self.limits = limits
        delimiter = Array("\r\n--\(boundary.text)".utf8)
        // The first delimiter may stand at the very beginning, without a line break before it.
        pending = ByteBuffer(string: "\r\n")
    }

    /// Takes the next bytes of the body.
    package mutating func append(_ bytes: ByteBuffer) throws(MultipartError) {
        totalBytes += bytes.readableBytes
        guard totalBytes <= limits.totalBytes else { throw .tooLarge }
        if case .epilogue = state { return }
        if pending.readableBytes == 0 {
            pending = bytes
        } else {
            pending.discardReadBytes()
            pending.writeImmutableBuffer(bytes)
        }
    }

    /// The next event, or `nil` when more bytes are needed for one.
    package mutating func next() throws(MultipartError) -> Event? {
        while true {
            switch state {
            case .preamble:
                guard try skipPreamble() else { return nil }
            case .delimiterTail:
                if partIsOpen {
                    partIsOpen = false
                    return .partEnd
                }
                guard let isClosing = try readDelimiterTail() else { return nil }
                state = isClosing ? .epilogue : .head
                if isClosing {
                    pending.clear()
                    return .end
                }
            case .head:
                guard let head = try readHead() else { return nil }
                state = .content
                partIsOpen = true
                return .part(head)
            case .content:
                let (bytes, delimiterFollows) = readContent()
                if delimiterFollows { state = .delimiterTail }
                if let bytes { return .bytes(bytes) }
                if !delimiterFollows { return nil }
            case .epilogue:
                return nil
            }
        }
    }

    /// Says that the body is over; throws when it ended before its closing delimiter.
    package func finish() throws(MultipartError) {
        guard case .epilogue = state else { throw .truncated }
    }

    // MARK: - Steps

    /// Throws bytes away up to and including the first delimiter.
    private mutating func skipPreamble() throws(MultipartError) -> Bool {
        let (skipped, delimiterFollows) = readContent()
        preambleBytes += skipped?.readableBytes ?? 0
        guard preambleBytes <= limits.preambleBytes else { throw .malformed("no boundary where the body begins") }
        if delimiterFollows { state = .delimiterTail }
        return delimiterFollows || skipped != nil
    }

    /// Reads `--`, or padding and a line break; `nil` when there are not enough bytes to tell.
    private mutating func readDelimiterTail() throws(MultipartError) -> Bool? {
        let view = pending.readableBytesView
        guard let first = view.first else { return nil }
        if first == UInt8(ascii: "-") {
            guard view.count >= 2 else { return nil }
            guard view[view.startIndex + 1] == UInt8(ascii: "-") else {
                throw .malformed("a delimiter is followed by something else")
            }
            pending.moveReaderIndex(forwardBy: 2)
            return true
        }
        let padding = view.prefix { $0 == 0x20 || $0 == 0x09 }.count
        guard padding <= limits.paddingBytes else { throw .malformed("a delimiter is followed by too much padding") }
        let rest = view.dropFirst(padding).prefix(2)
        guard rest.elementsEqual([0x0D, 0x0A]) else {
            if rest.isEmpty || rest.elementsEqual([0x0D]) { return nil }
            throw .malformed("a delimiter is followed by something else")
        }
        pending.moveReaderIndex(forwardBy: padding + 2)
        parts += 1
        guard parts <= limits.parts else { throw .tooManyParts }
        return false
    }

    /// Reads a part's header fields up to the empty line; `nil` when they are not all there.
    private mutating func readHead() throws(MultipartError) -> MultipartHead? {
        let view = pending.readableBytesView
        var lines: [Substring] = []
        var position = view.startIndex
        while let lineFeed = view[position...].firstIndex(of: 0x0A) {
            guard lineFeed - view.startIndex < limits.headBytes else { throw .headTooLarge }
            guard lineFeed > position, view[lineFeed - 1] == 0x0D else {
                throw .malformed("a header line does not end in CR LF")
            }
            let line = view[position..<(lineFeed - 1)]
            position = lineFeed + 1
            if line.isEmpty {
                pending.moveReaderIndex(forwardBy: position - view.startIndex)
                return try MultipartHead(lines: lines)
            }
            guard lines.count < limits.headFields else { throw .headTooLarge }
            guard let text = String(validating: line, as: UTF8.self) else {
                throw .malformed("a header line is not UTF-8")
            }
            lines.append(text[...])
        }
        guard view.count < limits.headBytes else { throw .headTooLarge }
        return nil
    }

    /// Takes what is certainly content: all up to the next delimiter, or up to what may be the beginning of one.
    /// Consumes the delimiter too, once nothing stands before it.
    private mutating func readContent() -> (bytes: ByteBuffer?, delimiterFollows: Bool) {
        let (count, isWhole) = pending.withUnsafeReadableBytes { find(delimiter, in: $0) }
        let bytes = count > 0 ? pending.readSlice(length: count) : nil
        if isWhole { pending.moveReaderIndex(forwardBy: delimiter.count) }
        return (bytes, isWhole)
    }
}

/// How many bytes stand before the first place where `pattern` begins, wholly, or cut off by the end of `bytes`.
private func find(_ pattern: [UInt8], in bytes: UnsafeRawBufferPointer) -> (count: Int, isWhole: Bool) {
    guard let base = bytes.baseAddress else { return (0, false) }
    var offset = 0
    while offset < bytes.count {
        guard let hit = memchr(base + offset, 0x0D, bytes.count - offset) else { return (bytes.count, false) }
        offset = UnsafeRawPointer(hit) - base
        let available = min(pattern.count, bytes.count - offset)
        let matches = pattern.withUnsafeBytes { pattern in
            pattern.baseAddress.map { memcmp($0, base + offset, available) == 0 } ?? false
        }
        if matches { return (offset, available == pattern.count) }
        offset += 1
    }
    return (bytes.count, false)
}

/// Limits on a multipart body.
package struct MultipartLimits: Sendable {
    /// The whole body, in bytes.
    package var totalBytes = 128 << 20
    /// Bytes before the first delimiter.
    var preambleBytes = 1024
    /// Blanks between a delimiter and its line break.
    var paddingBytes = 64
    package var parts = 32
    /// Header fields of a part.
    var headFields = 8
    /// All header fields of a part, in bytes.
    var headBytes = 4096
    /// Content of a part that is not a file, in bytes.
    var fieldBytes = 128 << 10

    package init(
        totalBytes: Int = 128 << 20, preambleBytes: Int = 1024, paddingBytes: Int = 64, parts: Int = 32,
        headFields: Int = 8, headBytes: Int = 4096, fieldBytes: Int = 128 << 10
    ) {
        self.totalBytes = totalBytes
        self.preambleBytes = preambleBytes
        self.paddingBytes = paddingBytes
        self.parts = parts
        self.headFields = headFields
        self.headBytes = headBytes
        self.fieldBytes = fieldBytes
    }
}
