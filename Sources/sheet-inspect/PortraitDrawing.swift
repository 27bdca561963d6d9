// SPDX-License-Identifier: Apache-2.0
import CPictures
import CWebP
import Glibc
import IngestWire

/// Redraws a person's picture: its middle as squares of given sizes, and nothing else of it.
struct PortraitDrawing {
    private let sides: [Int]

    init(_ wish: PortraitWish) {
        sides = wish.sides.prefix(PortraitWish.maximumSides).map { min(max($0, 1), PortraitWish.maximumSide) }
    }

    /// Draws and sends, or says why not; throws when memory runs out.
    func send(_ file: InputFile, to writer: FrameWriter) throws {
        do {
            guard let content = file.content else { throw PortraitRefusal.tooLarge }
            let picture = try read(content)
            for side in sides {
                let square = try picture.square(of: side)
                writer.send(ReaderFrame(kind: .portrait, width: side, height: side), try WebP.encode(square))
            }
        } catch let refusal as PortraitRefusal {
            writer.send(ReaderFrame(kind: .portraitRefused), Array(refusal.rawValue.utf8))
        }
    }

    /// Twice the largest side: what is drawn of it is smooth.
    private var leastSide: Int { 2 * (sides.max() ?? 1) }

    private func read(_ content: UnsafeRawBufferPointer) throws -> UprightPicture {
        guard let start = content.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            throw PortraitRefusal.notAPicture
        }
        var made = picture()
        let outcome: picture_outcome
        if content.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            outcome = picture_read_png(start, content.count, PortraitWish.maximumPixels, &made)
        } else if content.starts(with: [0xFF, 0xD8, 0xFF]) {
            outcome = picture_read_jpeg(
                start, content.count, PortraitWish.maximumPixels, UInt32(leastSide), &made)
        } else if content.count >= 12, content.starts(with: "RIFF".utf8), content[8..<12].elementsEqual("WEBP".utf8) {
            let pixels = try WebP.decodeSmall(start, content.count, leastSide: leastSide)
            return UprightPicture(pixels: pixels, orientation: 1)
        } else {
            throw PortraitRefusal.notAPicture
        }
        switch outcome {
        case picture_read: break
        case picture_too_large: throw PortraitRefusal.tooLarge
        case picture_animated: throw PortraitRefusal.animated
        case picture_no_memory: throw OutOfMemory()
        default: throw PortraitRefusal.damaged
        }
        guard let pixels = made.pixels else { throw PortraitRefusal.damaged }
        return UprightPicture(
            pixels: PagePixels(width: Int(made.width), height: Int(made.height), channels: 3, start: pixels),
            orientation: Int(made.orientation))
    }
}

/// A picture as it is stored, and how it is to be turned.
private struct UprightPicture {
    let pixels: PagePixels
    /// As in Exif: 1…8.
    let orientation: Int

    /// The middle of it as a square: each pixel is the mean of those that it stands for.
    func square(of side: Int) throws -> PagePixels {
        guard let memory = malloc(side * side * 3)?.assumingMemoryBound(to: UInt8.self) else { throw OutOfMemory() }
        let square = PagePixels(width: side, height: side, channels: 3, start: memory)
        let length = min(pixels.width, pixels.height)
        let left = (pixels.width - length) / 2
        let top = (pixels.height - length) / 2
        for y in 0..<side {
            for x in 0..<side {
                let (column, row) = Self.source(x, y, last: side - 1, orientation)
                let columns = Self.span(column, of: side, over: length, from: left)
                let rows = Self.span(row, of: side, over: length, from: top)
                let mean = mean(columns, rows)
                let place = (y * side + x) * 3
                (memory[place], memory[place + 1], memory[place + 2]) = mean
            }
        }
        return square
    }

    /// Which pixels a pixel of the square stands for, one at least.
    private static func span(_ place: Int, of side: Int, over length: Int, from start: Int) -> Range<Int> {
        let first = place * length / side
        return (start + first)..<(start + max((place + 1) * length / side, first + 1))
    }

    /// Where on the picture as it is stored that lies which is seen here.
    private static func source(_ x: Int, _ y: Int, last: Int, _ orientation: Int) -> (Int, Int) {
        switch orientation {
        case 2: (last - x, y)
        case 3: (last - x, last - y)
        case 4: (x, last - y)
        case 5: (y, x)
        case 6: (y, last - x)
        case 7: (last - y, last - x)
        case 8: (last - y, x)
        default: (x, y)
        }
    }

    private func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> (UInt8, UInt8, UInt8) {
        var (red, green, blue) = (0, 0, 0)
        for row in rows {
            var place = (row * pixels.width + columns.lowerBound) * 3
            for _ in columns {
                red += Int(pixels.bytes[place])
                green += Int(pixels.bytes[place + 1])
                blue += Int(pixels.bytes[place + 2])
                place += 3
            }
        }
        let count = columns.count * rows.count
        return (UInt8(red / count), UInt8(green / count), UInt8(blue / count))
    }
}

extension WebP {
    /// Reads a picture that does not move, made smaller where both sides are longer than so many pixels, on white.
    fileprivate static func decodeSmall(
        _ start: UnsafePointer<UInt8>, _ count: Int, leastSide: Int
    ) throws -> PagePixels {
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfigInternal(&config, WEBP_DECODER_ABI_VERSION) != 0,
            WebPGetFeaturesInternal(start, count, &config.input, WEBP_DECODER_ABI_VERSION) == VP8_STATUS_OK
        else { throw PortraitRefusal.damaged }
        guard config.input.has_animation == 0 else { throw PortraitRefusal.animated }
        let (width, height) = (Int(config.input.width), Int(config.input.height))
        guard width > 0, height > 0, width * height <= PortraitWish.maximumPixels else {
            throw PortraitRefusal.tooLarge
        }
        let shorter = min(width, height)
        let (wide, high) =
            shorter <= leastSide
            ? (width, height) : (width * leastSide / shorter, height * leastSide / shorter)
        config.options.use_scaling = wide == width ? 0 : 1
        config.options.scaled_width = Int32(wide)
        config.options.scaled_height = Int32(high)
        config.output.colorspace = MODE_RGBA
        defer { WebPFreeDecBuffer(&config.output) }
        switch WebPDecode(start, count, &config) {
        case VP8_STATUS_OK: break
        case VP8_STATUS_OUT_OF_MEMORY: throw OutOfMemory()
        default: throw PortraitRefusal.damaged
        }
        guard let rgba = config.output.u.RGBA.rgba,
            let memory = malloc(wide * high * 3)?.assumingMemoryBound(to: UInt8.self)
        else { throw OutOfMemory() }
        let pixels = PagePixels(width: wide, height: high, channels: 3, start: memory)
        let stride = Int(config.output.u.RGBA.stride)
        for row in 0..<high {
            for column in 0..<wide {
                let from = rgba + row * stride + column * 4
                let place = (row * wide + column) * 3
                let opacity = Int(from[3])
                for channel in 0..<3 {
                    memory[place + channel] = UInt8((Int(from[channel]) * opacity + 255 * (255 - opacity)) / 255)
                }
            }
        }
        return pixels
    }
}
