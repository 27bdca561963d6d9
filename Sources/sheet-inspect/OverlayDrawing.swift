// SPDX-License-Identifier: Apache-2.0
import CCairo
import Glibc
import IngestWire
import PDFObjects
import SheetCore

/// A picture of a page, four bytes a pixel as cairo keeps them (blue, green, red, unused on little-endian machines).
struct OverlayPicture {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    static let maximumSide = 3000

    /// Writes the pixels as they came; nothing in them is parsed.
    func writePNG(to path: String) -> Bool {
        guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height),
            pixels.count == 4 * width * height, let cairo = cairo_load()?.pointee
        else { return false }
        var pixels = pixels
        let written = PNGBytes()
        let isEncoded = pixels.withUnsafeMutableBufferPointer { buffer -> Bool in
            let surface = cairo.image_surface_create_for_data(
                buffer.baseAddress,
                CAIRO_FORMAT_RGB24,
                Int32(width),
                Int32(height),
                Int32(4 * width)
            )
            defer { cairo.surface_destroy(surface) }
            let context = Unmanaged.passUnretained(written).toOpaque()
            let status = cairo.surface_write_to_png_stream(
                surface,
                { context, data, length in
                    guard let context, let data else { return CAIRO_STATUS_WRITE_ERROR }
                    let sink = Unmanaged<PNGBytes>.fromOpaque(context).takeUnretainedValue()
                    sink.bytes += UnsafeBufferPointer(start: data, count: Int(length))
                    return CAIRO_STATUS_SUCCESS
                },
                context
            )
            return status == CAIRO_STATUS_SUCCESS
        }
        return isEncoded && AtomicCopy.write(written.bytes, to: path)
    }
}

/// Collects what cairo writes.
private final class PNGBytes {
    var bytes: [UInt8] = []
}

/// Draws a page and its regions over it: a frame, the place in the reading order, the name.
struct OverlayDrawing {
    private let cairo: cairo_functions

    /// `nil` when libcairo is missing; the first one is made before the sandbox.
    init?() {
        guard let functions = cairo_load() else { return nil }
        cairo = functions.pointee
    }

    /// Height of the picture in pixels, unless the page is very wide.
    private static let height = 1400.0

    private static let colors: [(Double, Double, Double)] = [
        (0.84, 0.15, 0.16), (0.12, 0.47, 0.71), (0.17, 0.63, 0.17), (0.58, 0.40, 0.74), (0.90, 0.45, 0.0),
        (0.09, 0.65, 0.70), (0.75, 0.24, 0.55), (0.45, 0.40, 0.13),
    ]

    /// Opens the labels' font, which cairo looks for in ways that the sandbox forbids. Kept by cairo from then on.
    func prepare() {
        let surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, 1, 1)
        let context = cairo.create(surface)
        chooseFont(on: context)
        var extents = cairo_text_extents_t()
        cairo.text_extents(context, "1 Skills", &extents)
        _ = cairo.scaled_font_reference(cairo.get_scaled_font(context))
        cairo.destroy(context)
        cairo.surface_destroy(surface)
    }

    private func chooseFont(on context: OpaquePointer?) {
        cairo.select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo.set_font_size(context, 17)
    }

    func draw(_ page: ReaderReport.Page, of document: PDFDocument) throws -> OverlayPicture? {
        let ratio = page.width / page.height
        let high = min(Self.height, Double(OverlayPicture.maximumSide) / ratio)
        let size = (width: max(1, Int(high * ratio)), height: max(1, Int(high)))
        guard let drawn = try document.draw(page: page.index, width: size.width, height: size.height, as: pdf_colors)
        else { return nil }
        let surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, Int32(size.width), Int32(size.height))
        defer { cairo.surface_destroy(surface) }
        guard let data = cairo.image_surface_get_data(surface) else { throw OutOfMemory() }
        let stride = Int(cairo.image_surface_get_stride(surface))
        for y in 0..<size.height {
            for x in 0..<size.width {
                let source = 3 * (y * size.width + x)
                let rgb = UInt32(drawn.bytes[source]) << 16 | UInt32(drawn.bytes[source + 1]) << 8
                let pixel = rgb | UInt32(drawn.bytes[source + 2])
                UnsafeMutableRawPointer(data).storeBytes(of: pixel, toByteOffset: y * stride + 4 * x, as: UInt32.self)
            }
        }
        cairo.surface_mark_dirty(surface)
        let context = cairo.create(surface)
        defer { cairo.destroy(context) }
        for (order, region) in page.regions.enumerated() { draw(region, order, on: context, size) }
        // cairo draws nothing more after a failure: half an overlay would be a lie.
        guard cairo.status(context) == CAIRO_STATUS_SUCCESS else { return nil }
        cairo.surface_flush(surface)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(4 * size.width * size.height)
        for y in 0..<size.height { pixels += UnsafeBufferPointer(start: data + y * stride, count: 4 * size.width) }
        return OverlayPicture(width: size.width, height: size.height, pixels: pixels)
    }

    private func draw(
        _ region: ZoomRegion,
        _ order: Int,
        on context: OpaquePointer?,
        _ size: (width: Int, height: Int)
    ) {
        let (red, green, blue) = Self.colors[order % Self.colors.count]
        let (wide, high) = (Double(size.width), Double(size.height))
        let (left, top) = (region.rect.x * wide, region.rect.y * high)
        cairo.rectangle(context, left, top, region.rect.width * wide, region.rect.height * high)
        cairo.set_source_rgba(context, red, green, blue, 0.10)
        cairo.fill_preserve(context)
        cairo.set_source_rgba(context, red, green, blue, 0.95)
        cairo.set_line_width(context, 3)
        cairo.stroke(context)

        chooseFont(on: context)
        let label = "\(order + 1) \(region.name.prefix(40))"
        var extents = cairo_text_extents_t()
        cairo.text_extents(context, label, &extents)
        let plate = extents.x_advance + 10
        let x = min(max(0, left), max(0, wide - plate))
        let y = min(max(0, top), high - 24)
        cairo.rectangle(context, x, y, plate, 24)
        cairo.fill(context)
        cairo.set_source_rgb(context, 1, 1, 1)
        cairo.move_to(context, x + 5, y + 18)
        cairo.show_text(context, label)
    }
}
