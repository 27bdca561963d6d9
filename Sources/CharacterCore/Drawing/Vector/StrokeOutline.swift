// SPDX-License-Identifier: Apache-2.0
import SheetCore

extension Stroke {
    /// Widths that differ less are one.
    private static let evenness = 0.01

    /// A line if it is of one width, else the outline: a circle for each point, and what lies between two of them.
    var vectors: [VectorMark] {
        let points = points.filter { $0.place.isFinite && $0.width.isFinite && $0.width > 0 }
        guard let first = points.first else { return [] }
        let widths = points.map(\.width)
        let (least, most) = (widths.min() ?? 0, widths.max() ?? 0)
        if most - least <= Self.evenness, points.contains(where: { $0.place != first.place }) {
            return [.line(VectorPath(points.map(\.place)), color, width: most)]
        }
        var path = VectorPath()
        var before: InkPoint?
        for point in points where point != before {
            let radius = point.width / 2
            path.addEllipse { PagePoint(point.x + radius * $0, point.y + radius * $1) }
            if let before { path.addHull(from: before, to: point) }
            before = point
        }
        return [.fill(path, color)]
    }
}

extension VectorPath {
    /// The two lines that touch the circles of two points, closed, turning as circles do.
    fileprivate mutating func addHull(from start: InkPoint, to end: InkPoint) {
        let (first, last) = (start.width / 2, end.width / 2)
        let distance = start.place.distance(to: end.place)
        // One lies within the other.
        guard distance > abs(first - last), distance > 1e-6 else { return }
        let (ux, uy) = ((end.x - start.x) / distance, (end.y - start.y) / distance)
        let cosine = (first - last) / distance
        let sine = (1 - cosine * cosine).squareRoot()
        func touch(_ point: InkPoint, _ radius: Double, _ side: Double) -> PagePoint {
            PagePoint(
                point.x + radius * (ux * cosine - side * uy * sine), point.y + radius * (uy * cosine + side * ux * sine)
            )
        }
        add(
            [touch(start, first, 1), touch(end, last, 1), touch(end, last, -1), touch(start, first, -1)], closed: true)
    }
}

extension Shape {
    /// What the tip of an arrow measures: in widths of its line, at least in points, and the angle to each side.
    private static let tip = (widths: 4.0, least: 8.0, angle: 0.45)

    var vectors: [VectorMark] {
        guard [start.x, start.y, end.x, end.y, rotation, width].allSatisfy(\.isFinite) else { return [] }
        let middle = start.toward(end, 0.5)
        let turn = SelectionTransform(about: middle, rotation: rotation)
        let path: VectorPath
        switch kind {
        case .rectangle:
            path = VectorPath((PageRect(around: [start, end])?.corners ?? []).map { turn($0) }, closed: true)
        case .ellipse:
            let (across, down) = (abs(end.x - start.x) / 2, abs(end.y - start.y) / 2)
            var round = VectorPath()
            round.addEllipse { turn(PagePoint(middle.x + across * $0, middle.y + down * $1)) }
            path = round
        case .arrow: path = arrow(turn)
        default: path = VectorPath([turn(start), turn(end)])
        }
        var marks: [VectorMark] = []
        if let fill, kind == .rectangle || kind == .ellipse { marks.append(.fill(path, fill)) }
        if width > 0 { marks.append(.line(path, color, width: width)) }
        return marks
    }

    private func arrow(_ turn: SelectionTransform) -> VectorPath {
        var path = VectorPath([turn(start), turn(end)])
        let length = min(max(Self.tip.least, Self.tip.widths * width), start.distance(to: end))
        guard length > 0 else { return path }
        let back = Angle.direction(from: end, to: start)
        let sides = [back - Self.tip.angle, back + Self.tip.angle].map { angle in
            let (sine, cosine) = Angle.sineAndCosine(angle)
            return turn(PagePoint(end.x + length * cosine, end.y + length * sine))
        }
        path.add([sides[0], turn(end), sides[1]])
        return path
    }
}
