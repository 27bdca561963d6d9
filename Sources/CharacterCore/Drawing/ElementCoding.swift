// SPDX-License-Identifier: Apache-2.0
import SheetCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TextBox: Codable {
    private enum CodingKeys: String, CodingKey {
        case text, frame, rotation, font, size, color, alignment, direction
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .text), in: try container.decode(PageRect.self, forKey: .frame),
            rotation: try container.decode(Double.self, forKey: .rotation),
            font: try container.decode(String.self, forKey: .font),
            size: try container.decode(Double.self, forKey: .size),
            color: try container.decode(InkColor.self, forKey: .color),
            alignment: try container.decode(Alignment.self, forKey: .alignment),
            direction: try container.decode(Direction.self, forKey: .direction))
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
        try container.encode(frame, forKey: .frame)
        try container.encode(rotation, forKey: .rotation)
        try container.encode(font, forKey: .font)
        try container.encode(size, forKey: .size)
        try container.encode(color, forKey: .color)
        try container.encode(alignment, forKey: .alignment)
        try container.encode(direction, forKey: .direction)
        try UnknownMembers.write(unknown, to: encoder)
    }
}

extension PageImage: Codable {
    private enum CodingKeys: String, CodingKey { case sha256, mediaType, frame, rotation }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sha256: try container.decode(ContentHash.self, forKey: .sha256),
            mediaType: try container.decode(String.self, forKey: .mediaType),
            frame: try container.decode(PageRect.self, forKey: .frame),
            rotation: try container.decode(Double.self, forKey: .rotation))
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sha256, forKey: .sha256)
        try container.encode(mediaType, forKey: .mediaType)
        try container.encode(frame, forKey: .frame)
        try container.encode(rotation, forKey: .rotation)
        try UnknownMembers.write(unknown, to: encoder)
    }
}

extension ForeignInk: Codable {
    private enum CodingKeys: String, CodingKey { case format, data, frame }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            format: try container.decode(String.self, forKey: .format),
            // In a drawing's file the bytes stand behind the element.
            data: try container.decodeIfPresent(Data.self, forKey: .data) ?? Data(),
            frame: try container.decodeIfPresent(PageRect.self, forKey: .frame))
        unknown = try UnknownMembers.read(from: decoder, besides: CodingKeys.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format, forKey: .format)
        try container.encode(data, forKey: .data)
        try container.encodeIfPresent(frame, forKey: .frame)
        try UnknownMembers.write(unknown, to: encoder)
    }
}
