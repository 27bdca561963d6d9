// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

/// What the automatic checks made of an upload, for moderators.
struct RiskView: Sendable {
    struct Line: Sendable {
        let text: String
    }

    struct Hit: Sendable {
        let name: String
        let weight: String
        let isTried: Bool
        let evidence: [Line]
    }

    let score: Int
    let rules: String
    let hits: [Hit]
    let hasHits: Bool
    /// Why a moderator has to look, where rules let trusted authors pass.
    let obstacles: String?
    /// What rules say that are only tried.
    let trial: String?

    init(_ risk: CaseRisk) {
        score = risk.score
        rules = risk.rulesVersion
        hits = risk.hits.sorted { ($0.isShadow ? 1 : 0, -$0.weight) < ($1.isShadow ? 1 : 0, -$1.weight) }.map { hit in
            Hit(
                name: Self.words(hit.code), weight: (hit.weight > 0 ? "+" : "") + String(hit.weight),
                isTried: hit.isShadow, evidence: hit.evidence.map { Line(text: Self.text($0)) })
        }
        hasHits = !hits.isEmpty
        obstacles =
            risk.obstacles.isEmpty ? nil : risk.obstacles.map { Self.words($0).lowercased() }.joined(separator: ", ")
        trial = risk.shadow.map { "Rules \($0.rulesVersion), which are only tried, say \($0.score)." }
    }

    private static func words(_ code: String) -> String {
        let words = code.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static func text(_ evidence: CaseRisk.Evidence) -> String {
        let place = evidence.page.map { "page \($0 + 1)" } ?? evidence.place.map { words($0).lowercased() }
        return place.map { "\(evidence.detail) (\($0))" } ?? evidence.detail
    }

    /// Pages that look like somebody else's: both, and what differs. `pages` are those of the upload.
    static func alike(_ risk: CaseRisk, _ pages: [PageSummary], of name: String) -> [PageRow] {
        risk.alike.map { pair in
            let own = pages.first { $0.index == pair.page }
            let (width, height) = (own?.width ?? 0, own?.height ?? 0)
            let other = "\(pair.otherTemplateName) \(pair.otherVersion)"
            let state = pair.otherState == "taken_down" ? ", which is taken down" : ""
            let sides = [
                PageRow.page(
                    pair.previewURL, "This upload", "Page \(pair.page + 1) of \(name)", width: width, height: height),
                PageRow.page(
                    pair.otherPreviewURL, other, "Page \(pair.otherPage + 1) of \(other)", width: width,
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
