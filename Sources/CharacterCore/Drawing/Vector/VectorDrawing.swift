// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// A line of pieces in points of the page as displayed.
public struct VectorPath: Hashable, Sendable {
    public enum Step: Hashable, Sendable {
        case move(PagePoint)
        case line(PagePoint)
        /// By two points that pull at it.
        case curve(PagePoint, PagePoint, PagePoint)
        case close
    }

    public private(set) var steps: [Step] = []

    public init() {}

    init(_ points: some Sequence<PagePoint>, closed: Bool = false) {
        add(points, closed: closed)
    }

    mutating func add(_ points: some Sequence<PagePoint>, closed: Bool = false) {
        for (place, point) in points.enumerated() { steps.append(place == 0 ? .move(point) : .line(point)) }
        if closed { steps.append(.close) }
    }

    /// An ellipse, counterclockwise on the page, as `place` puts its points; 1 is its edge.
    mutating func addEllipse(_ place: (Double, Double) -> PagePoint) {
        // How far a quarter's points pull, so that it is round to 0.03 %.
        let pull = 0.552_284_749_8
        steps += [
            .move(place(1, 0)),
            .curve(place(1, -pull), place(pull, -1), place(0, -1)),
            .curve(place(-pull, -1), place(-1, -pull), place(-1, 0)),
            .curve(place(-1, pull), place(-pull, 1), place(0, 1)),
            .curve(place(pull, 1), place(1, pull), place(1, 0)),
            .close,
        ]
    }
}

/// What every drawing program can do.
public enum VectorMark: Hashable, Sendable {
    /// The inside of a path, where it winds around.
    case fill(VectorPath, InkColor)
    /// Along a path, with round ends and corners.
    case line(VectorPath, InkColor, width: Double)
    case text(TextBox)
    case picture(PageImage)
}

/// A layer to be drawn with what it is made of.
public struct VectorLayer: Hashable, Sendable {
    public var layer: DrawingLayer
    public var marks: [VectorMark]
    /// Pieces of ink that only another program reads, which come with no picture of themselves.
    public var foreign: Int
    /// Elements of newer programs.
    public var unknown: Int
}

extension PageDrawing {
    /// The drawing of some layers, from the back; of those that are shown if none are named. A name is an id or what
    /// people call a layer.
    public func vectors(layers names: [String]? = nil) -> [VectorLayer] {
        let wanted = names.map { Set($0.map { $0.lowercased() }) }
        let groups = Dictionary(grouping: elements) { layer(of: $0)?.id ?? "" }
        let chosen = layers.filter { layer in
            wanted.map { !$0.isDisjoint(with: [layer.id.lowercased(), layer.name.lowercased()]) } ?? layer.isVisible
        }
        return chosen.map { layer in
            var made = VectorLayer(layer: layer, marks: [], foreign: 0, unknown: 0)
            for element in groups[layer.id] ?? [] { made.add(element) }
            return made
        }
    }
}

extension VectorLayer {
    fileprivate mutating func add(_ element: PageElement) {
        switch element.content {
        case .stroke(let stroke): marks += stroke.vectors
        case .shape(let shape): marks += shape.vectors
        case .text(let box): marks.append(.text(box))
        case .image(let image): marks.append(.picture(image))
        case .foreign: foreign += 1
        case .unknown: unknown += 1
        }
    }
}
