// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// The figure that somebody meant to draw.
public struct RecognizedShape: Hashable, Sendable {
    public var shape: Shape
    /// 0…1: how near the stroke is to the figure. Below `ShapeRecognition.least` nothing is recognized.
    public var confidence: Double
}

/// Finds the figure in a rough stroke.
public enum ShapeRecognition {
    public static let least = 0.6
    /// Shorter strokes are dots and letters.
    public static let smallest = 12.0

    /// The likeliest figure; `nil` if the stroke is like none.
    public static func recognize(_ stroke: Stroke) -> RecognizedShape? {
        let path = resampled(stroke.points.map(\.place))
        guard let box = PageRect(around: path), let first = path.first, let last = path.last, path.count >= 8,
            max(box.width, box.height) >= smallest
        else { return nil }
        let length = zip(path, path.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        var found: [RecognizedShape] = []
        func add(_ kind: Shape.Kind, _ start: PagePoint, _ end: PagePoint, _ confidence: Double) {
            let shape = Shape(
                kind, from: start, to: end, color: stroke.color,
                width: stroke.points.reduce(0) { $0 + $1.width } / Double(stroke.points.count))
            found.append(RecognizedShape(shape: shape, confidence: confidence))
        }
        let corner = PagePoint(box.x, box.y)
        let across = PagePoint(box.x + box.width, box.y + box.height)
        if first.distance(to: last) < 0.2 * length, min(box.width, box.height) >= smallest / 2 {
            add(.rectangle, corner, across, closeness(path, box, length, to: distanceToEdge, around: 2))
            add(.ellipse, corner, across, closeness(path, box, length, to: distanceToEllipse, around: .pi / 2))
        } else {
            add(.line, first, last, straightness(path))
            if let arrow = arrow(path, length) { add(.arrow, arrow.start, arrow.end, arrow.confidence) }
        }
        return found.filter { $0.confidence >= least }.max { $0.confidence < $1.confidence }
    }

    /// Points at even distances, so that a pen that rests counts no more than one that runs.
    private static func resampled(_ points: [PagePoint], count: Int = 64) -> [PagePoint] {
        guard let first = points.first, points.allSatisfy(\.isFinite) else { return [] }
        let length = zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        guard length > 0 else { return [] }
        let step = length / Double(count - 1)
        var made = [first]
        var left = step
        for (start, end) in zip(points, points.dropFirst()) {
            let part = start.distance(to: end)
            guard part > 0 else { continue }
            while left <= part + 1e-9, made.count < count {
                made.append(start.toward(end, min(1, left / part)))
                left += step
            }
            left -= part
        }
        return made
    }

    private static func straightness(_ path: [PagePoint]) -> Double {
        guard let first = path.first, let last = path.last else { return 0 }
        let length = first.distance(to: last)
        guard length > 0 else { return 0 }
        let off = path.map { $0.distance(toLineFrom: first, to: last) }.max() ?? 0
        return max(0, 1 - 4 * off / length)
    }

    /// A straight shaft whose end bends back twice: to one barb, perhaps over the tip, to the other.
    private static func arrow(
        _ path: [PagePoint], _ length: Double
    ) -> (start: PagePoint, end: PagePoint, confidence: Double)? {
        guard let start = path.first, let farthest = path.map({ $0.distance(to: start) }).max(),
            var tip = path.firstIndex(where: { $0.distance(to: start) > 0.95 * farthest })
        else { return nil }
        // The pen may come over the tip again.
        while tip + 1 < path.count, path[tip + 1].distance(to: start) > path[tip].distance(to: start) { tip += 1 }
        guard tip >= path.count / 3, tip < path.count - 4 else { return nil }
        let shaft = straightness(Array(path[...tip]))
        let long = start.distance(to: path[tip])
        let sides = path[(tip + 1)...].map { point -> Double in
            let (dx, dy) = ((path[tip].x - start.x) / long, (path[tip].y - start.y) / long)
            return (point.x - path[tip].x) * dy - (point.y - path[tip].y) * dx
        }
        let reach = path[(tip + 1)...].map { $0.distance(to: path[tip]) }.max() ?? 0
        // Both barbs stand out from the shaft, and neither is as long as it.
        guard let left = sides.min(), let right = sides.max(), reach < 0.6 * long, reach > 0.04 * long,
            -left > 0.2 * reach, right > 0.2 * reach
        else { return nil }
        let evenness = min(-left, right) / max(-left, right)
        return (start, path[tip], shaft * (0.8 + 0.2 * evenness))
    }

    private typealias Distance = (PagePoint, PageRect) -> Double

    /// How near the path is to an outline, and how near its length to that of the outline: a scribble is too long.
    private static func closeness(
        _ path: [PagePoint], _ box: PageRect, _ length: Double, to distance: Distance, around: Double
    ) -> Double {
        let size = (box.width + box.height) / 2
        let off = path.map { distance($0, box) }.reduce(0, +) / Double(path.count)
        // Exact for rectangles; for ellipses within a few percent.
        let outline = around * (box.width + box.height)
        let excess = abs(length - outline) / outline
        return max(0, 1 - 8 * off / size - 1.2 * max(0, excess - 0.12))
    }

    private static func distanceToEdge(_ point: PagePoint, _ box: PageRect) -> Double {
        let sides = [point.x - box.x, box.x + box.width - point.x, point.y - box.y, box.y + box.height - point.y]
        return abs(sides.min() ?? 0)
    }

    private static func distanceToEllipse(_ point: PagePoint, _ box: PageRect) -> Double {
        let (x, y) = ((point.x - box.center.x) / (box.width / 2), (point.y - box.center.y) / (box.height / 2))
        return abs((x * x + y * y).squareRoot() - 1) * min(box.width, box.height) / 2
    }
}
