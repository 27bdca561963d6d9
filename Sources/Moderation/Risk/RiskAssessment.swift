// SPDX-License-Identifier: Apache-2.0

/// Why a rule hit: something that a moderator can look at.
package struct RiskEvidence: Sendable, Codable, Hashable {
    /// What was seen, in a sentence or a quotation.
    package var detail: String
    package var place: RiskFacts.Place?
    /// Index of the page, from 0.
    package var page: Int?

    /// Longest detail, in characters.
    package static let maximumLength = 240

    /// All parts; a long detail is cut.
    package init(_ detail: String, place: RiskFacts.Place? = nil, page: Int? = nil) {
        self.detail =
            detail.count <= Self.maximumLength ? detail : String(detail.prefix(Self.maximumLength - 1)) + "…"
        self.place = place
        self.page = page
    }
}

/// A rule that had something to say.
package struct RiskHit: Sendable, Codable, Equatable {
    /// The rule's code.
    package var code: String
    /// What it adds to the score; what it would add, in shadow mode.
    package var weight: Int
    package var evidence: [RiskEvidence]
    /// Whether the rule is only tried: it counts for nothing.
    package var isShadow: Bool

    /// Most pieces of evidence that are kept.
    package static let maximumEvidence = 10

    /// All parts; much evidence is cut.
    package init(code: String, weight: Int, evidence: [RiskEvidence], isShadow: Bool) {
        self.code = code
        self.weight = weight
        self.evidence = Array(evidence.prefix(Self.maximumEvidence))
        self.isShadow = isShadow
    }
}

/// What the rules make of a submission: a number that explains itself.
package struct RiskAssessment: Sendable, Codable, Equatable {
    /// 0 (nothing speaks against it) to 100.
    package var score: Int
    /// Which rules said so.
    package var rulesVersion: String
    /// In the order of the rules.
    package var hits: [RiskHit]

    /// The score is the sum of the weights of what hit and is in force, within its bounds.
    package init(rulesVersion: String, hits: [RiskHit]) {
        self.rulesVersion = rulesVersion
        self.hits = hits
        let sum = hits.filter { !$0.isShadow }.reduce(0) { $0 + $1.weight }
        score = min(100, max(0, sum))
    }

    /// Whether a rule in force speaks against the submission; what speaks for it cannot outweigh that.
    package var hasObjection: Bool {
        hits.contains { !$0.isShadow && $0.weight > 0 }
    }
}
