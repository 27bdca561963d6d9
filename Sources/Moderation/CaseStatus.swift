// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Somebody who works on cases.
package struct Moderator: Hashable, Sendable {
    package let id: UserID
    /// `moderator` or `administrator`.
    package let role: UserRole

    package init(id: UserID, role: UserRole) {
        self.id = id
        self.role = role
    }
}

/// What a case came of.
package enum CaseKind: String, Sendable, CaseIterable {
    /// An upload that wants to be published, or was and is looked at afterwards.
    case submission
    /// Reports on one subject, or a moderator's own doubt about it.
    case report
    /// Somebody does not accept a decision.
    case appeal
}

/// Where a case stands. A claim is a lease: it ends by itself, and then anybody may take the case over.
package enum CaseStatus: Hashable, Sendable {
    /// Waits for a moderator.
    case open
    /// In the hands of a moderator until `until`.
    case claimed(by: UserID, until: Date)
    /// Waits for the uploader: an answer, or a revised file.
    case waiting
    /// Decided; it can still be appealed for a while.
    case decided
    /// The decision is appealed.
    case appealed
    /// Over.
    case closed

    /// Who holds the case at `now`, if anybody.
    package func holder(at now: Date) -> UserID? {
        if case .claimed(let holder, let until) = self, now < until { return holder }
        return nil
    }
}

/// Why something cannot be done with a case.
package enum CaseRefusal: Error, Hashable, Sendable {
    /// It is decided.
    case decided
    /// It is over.
    case closed
    /// It is not decided.
    case notDecided
    /// Somebody else has it.
    case heldByAnother(UserID, until: Date)
    /// Nobody holds it, or the holder's time is over.
    case notClaimed
    /// It waits for the uploader.
    case waitingForUploader
    /// It does not wait for the uploader.
    case notWaiting
    /// It is about the moderator's own work.
    case ownUpload
    /// An appeal against the moderator's own decision.
    case ownDecision
    /// The moderator proposed the decision; another has to confirm it.
    case ownProposal
    /// A proposed decision has to be confirmed or declined first.
    case proposalPending
    /// There is no proposed decision.
    case noProposal
    /// The account is no moderator's.
    case noModerator
    /// The case is about somebody of the moderator's own rank, or above.
    case ownRank
    /// The account has no part in the case.
    case noParty
    /// This is not decided in such a case; these are.
    case verdictForOthers([Verdict])
    /// What the decision would bring about is so already.
    case nothingToDo
    /// The submission does not allow it.
    case submission(SubmissionRefusal)
    /// The decision is none that is appealed.
    case notAppealable
    /// It was appealed before.
    case appealedBefore
    /// The time for appeals is over.
    case tooLate(Date)
    /// The time for appeals is not over.
    case tooEarly(Date)
    /// A take-over of a case in somebody's hands needs a reason.
    case reasonMissing
}
