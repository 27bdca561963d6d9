// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import SheetCore

/// What the automatic checks made of an upload, for moderators.
struct RiskView: Sendable {
    struct Line: Sendable {
        let text: Phrase
    }

    struct Hit: Sendable {
        let name: Phrase
        /// `+30`.
        let points: String
        let tone: String
        let isTried: Bool
        let evidence: [Line]
    }

    let score: Int
    let level: StateLabel
    let rules: String
    let assessed: DisplayTime
    /// The weightiest first; what speaks for the upload and what counts for nothing at the end.
    let hits: [Hit]
    let hasHits: Bool
    /// Why a moderator has to look, where rules let trusted authors pass.
    let obstacles: [Line]
    let hasObstacles: Bool
    /// Whether the upload was decided on before, and the case is about what came of it.
    let isPast: Bool
    /// What rules say that are only tried.
    let trial: Phrase?

    init(_ risk: CaseRisk, isPast: Bool, now: Date) {
        self.isPast = isPast
        score = risk.score
        level = StateLabel(risk: risk.score)
        rules = risk.rulesVersion
        assessed = DisplayTime(risk.assessedAt, now: now)
        hits = risk.hits.sorted { ($0.isShadow ? 1 : 0, -$0.weight) < ($1.isShadow ? 1 : 0, -$1.weight) }.map { hit in
            Hit(
                name: RiskLabels.rule(hit.code),
                points: hit.weight < 0 ? "−\(hit.weight.magnitude)" : "+\(hit.weight)",
                tone: hit.isShadow ? "quiet" : Self.tone(hit.weight), isTried: hit.isShadow,
                evidence: hit.evidence.map { Line(text: Self.text($0)) })
        }
        hasHits = !hits.isEmpty
        obstacles = risk.obstacles.map { Line(text: RiskLabels.obstacle($0)) }
        hasObstacles = !obstacles.isEmpty
        trial = risk.shadow.map { "Rules \($0.rulesVersion), which are only tried, would give \($0.score)." }
    }

    private static func tone(_ weight: Int) -> String {
        switch weight {
        case ..<0: "good"
        case ..<15: "quiet"
        case ..<30: "wait"
        default: "bad"
        }
    }

    private static func text(_ evidence: CaseRisk.Evidence) -> Phrase {
        let detail = told(evidence.detail)
        let place: Phrase? =
            evidence.page.map { "page \($0 + 1)" }
            ?? evidence.place.map { Phrase(told: RiskLabels.plain($0).lowercased()) }
        return place.map { "\(detail) (\($0))" } ?? detail
    }

    /// `duplicate: The same file …`: a finding's code stays as it is.
    private static func told(_ detail: String) -> Phrase {
        guard let end = detail.firstRange(of: ": "),
            detail[..<end.lowerBound].allSatisfy({ $0.isLowercase || $0 == "_" })
        else { return Phrase(told: detail) }
        return Phrase(verbatim: detail[..<end.upperBound]) + Phrase(told: String(detail[end.upperBound...]))
    }

    /// Pages that look like somebody else's: both, and what differs. `pages` are those of the upload.
    static func alike(_ risk: CaseRisk, _ pages: [PageSummary], of name: String) -> [PageRow] {
        risk.alike.map { pair in
            let own = pages.first { $0.index == pair.page }
            let (width, height) = (own?.width ?? 0, own?.height ?? 0)
            let other = "\(pair.otherTemplateName) \(pair.otherVersion)"
            let state: Phrase = pair.otherState == "taken_down" ? ", which is taken down" : ""
            let sides = [
                PageRow.page(
                    pair.previewURL, "This upload", "Page \(pair.page + 1) of \(name)", width: width, height: height),
                PageRow.page(
                    pair.otherPreviewURL, Phrase(verbatim: other), "Page \(pair.otherPage + 1) of \(other)",
                    width: width,
                    height: height),
            ]
            let difference = pair.difference.map {
                PageRow.difference(
                    $0, "What differs between page \(pair.page + 1) and page \(pair.otherPage + 1) of \(other)")
            }
            return PageRow(
                heading: "Page \(pair.page + 1) and page \(pair.otherPage + 1) of \(other)\(state)",
                pictures: sides + (difference.map { [$0] } ?? []))
        }
    }
}
