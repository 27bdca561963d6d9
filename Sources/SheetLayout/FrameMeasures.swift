// SPDX-License-Identifier: Apache-2.0

/// Outlines that are painted on a page, and where its headings stand in them.
struct FrameMeasures {
    private let frames: [PixelBox]
    /// Frames with a line at their top, at their bottom, and with neither.
    private let captions: (top: Int, bottom: Int, none: Int)

    /// Most outlines that a candidate is compared with.
    private static let most = 160

    init(_ shapes: [PixelBox], text: PlacedText, tree: CutTree, content: PixelBox) {
        let framed = tree.nodes.lazy.filter(\.isFramed).map(\.box)
        var seen: [PixelBox] = []
        for box in shapes + framed where seen.count < Self.most && box.area * 5 < content.area * 4 {
            func isNear(_ other: PixelBox) -> Bool {
                max(abs(other.left - box.left), abs(other.top - box.top)) <= 3
                    && max(abs(other.right - box.right), abs(other.bottom - box.bottom)) <= 3
            }
            if !seen.contains(where: isNear) { seen.append(box) }
        }
        frames = seen
        captions = Self.captions(of: seen, text)
    }

    /// Where the outermost line that stands alone in its row is.
    private static func captions(of frames: [PixelBox], _ text: PlacedText) -> (Int, Int, Int) {
        var found = (0, 0, 0)
        for frame in frames where frame.height >= 3 * max(4, text.bodySize) {
            var (top, bottom) = (false, false)
            for line in text.lines where line.letters >= 3 && line.isUpright && line.isCentered(in: frame) {
                guard abs(line.centerX * 2 - frame.left - frame.right) * 4 <= frame.width else { continue }
                if line.box.top - frame.top <= line.size { top = true }
                if frame.bottom - line.box.bottom <= line.size { bottom = true }
            }
            if top { found.0 += 1 }
            if bottom { found.1 += 1 }
            if !top, !bottom { found.2 += 1 }
        }
        return found
    }

    /// Most frames with a caption have it at the bottom.
    var isCaptionedBelow: Bool { captions.bottom >= 3 && captions.bottom * 2 > captions.top * 3 }

    /// Tells each measure of a box by its name.
    func measure(_ box: PixelBox, add: (String, Int) -> Void) {
        var (fit, within, covered, cut, around) = (0, 0, 0, 0, 0)
        for frame in frames {
            let shared = frame.overlap(box)
            guard shared > 0 else { continue }
            fit = max(fit, shared * 1000 / max(1, frame.area + box.area - shared))
            if shared * 10 >= frame.area * 9 {
                if frame.area * 10 < box.area * 9, frame.area * 20 > box.area {
                    within += 1
                    covered += frame.area
                }
            } else if shared * 10 >= box.area * 9 {
                around += 1
            } else if shared * 10 > frame.area {
                cut += 1
            }
        }
        add("frameFit", fit)
        add("framesWithin", within)
        add("framesWithinShare", min(3000, covered * 1000 / max(1, box.area)))
        add("framesCut", cut)
        add("framesAround", around)
        add("pageFrames", frames.count)
        add("pageTopCaptions", captions.top)
        add("pageFootCaptions", captions.bottom)
        add("pageBareFrames", captions.none)
    }
}
