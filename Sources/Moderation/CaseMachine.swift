// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A case with all that the rules ask about it.
package struct CaseFile: Hashable, Sendable {
    /// A decision that a second moderator has to confirm.
    package struct Proposal: Hashable, Sendable {
        /// Who proposed it.
        package var by: UserID
        package var decision: Decision

        package init(by: UserID, decision: Decision) {
            self.by = by
            self.decision = decision
        }
    }

    package struct Past: Hashable, Sendable {
        package var verdict: Verdict
        package var at: Date
        /// Whether anybody has appealed it.
        package var wasAppealed: Bool

        package init(verdict: Verdict, at: Date, wasAppealed: Bool = false) {
            self.verdict = verdict
            self.at = at
            self.wasAppealed = wasAppealed
        }
    }

    package var kind: CaseKind
    package var subject: CaseSubject
    /// Where it stands.
    package var status: CaseStatus
    /// Where its submission stands, if it is about one.
    package var submission: SubmissionState?
    /// Whether it looks at something that was published without a moderator.
    package var isAudit: Bool
    /// Whose work it is about: uploader, owner and authors, writer of a review.
    package var parties: Set<UserID>
    /// Who complained.
    package var reporters: Set<UserID>
    /// Who may not decide it: whoever made the decision that is appealed.
    package var barred: Set<UserID>
    /// A decision that waits for a second moderator.
    package var proposal: Proposal?
    /// What was decided last.
    package var past: Past?
    /// Downloads of the template that it is about.
    package var installs: Int
    /// Whether its subject is taken down.
    package var isTakenDown: Bool

    /// A case; what is not said is nothing.
    package init(
        kind: CaseKind, subject: CaseSubject, status: CaseStatus = .open, submission: SubmissionState? = nil,
        isAudit: Bool = false, parties: Set<UserID> = [], reporters: Set<UserID> = [], barred: Set<UserID> = [],
        proposal: Proposal? = nil, past: Past? = nil, installs: Int = 0, isTakenDown: Bool = false
    ) {
        self.kind = kind
        self.subject = subject
        self.status = status
        self.submission = submission
        self.isAudit = isAudit
        self.parties = parties
        self.reporters = reporters
        self.barred = barred
        self.proposal = proposal
        self.past = past
        self.installs = installs
        self.isTakenDown = isTakenDown
    }
}

/// What the rules can be told; each is a setting.
package struct CaseRules: Hashable, Sendable {
    /// How long a claim holds, in seconds.
    package var claimSeconds: TimeInterval
    /// From how many downloads on a take-down of a template needs two moderators.
    package var fourEyesInstalls: Int
    /// How long a decision can be appealed, in seconds.
    package var appealSeconds: TimeInterval

    package init(
        claimSeconds: TimeInterval = 900, fourEyesInstalls: Int = 500, appealSeconds: TimeInterval = 30 * 86_400
    ) {
        self.claimSeconds = claimSeconds
        self.fourEyesInstalls = fourEyesInstalls
        self.appealSeconds = appealSeconds
    }
}

/// What happens to a case.
package enum CaseEvent: Hashable, Sendable {
    /// A moderator takes it, or keeps it longer; a reason is needed to take it out of somebody's hands.
    case claim(reason: String?)
    /// A moderator gives it back.
    case release
    /// The moderator asks the uploader and waits.
    case ask
    /// The uploader answers.
    case answer
    /// The uploader sent a revised file, which has a case of its own.
    case revise
    /// The moderator decides.
    case decide(Decision)
    /// A second moderator confirms what was proposed.
    case confirm
    /// A second moderator does not.
    case decline(reason: String)
    /// The uploader took the submission back.
    case withdraw
    /// Somebody concerned does not accept the decision.
    case appeal
    /// The appeal is decided.
    case appealEnded(isOverturned: Bool)
    /// The time for appeals is over.
    case settle
}

/// Who makes it happen.
package enum CaseActor: Hashable, Sendable {
    /// Somebody of the team.
    case moderator(Moderator)
    /// Somebody whom the case concerns, or who says so.
    case person(UserID)
    /// The service.
    case system
}

