// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// The `metadata` of an upload. For a new version only `version` and `changelog` are needed, with anything that
/// changes.
public struct UploadMetadata: Sendable, Codable, Equatable {
    /// What people call it; unchanged or none where absent.
    public var name: String?
    /// One sentence about it.
    public var summary: String?
    /// Markdown.
    public var description: String?
    /// The game system's slug.
    public var gameSystem: String?
    /// Words to find it by.
    public var tags: [String]?
    /// SPDX identifier.
    public var license: String?
    /// BCP 47 tag.
    public var language: String?
    /// Semantic Versioning 2.0; text, so that a wrong one gets a good answer.
    public var version: String?
    /// Markdown.
    public var changelog: String?
    /// `stable` or `beta`, for this version; a pre-release is always beta.
    public var channel: String?
    /// The first version of a client that can use this version (Semantic Versioning 2.0).
    public var minimumClientVersion: String?

    /// What a file says of itself.
    public init(_ draft: DraftMetadata) {
        self.init(
            name: draft.name, summary: draft.summary, description: draft.description, gameSystem: draft.gameSystem,
            tags: draft.tags, license: draft.license, language: draft.language, version: draft.version,
            changelog: draft.changelog)
    }

    public init(
        name: String? = nil, summary: String? = nil, description: String? = nil, gameSystem: String? = nil,
        tags: [String]? = nil, license: String? = nil, language: String? = nil, version: String? = nil,
        changelog: String? = nil, channel: String? = nil, minimumClientVersion: String? = nil
    ) {
        self.channel = channel
        self.minimumClientVersion = minimumClientVersion
        self.name = name
        self.summary = summary
        self.description = description
        self.gameSystem = gameSystem
        self.tags = tags
        self.license = license
        self.language = language
        self.version = version
        self.changelog = changelog
    }
}

/// `GET /submissions/{id}`, and the data of each event of `GET /submissions/{id}/events`.
public struct SubmissionStatus: Sendable, Codable, Equatable {
    /// How far the inspection is.
    public struct Progress: Sendable, Codable, Equatable {
        /// 0…1.
        public var fraction: Double
        /// What is being done, for people.
        public var step: String

        public init(fraction: Double, step: String) {
            self.fraction = fraction
            self.step = step
        }
    }

    /// A moderator's word to the uploader.
    public struct Decision: Sendable, Codable, Equatable {
        /// What was decided.
        public var decision: DecisionKind
        /// Stable code of the reason.
        public var reasonCode: String
        /// What those concerned are told.
        public var message: String
        /// When it was decided.
        public var decidedAt: Date
        /// What it rests on: at the moderation queue only.
        public var evidence: [String]?

        public init(
            decision: DecisionKind, reasonCode: String, message: String, decidedAt: Date, evidence: [String]? = nil
        ) {
            self.decision = decision
            self.reasonCode = reasonCode
            self.message = message
            self.decidedAt = decidedAt
            self.evidence = evidence
        }
    }

    /// A clean copy took the place of the file that was sent.
    public struct Cleaned: Sendable, Codable, Equatable {
        /// The file that was sent.
        public var originalSHA256: ContentHash
        /// The copy that is reviewed and published.
        public var artifactSHA256: ContentHash
        /// What cleaning took out of the file.
        public var removed: [Removal]
        /// Whether the uploader did not want that; the submission ended with it.
        public var isDeclined: Bool

        public init(
            originalSHA256: ContentHash, artifactSHA256: ContentHash, removed: [Removal], isDeclined: Bool = false
        ) {
            self.originalSHA256 = originalSHA256
            self.artifactSHA256 = artifactSHA256
            self.removed = removed
            self.isDeclined = isDeclined
        }
    }

    /// Its identifier.
    public var id: SubmissionID
    /// Where it stands.
    public var state: SubmissionState
    /// How far the reading is.
    public var progress: Progress
    /// What was found in the file.
    public var findings: [Finding]
    /// The template's id.
    public var templateId: TemplateID
    /// The template's short name in addresses.
    public var templateSlug: String
    /// What people call the template.
    public var templateName: String
    /// The version that is meant.
    public var version: SemanticVersion
    /// The case that waits for a moderator, if there is one.
    public var caseId: CaseID?
    /// What to call a saved file.
    public var fileName: String
    /// Length in bytes.
    @Limited<ByteCounts> public var sizeBytes: Int
    /// SHA-256 of the bytes.
    public var sha256: ContentHash
    /// `nil` until the file has been read.
    public var pageCount: Int?
    /// What a moderator decided, once one has.
    public var decision: Decision?
    /// What was taken out of the file, if anything was.
    public var cleaned: Cleaned?
    /// When it was made.
    public var createdAt: Date
    /// When it changed last.
    public var updatedAt: Date
    /// What the file is; a sheet until it has been read.
    public var kind: TemplateKind
    /// What changed since the version on offer, once the file has been read; not in lists.
    public var changes: VersionChanges?
    /// Where it stands in the moderators' queue, while it waits there; only in the answer for one.
    public var queue: QueuePlace?

    public init(
        id: SubmissionID, state: SubmissionState, progress: Progress, findings: [Finding], templateId: TemplateID,
        templateSlug: String, templateName: String, version: SemanticVersion, caseId: CaseID?, fileName: String,
        sizeBytes: Int, sha256: ContentHash, pageCount: Int?, decision: Decision?, cleaned: Cleaned? = nil,
        createdAt: Date, updatedAt: Date, kind: TemplateKind = .sheet, changes: VersionChanges? = nil
    ) {
        self.changes = changes
        self.id = id
        self.state = state
        self.progress = progress
        self.findings = findings
        self.templateId = templateId
        self.templateSlug = templateSlug
        self.templateName = templateName
        self.version = version
        self.caseId = caseId
        self.fileName = fileName
        self.sizeBytes = sizeBytes
        self.sha256 = sha256
        self.pageCount = pageCount
        self.decision = decision
        self.cleaned = cleaned
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.kind = kind
    }
}

/// `GET /submissions`: the caller's own, newest first.
public struct SubmissionList: Sendable, Codable, Equatable {
    /// The page's submissions.
    public var submissions: [SubmissionStatus]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(submissions: [SubmissionStatus], nextCursor: String?) {
        self.submissions = submissions
        self.nextCursor = nextCursor
    }
}
