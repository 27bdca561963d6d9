// SPDX-License-Identifier: Apache-2.0

extension CandidateMeasures {
    /// What the lines in and around a box say of it.
    func addText(_ box: PixelBox, to features: inout CandidateFeatures) {
        var tally = TextTally(box: box)
        let near = TextTally.near(box, reach: text.reach)
        for place in text.edges.indices where all(text.edges[place] .<= near) {
            tally.add(text.lines[place], place)
        }
        tally.finish(text)
        features.add("lines", tally.lines)
        features.add("letters", tally.letters)
        features.add("lettersPerArea", tally.letters * 64_000 / max(1, box.area))
        features.add("textShare", tally.textArea * 1000 / max(1, box.area))
        features.add("digits", tally.digits)
        features.add("cut", tally.cut)
        features.add("cutLetters", tally.cutLetters)
        features.add("colons", tally.colons)
        features.add("styles", tally.styles.count)
        features.add("identity", tally.identity)
        features.add("identityShare", tally.identity * 1000 / max(1, tally.words))
        features.add("abilities", tally.abilities)
        features.add("abilityShare", tally.abilities * 1000 / max(1, tally.words))
        features.add("sections", tally.sections)
        addHeadings(tally, box, to: &features)
        addOrphans(tally, box, to: &features)
        var held = 0
        var crossed = 0
        for field in fields {
            let shared = field.overlap(box)
            guard shared > 0 else { continue }
            if shared * 10 >= 9 * field.area { held += 1 } else if shared * 10 > field.area { crossed += 1 }
        }
        features.add("fields", held)
        features.add("fieldsCut", crossed)
        addFoot(tally, box, to: &features)
        addFieldArea(box, to: &features)
    }

    private func addHeadings(_ tally: TextTally, _ box: PixelBox, to features: inout CandidateFeatures) {
        features.add("headings", tally.headings)
        features.add("mains", tally.mains)
        features.add("mainRows", tally.mainRows)
        features.add("strongest", tally.strongest)
        features.add("strongestPeers", tally.peers)
        features.add("strongestRows", tally.peerRows)
        features.add("strongestToMain", tally.strongest > 0 ? tally.strongest - text.mainLevel : -999)
        let title = tally.title
        features.add("title", title?.prominence ?? -1)
        features.add("titleIsHeading", title.map { ($0.isHeading ? 1 : 0) + ($0.isMain ? 1 : 0) } ?? -1)
        features.add("titleIsTerm", title.map { $0.isSectionTerm ? 1 : 0 } ?? -1)
        features.add("titleIsLight", title.map { $0.isLight ? 1 : 0 } ?? -1)
        features.add("titleDown", title.map { ($0.box.top - box.top) * 10 / max(1, $0.size) } ?? -50)
        features.add("titleRight", title.map { ($0.box.left - box.left) * 1000 / max(1, box.width) } ?? -1)
        features.add("titleOffCenter", title.map { abs($0.centerX * 2 - box.left - box.right) * 500 / box.width } ?? -1)
        features.add("titleWidth", title.map { $0.box.width * 1000 / max(1, box.width) } ?? -1)
        features.add("titleFellows", title?.fellows ?? -1)
        features.add("titleFellowsInside", tally.titleFellows)
        features.add("titleFellowRows", tally.titleFellowRows)
        features.add("titleBelowStrongest", title.map { tally.strongest - $0.prominence } ?? -1)
        features.add("titleRowLines", tally.titleRow)
        features.add("titleSize", title.map { $0.size * 100 / max(1, page.lineHeight) } ?? -1)
        features.add("titleWords", title?.words ?? -1)
        features.add("stronglyBelow", tally.strongBelow)
        features.add("sideways", tally.sideways)
        features.add("lastLineProminence", tally.lastProminence)
    }

    /// A caption at the bottom.
    private func addFoot(_ tally: TextTally, _ box: PixelBox, to features: inout CandidateFeatures) {
        let foot = tally.foot
        features.add("foot", foot?.prominence ?? -1)
        features.add("footIsHeading", foot.map { ($0.isHeading ? 1 : 0) + ($0.isMain ? 1 : 0) } ?? -1)
        features.add("footIsTerm", foot.map { $0.isSectionTerm ? 1 : 0 } ?? -1)
        features.add("footUp", foot.map { (box.bottom - $0.box.bottom) * 10 / max(1, $0.size) } ?? -50)
        features.add("footOffCenter", foot.map { abs($0.centerX * 2 - box.left - box.right) * 500 / box.width } ?? -1)
        features.add("footWidth", foot.map { $0.box.width * 1000 / max(1, box.width) } ?? -1)
        features.add("footFellows", foot?.fellows ?? -1)
        features.add("footFellowsInside", tally.footFellows)
        features.add("footRowLines", tally.footRow)
        features.add("footWords", foot?.words ?? -1)
        features.add("footBelowStrongest", foot.map { tally.strongest - $0.prominence } ?? -1)
        features.add("footIsTitle", foot.map { $0.box == tally.title?.box ? 1 : 0 } ?? -1)
    }

