// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// `POST /updates`: what a client has installed; at most 500.
public struct UpdateQuery: Sendable, Codable, Equatable {
    /// Most templates in one query.
    public static let maximumCount = 500

    /// One installed template.
    public struct Installed: Sendable, Codable, Equatable {
        public var templateId: TemplateID
        public var version: SemanticVersion
        public var sha256: ContentHash

        /// All parts.
        public init(templateId: TemplateID, version: SemanticVersion, sha256: ContentHash) {
            self.templateId = templateId
            self.version = version
            self.sha256 = sha256
        }
    }

    public var installed: [Installed]

    /// The list.
    public init(installed: [Installed]) {
        self.installed = installed
    }
}

/// The answer to `POST /updates`, in the query's order.
public struct UpdateReport: Sendable, Codable, Equatable {
    /// What is to be known of one installed template.
    public struct Entry: Sendable, Codable, Equatable {
        public var templateId: TemplateID
        /// The installed version's state; `nil` when the server knows no such version.
        public var state: VersionState?
        /// Whether the installed bytes are the ones that were published.
        public var genuine: Bool
        /// The version on offer when it is newer than the installed one.
        public var newer: SemanticVersion?
        /// Why it was yanked or taken down.
        public var reason: String?

        /// All parts.
        public init(
            templateId: TemplateID, state: VersionState?, genuine: Bool, newer: SemanticVersion?,
            reason: String? = nil
        ) {
            self.templateId = templateId
            self.state = state
            self.genuine = genuine
            self.newer = newer
            self.reason = reason
        }
    }

    public var updates: [Entry]

    /// The list.
    public init(updates: [Entry]) {
        self.updates = updates
    }
}
