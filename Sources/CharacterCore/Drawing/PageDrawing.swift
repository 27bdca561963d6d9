// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All that is drawn on one page.
public struct PageDrawing: Hashable, Sendable, Codable {
    /// A block of a newer program's drawing file, carried along.
    public struct UnknownBlock: Hashable, Sendable, Codable {
        public var kind: UInt8
        public var flags: UInt8
        public var count: UInt16
        public var payload: Data
    }

    public var size: PageSize
    /// In order, from the back.
    public private(set) var layers: [DrawingLayer]
    /// In order, from the back.
    public private(set) var elements: [PageElement]
    public var unknownBlocks: [UnknownBlock]?
    /// Members of the page that this version does not know; `nil` for none.
    public var unknown: [String: JSONValue]?

    public init(
        size: PageSize, layers: [DrawingLayer] = DrawingLayer.standard, elements: [PageElement] = [],
        unknownBlocks: [UnknownBlock]? = nil, unknown: [String: JSONValue]? = nil
    ) {
        self.size = size
        self.layers = layers.sorted(by: DrawingLayer.inOrder)
        self.elements = elements.sorted(by: PageElement.inOrder)
        self.unknownBlocks = unknownBlocks
        self.unknown = unknown
    }

    /// The element of that id.
    public subscript(id: EditID) -> PageElement? { elements.first { $0.id == id } }

    /// In front of everything.
    public var nextOrder: Int { min(elements.last?.order ?? 0, Int.max - (1 << 32)) + 1 }

    /// The layer that an element shows on.
    public func layer(of element: PageElement) -> DrawingLayer? {
        layers.first { $0.id == element.layer } ?? layers.first { $0.id == DrawingLayer.base.id } ?? layers.first
    }

    /// What is to be drawn, from the back: layer by layer, without those that are hidden.
    public var visible: [(layer: DrawingLayer, elements: [PageElement])] {
        let groups = Dictionary(grouping: elements) { layer(of: $0)?.id ?? "" }
        return layers.filter(\.isVisible).map { ($0, groups[$0.id] ?? []) }
    }

    /// What lies within or touches a rectangle, on layers that are shown and not locked.
    public func selection(in rect: PageRect) -> Set<EditID> {
        Set(
            elements.filter { element in
                guard let layer = layer(of: element), layer.isVisible, !layer.isLocked else { return false }
                return element.bounds.map(rect.touches) ?? false
            }.map(\.id))
    }

    /// What lies inside a line drawn around it: all of its corners are within.
    public func selection(within lasso: [PagePoint]) -> Set<EditID> {
        guard let around = PageRect(around: lasso) else { return [] }
        return selection(in: around).filter { id in
            self[id]?.bounds?.corners.allSatisfy { Self.isInside($0, lasso) } ?? false
        }
    }

    private static func isInside(_ point: PagePoint, _ polygon: [PagePoint]) -> Bool {
        var isInside = false
        guard var before = polygon.last else { return false }
        for corner in polygon {
            if (corner.y > point.y) != (before.y > point.y),
                point.x < (before.x - corner.x) * (point.y - corner.y) / (before.y - corner.y) + corner.x
            {
                isInside.toggle()
            }
            before = corner
        }
        return isInside
    }

    /// The elements of a selection, moved.
    public func moved(_ ids: Set<EditID>, by transform: SelectionTransform) -> [PageElement] {
        elements.filter { ids.contains($0.id) }.map { $0.applying(transform) }
    }

    /// Copies of elements of any page or character, to be put in front of all others here: with new ids, on a layer
    /// that there is, and moved so far that they lie on this page.
    public func copies(
        of copied: [PageElement], offset: PagePoint = PagePoint(0, 0), newID: () -> EditID
    ) -> [PageElement] {
        let moved = copied.map { $0.applying(SelectionTransform(dx: offset.x, dy: offset.y)) }
        let bounds = moved.compactMap(\.bounds)
        let around = bounds.dropFirst().reduce(bounds.first) { $0?.union($1) }
        var shift = SelectionTransform()
        if let around {
            shift.dx = max(0, -around.x) + min(0, size.width - max(around.width, around.x + around.width))
            shift.dy = max(0, -around.y) + min(0, size.height - max(around.height, around.y + around.height))
        }
        let front = nextOrder - 1
        return moved.sorted(by: PageElement.inOrder).enumerated().map { place, element in
            var copy = element.applying(shift)
            copy.id = newID()
            copy.order = front + 1 + place
            if !layers.contains(where: { $0.id == copy.layer }) { copy.layer = DrawingLayer.base.id }
            return copy
        }
    }
}