    /// How much of the box is there to be filled in, and fields just outside.
    private func addFieldArea(_ box: PixelBox, to features: inout CandidateFeatures) {
        var (filled, near) = (0, 0)
        let around = PixelBox(left: box.left - 6, top: box.top - 6, right: box.right + 6, bottom: box.bottom + 6)
        for field in fields {
            let shared = field.overlap(box)
            filled += shared
            if shared * 10 <= field.area, field.overlap(around) > 0 { near += 1 }
        }
        features.add("fieldShare", filled * 1000 / max(1, box.area))
        features.add("fieldsNear", near)
    }

    private func addOrphans(_ tally: TextTally, _ box: PixelBox, to features: inout CandidateFeatures) {
        func describe(_ name: String, _ near: TextTally.Near?) {
            features.add(name + "Gap", near.map { $0.gap * 10 / max(1, $0.line.size) } ?? 99)
            features.add(name + "Prominence", near?.line.prominence ?? -1)
            features.add(name + "IsHeading", near.map { ($0.line.isHeading ? 1 : 0) + ($0.line.isMain ? 1 : 0) } ?? -1)
            features.add(name + "Width", near.map { $0.line.box.width * 1000 / max(1, box.width) } ?? -1)
        }
        describe("above", tally.above)
        describe("below", tally.below)
        features.add("aboveIsTerm", tally.above.map { $0.line.isSectionTerm ? 1 : 0 } ?? -1)
        features.add(
            "aboveToTitle", tally.above.map { $0.line.prominence - (tally.title?.prominence ?? 0) } ?? -999)
        features.add("aboveCount", tally.aboveCount)
        features.add("leftGap", tally.leftGap)
        features.add("rightGap", tally.rightGap)
        // A line of the title's own style outside, at the title's height or at the same edge: another region.
        features.add("titleFellowsBeside", tally.titleFellowsBeside)
        features.add("titleFellowsAligned", tally.titleFellowsAligned)
    }
}

/// Counts over the lines of a page, for one box.
struct TextTally {
    struct Near {
        var line: PlacedLine
        var gap: Int
    }

    let box: PixelBox
    var lines = 0
    var letters = 0
    var words = 0
    var textArea = 0
    var digits = 0
    var cut = 0
    var cutLetters = 0
    var colons = 0
    var styles: [Int] = []
    var identity = 0
    var abilities = 0
    var sections = 0
    var headings = 0
    var mains = 0
    var mainRows = 0
    var strongest = 0
    var peers = 0
    var peerRows = 0
    var sideways = 0
    var title: PlacedLine?
    /// The most prominent line near the bottom.
    var foot: PlacedLine?
    var footFellows = 0
    var footRow = 0
    var titleFellows = 0
    var titleFellowRows = 0
    var titleRow = 0
    var titleFellowsBeside = 0
    var titleFellowsAligned = 0
    var strongBelow = 0
    var lastProminence = 0
    var above: Near?
    var below: Near?
    var aboveCount = 0
    var leftGap = Self.widestGap
    var rightGap = Self.widestGap
    /// Places of the lines inside, among all.
    private var inside: [Int] = []

    init(box: PixelBox) {
        self.box = box
    }

    /// Gaps to the left and right are counted up to this.
    private static let widestGap = 99

    /// What no edge of a line (`PlacedText.edges`) is beyond when it counts for a box.
    static func near(_ box: PixelBox, reach: Int) -> SIMD4<Int32> {
        SIMD4(
            Int32(truncatingIfNeeded: box.right + widestGap), Int32(truncatingIfNeeded: box.bottom + reach),
            Int32(truncatingIfNeeded: widestGap - box.left), Int32(truncatingIfNeeded: reach - box.top))
    }

    /// Counts the line at a place among all.
    mutating func add(_ line: PlacedLine, _ place: Int) {
        if line.isCentered(in: box) {
            addInside(line)
            inside.append(place)
        } else {
            addOutside(line)
        }
        guard line.letters > 0, line.box.right > box.left, line.box.left < box.right, line.box.bottom > box.top,
            line.box.top < box.bottom
        else { return }
        let shared = line.box.overlap(box)
        if shared * 100 > 15 * line.box.area, shared * 100 < 85 * line.box.area {
            cut += 1
            cutLetters += line.letters
        }
    }

