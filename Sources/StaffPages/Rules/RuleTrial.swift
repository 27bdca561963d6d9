// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import Moderation
import ModerationService

/// The rules in force with other points and modes, as the form on their page has them. Trying them changes nothing.
struct RuleTrial: Sendable {
    /// The addresses' parameter that asks for it.
    static let parameter = "trial"
    static let points = -100...100

    let rules: RiskRules
    /// What was wrong with the points, by the rule's code.
    let mistakes: [String: Phrase]

    /// `nil` when nothing is asked for.
    init?(_ query: QueryParameters, of rules: RiskRules?) {
        guard query[Self.parameter] != nil, let rules else { return nil }
        var mistakes: [String: Phrase] = [:]
        self.rules = rules.changed { rule in
            if let text = query[Self.weightField(rule.code)] {
                if let weight = Int(text), Self.points.contains(weight) {
                    rule.weight = weight
                } else {
                    mistakes[rule.code] = "A whole number from −100 to 100."
                }
            }
            rule.mode = query[Self.modeField(rule.code)].flatMap(RiskRule.Mode.init(rawValue:)) ?? rule.mode
        }
        self.mistakes = mistakes
    }

    static func weightField(_ code: String) -> String { "weight-\(code)" }
    static func modeField(_ code: String) -> String { "mode-\(code)" }
}

/// The form of a trial, and what came of it.
struct RuleTrialView: Sendable {
    struct Row: Sendable {
        let code: String
        let weightField: String
        let weight: String
        let modeField: String
        let modes: [Choice]
        let mistake: Phrase?
    }

    struct Hits: Sendable {
        let code: String
        let before: Phrase
        let after: Phrase
    }

    struct Change: Sendable {
        let name: String
        let address: String
        let before: Int
        let after: Int
    }

    struct Outcome: Sendable {
        let summary: Phrase
        let trusted: Phrase?
        let hits: [Hits]
        let hasHits: Bool
        let changes: [Change]
        let hasChanges: Bool
    }

    let rows: [Row]
    let isOpen: Bool
    let problem: Phrase?
    let outcome: Outcome?

    init(_ rules: RiskRules, _ trial: RuleTrial?, _ query: QueryParameters, _ comparison: RiskReview.Comparison?) {
        let mistakes = trial?.mistakes ?? [:]
        rows = (trial?.rules ?? rules).rules.map { rule in
            Row(
                code: rule.code, weightField: RuleTrial.weightField(rule.code),
                weight: query[RuleTrial.weightField(rule.code)] ?? String(rule.weight),
                modeField: RuleTrial.modeField(rule.code),
                modes: RiskRule.Mode.allCases.map {
                    Choice(value: $0.rawValue, label: Phrase(told: $0.rawValue), isSelected: $0 == rule.mode)
                }, mistake: mistakes[rule.code])
        }
        isOpen = trial != nil
        problem =
            switch mistakes.count {
            case 0: nil
            case 1: "One field needs another look."
            default: "\(mistakes.count) fields need another look."
            }
        outcome = comparison.map { Self.outcome($0) }
    }

    private static func outcome(_ found: RiskReview.Comparison) -> Outcome {
        let count = Double(max(found.count, 1))
        let means = [found.before, found.after].map { DisplayText.tenths(Double($0) / count) }
        let hits = found.hits.filter { $0.value.before != $0.value.after }.sorted { $0.key < $1.key }.map {
            Hits(
                code: $0.key, before: DisplayText.number($0.value.before), after: DisplayText.number($0.value.after))
        }
        let changes = found.changes.map {
            Change(name: $0.name, address: "/submissions/\($0.submission)", before: $0.before, after: $0.after)
        }
        return Outcome(
            summary: found.count == 0
                ? "Nothing was assessed in this time."
                : "\(DisplayText.count(found.count, "submission")): the mean score was \(means[0]) and would be \(means[1]).",
            trusted: found.noLongerTrusted == 0
                ? nil
                : "\(DisplayText.number(found.noLongerTrusted)) that were published at once would go to a moderator.",
            hits: hits, hasHits: !hits.isEmpty, changes: changes, hasChanges: !changes.isEmpty)
    }
}
