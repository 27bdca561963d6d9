// SPDX-License-Identifier: Apache-2.0

/// A line of text as the scoring of candidates sees it: whole numbers only, so that every machine agrees.
struct PlacedLine {
    var box: PixelBox
    /// Height of its letters, in pixels.
    var size: Int
    var letters: Int
    var digits: Int
    /// How much it stands out, in hundredths of plain body text.
    var prominence: Int
    /// Lines of the page in the same style.
    var fellows: Int
    /// Number of its style; equal numbers look alike.
    var style: Int
    var isHeading: Bool
    var isMain: Bool
    var isLight: Bool
    var isUpright: Bool
    var endsWithColon: Bool
    /// It begins with a box to tick or a bullet: an item of a list.
    var isMarked: Bool
    /// Its words are those of a known section of a sheet.
    var isSectionTerm: Bool
    var identityWords: Int
    var abilityWords: Int
    var words: Int

    var centerX: Int { (box.left + box.right) / 2 }
    var centerY: Int { (box.top + box.bottom) / 2 }

    func isCentered(in other: PixelBox) -> Bool {
        centerX >= other.left && centerX <= other.right && centerY >= other.top && centerY <= other.bottom
    }
}

/// The text of a page, placed on its pixels.
struct PlacedText {
    private(set) var lines: [PlacedLine] = []
    /// The left, top, right and bottom edges of each line, the latter two below zero: so lines that touch a box are those with
    /// no edge beyond it, which four comparisons at once tell.
    private(set) var edges: [SIMD4<Int32>] = []
    /// The places of the lines of each style.
    private(set) var places: [[Int]] = []
    /// How far above or below a box a line may be and still count for it, in pixels: three times the height of its letters.
    private(set) var reach = 0
    /// Height of the letters of body text, in pixels.
    private(set) var bodySize = 0
    /// Prominence of the main headings; 0 when there are none.
    private(set) var mainLevel = 0
    private(set) var letters = 0

    private static let marks = Array("☐☑☒□■▢○●◯◦•‣▪▫⬜❏❑❍⃝")

    init(_ context: LayoutContext) {
        let headings = context.headings
        let boxes = headings.all.map(\.line.box)
        var styles: [UInt64: Int] = [:]
        for line in context.lines {
            let heading = boxes.lastIndex(of: line.box).map { headings.all[$0] }
            let style = styles[LineStyle(line).key] ?? places.count
            if style == places.count {
                styles[LineStyle(line).key] = style
                places.append([])
            }
            places[style].append(lines.count)
            let box = context.pixels(line.box)
            lines.append(
                PlacedLine(
                    box: box,
                    size: max(1, context.pixelHeight(line.size)),
                    letters: line.letters,
                    digits: line.words.reduce(0) { $0 + $1.text.digitCount },
                    prominence: Int(((heading?.prominence ?? headings.plainProminence(line)) * 100).rounded()),
                    fellows: 0,
                    style: style,
                    isHeading: heading != nil,
                    isMain: heading?.isMain ?? false,
                    isLight: line.isLight,
                    isUpright: (line.words.first?.turns ?? 0) == 0,
                    endsWithColon: line.text.hasSuffix(":"),
                    isMarked: Self.isMark(line.text),
                    isSectionTerm: RegionTerms.standard.isSection(line.terms),
                    identityWords: line.terms.count(where: RegionTerms.standard.identity.contains),
                    abilityWords: line.terms.count(where: RegionTerms.standard.abilities.contains),
                    words: line.terms.count
                )
            )
        }
        for index in lines.indices { lines[index].fellows = places[lines[index].style].count }
        summarize()
    }

    /// Whether a box to tick or a bullet comes first; none of them is ASCII.
    private static func isMark(_ text: String) -> Bool {
        (text.utf8.first ?? 0) >= 128 && (text.first.map(marks.contains) ?? false)
    }

    private mutating func summarize() {
        edges = lines.map { line in
            SIMD4(
                Int32(truncatingIfNeeded: line.box.left), Int32(truncatingIfNeeded: line.box.top),
                Int32(truncatingIfNeeded: -line.box.right), Int32(truncatingIfNeeded: -line.box.bottom))
        }
        reach = 3 * (lines.lazy.map(\.size).max() ?? 0)
        letters = lines.reduce(0) { $0 + $1.letters }
        let sizes = lines.filter { $0.letters > 0 }.sorted { $0.size < $1.size }
        var passed = 0
        for line in sizes {
            passed += line.letters
            if 2 * passed >= letters {
                bodySize = line.size
                break
            }
        }
        mainLevel = lines.filter(\.isMain).map(\.prominence).min() ?? 0
    }
}

/// What makes two lines look alike.
private struct LineStyle {
    let halfPoints: Int
    let isBold: Bool
    let isLight: Bool
    let isCapitals: Bool

    init(_ line: TextLine) {
        halfPoints = Int((line.size * 2).rounded())
        isBold = line.isBold
        isLight = line.isLight
        isCapitals = line.isCapitals
    }

    /// All of it in one number.
    var key: UInt64 {
        UInt64(truncatingIfNeeded: halfPoints) << 3 | (isBold ? 4 : 0) | (isLight ? 2 : 0) | (isCapitals ? 1 : 0)
    }
}