    private mutating func addInside(_ line: PlacedLine) {
        lines += 1
        letters += line.letters
        words += line.words
        textArea += line.box.area
        digits += line.digits
        colons += line.endsWithColon ? 1 : 0
        if !styles.contains(line.style) { styles.append(line.style) }
        identity += line.identityWords
        abilities += line.abilityWords
        sections += line.isSectionTerm ? 1 : 0
        headings += line.isHeading ? 1 : 0
        mains += line.isMain ? 1 : 0
        if line.letters >= 2 { strongest = max(strongest, line.prominence) }
        if !line.isUpright { sideways += 1 }
    }

    private mutating func addOutside(_ line: PlacedLine) {
        guard line.letters > 0 else { return }
        let wide = min(line.box.right, box.right) - max(line.box.left, box.left)
        if wide * 10 >= 5 * line.box.width {
            let up = box.top - line.box.bottom
            if up > -line.size, up < 3 * line.size {
                if up * 2 < 3 * line.size { aboveCount += 1 }
                if above.map({ (up, line.box.left) < ($0.gap, $0.line.box.left) }) ?? true {
                    above = Near(line: line, gap: up)
                }
            }
            let down = line.box.top - box.bottom
            if down > -line.size, down < 3 * line.size,
                below.map({ (down, line.box.left) < ($0.gap, $0.line.box.left) }) ?? true
            {
                below = Near(line: line, gap: down)
            }
        }
        let high = min(line.box.bottom, box.bottom) - max(line.box.top, box.top)
        if high * 10 >= 5 * line.box.height {
            let left = box.left - line.box.right
            if left >= -2 { leftGap = min(leftGap, max(0, left)) }
            let right = line.box.left - box.right
            if right >= -2 { rightGap = min(rightGap, max(0, right)) }
        }
    }

    private static func titleOrder(_ line: PlacedLine) -> (Int, Int, Int) {
        (line.prominence, -line.box.top, -line.box.left)
    }

    /// What needs all lines inside.
    mutating func finish(_ text: PlacedText) {
        let all = text.lines
        // The title: the most prominent line near the top, or beside the box's content when it is turned.
        for line in inside.lazy.map({ all[$0] }) where line.letters >= 2 {
            let isNear =
                line.isUpright
                ? line.box.top - box.top <= line.size * 9 / 5 + 2 : line.box.left - box.left <= line.box.width * 2
            guard isNear else { continue }
            if title.map({ Self.titleOrder(line) > Self.titleOrder($0) }) ?? true { title = line }
        }
        var peerTops: [Int] = []
        var mainTops: [Int] = []
        var fellowTops: [Int] = []
        func isNew(_ top: Int, _ size: Int, in tops: [Int]) -> Bool { !tops.contains { abs($0 - top) <= size / 2 } }
        for line in inside.lazy.map({ all[$0] }) {
            if line.letters >= 2, line.prominence >= strongest - 10 {
                peers += 1
                if isNew(line.box.top, line.size, in: peerTops) { peerTops.append(line.box.top) }
            }
            if line.isMain, isNew(line.box.top, line.size, in: mainTops) { mainTops.append(line.box.top) }
            guard let title else { continue }
            if line.style == title.style {
                titleFellows += 1
                if isNew(line.box.top, line.size, in: fellowTops) { fellowTops.append(line.box.top) }
            }
            if abs(line.centerY - title.centerY) * 2 <= title.size { titleRow += 1 }
            if line.prominence > title.prominence + 5, line.letters >= 2 { strongBelow += 1 }
        }
        peerRows = peerTops.count
        mainRows = mainTops.count
        titleFellowRows = fellowTops.count
        finishFoot(all)
        let last = inside.lazy.map { all[$0] }.max { ($0.box.bottom, $0.box.left) < ($1.box.bottom, $1.box.left) }
        lastProminence = last?.prominence ?? -1
        guard let title else { return }
        for line in text.places[title.style].lazy.map({ all[$0] }) where !line.isCentered(in: box) {
            if abs(line.box.top - title.box.top) * 2 <= title.size { titleFellowsBeside += 1 }
            if abs(line.box.left - title.box.left) <= 2 || abs(line.centerX - title.centerX) <= 2 {
                titleFellowsAligned += 1
            }
        }
    }

    private mutating func finishFoot(_ all: [PlacedLine]) {
        for line in inside.lazy.map({ all[$0] }) where line.letters >= 2 && line.isUpright {
            guard box.bottom - line.box.bottom <= line.size * 9 / 5 + 2 else { continue }
            let order = (line.prominence, line.box.bottom, -line.box.left)
            if foot.map({ order > ($0.prominence, $0.box.bottom, -$0.box.left) }) ?? true { foot = line }
        }
        guard let foot else { return }
        for line in inside.lazy.map({ all[$0] }) {
            if line.style == foot.style { footFellows += 1 }
            if abs(line.centerY - foot.centerY) * 2 <= foot.size { footRow += 1 }
        }
    }
}
