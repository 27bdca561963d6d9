// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A sheet of glass above the page.
public struct DrawingLayer: Hashable, Sendable, Codable {
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
