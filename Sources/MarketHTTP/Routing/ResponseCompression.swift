// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

extension Response {
    /// The bytes of the body, which must be of a known length.
    func collectedBody() async throws -> ByteBuffer {
        let kept = CollectedBytes()
        try await body.write(CollectingBodyWriter(kept: kept))
        return kept.bytes
    }

    /// Whether the body is JSON of whatever kind.
    private var isJSON: Bool {
        guard let type = headers[.contentType] else { return false }
        return type.hasPrefix("application/json") || type.hasPrefix("application/problem+json")
    }

    /// Makes a JSON answer smaller for a client that takes gzip. Responses with a secret (`no-store`) are not
    /// compressed, because the compressed length leaks information about the content.
    mutating func compressJSON(for request: Request) async throws {
        // Without the field nothing is compressed, and no `Vary` is needed: an answer that a shared cache may keep says
        // itself what it varies by (`ResponseCache`).
        guard request.headers[.acceptEncoding] != nil, isJSON, headers[.contentEncoding] == nil else { return }
        let isPrivateForGood = headers[.cacheControl]?.contains("no-store") == true
        guard !isPrivateForGood else { return }
        if headers[.vary]?.contains("Accept-Encoding") != true {
            headers[.vary] = headers[.vary].map { "\($0), Accept-Encoding" } ?? "Accept-Encoding"
        }
        guard let length = body.contentLength, length >= Gzip.leastBytes, request.acceptsGzip else { return }
        let plain = try await collectedBody()
        guard let smaller = Gzip.compressed(plain) else {
            body = .init(byteBuffer: plain)
            return
        }
        body = .init(byteBuffer: smaller)
        headers[.contentEncoding] = "gzip"
        // Other bytes, another tag.
        if let tag = headers[.eTag] { headers[.eTag] = EntityTag.compressed(tag) }
    }
}

private final class CollectedBytes: Sendable {
    private let kept = Mutex(ByteBuffer())

    var bytes: ByteBuffer { kept.withLock { $0 } }

    func take(_ buffer: ByteBuffer) {
        kept.withLock { kept in
            if kept.readableBytes == 0 { kept = buffer } else { kept.writeImmutableBuffer(buffer) }
        }
    }
}

private struct CollectingBodyWriter: ResponseBodyWriter {
    let kept: CollectedBytes

    mutating func write(_ buffer: ByteBuffer) async throws { kept.take(buffer) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