/// What has to be done because of it, all in the transaction that stores the new status.
package enum CaseAction: Hashable, Sendable {
    /// Keep the decision for good.
    case record(Decision, by: UserID, proposedBy: UserID?)
    /// Keep it for a second moderator to confirm.
    case propose(Decision, by: UserID)
    /// Forget what was proposed.
    case dropProposal
    /// Move the submission on; to `published` means to publish its version.
    case moveSubmission(SubmissionState)
    /// Take the subject off the market.
    case takeDown(Decision)
    /// Put it back.
    case restore(Decision)
    /// Warn, suspend or ban the person whose work it is.
    case sanction(Decision)
    /// End that person's sanctions.
    case lift(Decision)
    /// Close the reports: they were right, or not.
    case closeReports(upheld: Bool)
    /// Open the reports of this case again.
    case reopenReports
    /// Open the case of an appeal against the last decision.
    case openAppeal(by: UserID)
    /// Undo what the last decision did; `nil` verdicts do nothing.
    case undo(Verdict)
    /// Tell the appealed case how it ended.
    case endAppeal(isOverturned: Bool)
    /// Enter it in the audit log.
    case audit(AuditEntryDraft)
}

/// An entry of the audit log before it has its place in it.
package struct AuditEntryDraft: Hashable, Sendable {
    /// A stable word.
    package var action: String
    /// More of it.
    package var details: [String: String]
    /// Whether it is entered under what the case is about, rather than under the case.
    package var isOnSubject: Bool

    package init(_ action: String, _ details: [String: String] = [:], isOnSubject: Bool = false) {
        self.action = action
        self.details = details
        self.isOnSubject = isOnSubject
    }
}

/// Where an event leads, and what has to be done.
package struct CaseOutcome: Hashable, Sendable {
    /// Where the case stands then.
    package var status: CaseStatus
    /// What has to be done, in this order.
    package var actions: [CaseAction]

    package init(_ status: CaseStatus, _ actions: [CaseAction] = []) {
        self.status = status
        self.actions = actions
    }
}

extension CaseFile {
    /// Where `event` leads from here, or why it cannot happen. The whole of a case's life is in this one table:
    ///
    ///     open       claim → claimed                                              answer → open      withdraw → closed
    ///     claimed    claim → claimed    release → open        ask → waiting       answer → claimed   withdraw → closed
    ///                decide → decided; → waiting when changes are requested; → open when a second moderator must confirm;
    ///                → closed in an appeal       confirm → as decide        decline → claimed
    ///     waiting    claim → claimed (a question; not while changes are wanted)   answer → open
    ///                revise → closed                                              withdraw → closed
    ///     decided    appeal → appealed     settle → closed
    ///     appealed   appealEnded → closed; → open when a refusal or a dismissal is overturned
    ///     closed     nothing
    package func after(
        _ event: CaseEvent, by actor: CaseActor, at now: Date, rules: CaseRules = CaseRules()
    ) throws(CaseRefusal) -> CaseOutcome {
        switch event {
        case .claim(let reason): try claimed(reason, by: actor, at: now, rules)
        case .release: try released(by: actor, at: now)
        case .ask: try asked(by: actor, at: now)
        case .answer: try answered(by: actor)
        case .revise: try revised()
        case .decide(let decision): try decided(decision, by: actor, at: now, rules)
        case .confirm: try confirmed(by: actor, at: now)
        case .decline(let reason): try declined(reason, by: actor, at: now)
        case .withdraw: try withdrawn()
        case .appeal: try appealed(by: actor, at: now, rules)
        case .appealEnded(let isOverturned): try appealEnded(isOverturned)
        case .settle: try settled(at: now, rules)
        }
    }

    // MARK: Working on it

    private func claimed(
        _ reason: String?, by actor: CaseActor, at now: Date, _ rules: CaseRules
    ) throws(CaseRefusal) -> CaseOutcome {
        let moderator = try worker(actor)
        let mine = CaseStatus.claimed(by: moderator.id, until: now.addingTimeInterval(rules.claimSeconds))
        switch status {
        case .decided, .appealed: throw .decided
        case .closed: throw .closed
        case .waiting where submission == .changesRequested: throw .waitingForUploader
        case .open, .waiting:
            if proposal?.by == moderator.id { throw .ownProposal }
            return CaseOutcome(mine, [.audit(AuditEntryDraft("case.claimed"))])
        case .claimed(moderator.id, _): return CaseOutcome(mine)
        case .claimed(let holder, let until):
            if proposal?.by == moderator.id { throw .ownProposal }
            var details = ["from": holder.description]
            if now < until {
                guard moderator.role >= .administrator else { throw .heldByAnother(holder, until: until) }
                guard let reason, !reason.isEmpty else { throw .reasonMissing }
            }
            details["reason"] = reason ?? "the claim had run out"
            return CaseOutcome(mine, [.audit(AuditEntryDraft("case.taken_over", details))])
        }
    }

    private func released(by actor: CaseActor, at now: Date) throws(CaseRefusal) -> CaseOutcome {
        let moderator = try teamMember(actor)
        guard case .claimed(let holder, let until) = status else { throw notClaimed }
        guard holder == moderator.id || moderator.role >= .administrator else {
            throw now < until ? .heldByAnother(holder, until: until) : .notClaimed
        }
        return CaseOutcome(.open, [.audit(AuditEntryDraft("case.released"))])
    }

