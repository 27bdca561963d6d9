// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// The page in points and the drawn page in pixels.
struct LayoutContext {
    let headings: Headings
    let lines: [TextLine]
    let fields: [Box]
    private let pointsPerPixelX: Double
    private let pointsPerPixelY: Double
    let width: Int
    let height: Int

    /// Most lines and fields that are looked at; a dense honest page has a few hundred.
    private static let maximumLines = 1_500
    /// Letters of any height can be written; larger ones are as good as these, in pixels.
    private static let tallest = 1_000_000

    var pageHeight: Double { Double(height) * pointsPerPixelY }

    init(page: PageContent, ink: InkMap, grid: InkGrid) {
        lines = TextLine.lines(of: page, atMost: Self.maximumLines)
        fields = Array(page.fields.prefix(Self.maximumLines))
        let perX = page.width / Double(ink.width)
        let perY = page.height / Double(ink.height)
        pointsPerPixelX = perX
        pointsPerPixelY = perY
        width = ink.width
        height = ink.height
        headings = Headings(lines) { line in
            grid.isInStrip(Self.pixels(line.box, perX, perY, ink.width, ink.height))
        }
    }

    func pixels(_ box: Box) -> PixelBox {
        Self.pixels(box, pointsPerPixelX, pointsPerPixelY, width, height)
    }

    private static func pixels(_ box: Box, _ perX: Double, _ perY: Double, _ width: Int, _ height: Int) -> PixelBox {
        func clamped(_ value: Double, _ limit: Int) -> Int { Int(min(max(value.rounded(), 0), Double(limit))) }
        return PixelBox(
            left: clamped(box.left / perX, width),
            top: clamped(box.top / perY, height),
            right: clamped(box.right / perX, width),
            bottom: clamped(box.bottom / perY, height)
        )
    }

    /// A length in points as pixels.
    func pixelHeight(_ points: Double) -> Int {
        // In this order what is no number becomes nothing.
        Int(min(Double(Self.tallest), max(0, (points / pointsPerPixelY).rounded())))
    }

    func points(_ box: PixelBox) -> Box {
        Box(
            left: Double(box.left) * pointsPerPixelX,
            top: Double(box.top) * pointsPerPixelY,
            right: Double(box.right) * pointsPerPixelX,
            bottom: Double(box.bottom) * pointsPerPixelY
        )
    }

    func normalized(_ box: PixelBox) -> NormalizedRect {
        NormalizedRect(
            x: Double(box.left) / Double(width),
            y: Double(box.top) / Double(height),
            width: Double(box.width) / Double(width),
            height: Double(box.height) / Double(height)
        )
    }

    /// Area as a part of the page.
    func share(_ box: PixelBox) -> Double {
        Double(box.area) / Double(width * height)
    }
}
