// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// `POST /updates`: what a client has installed; at most 500.
public struct UpdateQuery: Sendable, Codable, Equatable {
    /// Most templates in one query.
    public static let maximumCount = 500

    /// One installed template.
    public struct Installed: Sendable, Codable, Equatable {
        /// The template's id.
        public var templateId: TemplateID
        /// The version that is installed.
        public var version: SemanticVersion
        /// SHA-256 of the file that is installed.
        public var sha256: ContentHash

        public init(templateId: TemplateID, version: SemanticVersion, sha256: ContentHash) {
            self.templateId = templateId
            self.version = version
            self.sha256 = sha256
        }
    }

    /// What the library has.
    public var installed: [Installed]
    /// What may be offered; without one, `stable`.
    public var channel: ReleaseChannel?

    public init(installed: [Installed], channel: ReleaseChannel? = nil) {
        self.installed = installed
        self.channel = channel
    }
}

/// The answer to `POST /updates`, in the query's order.
public struct UpdateReport: Sendable, Codable, Equatable {
    /// What is to be known of one installed template.
    public struct Entry: Sendable, Codable, Equatable {
        /// The template's id.
        public var templateId: TemplateID
        /// The installed version's state; `nil` when the server knows no such version.
        public var state: VersionState?
        /// Whether the installed bytes are the ones that were published.
        public var genuine: Bool
        /// The version on offer when it is newer than the installed one.
        public var newer: SemanticVersion?
        /// Why it was yanked or taken down.
        public var reason: String?
        /// Why it was taken down, as a stable word.
        public var reasonCode: String?
        /// The first version of a client that can use `newer`, where not any can.
        public var minimumClientVersion: SemanticVersion?
        /// The template's present slug.
        public var slug: String?
        /// Says that the template should no longer be used.
        public var deprecation: Deprecation?

        public init(
            templateId: TemplateID, state: VersionState?, genuine: Bool, newer: SemanticVersion?,
            reason: String? = nil, minimumClientVersion: SemanticVersion? = nil, slug: String? = nil,
            deprecation: Deprecation? = nil, reasonCode: String? = nil
        ) {
            self.reasonCode = reasonCode
            self.minimumClientVersion = minimumClientVersion
            self.slug = slug
            self.deprecation = deprecation
            self.templateId = templateId
            self.state = state
            self.genuine = genuine
            self.newer = newer
            self.reason = reason
        }
    }

    /// One entry for each that the server knows.
    public var updates: [Entry]

    public init(updates: [Entry]) {
        self.updates = updates
    }
}
