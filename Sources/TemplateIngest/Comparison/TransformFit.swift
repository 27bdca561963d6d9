// SPDX-License-Identifier: Apache-2.0

/// A scale and a move of each axis, in points.
struct AxisTransform: Equatable, Sendable {
    var scaleX = 1.0
    var scaleY = 1.0
    var moveX = 0.0
    var moveY = 0.0

    func place(_ place: Place) -> Place {
        Place(x: scaleX * place.x + moveX, y: scaleY * place.y + moveY)
    }

    /// How far apart two transforms take the corners of a page, at most.
    func distance(to other: AxisTransform, width: Double, height: Double) -> Double {
        [0, width].flatMap { x in [0, height].map { y in Place(x: x, y: y) } }.map { corner in
            let (one, two) = (place(corner), other.place(corner))
            return max(abs(one.x - two.x), abs(one.y - two.y))
        }.max() ?? 0
    }
}

/// Something that is on both pages, where it was and where it is.
struct Correspondence: Sendable {
    var old: Place
    var new: Place
    /// How exactly both are known, in points.
    var tolerance: Double
}

/// Finds the transform that most correspondences agree on, though many may not: candidates come from few of them, all of
/// them vote, and those that agree settle it by least squares (Fischler and Bolles, "Random Sample Consensus", 1981; here
/// the samples are the same on every run).
struct TransformFit {
    private(set) var transform = AxisTransform()
    /// Which correspondences agree with it.
    private(set) var agrees: [Bool] = []
    let points: [Correspondence]

    /// Most correspondences that are looked at.
    private static let maximumPoints = 400
    /// Sheets are printed smaller or larger, but remain sheets.
    private static let scales = 0.4...2.5
    /// Points nearer to each other than this on an axis say nothing of its scale.
    private static let leastSpread = 40.0
    /// The part of their tolerance that places are off by for being rounded, and a little more.
    private static let exactEnough = 0.125

    /// The part that agrees.
    var support: Double {
        agrees.isEmpty ? 0 : Double(agrees.count { $0 }) / Double(agrees.count)
    }

    init(_ all: [Correspondence], from old: ComparedPage, to new: ComparedPage) {
        let step = max(1, (all.count + Self.maximumPoints - 1) / Self.maximumPoints)
        points = stride(from: 0, to: all.count, by: step).map { all[$0] }
        guard !points.isEmpty else { return }
        var best = -1
        // The first of equals wins: nothing moved, then paper of another size, then anything.
        for candidate in [AxisTransform()] + Self.ofPaper(old, new) + fromPoints() {
            let count = votes(candidate).count { $0 }
            if count > best {
                best = count
                transform = candidate
            }
        }
        agrees = votes(transform)
        guard transform != AxisTransform() else { return }
        refine()
    }

    private func votes(_ candidate: AxisTransform) -> [Bool] {
        points.map { point in
            let place = candidate.place(point.old)
            return abs(place.x - point.new.x) <= point.tolerance && abs(place.y - point.new.y) <= point.tolerance
        }
    }

    /// What a printer does with paper of another size: fits and centres, fits to a corner, stretches.
    private static func ofPaper(_ old: ComparedPage, _ new: ComparedPage) -> [AxisTransform] {
        let (wide, high) = (new.width / old.width, new.height / old.height)
        let scale = min(wide, high)
        return [
            AxisTransform(
                scaleX: scale, scaleY: scale, moveX: (new.width - scale * old.width) / 2,
                moveY: (new.height - scale * old.height) / 2),
            AxisTransform(scaleX: scale, scaleY: scale),
            AxisTransform(moveX: (new.width - old.width) / 2, moveY: (new.height - old.height) / 2),
            AxisTransform(moveY: new.height - old.height),
            AxisTransform(scaleX: wide, scaleY: high),
        ]
    }

    private func fromPoints() -> [AxisTransform] {
        var candidates: [AxisTransform] = []
        for (place, point) in points.enumerated() {
            candidates.append(AxisTransform(moveX: point.new.x - point.old.x, moveY: point.new.y - point.old.y))
            for part in [2, 3, 5] {
                let other = points[(place + points.count / part) % points.count]
                if let candidate = Self.through(point, other) { candidates.append(candidate) }
            }
        }
        return candidates
    }

    private static func through(_ one: Correspondence, _ two: Correspondence) -> AxisTransform? {
        func scale(_ oldSpread: Double, _ newSpread: Double) -> Double? {
            guard abs(oldSpread) >= leastSpread else { return nil }
            return newSpread / oldSpread
        }
        let across = scale(two.old.x - one.old.x, two.new.x - one.new.x)
        let down = scale(two.old.y - one.old.y, two.new.y - one.new.y)
        guard let scaleX = across ?? down, let scaleY = down ?? across, scales.contains(scaleX),
            scales.contains(scaleY)
        else { return nil }
        return AxisTransform(
            scaleX: scaleX, scaleY: scaleY, moveX: one.new.x - scaleX * one.old.x,
            moveY: one.new.y - scaleY * one.old.y)
    }

    /// Least squares over those that agree; of transforms that are as good the simplest.
    private mutating func refine() {
        let kept = zip(points, agrees).filter(\.1).map(\.0)
        let x = Line(kept.map { ($0.old.x, $0.new.x) }, scale: transform.scaleX)
        let y = Line(kept.map { ($0.old.y, $0.new.y) }, scale: transform.scaleY)
        let free = AxisTransform(scaleX: x.slope, scaleY: y.slope, moveX: x.intercept, moveY: y.intercept)
        let mean = (x.slope + y.slope) / 2
        let simpler = [1, mean].map { scale in
            AxisTransform(
                scaleX: scale, scaleY: scale, moveX: x.middle.new - scale * x.middle.old,
                moveY: y.middle.new - scale * y.middle.old)
        }
        let before = agrees.count { $0 }
        // Corners would not do for comparing: points that lie close together tell little of what is far from them.
        let tolerance = kept.map(\.tolerance).max() ?? 0
        let bound = max(Self.exactEnough * tolerance, 1.3 * Self.error(of: free, kept))
        for candidate in simpler + [free] where votes(candidate).count(where: { $0 }) >= before {
            if candidate != free && Self.error(of: candidate, kept) > bound { continue }
            transform = candidate
            agrees = votes(candidate)
            return
        }
    }

    /// The root of the mean square of what a transform is off by.
    private static func error(of transform: AxisTransform, _ points: [Correspondence]) -> Double {
        let sum = points.reduce(0) { sum, point in
            let place = transform.place(point.old)
            return sum + (place.x - point.new.x) * (place.x - point.new.x)
                + (place.y - point.new.y) * (place.y - point.new.y)
        }
        return (sum / Double(max(points.count, 1))).squareRoot()
    }

    /// A straight line through points of one axis.
    private struct Line {
        let slope: Double
        let intercept: Double
        let middle: (old: Double, new: Double)

        /// Where the points lie together, `scale` stands in for a slope that they do not tell.
        init(_ points: [(old: Double, new: Double)], scale: Double) {
            let count = Double(max(points.count, 1))
            let middle = (
                old: points.reduce(0) { $0 + $1.old } / count, new: points.reduce(0) { $0 + $1.new } / count
            )
            var square = 0.0
            var product = 0.0
            for point in points {
                square += (point.old - middle.old) * (point.old - middle.old)
                product += (point.old - middle.old) * (point.new - middle.new)
            }
            let isTold = square >= TransformFit.leastSpread * TransformFit.leastSpread / 2
            slope = isTold ? product / square : scale
            intercept = middle.new - slope * middle.old
            self.middle = middle
        }
    }
}
