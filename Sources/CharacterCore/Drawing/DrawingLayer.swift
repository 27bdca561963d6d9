// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A sheet of glass above the page.
public struct DrawingLayer: Hashable, Sendable {
    /// How a layer's colours meet those below; others than these are kept and drawn as `normal`.
    public struct BlendMode: RawRepresentable, Hashable, Sendable, Codable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let normal = BlendMode(rawValue: "normal")
        public static let multiply = BlendMode(rawValue: "multiply")
        public static let screen = BlendMode(rawValue: "screen")
        public static let overlay = BlendMode(rawValue: "overlay")
    }

    /// `base`, `notes`, `temporary`, or the name of the edit that made it.
    public var id: String
    public var name: String
    /// The higher is in front; layers of one order are in the order of their ids.
    public var order: Double
    public var isVisible: Bool
    public var isLocked: Bool
    /// 0…1.
    public var opacity: Double
    public var blendMode: BlendMode
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    public init(
        id: String, name: String, order: Double, isVisible: Bool = true, isLocked: Bool = false, opacity: Double = 1,
        blendMode: BlendMode = .normal
    ) {
        self.id = id
        self.name = name
        self.order = order
        self.isVisible = isVisible
        self.isLocked = isLocked
        self.opacity = opacity
        self.blendMode = blendMode
    }

    public static let base = DrawingLayer(id: "base", name: "Base", order: 0)
    public static let notes = DrawingLayer(id: "notes", name: "Notes", order: 1)
    public static let temporary = DrawingLayer(id: "temporary", name: "Temporary", order: 2)
    /// What every page has.
    public static let standard = [base, notes, temporary]

    static func inOrder(_ left: DrawingLayer, _ right: DrawingLayer) -> Bool {
        (left.order, left.id) < (right.order, right.id)
    }
}

extension DrawingLayer: Codable {
    private enum CodingKeys: String, CodingKey { case id, name, order, isVisible, isLocked, opacity, blendMode }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id), name: try container.decode(String.self, forKey: .name),
            order: try container.decode(Double.self, forKey: .order),
            isVisible: try container.decode(Bool.self, forKey: .isVisible),
            isLocked: try container.decode(Bool.self, forKey: .isLocked),
            opacity: try container.decode(Double.self, forKey: .opacity),
            blendMode: try container.decode(BlendMode.self, forKey: .blendMode))
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(order, forKey: .order)
        try container.encode(isVisible, forKey: .isVisible)
        try container.encode(isLocked, forKey: .isLocked)
        try container.encode(opacity, forKey: .opacity)
        try container.encode(blendMode, forKey: .blendMode)
        try UnknownMembers.write(unknown, to: encoder)
    }
}
