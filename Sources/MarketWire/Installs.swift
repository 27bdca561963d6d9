// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// `POST /installs`: which templates are to be installed; at most 50.
public struct InstallQuery: Sendable, Codable, Equatable {
    /// Most templates in one query.
    public static let maximumCount = 50

    /// Ids or slugs.
    public var templates: [String]
    /// Whose release is wanted; without one, `stable`.
    public var channel: ReleaseChannel?

    public init(templates: [String], channel: ReleaseChannel? = nil) {
        self.templates = templates
        self.channel = channel
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

        public init(template: TemplateDetail, regions: [RegionList.Page], download: DownloadTicket) {
            self.template = template
            self.regions = regions
            self.download = download
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
