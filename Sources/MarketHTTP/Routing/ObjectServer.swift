// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore
import Synchronization

/// Answers requests with stored objects: small ones that are asked for again from memory, the others streamed.
package final class ObjectServer: Sendable {
    /// Larger objects are never kept in memory.
    static let largestKept = 1 << 20

    private struct Cache {
        var objects: LRUCache<String, ByteBuffer>
        /// Objects that were requested once: they are cached at the second request.
        var seen = LRUCache<String, Bool>(capacity: 4096)
    }

    private let storage: any Storage
    private let cache: Mutex<Cache>

    package init(storage: any Storage, capacityBytes: Int = 64 << 20) {
        self.storage = storage
        cache = Mutex(Cache(objects: LRUCache(capacity: capacityBytes)))
    }

    /// The object named by the hexadecimal digits `hex`, with `headers` added to: whole, in part, or `304`.
    /// The bytes never change, so the hash is a strong entity tag. With `direct` the client, or the proxy in front, may
    /// be sent to the store itself.
    package func response(
        to request: Request, hex: String, headers: HTTPFields, direct: Bool = false
    ) async throws -> Response {
        var headers = headers
        let tag = "\"\(hex)\""
        headers[.eTag] = tag
        headers[.acceptRanges] = "bytes"
        if request.holds(tag) { return Response(status: .notModified, headers: headers) }
        if direct, let answer = try await delivery(request, hex, headers) { return answer }
        if let bytes = cache.withLock({ $0.objects.use(hex) }) { return try await answer(request, tag, bytes, headers) }
        guard let hash = ContentHash(hex: hex), let size = try await storage.size(of: hash) else {
            throw APIError.notFound("This file")
        }
        let isSecondTime = cache.withLock { cache in
            if size > Self.largestKept || cache.seen.use(hex) != nil { return size <= Self.largestKept }
            cache.seen.enter(true, for: hex, cost: 1)
            return false
        }
        if isSecondTime, request.method == .get {
            let bytes = try await load(hash, size: size)
            cache.withLock { $0.objects.enter(bytes, for: hex, cost: size + 512) }
            return try await answer(request, tag, bytes, headers)
        }
        let storage = self.storage
        return try await answer(request, tag, size, headers) { range in
            // What cannot be read is known before anything is answered. `HEAD` reads nothing.
            guard request.method == .get else { return ResponseBody(contentLength: range.count) { _ in } }
            let pieces = try await storage.read(hash, range: range)
            return ResponseBody(contentLength: range.count) { writer in
                for try await piece in pieces { try await writer.write(piece) }
                try await writer.finish(nil)
            }
        }
    }

    /// The bytes of a small object, for an answer that has several; kept in memory as those of a request are.
    package func bytes(of object: StoredObject) async throws -> ByteBuffer {
        let hex = object.hash.hex
        if let bytes = cache.withLock({ $0.objects.use(hex) }) { return bytes }
        let bytes = try await load(object.hash, size: object.sizeBytes)
        cache.withLock { $0.objects.enter(bytes, for: hex, cost: object.sizeBytes + 512) }
        return bytes
    }

    private func delivery(_ request: Request, _ hex: String, _ headers: HTTPFields) async throws -> Response? {
        // An address of the store is signed for `GET` alone.
        guard request.method == .get, let hash = ContentHash(hex: hex), let mediaType = headers[.contentType],
            let disposition = headers[.contentDisposition]
        else { return nil }
        switch try await storage.delivery(of: hash, as: ServedAs(mediaType: mediaType, disposition: disposition)) {
        case .redirect(let address):
            return Response(status: .temporaryRedirect, headers: [.location: address, .cacheControl: "no-store"])
        case .proxy(let path):
            // The proxy puts its own length, ranges and entity tag in the place of ours.
            var headers = headers
            headers[.accelRedirect] = path
            return Response(status: .ok, headers: headers)
        case nil: return nil
        }
    }

    private func answer(
        _ request: Request, _ tag: String, _ bytes: ByteBuffer, _ headers: HTTPFields
    ) async throws -> Response {
        try await answer(request, tag, bytes.readableBytes, headers) { range in
            ResponseBody(
                byteBuffer: bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) ?? bytes)
        }
    }

    private func answer(
        _ request: Request, _ tag: String, _ size: Int, _ headers: HTTPFields,
        body: (Range<Int>) async throws -> ResponseBody
    ) async throws -> Response {
        let condition = request.headers[.ifRange]
        let wanted = condition == nil || condition == tag ? request.headers[.range] : nil
        var headers = headers
        switch ByteRange(wanted, size: size) {
        case .whole:
            headers[.contentLength] = String(size)
            return Response(status: .ok, headers: headers, body: try await body(0..<size))
        case .part(let range):
            headers[.contentLength] = String(range.count)
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
            return Response(status: .partialContent, headers: headers, body: try await body(range))
        case .unsatisfiable:
            throw APIError(
                .rangeNotSatisfiable, .rangeNotSatisfiable, "The file has \(size) bytes.",
                headers: [.contentRange: "bytes */\(size)"])
        }
    }

    private func load(_ hash: ContentHash, size: Int) async throws -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: size)
        for try await var piece in try await storage.read(hash, range: nil) { bytes.writeBuffer(&piece) }
        return bytes
    }
}

extension HTTPField.Name {
    /// nginx serves the file of this internal path instead of the answer's body.
    fileprivate static let accelRedirect = Self("X-Accel-Redirect") ?? .location
}
