// SPDX-License-Identifier: Apache-2.0
import CWebP
import Glibc

/// libwebp with settings that never change, so that the same page gives the same bytes.
enum WebP {
    private static let quality: Float = 82
    private static let method: Int32 = 2

    /// A picture for people; small rather than exact.
    static func encode(_ pixels: PagePixels) throws -> [UInt8] {
        var config = WebPConfig()
        guard WebPConfigInitInternal(&config, WEBP_PRESET_TEXT, quality, WEBP_ENCODER_ABI_VERSION) != 0 else {
            throw OutOfMemory()
        }
        config.method = method
        return try encode(pixels.bytes, width: pixels.width, height: pixels.height, &config)
    }

    /// A picture of few colours, exact: thin coloured lines would lose their colour otherwise.
    static func encodeExactly(_ pixels: UnsafeBufferPointer<UInt8>, width: Int, height: Int) throws -> [UInt8] {
        var config = WebPConfig()
        guard WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, quality, WEBP_ENCODER_ABI_VERSION) != 0,
            WebPConfigLosslessPreset(&config, method) != 0
        else { throw OutOfMemory() }
        return try encode(pixels, width: width, height: height, &config)
    }

    private static func encode(
        _ pixels: UnsafeBufferPointer<UInt8>, width: Int, height: Int, _ config: inout WebPConfig
    ) throws -> [UInt8] {
        var picture = WebPPicture()
        guard WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0 else { throw OutOfMemory() }
        config.thread_level = 0
        picture.use_argb = config.lossless
        picture.width = Int32(width)
        picture.height = Int32(height)
        var memory = WebPMemoryWriter()
        WebPMemoryWriterInit(&memory)
        defer {
            WebPPictureFree(&picture)
            WebPMemoryWriterClear(&memory)
        }
        guard WebPPictureImportRGB(&picture, pixels.baseAddress, Int32(width * 3)) != 0 else { throw OutOfMemory() }
        return try withUnsafeMutablePointer(to: &memory) { memory in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(memory)
            guard WebPEncode(&config, &picture) != 0 else { throw OutOfMemory() }
            return Array(UnsafeBufferPointer(start: memory.pointee.mem, count: memory.pointee.size))
        }
    }

    /// Reads a picture, three bytes a pixel; `nil` when it is none, or has too many pixels.
    static func decode(_ bytes: UnsafeRawBufferPointer, maximumPixels: Int) throws -> PagePixels? {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
        var (width, height): (Int32, Int32) = (0, 0)
        guard WebPGetInfo(start, bytes.count, &width, &height) != 0, width > 0, height > 0,
            Int(width) * Int(height) <= maximumPixels
        else { return nil }
        let (wide, high) = (Int(width), Int(height))
        guard let memory = malloc(wide * high * 3)?.assumingMemoryBound(to: UInt8.self) else { throw OutOfMemory() }
        let pixels = PagePixels(width: wide, height: high, channels: 3, start: memory)
        let end = WebPDecodeRGBInto(start, bytes.count, memory, wide * high * 3, Int32(wide * 3))
        return end == nil ? nil : pixels
    }
}
