// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import SheetCore

/// What the automatic checks made of an upload, for moderators.
struct RiskView: Sendable {
    struct Line: Sendable {
        let text: String
    }

    struct Hit: Sendable {
        let name: String
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
    /// What rules say that are only tried.
    let trial: String?

    init(_ risk: CaseRisk, now: Date) {
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

    private static func text(_ evidence: CaseRisk.Evidence) -> String {
        let place = evidence.page.map { "page \($0 + 1)" } ?? evidence.place.map { RiskLabels.plain($0).lowercased() }
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

/// What the stable words of the risk score mean, for moderators: risk-words.json. An operator's rules may have others:
/// those are shown as they are.
enum RiskLabels {
    /// What a rule that hit has seen.
    static func rule(_ code: String) -> String { book.rules[code] ?? plain(code) }

    /// Why a submission could not be approved without a moderator.
    static func obstacle(_ code: String) -> String { book.obstacles[code] ?? plain(code) }

    /// `all_rights_reserved`: `All rights reserved`.
    static func plain(_ code: String) -> String {
        let words = code.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private struct Book: Decodable {
        var rules: [String: String] = [:]
        var obstacles: [String: String] = [:]
    }

    /// Compiled in, so it is readable unless a build is broken; without it codes stand for themselves.
    private static let book =
        (try? JSONDecoder().decode(Book.self, from: Data(PackageResources.risk_words_json))) ?? Book()
}
