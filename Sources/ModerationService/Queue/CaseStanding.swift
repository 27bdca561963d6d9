// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Moderation
import SheetCore

/// What a moderator can do with a case as it stands now. Whoever shows a case offers nothing else.
package struct CaseStanding: Sendable {
    /// Why the moderator has no part in it: their own work, or an appeal against their own decision.
    package enum Bar: Sendable {
        case ownWork
        case ownDecision
    }

    package let bar: Bar?
    package let mayClaim: Bool
    package let mayRelease: Bool
    package let mayDecide: Bool
    /// Whether a decision of somebody else's waits for the moderator to confirm it.
    package let mayConfirm: Bool
    /// Whether the moderator can write to the uploader.
    package let mayWrite: Bool
    /// Whether the case can wait for the uploader's answer.
    package let mayAsk: Bool
    /// What can be decided.
    package let choices: [DecisionKind]

    init(_ file: CaseFile, respondent: UserRole?, viewer: Moderator, at now: Date, rules: CaseRules) {
        let actor = CaseActor.moderator(viewer)
        func may(_ event: CaseEvent) -> Bool {
            (try? file.after(event, by: actor, at: now, rules: rules)) != nil
        }
        if file.barred.contains(viewer.id) {
            bar = .ownDecision
        } else {
            bar = (try? file.worker(actor)) == nil ? .ownWork : nil
        }
        let isHeld = file.status.holder(at: now) == viewer.id && bar == nil
        mayClaim = !isHeld && may(.claim(reason: nil))
        mayRelease = isHeld
        mayDecide = isHeld && file.proposal == nil
        mayConfirm = isHeld && file.proposal != nil && file.proposal?.by != viewer.id
        mayWrite = bar == nil && file.takesMessages
        mayAsk = mayWrite && may(.ask)
        choices = file.openVerdicts.filter { verdict in
            switch verdict {
            case .warn, .suspend, .ban:
                respondent.map { Sanction.mayBeImposed(on: $0, by: viewer.role) } == true
            case .lift: respondent != nil
            default: true
            }
        }.compactMap { DecisionKind(rawValue: $0.rawValue) }
    }
}
