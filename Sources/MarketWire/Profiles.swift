// SPDX-License-Identifier: Apache-2.0
import Foundation

/// `GET /users/{handle}`: what somebody shows of themselves.
public struct Profile: Sendable, Codable, Equatable {
    public var handle: String
    public var displayName: String
    /// Plain text; empty where nothing is said.
    public var bio: String
    /// Addresses that begin with `https://`.
    public var links: [String]
    /// Of the disc with the initials that stands for the person, 0 to 7.
    public var colour: Int

    public init(handle: String, displayName: String, bio: String, links: [String], colour: Int) {
        self.handle = handle
        self.displayName = displayName
        self.bio = bio
        self.links = links
        self.colour = colour
    }
}

/// `PUT /me/profile`: the whole profile.
public struct ProfileEdit: Sendable, Codable, Equatable {
    public static let maximumBioLength = 1000
    public static let maximumLinks = 5
    public static let maximumLinkLength = 300
    public static let colours = 8

    public var bio: String?
    public var links: [String]?
    public var colour: Int?

    public init(bio: String? = nil, links: [String]? = nil, colour: Int? = nil) {
        self.bio = bio
        self.links = links
        self.colour = colour
    }
}
