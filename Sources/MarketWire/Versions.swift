// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Says that a template should no longer be used.
public struct Deprecation: Sendable, Codable, Equatable {
    /// The template to use instead.
    public struct Successor: Sendable, Codable, Equatable {
        /// The template's id.
        public var id: TemplateID
        /// The short name in addresses.
        public var slug: String
        /// What people call it.
        public var name: String

        public init(id: TemplateID, slug: String, name: String) {
            self.id = id
            self.slug = slug
            self.name = name
        }
    }

    /// Why, for people.
    public var message: String
    /// Since when.
    public var since: Date
    /// What to use instead.
    public var successor: Successor?

    public init(message: String, since: Date, successor: Successor? = nil) {
        self.message = message
        self.since = since
        self.successor = successor
    }
}

/// `PUT /templates/{id}/deprecation`.
public struct DeprecationRequest: Sendable, Codable, Equatable {
    /// Why, for people.
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
    /// Whom it is offered to.
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
