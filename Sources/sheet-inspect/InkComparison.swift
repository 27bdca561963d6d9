// SPDX-License-Identifier: Apache-2.0

/// Says of each pixel of two pages that lie over each other whether its ink is on one of them, or on both.
struct InkComparison {
    /// Of one size.
    let old: PagePicture
    let new: PagePicture

    /// What became of a pixel.
    enum Mark: UInt8 {
        case none
        case came
        case went
        /// Both have ink, of different colours.
        case recoloured
    }

    private typealias Ink = UnsafeBufferPointer<Int16>

    /// A page whose every fifth inked pixel is another was drawn by another program, or is another page: its edges lie
    /// elsewhere between the pixels.
    private static let mostStrictChanges = 5
    /// Thin lines that lie between two pixels have half of their strength on each, or less.
    private static let leastFellow = (part: 1, of: 3)
    /// How far the hues of the same ink may be apart, as a part of its strength.
    private static let sameHue = 4

    /// Pages that were not moved are compared pixel by pixel, as long as most of them is the same; others by what is near.
    func marks(isAligned: Bool) -> [Mark] {
        old.ink.withUnsafeBufferPointer { old in
            new.ink.withUnsafeBufferPointer { new in
                if !isAligned {
                    let (marks, changed, inked) = strictMarks(old, new)
                    if changed * Self.mostStrictChanges <= inked { return marks }
                }
                var marks = [Mark](repeating: .none, count: self.new.width * self.new.height)
                for pixel in marks.indices where Self.distance(old, pixel * 3, new, pixel * 3) > PagePicture.threshold {
                    marks[pixel] = looseMark(pixel, old, new)
                }
                return marks
            }
        }
    }

    /// A changed pixel with no changed neighbour to speak of is what compression left.
    func hasCompany(_ marks: [Mark], _ pixel: Int) -> Bool {
        var count = 0
        for row in rows(around: pixel) {
            for column in columns(around: pixel) where marks[row * new.width + column] != .none { count += 1 }
        }
        return count >= 3
    }

    private func strictMarks(_ old: Ink, _ new: Ink) -> (marks: [Mark], changed: Int, inked: Int) {
        var marks = [Mark](repeating: .none, count: self.new.width * self.new.height)
        var (changed, inked) = (0, 0)
        for pixel in marks.indices {
            let (before, now) = (PagePicture.strength(old, pixel * 3), PagePicture.strength(new, pixel * 3))
            guard max(before, now) > PagePicture.threshold else { continue }
            inked += 1
            guard Self.distance(old, pixel * 3, new, pixel * 3) > PagePicture.threshold else { continue }
            changed += 1
            marks[pixel] = Self.mark(before, now)
        }
        return (marks, changed, inked)
    }

    private static func mark(_ before: Int, _ now: Int) -> Mark {
        if abs(now - before) <= PagePicture.threshold { return .recoloured }
        return now > before ? .came : .went
    }

    private func looseMark(_ pixel: Int, _ old: Ink, _ new: Ink) -> Mark {
        let (before, now) = (PagePicture.strength(old, pixel * 3), PagePicture.strength(new, pixel * 3))
        let isOldMatched = hasFellow(old, pixel, strength: before, near: new)
        let isNewMatched = hasFellow(new, pixel, strength: now, near: old)
        switch (isOldMatched, isNewMatched) {
        case (true, true): return .none
        case (false, false): return Self.mark(before, now)
        case (true, false): return now > PagePicture.threshold ? .came : .none
        case (false, true): return before > PagePicture.threshold ? .went : .none
        }
    }

    /// Whether the other page has such a pixel beside it: of that colour, or of that hue and not much fainter.
    private func hasFellow(_ one: Ink, _ pixel: Int, strength: Int, near other: Ink) -> Bool {
        for row in rows(around: pixel) {
            for column in columns(around: pixel) {
                let place = (row * new.width + column) * 3
                if Self.distance(one, pixel * 3, other, place) <= PagePicture.threshold { return true }
                let fellow = PagePicture.strength(other, place)
                guard fellow * Self.leastFellow.of >= strength * Self.leastFellow.part else { continue }
                let apart = (0..<3).map {
                    abs(Int(one[pixel * 3 + $0]) * fellow - Int(other[place + $0]) * strength)
                }
                if (apart.max() ?? 0) * Self.sameHue <= fellow * strength { return true }
            }
        }
        return false
    }

    private func rows(around pixel: Int) -> ClosedRange<Int> {
        let row = pixel / new.width
        return max(0, row - 1)...min(new.height - 1, row + 1)
    }

    private func columns(around pixel: Int) -> ClosedRange<Int> {
        let column = pixel % new.width
        return max(0, column - 1)...min(new.width - 1, column + 1)
    }

    @inline(__always)
    private static func distance(_ one: Ink, _ place: Int, _ other: Ink, _ otherPlace: Int) -> Int {
        max(
            abs(Int(one[place]) - Int(other[otherPlace])), abs(Int(one[place + 1]) - Int(other[otherPlace + 1])),
            abs(Int(one[place + 2]) - Int(other[otherPlace + 2])))
    }
}
