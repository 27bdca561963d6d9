// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import Moderation
import ModerationService

/// What moderators decide by, made of the reasons and rules that are in force.
struct GuidelinePages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/guidelines", access: .optionalAuthentication) { _, context in
            let head = PageHead(
                title: "Guidelines", viewer: context.identity,
                summary: "What moderators decide by, what automatic checks look at, and how to object.",
                language: context.language)
            return try pages.answer(
                .guidelines, GuidelinesView(features.moderation.settings, context.language), head: head)
        }
    }
}

/// The guidelines in words.
struct GuidelinesView: Sendable {
    struct Reason: Sendable {
        let anchor: String
        let title: String
        let text: MarkdownBlocks
    }

    struct Section: Sendable {
        let heading: Phrase
        let anchor: String
        let about: Phrase
        let reasons: [Reason]
    }

    struct Check: Sendable {
        let label: Phrase
        let strength: StateLabel
    }

    let sections: [Section]
    let checks: [Check]
    let hasChecks: Bool
    let rulesVersion: String
    /// What an author needs for updates to come out at once; `nil` where nothing does.
    let trust: Phrase?
    let uploadTime: Phrase
    let reportTime: Phrase
    let appealTime: Phrase
    let fourEyes: Phrase

    init(_ settings: ModerationSettings, _ language: PageLanguage = .english) {
        let reasons = settings.reasons.reasons(language: language.rawValue)
        sections = Self.kinds.compactMap { kind in
            let found = reasons.filter { reason in
                reason.code != "other" && reason.verdicts.contains(where: kind.verdicts.contains)
            }
            guard !found.isEmpty else { return nil }
            return Section(
                heading: kind.heading, anchor: kind.anchor, about: kind.about,
                reasons: found.map {
                    Reason(anchor: "\(kind.anchor)-\($0.code)", title: $0.title, text: MarkdownBlocks($0.text))
                })
        }
        checks = (settings.risk.rules?.rules ?? []).filter { $0.mode == .on }.sorted {
            (-$0.weight, $0.code) < (-$1.weight, $1.code)
        }.map { Check(label: RiskLabels.rule($0.code), strength: Self.strength($0.weight)) }
        hasChecks = !checks.isEmpty
        rulesVersion = settings.risk.rules?.version ?? ""
        trust = settings.risk.rules == nil ? nil : Self.trust(settings.risk.terms)
        let sla = settings.limits.sla
        uploadTime = Self.time(sla.upload)
        reportTime = Self.time(sla.report)
        appealTime = Self.time(settings.limits.appealSeconds)
        fourEyes = DisplayText.number(settings.limits.fourEyesInstalls)
    }

    private static let kinds: [(anchor: String, heading: Phrase, about: Phrase, verdicts: [Verdict])] = [
        ("published", "What is published", "Moderators publish a sheet that needs no more than this.", [.approve]),
        (
            "mended", "What is sent back for changes",
            "Nothing is lost: the author corrects it, and the same case goes on.", [.requestChanges]
        ),
        (
            "refused", "What is rejected or taken down",
            "Before it is published it is rejected, afterwards taken down. Authors are told why.", [.reject, .takeDown]
        ),
        (
            "people", "What can lead to a warning, suspension or ban",
            "A warning first, as a rule; then a suspension, then a ban. Each ends up in a record that fades with time.",
            [.warn, .suspend, .ban]
        ),
        (
            "good", "When nothing was found wrong",
            "Reports are looked at by a person, appeals by another than before.",
            [.dismiss, .restore, .lift, .uphold, .overturn]
        ),
    ]

    private static func strength(_ weight: Int) -> StateLabel {
        switch weight {
        case ..<0: StateLabel("in its favour", "good")
        case ..<15: StateLabel("counts little", "quiet")
        case ..<40: StateLabel("counts", "wait")
        default: StateLabel("counts a lot", "bad")
        }
    }

    private static func trust(_ terms: TrustedPath.Terms) -> Phrase? {
        guard terms.isOn else { return nil }
        let approvals = DisplayText.count(terms.leastApprovals, "approved upload")
        let days = DisplayText.count(Int(terms.leastAccountDays.rounded(.up)), "day")
        let share = Int((terms.auditShare * 100).rounded())
        return "Updates of a published sheet come out at once when no check has anything against them, little changes, "
            + "and the author has \(approvals), an account of \(days) and a clean record. "
            + "A moderator looks at \(share)% of them afterwards, by lot."
    }

    /// `72 hours`, `30 days`.
    private static func time(_ seconds: Double) -> Phrase {
        let hours = Int((seconds / 3600).rounded(.up))
        return hours <= 72 ? DisplayText.count(hours, "hour") : DisplayText.count(hours / 24, "day")
    }
}