    private func asked(by actor: CaseActor, at now: Date) throws(CaseRefusal) -> CaseOutcome {
        _ = try holder(actor, at: now)
        guard kind == .submission, submission == .awaitingReview else { throw .nothingToDo }
        return CaseOutcome(.waiting, [.audit(AuditEntryDraft("case.asked"))])
    }

    private func declined(_ reason: String, by actor: CaseActor, at now: Date) throws(CaseRefusal) -> CaseOutcome {
        let moderator = try holder(actor, at: now)
        guard let proposal else { throw .noProposal }
        guard proposal.by != moderator.id else { throw .ownProposal }
        let details = [
            "decision": proposal.decision.verdict.rawValue, "proposedBy": proposal.by.description, "reason": reason,
        ]
        return CaseOutcome(status, [.dropProposal, .audit(AuditEntryDraft("case.proposal_declined", details))])
    }

    // MARK: The uploader's part

    private func answered(by actor: CaseActor) throws(CaseRefusal) -> CaseOutcome {
        guard case .person(let person) = actor, parties.contains(person) else { throw .noParty }
        try requireMessages()
        guard status == .waiting else { return CaseOutcome(status) }
        return CaseOutcome(
            .open, submission == .changesRequested ? [.moveSubmission(try submissionAfter(.resumed))] : [])
    }

    /// Whether moderators and the uploader can write to each other.
    package var takesMessages: Bool { (try? requireMessages()) != nil }

    /// Throws unless the case is about an upload, and not decided.
    package func requireMessages() throws(CaseRefusal) {
        guard case .submission = subject else { throw .nothingToDo }
        switch status {
        case .open, .claimed, .waiting: return
        case .decided, .appealed: throw .decided
        case .closed: throw .closed
        }
    }

    private func revised() throws(CaseRefusal) -> CaseOutcome {
        switch status {
        case .waiting where submission == .changesRequested: return CaseOutcome(.closed)
        case .open, .claimed, .waiting: throw .notWaiting
        case .decided, .appealed: throw .decided
        case .closed: throw .closed
        }
    }

    private func withdrawn() throws(CaseRefusal) -> CaseOutcome {
        switch status {
        case .open, .claimed, .waiting: return CaseOutcome(.closed, proposal == nil ? [] : [.dropProposal])
        case .decided, .appealed: throw .decided
        case .closed: throw .closed
        }
    }

    // MARK: Afterwards

    private func appealed(
        by actor: CaseActor, at now: Date, _ rules: CaseRules
    ) throws(CaseRefusal) -> CaseOutcome {
        guard case .person(let person) = actor else { throw .noParty }
        switch status {
        case .open, .claimed, .waiting: throw .notDecided
        case .appealed: throw .appealedBefore
        case .closed: throw .closed
        case .decided: break
        }
        guard let past, past.verdict.isAppealable, kind != .appeal else { throw .notAppealable }
        let entitled = past.verdict == .dismiss ? reporters : parties
        guard entitled.contains(person) else { throw .noParty }
        if past.wasAppealed { throw .appealedBefore }
        let end = past.at.addingTimeInterval(rules.appealSeconds)
        guard now < end else { throw .tooLate(end) }
        return CaseOutcome(
            .appealed,
            [
                .openAppeal(by: person),
                .audit(AuditEntryDraft("case.appealed", ["decision": past.verdict.rawValue], isOnSubject: true)),
            ])
    }

    private func appealEnded(_ isOverturned: Bool) throws(CaseRefusal) -> CaseOutcome {
        switch status {
        case .open, .claimed, .waiting: throw .notDecided
        case .decided: throw .notAppealable
        case .closed: throw .closed
        case .appealed: break
        }
        guard isOverturned, let past else { return CaseOutcome(.closed) }
        // What was refused is not published by that: it is looked at again, by another.
        let next: CaseStatus = past.verdict == .reject || past.verdict == .dismiss ? .open : .closed
        return CaseOutcome(next, [.undo(past.verdict)])
    }

    private func settled(at now: Date, _ rules: CaseRules) throws(CaseRefusal) -> CaseOutcome {
        switch status {
        case .open, .claimed, .waiting: throw .notDecided
        case .appealed: throw .appealedBefore
        case .closed: throw .closed
        case .decided: break
        }
        let end = (past?.at ?? .distantPast).addingTimeInterval(rules.appealSeconds)
        guard now >= end else { throw .tooEarly(end) }
        return CaseOutcome(.closed)
    }
}
