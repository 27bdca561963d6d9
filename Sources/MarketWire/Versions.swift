// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Says that a template should no longer be used.
public struct Deprecation: Sendable, Codable, Equatable {
    /// The template to use instead.
    public struct Successor: Sendable, Codable, Equatable {
        public var id: TemplateID
        public var slug: String
        public var name: String

        public init(id: TemplateID, slug: String, name: String) {
            self.id = id
            self.slug = slug
            self.name = name
        }
    }

    /// Why, for people.
    public var message: String
    public var since: Date
    public var successor: Successor?

    public init(message: String, since: Date, successor: Successor? = nil) {
        self.message = message
        self.since = since
        self.successor = successor
    }
}

/// `PUT /templates/{id}/deprecation`.
public struct DeprecationRequest: Sendable, Codable, Equatable {
    public var message: String
    /// Slug or id of the template to use instead.
    public var successor: String?

    public init(message: String, successor: String? = nil) {
        self.message = message
        self.successor = successor
    }
}

/// `PUT /templates/{id}/versions/{v}/channel`.
public struct ChannelRequest: Sendable, Codable, Equatable {
    public var channel: ReleaseChannel

    public init(channel: ReleaseChannel) {
        self.channel = channel
    }

    private enum CodingKeys: String, CodingKey { case channel }

    /// Reads the channel, which must be there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .channel)
        guard let channel = ReleaseChannel(rawValue: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .channel, in: container, debugDescription: "a channel is 'stable' or 'beta'")
        }
        self.channel = channel
    }
}
