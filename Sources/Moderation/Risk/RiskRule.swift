// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// One rule of the risk score, as the file of rules has it.
package struct RiskRule: Sendable, Equatable {
    /// Whether it counts.
    package enum Mode: String, Sendable, Codable, CaseIterable {
        /// It counts.
        case on
        /// It is looked at and stored, and counts for nothing.
        case shadow
        /// It is not looked at.
        case off
    }

    /// What it looks for.
    package enum Check: Sendable, Equatable {
        /// Findings of the inspection: of these codes, or any, of this severity.
        case finding(codes: [String], severity: Finding.Severity?)
        /// The same bytes as another sheet's.
        case exactDuplicate(fate: RiskFacts.Fate)
        /// Pages that look like another sheet's: at least this part of all.
        case nearDuplicate(fate: RiskFacts.Fate, leastShare: Double)
        /// Names that could be taken for others.
        case similarName(of: [RiskFacts.NameKind], to: [RiskFacts.NameKind], similarity: NameSimilarity)
        /// Names with mixed scripts or hidden characters.
        case suspiciousName
        /// A copyright line with a publisher's name, under a licence that only the holder can give.
        case publisherCopyright
        /// A publisher's mark with the sign of a mark.
        case publisherMark
        /// A name that says "official" beside a publisher's mark.
        case officialName
        /// A line on terms that do not fit the declared licence: these notices, or any.
        case licenseConflict(notices: [String])
        /// Words of these severities.
        case prohibitedWord(severities: [RiskVocabulary.Severity], hidden: Bool)
        /// More links than this.
        case linkCount(most: Int)
        /// Links to one of these domains.
        case linkDomain(domains: [String])
        /// Links that say another address than they lead to.
        case linkMismatch
        /// Links to bare addresses, look-alike domains, addresses with a password, or programs.
        case linkRisky
        /// An account that is younger.
        case accountAge(days: Double)
        /// A first upload by somebody of whom fewer were approved.
        case firstUpload(approvals: Int)
        /// At least so many approved.
        case pastApprovals(least: Int)
        /// At least so many refused of late.
        case refusals(least: Int)
        /// Versions that were taken down.
        case takeDowns(least: Int)
        /// Strikes of at least this weight.
        case strikes(least: Double)
        /// More uploads in a day.
        case uploadRate(most: Int)
        /// Reports on the template that wait.
        case openReports(least: Int)
        /// A new version that changes at least this part of the pages.
        case changedPages(leastShare: Double)
        /// A new version that changes one of these parts of the metadata.
        case changedMetadata(parts: [String])
    }

    package var code: String
    package var check: Check
    /// What it adds to the score: −100 to 100.
    package var weight: Int
    package var mode: Mode
    /// Whether each piece of evidence adds the weight, to at most this; `nil` when all of it adds it once.
    package var most: Int?
}

extension RiskRule {
    /// Reads a rule; adds what is wrong to `problems`.
    init?(_ raw: [String: RuleValue], place: Int, _ problems: inout [String]) {
        var reader = RuleReader(raw, name: raw["code"]?.text ?? "number \(place + 1)")
        let code = reader.text("code") ?? ""
        let weight = reader.integer("weight", in: -100...100) ?? 0
        let most = reader.optionalInteger("most", in: 1...100)
        let mode = reader.word("mode", Mode.self)
        let check = Check(reader.text("check") ?? "", &reader)
        let isWord =
            !code.isEmpty && code.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
        if !isWord { reader.complain("its code is no word of lower-case letters, digits and underscores") }
        if let most, most < weight { reader.complain("'most' is less than its weight") }
        if most != nil, weight < 0 { reader.complain("'most' goes with positive weights only") }
        if weight == 0 { reader.complain("its weight is 0: use the mode 'off'") }
        problems += reader.finished()
        guard let check, let mode, reader.problems.isEmpty else { return nil }
        self.init(code: code, check: check, weight: weight, mode: mode, most: most)
    }
}

extension RiskRule.Check {
    /// Reads the parameters of the check `name`.
    init?(_ name: String, _ reader: inout RuleReader) {
        switch name {
        case "finding":
            self = .finding(
                codes: reader.texts("codes", isOptional: true),
                severity: reader.optionalWord("severity", Finding.Severity.self))
        case "exact_duplicate":
            guard let fate = reader.word("fate", RiskFacts.Fate.self) else { return nil }
            self = .exactDuplicate(fate: fate)
        case "near_duplicate":
            guard let fate = reader.word("fate", RiskFacts.Fate.self),
                let share = reader.number("leastShare", in: 0...1)
            else { return nil }
            // It could never hit: pages are compared with those of versions, and what was refused never became one.
            if fate == .rejected { reader.complain("'fate' is published or taken_down here") }
            self = .nearDuplicate(fate: fate, leastShare: share)
        case "similar_name":
            guard let similarity = reader.word("likeness", NameSimilarity.self) else { return nil }
            self = .similarName(
                of: reader.words("of", RiskFacts.NameKind.self), to: reader.words("to", RiskFacts.NameKind.self),
                similarity: similarity)
        case "license_conflict": self = .licenseConflict(notices: reader.texts("notices", isOptional: true))
        case "prohibited_word":
            guard let hidden = reader.flag("hidden") else { return nil }
            self = .prohibitedWord(
                severities: reader.words("severities", RiskVocabulary.Severity.self), hidden: hidden)
        case "link_domain": self = .linkDomain(domains: reader.texts("domains").map { $0.lowercased() })
        case "changed_metadata": self = .changedMetadata(parts: reader.texts("parts"))
        case "suspicious_name": self = .suspiciousName
        case "publisher_copyright": self = .publisherCopyright
        case "publisher_mark": self = .publisherMark
        case "official_name": self = .officialName
        case "link_mismatch": self = .linkMismatch
        case "link_risky": self = .linkRisky
        default:
            guard let counted = Self(counting: name, &reader) else { return nil }
            self = counted
        }
    }

    /// Checks with one number.
    private init?(counting name: String, _ reader: inout RuleReader) {
        switch name {
        case "link_count": self = .linkCount(most: reader.integer("count", in: 0...10_000) ?? 0)
        case "account_age": self = .accountAge(days: reader.number("days", in: 0...3660) ?? 0)
        case "first_upload": self = .firstUpload(approvals: reader.integer("approvals", in: 1...10_000) ?? 0)
        case "past_approvals": self = .pastApprovals(least: reader.integer("least", in: 1...10_000) ?? 0)
        case "refusals": self = .refusals(least: reader.integer("least", in: 1...10_000) ?? 0)
        case "take_downs": self = .takeDowns(least: reader.integer("least", in: 1...10_000) ?? 0)
        case "strikes": self = .strikes(least: reader.number("least", in: 0.01...1000) ?? 0)
        case "upload_rate": self = .uploadRate(most: reader.integer("count", in: 1...100_000) ?? 0)
        case "open_reports": self = .openReports(least: reader.integer("least", in: 1...10_000) ?? 0)
        case "changed_pages": self = .changedPages(leastShare: reader.number("leastShare", in: 0...1) ?? 0)
        default:
            reader.complain("there is no check '\(name)'")
            return nil
        }
    }
}
