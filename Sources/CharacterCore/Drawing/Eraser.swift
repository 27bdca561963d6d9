// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Rubs out what a round eraser passes over.
public struct Eraser: Sendable {
    public enum Mode: String, Sendable, Codable, CaseIterable {
        /// Whole strokes.
        case stroke
        /// Only what lies under it; what is left of a stroke becomes strokes of their own.
        case pixel
    }

    public var mode: Mode
    /// In points.
    public var radius: Double

    public init(_ mode: Mode, radius: Double) {
        self.mode = mode
        self.radius = radius
    }

    /// What a pass changes.
    public struct Result: Sendable, Equatable {
        public var removed: Set<EditID> = []
        /// What is left of removed strokes, in their places.
        public var added: [PageElement] = []
    }

    /// Passes over a page's strokes on layers that are shown and not locked.
    public func pass(over drawing: PageDrawing, along path: [PagePoint], newID: () -> EditID) -> Result {
        var result = Result()
        guard radius > 0, let swept = PageRect(around: path) else { return result }
        let reach = PageRect(
            x: swept.x - radius, y: swept.y - radius, width: swept.width + 2 * radius,
            height: swept.height + 2 * radius)
        for element in drawing.elements {
            guard case .stroke(let stroke) = element.content, let layer = drawing.layer(of: element),
                layer.isVisible, !layer.isLocked, stroke.bounds.map(reach.touches) ?? false,
                let left = remains(of: stroke, path)
            else { continue }
            result.removed.insert(element.id)
            guard mode == .pixel else { continue }
            for points in left {
                var part = element
                part.id = newID()
                var rest = stroke
                rest.points = points
                part.content = .stroke(rest)
                result.added.append(part)
            }
        }
        return result
    }

    /// The runs of points that stay; `nil` if the eraser does not meet the stroke.
    private func remains(of stroke: Stroke, _ path: [PagePoint]) -> [[InkPoint]]? {
        var runs: [[InkPoint]] = []
        var run: [InkPoint] = []
        var isMet = false
        func end() {
            if !run.isEmpty { runs.append(run) }
            run = []
        }
        guard let first = stroke.points.first else { return nil }
        var before = first
        if isUnder(first.place, path) { isMet = true } else { run = [first] }
        for point in stroke.points.dropFirst() {
            // Steps small enough that nothing of the eraser's width slips through between two points.
            let ratio = (before.place.distance(to: point.place) / (radius / 2)).rounded(.up)
            let steps = ratio.isFinite ? Int(max(1, min(1000, ratio))) : 1
            for step in 1...steps {
                let start = before.toward(point, Double(step - 1) / Double(steps))
                let next = step == steps ? point : before.toward(point, Double(step) / Double(steps))
                switch (isUnder(start.place, path), isUnder(next.place, path)) {
                case (false, false): if step == steps { run.append(next) }
                case (false, true):
                    isMet = true
                    run.append(edge(from: start, to: next, path))
                    end()
                case (true, false):
                    run = [edge(from: next, to: start, path)]
                    if step == steps { run.append(next) }
                case (true, true): isMet = true
                }
            }
            before = point
        }
        end()
        return isMet ? runs : nil
    }

    /// The last point outside on the way from one outside to one under the eraser.
    private func edge(from outside: InkPoint, to inside: InkPoint, _ path: [PagePoint]) -> InkPoint {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<16 {
            let middle = (low + high) / 2
            if isUnder(outside.toward(inside, middle).place, path) { high = middle } else { low = middle }
        }
        return outside.toward(inside, low)
    }

    private func isUnder(_ point: PagePoint, _ path: [PagePoint]) -> Bool {
        if path.count == 1 { return point.distance(to: path[0]) <= radius }
        return zip(path, path.dropFirst()).contains { point.distance(toLineFrom: $0, to: $1) <= radius }
    }
}
