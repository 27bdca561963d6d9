// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// Lays two pages' pictures over each other and paints what differs: what went in one colour, what came in another, what
/// both have in grey. Whole numbers decide, so the same pictures always give the same bytes.
struct DifferenceDrawing {
    private let wish: PageDifference
    /// Both as large as the picture that comes of it.
    private let old: PagePicture
    private let new: PagePicture
    /// Where the newer page lies on it.
    private let page: Frame

    /// Left and top edges and sizes in pixels.
    private struct Frame {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
    }

    /// `nil` when the file does not hold what the request says.
    init?(_ wish: PageDifference, _ file: InputFile) throws {
        guard let content = file.content, wish.oldBytes >= 0, wish.newBytes >= 0,
            wish.oldBytes <= content.count, wish.newBytes == content.count - wish.oldBytes,
            let placing = PagePlacing(wish.transform)
        else { return nil }
        let most = PageDifference.maximumPixels
        let first = UnsafeRawBufferPointer(rebasing: content[..<wish.oldBytes])
        let second = UnsafeRawBufferPointer(rebasing: content[wish.oldBytes...])
        let before = wish.oldBytes > 0 ? try WebP.decode(first, maximumPixels: most).map(PagePicture.init) : nil
        let after = wish.newBytes > 0 ? try WebP.decode(second, maximumPixels: most).map(PagePicture.init) : nil
        guard (before != nil) == (wish.oldBytes > 0), (after != nil) == (wish.newBytes > 0),
            let one = before ?? after, let other = after ?? before
        else { return nil }
        self.wish = wish
        guard before != nil, after != nil else {
            let blank = PagePicture(width: one.width, height: one.height)
            (old, new) = (before ?? blank, after ?? blank)
            page = Frame(left: 0, top: 0, width: one.width, height: one.height)
            return
        }
        let margins = placing.margins(of: one, beyond: other)
        let frame = Frame(left: margins.left, top: margins.top, width: other.width, height: other.height)
        let width = margins.left + other.width + margins.right
        let height = margins.top + other.height + margins.bottom
        guard width * height <= most, max(width, height) <= PageDifference.maximumSide else { return nil }
        page = frame
        new = other.resampled(
            width: width, height: height, AxisSampling(step: 1, start: Double(-frame.left)),
            AxisSampling(step: 1, start: Double(-frame.top)))
        old = one.resampled(
            width: width, height: height,
            placing.across.sampling(old: one.width, new: other.width, start: frame.left),
            placing.down.sampling(old: one.height, new: other.height, start: frame.top))
    }

    /// Paints and sends.
    func send(to writer: FrameWriter) throws {
        var canvas = DifferenceCanvas(width: new.width, height: new.height)
        paintInk(on: &canvas)
        for (boxes, colour) in [(wish.removed, DifferenceCanvas.gone), (wish.added, DifferenceCanvas.come)] {
            let isOld = colour == DifferenceCanvas.gone
            for box in boxes.prefix(PageDifference.maximumBoxes) { outline(box, isOld: isOld, colour, on: &canvas) }
        }
        let webp = try canvas.pixels.withUnsafeBufferPointer {
            try WebP.encodeExactly($0, width: new.width, height: new.height)
        }
        writer.send(ReaderFrame(kind: .difference, width: new.width, height: new.height), webp)
    }

    // MARK: - Ink

