// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import Moderation
import ModerationService

/// The fields of a decision: what can be decided, why, and what is told to whom it concerns.
struct DecisionForm: Sendable {
    struct Reason: Sendable {
        let reasonCode: String
        let label: Phrase
        let standardText: String
        let isSelected: Bool
    }

    /// The reasons of one decision.
    struct ReasonGroup: Sendable {
        let decision: String
        let label: Phrase
        let reasons: [Reason]
    }

    struct Verdict: Sendable {
        let value: String
        let label: Phrase
        let hint: Phrase
        let isSelected: Bool
    }

    let verdicts: [Verdict]
    let reasonGroups: [ReasonGroup]

    init(_ choices: [DecisionKind], reasons: [CannedReason], form: QueryParameters) {
        verdicts = choices.map { Self.verdict($0, form) }
        reasonGroups = choices.map { Self.group($0, of: reasons, form) }
    }

    /// The decision that a form tells. One for which there is only one reason needs none chosen.
    static func decision(in form: QueryParameters, reasons: ReasonBook) throws -> DecisionRequest {
        guard let kind = DecisionKind(rawValue: form["decision"] ?? "") else {
            throw APIError.validation([.init(pointer: "/decision", detail: "Choose one of these.")])
        }
        var reasonCode = form["reasonCode"] ?? ""
        var message = form["message"] ?? ""
        if reasonCode.isEmpty {
            guard let usual = Moderation.Verdict(rawValue: kind.rawValue).flatMap({ reasons.usualReason(for: $0) })
            else { throw APIError.validation([.init(pointer: "/reasonCode", detail: "Choose why.")]) }
            reasonCode = usual.code
            if message.isEmpty { message = usual.text }
        }
        return DecisionRequest(
            decision: kind, reasonCode: reasonCode, message: message,
            until: try kind == .suspend ? form.day("until") : nil)
    }

    static func label(_ decision: DecisionKind) -> Phrase {
        Phrase(told: RiskLabels.plain(decision.rawValue))
    }

    private static func verdict(_ decision: DecisionKind, _ form: QueryParameters) -> Verdict {
        Verdict(
            value: decision.rawValue, label: label(decision), hint: hint(decision),
            isSelected: form["decision"] == decision.rawValue)
    }

    private static func group(
        _ decision: DecisionKind, of reasons: [CannedReason], _ form: QueryParameters
    ) -> ReasonGroup {
        let isChosen = form["decision"] == decision.rawValue
        let fitting = reasons.filter { $0.verdicts.contains { $0.rawValue == decision.rawValue } }
        return ReasonGroup(
            decision: decision.rawValue, label: label(decision),
            reasons: fitting.map {
                Reason(
                    reasonCode: $0.code, label: Phrase(verbatim: $0.title), standardText: $0.text,
                    isSelected: isChosen && form["reasonCode"] == $0.code)
            })
    }

    private static func hint(_ decision: DecisionKind) -> Phrase {
        switch decision {
        case .approve: "Publish it now."
        case .requestChanges: "The uploader may send it again."
        case .reject: "It cannot be taken."
        case .takeDown: "Nobody can have it any more; the message stands in its place."
        case .restore: "It is as it was before it was taken down."
        case .dismiss: "Nothing is wrong with it."
        case .warn: "Its author is told, and it counts as a strike."
        case .suspend: "Its author cannot upload or change anything until the date below."
        case .ban: "For good; another moderator has to confirm it."
        case .lift: "All that is in force ends."
        case .uphold: "The decision stays as it is."
        case .overturn: "The decision was wrong and is undone."
        }
    }
}
