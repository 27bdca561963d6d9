// SPDX-License-Identifier: Apache-2.0
import CZstd
import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads a frame that was made with a file as its dictionary, piece by piece. The file is mapped, not copied, and only what
/// was last used of it stays in memory; beside it there is a window of the size that the frame asks for, at most.
package final class FrameDecoder {
    /// No frame may ask for more, as a power of two: 16 MB.
    private static let largestWindow: Int32 = 24
    /// So many decoded bytes make the dictionary's pages leave memory: those wanted again come back from the system's cache.
    private static let bytesBetweenReleases = 1 << 20

    private let context: OpaquePointer
    private let dictionary: UnsafeMutableRawPointer
    private let dictionaryBytes: Int
    private var buffer: [UInt8]
    private var sinceRelease = 0
    /// Whether the frame's end was reached.
    package private(set) var isComplete = false

    /// Begins with the file at `path` as the dictionary.
    package init(dictionary path: String) throws(ZstandardFailure) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ZstandardFailure("the dictionary cannot be opened") }
        defer { close(file) }
        let end = lseek(file, 0, SEEK_END)
        guard end > 0, let mapped = mmap(nil, Int(end), PROT_READ, MAP_PRIVATE, file, 0), mapped != MAP_FAILED else {
            throw ZstandardFailure("the dictionary cannot be read")
        }
        guard let context = ZSTD_createDCtx() else {
            munmap(mapped, Int(end))
            throw ZstandardFailure("no memory")
        }
        self.context = context
        dictionary = mapped
        dictionaryBytes = Int(end)
        buffer = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        try ZstandardFailure.check(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.largestWindow))
        try ZstandardFailure.check(ZSTD_DCtx_refPrefix(context, mapped, Int(end)))
    }

    deinit {
        ZSTD_freeDCtx(context)
        munmap(dictionary, dictionaryBytes)
    }

    /// Decodes more of the frame, and hands on what comes of it. Nothing may follow the frame.
    package func decode(_ piece: Data, _ take: (Data) throws -> Void) throws {
        try piece.withUnsafeBytes { bytes in
            var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
            var isFull = false
            while input.pos < input.size || isFull {
                guard !isComplete else { throw ZstandardFailure("something follows the frame") }
                let (left, made) = buffer.withUnsafeMutableBytes { space in
                    var output = ZSTD_outBuffer(dst: space.baseAddress, size: space.count, pos: 0)
                    return (ZSTD_decompressStream(context, &output, &input), output.pos)
                }
                try ZstandardFailure.check(left)
                isFull = made == buffer.count
                isComplete = left == 0
                if made > 0 { try take(Data(buffer[..<made])) }
                release(after: made)
                if isComplete { isFull = false }
            }
        }
    }

    private func release(after made: Int) {
        sinceRelease += made
        guard sinceRelease >= Self.bytesBetweenReleases else { return }
        sinceRelease = 0
        // Advice: where it is not taken, only memory is lost.
        _ = madvise(dictionary, dictionaryBytes, MADV_DONTNEED)
    }
}
