// SPDX-License-Identifier: Apache-2.0
import IngestWire
import PDFObjects
import SheetLayout

/// Draws pages as pictures for people.
struct PageDrawing {
    let document: PDFDocument

    /// Largest picture, in pixels.
    private static let maximumPixels = 12_000_000
    /// Longest side of a picture, in pixels: WebP's own bound is 16,383.
    private static let maximumSide = 8_000

    struct Picture {
        let width: Int
        let height: Int
        let webp: [UInt8]
    }

    /// One picture for each width; a page of extreme proportions gets a narrower one.
    func pictures(of page: ReaderReport.Page, widths: [Int]) throws -> [Picture] {
        let sizes = widths.map { Self.pixels(of: page, width: $0) }
        guard let largest = sizes.max(by: { $0.width < $1.width }),
            let drawn = try document.draw(
                page: page.index, width: largest.width, height: largest.height, as: pdf_colors)
        else { return [] }
        return try sizes.map { size in
            let pixels = size == largest ? drawn : try smaller(page, drawn, size)
            return Picture(width: size.width, height: size.height, webp: try WebP.encode(pixels))
        }
    }

    /// Small pictures are drawn anew: it is fast, and letters come out clearer than by shrinking.
    private func smaller(_ page: ReaderReport.Page, _ drawn: PagePixels, _ size: Size) throws -> PagePixels {
        guard
            let pixels = try document.draw(page: page.index, width: size.width, height: size.height, as: pdf_colors)
        else { return drawn }
        return pixels
    }

    struct Size: Equatable {
        var width: Int
        var height: Int
    }

    private static func pixels(of page: ReaderReport.Page, width: Int) -> Size {
        let ratio = page.height / page.width
        var wide = Double(min(max(width, 1), maximumSide))
        wide = min(wide, Double(maximumSide) / ratio, (Double(maximumPixels) / ratio).squareRoot())
        return Size(width: max(1, Int(wide)), height: max(1, Int((wide * ratio).rounded())))
    }
}
