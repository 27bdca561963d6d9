// SPDX-License-Identifier: Apache-2.0
import Foundation

/// `GET /users/{handle}`: what somebody shows of themselves.
public struct Profile: Sendable, Codable, Equatable {
    /// The account's name in addresses.
    public var handle: String
    /// The name that people see.
    public var displayName: String
    /// Plain text; empty where nothing is said.
    public var bio: String
    /// Addresses that begin with `https://`.
    public var links: [String]
    /// Of the disc with the initials that stands for the person, 0 to 7.
    public var colour: Int
    /// Address of their picture, a square of 256 pixels, relative to the server; none where there is none.
    public var pictureURL: String?
    /// The same, of 96 pixels.
    public var smallPictureURL: String?

    public init(
        handle: String, displayName: String, bio: String, links: [String], colour: Int, pictureURL: String? = nil,
        smallPictureURL: String? = nil
    ) {
        self.pictureURL = pictureURL
        self.smallPictureURL = smallPictureURL
        self.handle = handle
        self.displayName = displayName
        self.bio = bio
        self.links = links
        self.colour = colour
    }
}

/// `PUT /me/profile`: the whole profile.
public struct ProfileEdit: Sendable, Codable, Equatable {
    /// Most characters of a biography.
    public static let maximumBioLength = 1000
    /// Most links of a profile.
    public static let maximumLinks = 5
    /// Most characters of a link.
    public static let maximumLinkLength = 300
    /// How many colours there are.
    public static let colours = 8

    /// A few sentences about themselves, in Markdown.
    public var bio: String?
    /// Addresses elsewhere.
    public var links: [String]?
    /// Which of the colours stands for them.
    public var colour: Int?

    public init(bio: String? = nil, links: [String]? = nil, colour: Int? = nil) {
        self.bio = bio
        self.links = links
        self.colour = colour
    }
}
