// SPDX-License-Identifier: Apache-2.0

/// Why a rule hit: something that a moderator can look at.
public struct RiskEvidence: Sendable, Codable, Hashable {
    /// What was seen, in a sentence or a quotation.
    public var detail: String
    public var place: RiskFacts.Place?
    /// Index of the page, from 0.
    public var page: Int?

    /// Longest detail, in characters.
    public static let maximumLength = 240

    /// All parts; a long detail is cut.
    public init(_ detail: String, place: RiskFacts.Place? = nil, page: Int? = nil) {
        self.detail =
            detail.count <= Self.maximumLength ? detail : String(detail.prefix(Self.maximumLength - 1)) + "…"
        self.place = place
        self.page = page
    }
}

/// A rule that had something to say.
public struct RiskHit: Sendable, Codable, Equatable {
    /// The rule's code.
    public var code: String
    /// What it adds to the score; what it would add, in shadow mode.
    public var weight: Int
    public var evidence: [RiskEvidence]
    /// Whether the rule is only tried: it counts for nothing.
    public var isShadow: Bool

    /// Most pieces of evidence that are kept.
    public static let maximumEvidence = 10

    /// All parts; much evidence is cut.
    public init(code: String, weight: Int, evidence: [RiskEvidence], isShadow: Bool) {
        self.code = code
        self.weight = weight
        self.evidence = Array(evidence.prefix(Self.maximumEvidence))
        self.isShadow = isShadow
    }
}

/// What the rules make of a submission: a number that explains itself.
public struct RiskAssessment: Sendable, Codable, Equatable {
    /// 0 (nothing speaks against it) to 100.
    public var score: Int
    /// Which rules said so.
    public var rulesVersion: String
    /// In the order of the rules.
    public var hits: [RiskHit]

    /// The score is the sum of the weights of what hit and is in force, within its bounds.
    public init(rulesVersion: String, hits: [RiskHit]) {
        self.rulesVersion = rulesVersion
        self.hits = hits
        let sum = hits.filter { !$0.isShadow }.reduce(0) { $0 + $1.weight }
        score = min(100, max(0, sum))
    }

    /// Whether a rule in force speaks against the submission; what speaks for it cannot outweigh that.
    public var hasObjection: Bool {
        hits.contains { !$0.isShadow && $0.weight > 0 }
    }
}