    private func paintInk(on canvas: inout DifferenceCanvas) {
        let comparison = InkComparison(old: old, new: new)
        guard wish.oldBytes > 0, wish.newBytes > 0 else {
            let (only, colour) =
                wish.oldBytes > 0 ? (old, DifferenceCanvas.gone) : (new, DifferenceCanvas.come)
            only.ink.withUnsafeBufferPointer { ink in
                for pixel in 0..<only.width * only.height {
                    canvas.paint(pixel, colour, strength: PagePicture.strength(ink, pixel * 3), least: 0)
                }
            }
            return
        }
        let marks = comparison.marks(isAligned: wish.transform != .identity)
        old.ink.withUnsafeBufferPointer { old in
            new.ink.withUnsafeBufferPointer { new in
                for pixel in marks.indices {
                    let (before, now) = (PagePicture.strength(old, pixel * 3), PagePicture.strength(new, pixel * 3))
                    switch marks[pixel] {
                    case .none: canvas.paintCommon(pixel, strength: now)
                    case _ where !comparison.hasCompany(marks, pixel):
                        canvas.paintCommon(pixel, strength: min(before, now))
                    case .came: canvas.paint(pixel, DifferenceCanvas.come, strength: now)
                    case .went: canvas.paint(pixel, DifferenceCanvas.gone, strength: before)
                    case .recoloured:
                        let isCome = (pixel % self.new.width + pixel / self.new.width) / 4 % 2 == 0
                        canvas.paint(
                            pixel, isCome ? DifferenceCanvas.come : DifferenceCanvas.gone, strength: max(before, now))
                    }
                }
            }
        }
    }

    // MARK: - Boxes

    private func outline(
        _ box: PageDifference.Box, isOld: Bool, _ colour: DifferenceCanvas.Colour, on canvas: inout DifferenceCanvas
    ) {
        guard box.sides.count == 4, box.sides.allSatisfy({ (-10_000...20_000).contains($0) }) else { return }
        var sides = box.sides.map { Double($0) / 10_000 }
        if isOld, wish.newBytes > 0 {
            let (corner, end) = (
                wish.transform.point(x: sides[0], y: sides[1]), wish.transform.point(x: sides[2], y: sides[3])
            )
            sides = [corner.x, corner.y, end.x, end.y]
        }
        func pixel(_ side: Double, _ start: Int, _ length: Int) -> Int {
            start + Int((side * Double(length)).rounded())
        }
        canvas.outline(
            left: pixel(sides[0], page.left, page.width), top: pixel(sides[1], page.top, page.height),
            right: pixel(sides[2], page.left, page.width), bottom: pixel(sides[3], page.top, page.height), colour)
    }
}

/// Where the older page lies on the newer one.
private struct PagePlacing {
    let across: Axis
    let down: Axis

    /// Pages are scaled within reason, and do not leave each other altogether.
    private static let scales = 0.2...5.0
    private static let offsets = -5.0...5.0
    /// So far beyond the newer page, as a part of it, the older one is shown.
    private static let mostBeyond = 0.5

    struct Axis {
        var scale: Double
        var offset: Double

        func sampling(old: Int, new: Int, start: Int) -> AxisSampling {
            let step = Double(old) / (scale * Double(new))
            return AxisSampling(step: step, start: -(offset * Double(new) + Double(start)) * step)
        }

        /// How far something of the older page reaches beyond the newer one, in pixels.
        func margins(from: Int, to: Int, old: Int, new: Int) -> (Int, Int) {
            func place(_ pixel: Int) -> Double { (Double(pixel) / Double(old) * scale + offset) * Double(new) }
            let most = Double(new) * mostBeyond
            func beyond(_ pixels: Double) -> Int { pixels <= 1 ? 0 : Int(min(pixels + 12, most)) }
            return (beyond(-place(from)), beyond(place(to) - Double(new)))
        }
    }

    init?(_ transform: PageTransform) {
        guard Self.scales.contains(transform.scaleX), Self.scales.contains(transform.scaleY),
            Self.offsets.contains(transform.offsetX), Self.offsets.contains(transform.offsetY)
        else { return nil }
        across = Axis(scale: transform.scaleX, offset: transform.offsetX)
        down = Axis(scale: transform.scaleY, offset: transform.offsetY)
    }

    /// What the newer page has to be widened by to show all ink of the older one.
    func margins(
        of old: PagePicture, beyond new: PagePicture
    ) -> (left: Int, top: Int, right: Int, bottom: Int) {
        guard let box = old.inkBox else { return (0, 0, 0, 0) }
        let x = across.margins(from: box.left, to: box.right, old: old.width, new: new.width)
        let y = down.margins(from: box.top, to: box.bottom, old: old.height, new: new.height)
        return (x.0, y.0, x.1, y.1)
    }
}
