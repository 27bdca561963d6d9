// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Where a pen was at one moment.
public struct InkPoint: Hashable, Sendable {
    public var x: Double
    public var y: Double
    /// 0…1.
    public var pressure: Double
    /// The angle between pen and page in radians: 0 lying, π/2 upright.
    public var tilt: Double
    /// The direction in which the pen leans, in radians, clockwise from the right.
    public var azimuth: Double
    /// Seconds since the stroke began.
    public var time: Double
    /// Of the line, in points.
    public var width: Double

    public init(
        x: Double, y: Double, pressure: Double = 1, tilt: Double = .pi / 2, azimuth: Double = 0, time: Double = 0,
        width: Double = 2
    ) {
        self.x = x
        self.y = y
        self.pressure = pressure
        self.tilt = tilt
        self.azimuth = azimuth
        self.time = time
        self.width = width
    }

    public var place: PagePoint {
        get { PagePoint(x, y) }
        set { (x, y) = (newValue.x, newValue.y) }
    }

    /// The point that part of the way to another.
    func toward(_ other: InkPoint, _ part: Double) -> InkPoint {
        func mix(_ path: KeyPath<InkPoint, Double>) -> Double {
            self[keyPath: path] + part * (other[keyPath: path] - self[keyPath: path])
        }
        return InkPoint(
            x: mix(\.x), y: mix(\.y), pressure: mix(\.pressure), tilt: mix(\.tilt), azimuth: mix(\.azimuth),
            time: mix(\.time), width: mix(\.width))
    }
}

extension InkPoint: Codable {
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        func next() throws -> Double { try list.decode(Double.self) }
        self.init(
            x: try next(), y: try next(), pressure: try next(), tilt: try next(), azimuth: try next(),
            time: try next(), width: try next())
    }

    /// Writes `[x, y, pressure, tilt, azimuth, time, width]`.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for value in [x, y, pressure, tilt, azimuth, time, width] { try list.encode(value) }
    }
}

/// A line drawn with a pen.
public struct Stroke: Hashable, Sendable {
    /// What it was drawn with; others than these are kept and drawn as a pen.
    public struct Tool: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let pen = Tool(rawValue: "pen")
        public static let pencil = Tool(rawValue: "pencil")
        public static let marker = Tool(rawValue: "marker")
    }

    public var tool: Tool
    public var color: InkColor
    public var points: [InkPoint]
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    public init(tool: Tool = .pen, color: InkColor = .black, points: [InkPoint]) {
        self.tool = tool
        self.color = color
        self.points = points
    }

    /// The rectangle that its line covers.
    public var bounds: PageRect? {
        guard let path = PageRect(around: points.lazy.map(\.place)) else { return nil }
        let half = (points.lazy.map(\.width).max() ?? 0) / 2
        return PageRect(
            x: path.x - half, y: path.y - half, width: path.width + 2 * half, height: path.height + 2 * half)
    }

    func applying(_ transform: SelectionTransform) -> Stroke {
        var made = self
        for place in points.indices {
            made.points[place].place = transform(points[place].place)
            if transform.scale != 1 { made.points[place].width *= transform.scale }
            if transform.rotation != 0 { made.points[place].azimuth += transform.rotation }
        }
        return made
    }
}

extension Stroke: Codable {
    private enum CodingKeys: String, CodingKey { case tool, color, points }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            tool: try container.decode(Tool.self, forKey: .tool),
            color: try container.decode(InkColor.self, forKey: .color),
            points: try container.decode([InkPoint].self, forKey: .points))
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tool, forKey: .tool)
        try container.encode(color, forKey: .color)
        try container.encode(points, forKey: .points)
        try UnknownMembers.write(unknown, to: encoder)
    }
}
