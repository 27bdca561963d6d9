// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// Looks for what the rules ask, in facts that are folded once for all of them.
struct RiskLook {
    private struct FoldedPassage {
        var place: RiskFacts.Place
        var page: Int?
        var text: FoldedText
        var words: [String]

        func evidence(_ what: String, _ range: Range<Int>) -> RiskEvidence {
            RiskEvidence("\(what): “\(text.excerpt(of: range))”", place: place, page: page)
        }
    }

    private let facts: RiskFacts
    private let vocabulary: RiskVocabulary
    private let passages: [FoldedPassage]
    /// Prohibited words of each passage, looked for once for all rules.
    private let words: (plain: [[PhraseMatcher.Match]], hidden: [[PhraseMatcher.Match]])

    /// So many words may stand between a sign of copyright and the holder.
    private static let holderDistance = 8

    init(_ facts: RiskFacts, _ vocabulary: RiskVocabulary) {
        self.facts = facts
        self.vocabulary = vocabulary
        passages = facts.passages.map { passage in
            let text = FoldedText(passage.text)
            return FoldedPassage(
                place: passage.place, page: passage.page, text: text, words: text.words.map(\.text))
        }
        words = (
            passages.map { vocabulary.words.matches(in: $0.words) },
            passages.map { Self.hidden($0.words, vocabulary) }
        )
    }

    /// What speaks for the check; nothing when it does not hit.
    func evidence(for check: RiskRule.Check) -> [RiskEvidence] {
        switch check {
        case .finding(let codes, let severity): findings(codes, severity)
        case .exactDuplicate(let fate): twins(fate)
        case .nearDuplicate(let fate, let share): similarities(fate, leastShare: share)
        case .similarName(let mine, let others, let similarity): names(mine, others, similarity)
        case .suspiciousName: suspiciousNames()
        case .publisherCopyright: publisherCopyright()
        case .publisherMark: publisherMarks()
        case .officialName: officialNames()
        case .licenseConflict(let codes): licenseConflicts(codes)
        case .prohibitedWord(let severities, let hidden): prohibited(severities, hidden: hidden)
        case .linkCount, .linkDomain, .linkMismatch, .linkRisky: LinkLook(links: facts.links).evidence(for: check)
        case .changedPages(let share): changedPages(share)
        case .changedMetadata(let parts): changedMetadata(parts)
        default: record(check)
        }
    }

    // MARK: Ingest and similarity

    private func findings(_ codes: [String], _ severity: Finding.Severity?) -> [RiskEvidence] {
        facts.findings.filter { finding in
            (codes.isEmpty || codes.contains(finding.code.rawValue))
                && (severity == nil || finding.severity == severity)
        }.map { RiskEvidence("\($0.code.rawValue): \($0.message)", page: $0.page) }
    }

    private func twins(_ fate: RiskFacts.Fate) -> [RiskEvidence] {
        facts.twins.filter { $0.fate == fate }.map {
            RiskEvidence("The same file as version \($0.version) of '\($0.name)' (\(fate.rawValue)).")
        }
    }

    private func similarities(_ fate: RiskFacts.Fate, leastShare: Double) -> [RiskEvidence] {
        let alike = facts.similarities.filter { $0.fate == fate }
        let templates = Dictionary(grouping: alike, by: \.template)
        return templates.values.compactMap { pages -> (count: Int, evidence: RiskEvidence)? in
            guard let first = pages.min(by: { $0.page < $1.page }) else { return nil }
            let count = Set(pages.map(\.page)).count
            guard Double(count) >= leastShare * Double(max(1, facts.pageCount)) else { return nil }
            let detail =
                "\(count) of \(facts.pageCount) pages look like '\(first.name)' \(first.version) "
                + "(\(fate.rawValue)): page \(first.page + 1) like its page \(first.otherPage + 1)."
            return (count, RiskEvidence(detail, place: .page, page: first.page))
        }.sorted { ($0.count, $1.evidence.detail) > ($1.count, $0.evidence.detail) }.map(\.evidence)
    }

    // MARK: Names

    private func names(
        _ mine: [RiskFacts.NameKind], _ others: [RiskFacts.NameKind], _ similarity: NameSimilarity
    ) -> [RiskEvidence] {
        facts.names.filter { mine.contains($0.kind) }.flatMap { name in
            facts.knownNames.filter { others.contains($0.kind) && NameSimilarity.of(name, to: $0) == similarity }.map {
                known in
                RiskEvidence(
                    "The \(name.kind.rawValue) '\(name.text)' is \(Self.sentence(similarity)) the \(known.kind.rawValue) "
                        + "'\(known.text)'.")
            }
        }
    }

    private static func sentence(_ similarity: NameSimilarity) -> String {
        switch similarity {
        case .same: "the same as"
        case .confusable: "written with other characters, and looks like"
        case .near: "nearly the same as"
        }
    }

    private func suspiciousNames() -> [RiskEvidence] {
        facts.names.filter(\.isSuspicious).map {
            RiskEvidence("The \($0.kind.rawValue) '\($0.text)' mixes scripts, or hides characters.")
        }
    }

    // MARK: Publishers and licences

