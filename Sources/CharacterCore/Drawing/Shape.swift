// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A figure of geometry.
public struct Shape: Hashable, Sendable {
    /// Which figure; others than these are kept and drawn as lines.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let line = Kind(rawValue: "line")
        /// A line whose tip is at `end`.
        public static let arrow = Kind(rawValue: "arrow")
        public static let rectangle = Kind(rawValue: "rectangle")
        public static let ellipse = Kind(rawValue: "ellipse")
    }

    public var kind: Kind
    /// Where a line starts; a corner of what has an area, before it is turned.
    public var start: PagePoint
    /// Where a line ends; the corner across.
    public var end: PagePoint
    /// About the middle, in radians, clockwise.
    public var rotation: Double
    public var color: InkColor
    /// Of the line, in points.
    public var width: Double
    public var fill: InkColor?
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    public init(
        _ kind: Kind, from start: PagePoint, to end: PagePoint, rotation: Double = 0, color: InkColor = .black,
        width: Double = 2, fill: InkColor? = nil
    ) {
        self.kind = kind
        self.start = start
        self.end = end
        self.rotation = rotation
        self.color = color
        self.width = width
        self.fill = fill
    }

    /// The rectangle around it as it stands on the page.
    public var bounds: PageRect? {
        let turn = SelectionTransform(about: start.toward(end, 0.5), rotation: rotation)
        let corners =
            kind == .rectangle || kind == .ellipse
            ? PageRect(around: [start, end])?.corners ?? [] : [start, end]
        guard let path = PageRect(around: corners.map { turn($0) }) else { return nil }
        return PageRect(
            x: path.x - width / 2, y: path.y - width / 2, width: path.width + width, height: path.height + width)
    }

    /// Ends on the lines of a grid; lines within five degrees of level, upright or diagonal made so.
    public func snapped(grid: Double? = nil) -> Shape {
        var made = self
        if kind == .line || kind == .arrow {
            let step = Double.pi / 4
            let direction = Angle.direction(from: start, to: end)
            let nearest = (direction / step).rounded() * step
            if abs(direction - nearest) <= 5 * .pi / 180 {
                let (sine, cosine) = Angle.sineAndCosine(nearest)
                let length = start.distance(to: end)
                made.end = PagePoint(start.x + length * cosine, start.y + length * sine)
            }
        }
        if let grid, grid > 0 {
            func snap(_ point: PagePoint) -> PagePoint {
                PagePoint((point.x / grid).rounded() * grid, (point.y / grid).rounded() * grid)
            }
            (made.start, made.end) = (snap(made.start), snap(made.end))
        }
        return made
    }

    func applying(_ transform: SelectionTransform) -> Shape {
        var made = self
        if kind == .rectangle || kind == .ellipse {
            let middle = transform(start.toward(end, 0.5))
            let (dx, dy) = ((end.x - start.x) * transform.scale / 2, (end.y - start.y) * transform.scale / 2)
            made.start = PagePoint(middle.x - dx, middle.y - dy)
            made.end = PagePoint(middle.x + dx, middle.y + dy)
            made.rotation = rotation + transform.rotation
        } else {
            (made.start, made.end) = (transform(start), transform(end))
        }
        made.width *= transform.scale
        return made
    }
}

extension Shape: Codable {
    private enum CodingKeys: String, CodingKey { case kind, start, end, rotation, color, width, fill }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Kind.self, forKey: .kind), from: try container.decode(PagePoint.self, forKey: .start),
            to: try container.decode(PagePoint.self, forKey: .end),
            rotation: try container.decode(Double.self, forKey: .rotation),
            color: try container.decode(InkColor.self, forKey: .color),
            width: try container.decode(Double.self, forKey: .width),
            fill: try container.decodeIfPresent(InkColor.self, forKey: .fill))
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(start, forKey: .start)
        try container.encode(end, forKey: .end)
        try container.encode(rotation, forKey: .rotation)
        try container.encode(color, forKey: .color)
        try container.encode(width, forKey: .width)
        try container.encodeIfPresent(fill, forKey: .fill)
        try UnknownMembers.write(unknown, to: encoder)
    }
}
