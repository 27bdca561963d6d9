// SPDX-License-Identifier: Apache-2.0
import CZlib
import NIOCore

/// Writes a gzip file (RFC 1952) piece by piece, in bounded memory.
package final class GzipStream {
    /// zlib has no memory, or was handed nonsense.
    package struct Failure: Error {
        let code: Int32
    }

    private static let pieceBytes = 64 << 10
    // zlib points back to where its state stands: that must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    package init() throws(Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let wrapped = Int32(15 + 16)
        let code = deflateInit2_(
            stream, 6, Z_DEFLATED, wrapped, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw Failure(code: code) }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// What comes out for these bytes, which may be nothing yet.
    package func compress(_ bytes: ByteBuffer) throws(Failure) -> ByteBuffer {
        try run(bytes, Z_NO_FLUSH)
    }

    package func finish() throws(Failure) -> ByteBuffer {
        try run(ByteBuffer(), Z_FINISH)
    }

    private func run(_ bytes: ByteBuffer, _ flush: Int32) throws(Failure) -> ByteBuffer {
        var result = ByteBuffer()
        var code = Z_OK
        bytes.withUnsafeReadableBytes { input in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            repeat {
                result.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceBytes) { output in
                    stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(output.count)
                    code = deflate(stream, flush)
                    return output.count - Int(stream.pointee.avail_out)
                }
            } while stream.pointee.avail_out == 0 && code == Z_OK
        }
        // Z_BUF_ERROR says only that there was nothing to do.
        guard code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END else { throw Failure(code: code) }
        return result
    }
}
