// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `POST /installs`: which templates are to be installed; at most 50.
public struct InstallQuery: Sendable, Codable, Equatable {
    /// Most templates in one query.
    public static let maximumCount = 50

    /// Ids or slugs.
    public var templates: [String]
    /// Whose release is wanted; without one, `stable`.
    public var channel: ReleaseChannel?
    /// Whether the pictures of first pages shall come along; without it they do not.
    public var pictures: Bool?

    public init(templates: [String], channel: ReleaseChannel? = nil, pictures: Bool? = nil) {
        self.templates = templates
        self.channel = channel
        self.pictures = pictures
    }
}

/// The answer to `POST /installs`: in the query's order, what an installation needs to know.
public struct InstallReport: Sendable, Codable, Equatable {
    /// Of one template: its version on offer, with a way to the file.
    public struct Offer: Sendable, Codable, Equatable {
        /// The template, with the version on offer.
        public var template: TemplateDetail
        /// Zoom regions of that version, per page.
        public var regions: [RegionList.Page]
        /// A signed address of its file.
        public var download: DownloadTicket
        /// Of its first page; absent where it was not asked for, or there is no room for it in this answer.
        public var picture: Picture?

        public init(
            template: TemplateDetail, regions: [RegionList.Page], download: DownloadTicket, picture: Picture? = nil
        ) {
            self.template = template
            self.regions = regions
            self.download = download
            self.picture = picture
        }
    }

    /// A picture as it would come by itself.
    public struct Picture: Sendable, Codable, Equatable {
        /// Media type (RFC 9110, section 8.3).
        public var mediaType: String
        /// The bytes, in JSON as base64.
        public var data: Data

        public init(mediaType: String, data: Data) {
            self.mediaType = mediaType
            self.data = data
        }
    }

    /// One template of the query.
    public struct Entry: Sendable, Codable, Equatable {
        /// Absent where there is none, or no room for it in this answer: the template's own address tells.
        public var offer: Offer?

        public init(offer: Offer?) {
            self.offer = offer
        }
    }

    /// One entry for each template that was named.
    public var installs: [Entry]

    public init(installs: [Entry]) {
        self.installs = installs
    }
}
