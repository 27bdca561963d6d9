// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Typed text in a box.
public struct TextBox: Hashable, Sendable {
    public enum Alignment: String, Sendable, Codable, CaseIterable {
        case leading, center, trailing
    }

    /// `natural` is that of the first letter that has one.
    public enum Direction: String, Sendable, Codable, CaseIterable {
        case natural, leftToRight, rightToLeft
    }

    public var text: String
    public var frame: PageRect
    /// About the middle, in radians, clockwise.
    public var rotation: Double
    public var font: String
    /// In points.
    public var size: Double
    public var color: InkColor
    public var alignment: Alignment
    public var direction: Direction
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    public init(
        _ text: String, in frame: PageRect, rotation: Double = 0, font: String = "Helvetica", size: Double = 12,
        color: InkColor = .black, alignment: Alignment = .leading, direction: Direction = .natural
    ) {
        self.text = text
        self.frame = frame
        self.rotation = rotation
        self.font = font
        self.size = size
        self.color = color
        self.alignment = alignment
        self.direction = direction
    }
}

/// A picture on the page; its bytes lie elsewhere, under their hash.
public struct PageImage: Hashable, Sendable {
    public var sha256: ContentHash
    public var mediaType: String
    public var frame: PageRect
    /// About the middle, in radians, clockwise.
    public var rotation: Double
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    public init(sha256: ContentHash, mediaType: String, frame: PageRect, rotation: Double = 0) {
        self.sha256 = sha256
        self.mediaType = mediaType
        self.frame = frame
        self.rotation = rotation
    }
}

/// Ink in a form of somebody else's, as PencilKit's: carried, never read or changed.
public struct ForeignInk: Hashable, Sendable {
    /// As `com.apple.pencilkit`.
    public var format: String
    public var data: Data
    /// Where it is on the page, as far as the program that made it says.
    public var frame: PageRect?
    /// Members that this version does not know.
    public var unknown: [String: JSONValue] = [:]

    public init(format: String, data: Data, frame: PageRect? = nil) {
        self.format = format
        self.data = data
        self.frame = frame
    }
}

/// One thing on a page.
public struct PageElement: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case stroke(Stroke)
        case shape(Shape)
        case text(TextBox)
        case image(PageImage)
        case foreign(ForeignInk)
        /// Of a newer program: all of it is in `unknown`.
        case unknown
    }

    public var id: EditID
    /// Of a layer; what names none that there is shows on the base layer.
    public var layer: String
    /// The higher is in front; those of one order are in the order of their ids.
    public var order: Int
    public var content: Content
    /// Members that this version does not know.
    public var unknown: [String: JSONValue]

    public init(
        id: EditID, layer: String = DrawingLayer.base.id, order: Int, _ content: Content,
        unknown: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.layer = layer
        self.order = order
        self.content = content
        self.unknown = unknown
    }

    static func inOrder(_ left: PageElement, _ right: PageElement) -> Bool {
        (left.order, left.id) < (right.order, right.id)
    }

    /// The rectangle that it covers; `nil` if nobody knows.
    public var bounds: PageRect? {
        switch content {
        case .stroke(let stroke): stroke.bounds
        case .shape(let shape): shape.bounds
        case .text(let box): Self.turned(box.frame, box.rotation)
        case .image(let image): Self.turned(image.frame, image.rotation)
        case .foreign(let ink): ink.frame
        case .unknown: nil
        }
    }

    private static func turned(_ frame: PageRect, _ rotation: Double) -> PageRect? {
        let turn = SelectionTransform(about: frame.center, rotation: rotation)
        return PageRect(around: frame.corners.map { turn($0) })
    }

    /// Moved; what cannot be read stays where it is.
    public func applying(_ transform: SelectionTransform) -> PageElement {
        func moved(_ frame: PageRect) -> PageRect {
            let (middle, scale) = (transform(frame.center), transform.scale)
            return PageRect(
                x: middle.x - frame.width * scale / 2, y: middle.y - frame.height * scale / 2,
                width: frame.width * scale, height: frame.height * scale)
        }
        var made = self
        switch content {
        case .stroke(let stroke): made.content = .stroke(stroke.applying(transform))
        case .shape(let shape): made.content = .shape(shape.applying(transform))
        case .text(var box):
            box.frame = moved(box.frame)
            box.rotation += transform.rotation
            box.size *= transform.scale
            made.content = .text(box)
        case .image(var image):
            image.frame = moved(image.frame)
            image.rotation += transform.rotation
            made.content = .image(image)
        case .foreign, .unknown: break
        }
        return made
    }
}

extension PageElement: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, layer, order, stroke, shape, text, image, foreign
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(EditID.self, forKey: .id)
        layer = try container.decode(String.self, forKey: .layer)
        order = try container.decode(Int.self, forKey: .order)
        if let stroke = try container.decodeIfPresent(Stroke.self, forKey: .stroke) {
            content = .stroke(stroke)
        } else if let shape = try container.decodeIfPresent(Shape.self, forKey: .shape) {
            content = .shape(shape)
        } else if let text = try container.decodeIfPresent(TextBox.self, forKey: .text) {
            content = .text(text)
        } else if let image = try container.decodeIfPresent(PageImage.self, forKey: .image) {
            content = .image(image)
        } else if let foreign = try container.decodeIfPresent(ForeignInk.self, forKey: .foreign) {
            content = .foreign(foreign)
        } else {
            content = .unknown
        }
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(layer, forKey: .layer)
        try container.encode(order, forKey: .order)
        switch content {
        case .stroke(let stroke): try container.encode(stroke, forKey: .stroke)
        case .shape(let shape): try container.encode(shape, forKey: .shape)
        case .text(let text): try container.encode(text, forKey: .text)
        case .image(let image): try container.encode(image, forKey: .image)
        case .foreign(let foreign): try container.encode(foreign, forKey: .foreign)
        case .unknown: break
        }
        try UnknownMembers.write(unknown, to: encoder)
    }
}