    private func publisherCopyright() -> [RiskEvidence] {
        guard RiskVocabulary.license(facts.license, isOneOf: vocabulary.openLicenses) else { return [] }
        return passages.flatMap { passage in
            vocabulary.holders.matches(in: passage.words).compactMap { match in
                let before = passage.words[
                    max(0, match.words.lowerBound - Self.holderDistance)..<match.words.lowerBound]
                guard before.contains(where: { $0 == FoldedText.copyright || $0 == "copyright" }) else { return nil }
                return passage.evidence(
                    "Copyright of \(vocabulary.holderNames[match.phrase]), declared as \(facts.license)", match.words)
            }
        }
    }

    private func publisherMarks() -> [RiskEvidence] {
        passages.flatMap { passage in
            vocabulary.marks.matches(in: passage.words).compactMap { match in
                guard match.words.upperBound < passage.words.count,
                    passage.words[match.words.upperBound] == FoldedText.trademark
                else { return nil }
                return passage.evidence("A mark of \(vocabulary.markNames[match.phrase])", match.words)
            }
        }
    }

    private func officialNames() -> [RiskEvidence] {
        passages.filter { [.name, .summary].contains($0.place) }.compactMap { passage in
            let marks = vocabulary.marks.matches(in: passage.words)
            guard let said = vocabulary.official.matches(in: passage.words).first, let mark = marks.first else {
                return nil
            }
            return passage.evidence("Says that it is official, of \(vocabulary.markNames[mark.phrase])", said.words)
        }
    }

    private func licenseConflicts(_ codes: [String]) -> [RiskEvidence] {
        vocabulary.notices.filter { entry in
            (codes.isEmpty || codes.contains(entry.notice.code))
                && !RiskVocabulary.license(facts.license, isOneOf: entry.notice.fits)
        }.flatMap { entry in
            passages.compactMap { passage in
                entry.matcher.matches(in: passage.words).first.map {
                    let terms = entry.notice.code.replacing("_", with: " ")
                    return passage.evidence("\(terms), declared as \(facts.license)", $0.words)
                }
            }
        }
    }

    // MARK: Words

    private func prohibited(_ severities: [RiskVocabulary.Severity], hidden: Bool) -> [RiskEvidence] {
        let found = hidden ? words.hidden : words.plain
        return zip(passages, found).flatMap { passage, matches in
            matches.compactMap { match in
                let list = vocabulary.wordLists[match.phrase]
                guard severities.contains(list.severity) else { return nil }
                let what = "\(list.severity.rawValue) (\(list.language))" + (hidden ? ", hidden" : "")
                return passage.evidence(what, match.words)
            }
        }
    }

    /// The prohibited words of a passage that are not plain to see.
    private static func hidden(_ words: [String], _ vocabulary: RiskVocabulary) -> [PhraseMatcher.Match] {
        HiddenWords.interpretations(of: words).flatMap { interpretation in
            vocabulary.words.matches(in: [interpretation.word]).map {
                .init(phrase: $0.phrase, words: interpretation.words)
            }
        }
    }

    // MARK: Changes and the author's record

    private func changedPages(_ share: Double) -> [RiskEvidence] {
        guard let change = facts.change, change.share > 0, change.share >= share else { return [] }
        return [
            RiskEvidence(
                "\(change.pagesChanged) pages changed, \(change.pagesAdded) came and \(change.pagesRemoved) went, of "
                    + "\(change.pagesBefore).")
        ]
    }

    private func changedMetadata(_ parts: [String]) -> [RiskEvidence] {
        (facts.change?.metadata ?? []).filter { parts.contains($0) }.sorted().map {
            RiskEvidence("The update changes '\($0)'.")
        }
    }

    private static func age(_ days: Double) -> String {
        switch Int(days) {
        case ..<1: "less than a day"
        case 1: "one day"
        case let whole: "\(whole) days"
        }
    }

    private static func uploads(_ count: Int) -> String {
        switch count {
        case ..<1: "no upload was"
        case 1: "one upload was"
        default: "\(count) uploads were"
        }
    }

    private func record(_ check: RiskRule.Check) -> [RiskEvidence] {
        let author = facts.author
        let detail: String? =
            switch check {
            case .accountAge(let days):
                author.accountDays < days ? "The account is \(Self.age(author.accountDays)) old." : nil
            case .firstUpload(let approvals):
                !facts.isUpdate && author.approvals < approvals
                    ? "A new template by somebody of whom \(Self.uploads(author.approvals)) approved." : nil
            case .pastApprovals(let least):
                author.approvals >= least ? "\(author.approvals) uploads of this author were approved." : nil
            case .refusals(let least):
                author.refusals >= least ? "\(author.refusals) uploads of this author were refused in 90 days." : nil
            case .takeDowns(let least):
                author.takeDowns >= least ? "\(author.takeDowns) versions of this author were taken down." : nil
            case .strikes(let least):
                author.strikes >= least
                    ? "Strikes of weight \((author.strikes * 100).rounded() / 100) stand against this author." : nil
            case .uploadRate(let most):
                author.uploadsToday > most ? "\(author.uploadsToday) uploads within a day." : nil
            case .openReports(let least):
                author.openReports >= least ? "\(author.openReports) reports on this template wait." : nil
            default: nil
            }
        return detail.map { [RiskEvidence($0)] } ?? []
    }
}
