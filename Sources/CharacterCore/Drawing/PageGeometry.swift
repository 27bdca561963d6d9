// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A place on a page as displayed (crop box, rotation applied), in points from the top left. Divided by the page's
/// width and height it is what zoom regions count in.
public struct PagePoint: Hashable, Sendable, Codable {
    public var x: Double
    public var y: Double

    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init(try list.decode(Double.self), try list.decode(Double.self))
    }

    /// Writes `[x, y]`.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(x)
        try list.encode(y)
    }

    public func distance(to other: PagePoint) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }

    /// The distance to the nearest point of the line from `start` to `end`.
    public func distance(toLineFrom start: PagePoint, to end: PagePoint) -> Double {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let length = dx * dx + dy * dy
        guard length > 0 else { return distance(to: start) }
        let part = min(1, max(0, ((x - start.x) * dx + (y - start.y) * dy) / length))
        return distance(to: PagePoint(start.x + part * dx, start.y + part * dy))
    }

    /// The point that part of the way to another.
    func toward(_ other: PagePoint, _ part: Double) -> PagePoint {
        PagePoint(x + part * (other.x - x), y + part * (other.y - y))
    }

    var isFinite: Bool { x.isFinite && y.isFinite }
}

/// The size of a page as displayed, in points.
public struct PageSize: Hashable, Sendable, Codable {
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// A rectangle on a page, in points.
public struct PageRect: Hashable, Sendable, Codable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The smallest rectangle around some points; `nil` of none.
    public init?(around points: some Sequence<PagePoint>) {
        var (left, top) = (Double.infinity, Double.infinity)
        var (right, bottom) = (-Double.infinity, -Double.infinity)
        for point in points {
            (left, top) = (min(left, point.x), min(top, point.y))
            (right, bottom) = (max(right, point.x), max(bottom, point.y))
        }
        guard left <= right else { return nil }
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }

    public var center: PagePoint { PagePoint(x + width / 2, y + height / 2) }

    /// From the top left, clockwise on the page.
    public var corners: [PagePoint] {
        [
            PagePoint(x, y), PagePoint(x + width, y), PagePoint(x + width, y + height), PagePoint(x, y + height),
        ]
    }

    public func contains(_ point: PagePoint) -> Bool {
        point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height
    }

    /// Whether both have a point in common.
    public func touches(_ other: PageRect) -> Bool {
        x <= other.x + other.width && other.x <= x + width && y <= other.y + other.height && other.y <= y + height
    }

    public func union(_ other: PageRect) -> PageRect {
        PageRect(around: corners + other.corners) ?? self
    }

    var isFinite: Bool { [x, y, width, height].allSatisfy(\.isFinite) && width >= 0 && height >= 0 }
}

/// How a selection is moved: scaled and turned about a center, then shifted. Angles keep, so that what is round stays
/// round.
public struct SelectionTransform: Hashable, Sendable {
    public var center: PagePoint
    /// Above 0.
    public var scale: Double
    /// In radians, clockwise on the page.
    public var rotation: Double
    public var dx: Double
    public var dy: Double

    public init(
        about center: PagePoint = PagePoint(0, 0), scale: Double = 1, rotation: Double = 0, dx: Double = 0,
        dy: Double = 0
    ) {
        self.center = center
        self.scale = scale
        self.rotation = rotation
        self.dx = dx
        self.dy = dy
    }

    public func callAsFunction(_ point: PagePoint) -> PagePoint {
        if rotation == 0, scale == 1 { return PagePoint(point.x + dx, point.y + dy) }
        let (x, y) = (scale * (point.x - center.x), scale * (point.y - center.y))
        let (sine, cosine) = Angle.sineAndCosine(rotation)
        return PagePoint(center.x + x * cosine - y * sine + dx, center.y + x * sine + y * cosine + dy)
    }

    /// What undoes it.
    public var inverse: SelectionTransform {
        SelectionTransform(
            about: PagePoint(center.x + dx, center.y + dy), scale: 1 / scale, rotation: -rotation, dx: -dx, dy: -dy)
    }
}

enum Angle {
    static func sineAndCosine(_ angle: Double) -> (Double, Double) { (sin(angle), cos(angle)) }

    /// The direction from one point to another, -π…π, clockwise from the right.
    static func direction(from start: PagePoint, to end: PagePoint) -> Double {
        atan2(end.y - start.y, end.x - start.x)
    }

    /// The same direction in 0..<2π.
    static func normalized(_ angle: Double) -> Double {
        let rest = angle.truncatingRemainder(dividingBy: 2 * .pi)
        return rest < 0 ? rest + 2 * .pi : rest
    }
}
