// SPDX-License-Identifier: Apache-2.0
import Foundation
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
    let assessed: Moment
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
        assessed = Moment(risk.assessedAt, now: now)
        hits = risk.hits.sorted { ($0.isShadow ? 1 : 0, -$0.weight) < ($1.isShadow ? 1 : 0, -$1.weight) }.map { hit in
            Hit(
                name: RiskWords.rule(hit.code),
                points: hit.weight < 0 ? "−\(hit.weight.magnitude)" : "+\(hit.weight)",
                tone: hit.isShadow ? "quiet" : Self.tone(hit.weight), isTried: hit.isShadow,
                evidence: hit.evidence.map { Line(text: Self.text($0)) })
        }
        hasHits = !hits.isEmpty
        obstacles = risk.obstacles.map { Line(text: RiskWords.obstacle($0)) }
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
        let place = evidence.page.map { "page \($0 + 1)" } ?? evidence.place.map { RiskWords.plain($0).lowercased() }
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

/// What the stable words of the risk score mean, for moderators. An operator's rules may have others: those are shown as
/// they are.
enum RiskWords {
    /// What a rule that hit has seen.
    static func rule(_ code: String) -> String { rules[code] ?? plain(code) }

    /// Why a submission could not be approved without a moderator.
    static func obstacle(_ code: String) -> String { obstacles[code] ?? plain(code) }

    /// `all_rights_reserved`: `All rights reserved`.
    static func plain(_ code: String) -> String {
        let words = code.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private static let rules = [
        "finding_warning": "Warnings of the inspection",
        "duplicate_published": "Same file as a published sheet",
        "duplicate_taken_down": "Same file as a sheet that was taken down",
        "duplicate_rejected": "Same file as a refused upload",
        "near_duplicate_page": "A page looks like one of somebody else's",
        "near_duplicate_sheet": "Much of it looks like somebody else's sheet",
        "near_duplicate_taken_down": "Looks like a sheet that was taken down",
        "name_confusable": "Name could be taken for another sheet's",
        "name_same": "Another sheet has the same name",
        "name_near": "Name is close to another sheet's",
        "author_confusable": "Author could be taken for somebody else",
        "author_near": "Author's name is close to another author's",
        "author_as_publisher": "Author goes by a publisher's name",
        "author_near_publisher": "Author's name is close to a publisher's",
        "name_mixed_scripts": "Name mixes scripts or hides characters",
        "publisher_copyright": "A publisher's copyright line under a licence of others",
        "publisher_mark": "A publisher's trademark",
        "official_name": "Claims to be official",
        "license_conflict": "Terms on the sheet do not fit its licence",
        "words_hateful": "Hateful or extremist words",
        "words_hateful_hidden": "Hateful or extremist words, disguised",
        "words_sexual": "Sexual words",
        "words_profane": "Swear words",
        "words_hidden": "Sexual or swear words, disguised",
        "links_many": "Many links",
        "link_shortener": "A shortener hides where a link leads",
        "link_mismatch": "A link leads elsewhere than it says",
        "link_risky": "A risky link",
        "account_new": "New account",
        "first_upload": "First sheet by this author",
        "many_uploads": "Many uploads within a day",
        "refused_of_late": "Author was refused of late",
        "taken_down_before": "Author had sheets taken down",
        "strikes": "Strikes stand against the author",
        "reported": "Reports on this sheet wait",
        "approved_often": "Author was approved often",
        "redesign": "Many pages changed",
        "terms_changed": "Licence or game system changed",
        "renamed": "Sheet was renamed",
    ]

    private static let obstacles = [
        "off": "Nothing is approved without a moderator here.",
        "new_template": "It is the first version of its sheet.",
        "unknown_change": "What changed since the version before is not known.",
        "warning": "The inspection has a warning.",
        "risk": "A check speaks against it.",
        "approvals": "Too few uploads of the author were approved so far.",
        "account_age": "The author's account is too young.",
        "record": "The author was refused, taken down or sanctioned.",
        "reports": "Reports on the sheet wait.",
        "large_change": "Too much of the sheet changes.",
        "metadata": "Name, licence, game system or language changes.",
    ]
}
