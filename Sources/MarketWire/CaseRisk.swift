// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What the automatic checks made of a submission: the member `risk` of `GET /moderation/cases/{id}`.
public struct CaseRisk: Sendable, Codable, Equatable {
    /// Why a rule hit.
    public struct Evidence: Sendable, Codable, Equatable {
        /// What was found, for moderators.
        public var detail: String
        /// Where: `name`, `summary`, `description`, `changelog`, `tags`, `file_name` or `page`.
        public var place: String?
        /// Index of the page, from 0.
        public var page: Int?

        public init(detail: String, place: String?, page: Int?) {
            self.detail = detail
            self.place = place
            self.page = page
        }
    }

    /// A rule that had something to say.
    public struct Hit: Sendable, Codable, Equatable {
        /// The rule, as a stable word of the rules' file.
        public var code: String
        /// What it adds to the score, or would in shadow mode; less than 0 speaks for the submission.
        public var weight: Int
        /// What the rule found.
        public var evidence: [Evidence]
        /// Whether the rule is only tried.
        public var isShadow: Bool

        public init(code: String, weight: Int, evidence: [Evidence], isShadow: Bool) {
            self.code = code
            self.weight = weight
            self.evidence = evidence
            self.isShadow = isShadow
        }
    }

    /// Two pages that look alike, to be shown side by side.
    public struct PagePair: Sendable, Codable, Equatable {
        /// Index of the submission's page, from 0.
        public var page: Int
        /// Address of its picture, relative to the server.
        public var previewURL: String
        /// The picture's hash.
        public var previewSHA256: ContentHash?
        /// The other template's id.
        public var otherTemplateId: TemplateID
        /// What people call the other template.
        public var otherTemplateName: String
        /// The other's version.
        public var otherVersion: SemanticVersion
        /// Index of the other page, from 0.
        public var otherPage: Int
        /// Address of the other's picture, relative to the server.
        public var otherPreviewURL: String
        /// The other picture's hash.
        public var otherPreviewSHA256: ContentHash?
        /// What became of the other sheet: `published` or `taken_down`.
        public var otherState: String
        /// Both laid over each other, when that was drawn and they do not look the same.
        public var difference: DifferencePicture?

        public init(
            page: Int, previewURL: String, previewSHA256: ContentHash?, otherTemplateId: TemplateID,
            otherTemplateName: String, otherVersion: SemanticVersion, otherPage: Int, otherPreviewURL: String,
            otherPreviewSHA256: ContentHash?, otherState: String
        ) {
            self.page = page
            self.previewURL = previewURL
            self.previewSHA256 = previewSHA256
            self.otherTemplateId = otherTemplateId
            self.otherTemplateName = otherTemplateName
            self.otherVersion = otherVersion
            self.otherPage = otherPage
            self.otherPreviewURL = otherPreviewURL
            self.otherPreviewSHA256 = otherPreviewSHA256
            self.otherState = otherState
        }
    }

    /// What rules said that are tried beside those in force.
    public struct Trial: Sendable, Codable, Equatable {
        /// The sum of what counts.
        public var score: Int
        /// The version of the rules that were applied.
        public var rulesVersion: String

        public init(score: Int, rulesVersion: String) {
            self.score = score
            self.rulesVersion = rulesVersion
        }
    }

    /// 0 (nothing speaks against it) to 100.
    public var score: Int
    /// Which rules said so.
    public var rulesVersion: String
    /// The rules that held.
    public var hits: [Hit]
    /// Pages that look like somebody else's.
    public var alike: [PagePair]
    /// Where the submission went: `moderator`, or `approved` or `audited` by the trusted path; `edited` when this is of an
    /// edit of the published template.
    public var route: String
    /// Why a moderator has to look, as stable words.
    public var obstacles: [String]
    /// What rules on trial would have said.
    public var shadow: Trial?
    /// When it was assessed.
    public var assessedAt: Date

    public init(
        score: Int, rulesVersion: String, hits: [Hit], alike: [PagePair], route: String, obstacles: [String],
        shadow: Trial?, assessedAt: Date
    ) {
        self.score = score
        self.rulesVersion = rulesVersion
        self.hits = hits
        self.alike = alike
        self.route = route
        self.obstacles = obstacles
        self.shadow = shadow
        self.assessedAt = assessedAt
    }
}

/// `GET /moderation/rules`: the rules of the risk score, and how they did.
public struct RiskRuleList: Sendable, Codable, Equatable {
    /// A rule and what it is worth.
    public struct Rule: Sendable, Codable, Equatable {
        /// Stable code.
        public var code: String
        /// How much it counts.
        public var weight: Int
        /// `on`, `shadow` or `off`.
        public var mode: String
        /// Submissions that it hit in the time.
        public var hits: Int
        /// How many of them were published.
        public var published: Int
        /// How many of them a moderator refused.
        public var refused: Int

        public init(code: String, weight: Int, mode: String, hits: Int, published: Int, refused: Int) {
            self.code = code
            self.weight = weight
            self.mode = mode
            self.hits = hits
            self.published = published
            self.refused = refused
        }
    }

    /// A set of rules.
    public struct Edition: Sendable, Codable, Equatable {
        /// The version of the rules.
        public var version: String
        /// Versions of the words and of the publishers that the rules look for.
        public var vocabulary: [String]
        /// The rules, in their order.
        public var rules: [Rule]
        /// Submissions that it was asked about in the time.
        public var assessments: Int
        /// Their mean scores, of all and of those that were published and refused; `nil` of none.
        public var meanScore: Double?
        /// The mean score of what was published.
        public var meanScorePublished: Double?
        /// The mean score of what was refused.
        public var meanScoreRefused: Double?

        public init(
            version: String, vocabulary: [String], rules: [Rule], assessments: Int, meanScore: Double?,
            meanScorePublished: Double?, meanScoreRefused: Double?
        ) {
            self.version = version
            self.vocabulary = vocabulary
            self.rules = rules
            self.assessments = assessments
            self.meanScore = meanScore
            self.meanScorePublished = meanScorePublished
            self.meanScoreRefused = meanScoreRefused
        }
    }

    /// The terms of the trusted path.
    public struct Trust: Sendable, Codable, Equatable {
        /// Whether it is switched on.
        public var isOn: Bool
        /// How many approvals it takes.
        public var approvals: Int
        /// How old the account must be, in days.
        public var accountDays: Double
        /// Which part of them a person looks at anyway, 0…1.
        public var auditShare: Double
        /// Submissions in the time that it published.
        public var approved: Int
        /// How many of them went to a moderator afterwards, how many of those were decided, and on how many the moderator agreed.
        public var audited: Int
        /// How many of those were decided.
        public var auditsDecided: Int
        /// In how many of those the person agreed.
        public var auditsAgreed: Int

        public init(
            isOn: Bool, approvals: Int, accountDays: Double, auditShare: Double, approved: Int, audited: Int,
            auditsDecided: Int, auditsAgreed: Int
        ) {
            self.isOn = isOn
            self.approvals = approvals
            self.accountDays = accountDays
            self.auditShare = auditShare
            self.approved = approved
            self.audited = audited
            self.auditsDecided = auditsDecided
            self.auditsAgreed = auditsAgreed
        }
    }

    /// Days that the figures are of.
    public var days: Int
    /// Those in force; `nil` when the market has none.
    public var current: Edition?
    /// Those that are tried beside them.
    public var shadow: Edition?
    /// What trusted authors need.
    public var trusted: Trust

    public init(days: Int, current: Edition?, shadow: Edition?, trusted: Trust) {
        self.days = days
        self.current = current
        self.shadow = shadow
        self.trusted = trusted
    }
}
