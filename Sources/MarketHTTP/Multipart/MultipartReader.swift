// SPDX-License-Identifier: Apache-2.0
import NIOCore

/// Draws a multipart body from where its bytes come from, no faster than its events are taken.
package struct MultipartReader<Source: AsyncIteratorProtocol> where Source.Element == ByteBuffer {
    private var source: Source
    private var parser: MultipartParser
    private let limits: MultipartLimits
    private var isOver = false

    /// Begins to read.
    package init(_ source: Source, boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        self.source = source
        self.limits = limits
        parser = MultipartParser(boundary: boundary, limits: limits)
    }

    /// The next event; `nil` when the body is over. Throws `MultipartError.truncated` when it is over too early.
    package mutating func next() async throws -> MultipartParser.Event? {
        while !isOver {
            if let event = try parser.next() {
                if event == .end { isOver = true }
                return event
            }
            guard let bytes = try await source.next() else {
                try parser.finish()
                isOver = true
                break
            }
            try parser.append(bytes)
        }
        return nil
    }

    /// The bytes of the present part, up to the limit of a field; to be called after its `.part`.
    package mutating func field(_ name: String) async throws -> ByteBuffer {
        var collected = ByteBuffer()
        while let event = try await next() {
            guard case .bytes(let bytes) = event else { break }
            guard collected.readableBytes + bytes.readableBytes <= limits.fieldBytes else {
                throw MultipartError.fieldTooLarge(name)
            }
            collected.writeImmutableBuffer(bytes)
        }
        return collected
    }
}
