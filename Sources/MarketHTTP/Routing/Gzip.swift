// SPDX-License-Identifier: Apache-2.0
import CZlib
import HTTPTypes
import Hummingbird
import NIOCore

/// Makes answers smaller (RFC 1952), by zlib.
enum Gzip {
    /// Smaller answers fit in one packet anyway, and are not compressed.
    static let leastBytes = 1024
    /// A list of JSON shrinks to a quarter at level 3; level 4 takes half as much time again to save 3 % more.
    private static let level: Int32 = 3

    /// The bytes as a gzip file; `nil` when zlib has no memory.
    static func compressed(_ body: ByteBuffer) -> ByteBuffer? {
        var stream = z_stream()
        let wrapped = Int32(15 + 16)
        guard
            deflateInit2_(
                &stream, level, Z_DEFLATED, wrapped, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(body.readableBytes)))
        var result = ByteBuffer()
        var isDone = false
        result.writeWithUnsafeMutableBytes(minimumWritableBytes: bound) { output in
            body.withUnsafeReadableBytes { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                isDone = deflate(&stream, Z_FINISH) == Z_STREAM_END
                return output.count - Int(stream.avail_out)
            }
        }
        return isDone ? result : nil
    }
}

extension Request {
    /// Whether the client accepts gzip: named, with a weight above zero.
    var acceptsGzip: Bool {
        (headers[.acceptEncoding] ?? "").split(separator: ",").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard parts.first == "gzip" || parts.first == "*" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}
