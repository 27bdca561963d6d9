// SPDX-License-Identifier: Apache-2.0
import CZstd
import Foundation

/// Compresses files with others as their dictionaries (Zstandard, as of RFC 8878).
package enum DictionaryEncoder {
    /// Thorough: it is done once, and read often.
    private static let level: Int32 = 19

    /// The bytes of `file` as a frame that only who has `dictionary` can read; `nil` where it would be longer than `limit`.
    /// Takes a second or two for each ten megabytes, and some 200 MB of memory for the largest.
    package static func encode(
        _ file: Data, dictionary: Data, limit: Int
    ) throws(ZstandardFailure) -> Data? {
        guard let context = ZSTD_createCCtx() else { throw ZstandardFailure("no memory") }
        defer { ZSTD_freeCCtx(context) }
        // All of the dictionary must be in reach of the file's last byte.
        let window = max(10, Int32(Int.bitWidth - (file.count + dictionary.count).leadingZeroBitCount))
        for (parameter, value) in [
            (ZSTD_c_compressionLevel, level), (ZSTD_c_windowLog, window), (ZSTD_c_enableLongDistanceMatching, 1),
            (ZSTD_c_checksumFlag, 0),
        ] {
            try ZstandardFailure.check(ZSTD_CCtx_setParameter(context, parameter, value))
        }
        var coded = Data(count: limit)
        let length = file.withUnsafeBytes { file in
            dictionary.withUnsafeBytes { dictionary in
                coded.withUnsafeMutableBytes { coded in
                    let code = ZSTD_CCtx_refPrefix(context, dictionary.baseAddress, dictionary.count)
                    guard ZSTD_isError(code) == 0 else { return code }
                    return ZSTD_compress2(context, coded.baseAddress, coded.count, file.baseAddress, file.count)
                }
            }
        }
        if ZSTD_isError(length) != 0, ZSTD_getErrorCode(length) == ZSTD_error_dstSize_tooSmall { return nil }
        try ZstandardFailure.check(length)
        return coded.prefix(length)
    }
}

/// What the library says went wrong.
package struct ZstandardFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    static func check(_ code: Int) throws(ZstandardFailure) {
        guard ZSTD_isError(code) == 0 else { throw ZstandardFailure(String(cString: ZSTD_getErrorName(code))) }
    }
}
