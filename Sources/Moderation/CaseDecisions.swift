// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

extension CaseFile {
    /// What can be decided in this case at all.
    package var verdicts: [Verdict] {
        switch (kind, subject) {
        case (.submission, _): isAudit ? [.approve, .takeDown] : [.approve, .requestChanges, .reject]
        case (.appeal, _): [.uphold, .overturn]
        case (.report, .user): [.dismiss, .takeDown, .restore, .warn, .suspend, .ban, .lift]
        case (.report, _): [.dismiss, .takeDown, .restore, .warn, .suspend, .ban]
        }
    }

    /// What can be decided as things stand: nothing that is so already, or that the submission does not allow.
    package var openVerdicts: [Verdict] {
        verdicts.filter { verdict in
            switch verdict {
            case .takeDown: !isTakenDown
            case .restore: isTakenDown
            case .approve, .requestChanges, .reject:
                isAudit || verdict.event.map { (try? submissionAfter($0)) != nil } == true
            default: true
            }
        }
    }

    /// Whether a second moderator has to confirm it: bans, and taking down what many have installed.
    package func needsSecond(_ verdict: Verdict, _ rules: CaseRules) -> Bool {
        if verdict == .ban { return true }
        guard verdict == .takeDown, installs >= rules.fourEyesInstalls else { return false }
        switch subject {
        case .review, .collection, .profile: return false
        case .submission, .template, .version, .user: return true
        }
    }

    func decided(
        _ decision: Decision, by actor: CaseActor, at now: Date, _ rules: CaseRules
    ) throws(CaseRefusal) -> CaseOutcome {
        let moderator = try holder(actor, at: now)
        guard proposal == nil else { throw .proposalPending }
        let outcome = try effect(of: decision, by: moderator, proposedBy: nil)
        guard needsSecond(decision.verdict, rules) else { return outcome }
        let draft = AuditEntryDraft(
            "case.proposed", ["decision": decision.verdict.rawValue, "reasonCode": decision.reasonCode],
            isOnSubject: true)
        return CaseOutcome(.open, [.propose(decision, by: moderator.id), .audit(draft)])
    }

    func confirmed(by actor: CaseActor, at now: Date) throws(CaseRefusal) -> CaseOutcome {
        let moderator = try holder(actor, at: now)
        guard let proposal else { throw .noProposal }
        guard proposal.by != moderator.id else { throw .ownProposal }
        var outcome = try effect(of: proposal.decision, by: moderator, proposedBy: proposal.by)
        outcome.actions.insert(.dropProposal, at: 0)
        return outcome
    }

    /// What a decision does once nothing stands against it.
    private func effect(
        of decision: Decision, by moderator: Moderator, proposedBy: UserID?
    ) throws(CaseRefusal) -> CaseOutcome {
        guard verdicts.contains(decision.verdict) else { throw .verdictForOthers(verdicts) }
        var actions: [CaseAction] = [.record(decision, by: moderator.id, proposedBy: proposedBy)]
        var next = CaseStatus.decided
        switch decision.verdict {
        case .approve where isAudit: break
        case .approve, .requestChanges, .reject:
            guard let event = decision.verdict.event else { throw .verdictForOthers(verdicts) }
            actions.append(.moveSubmission(try submissionAfter(event)))
            if decision.verdict == .requestChanges { next = .waiting }
        case .takeDown:
            guard !isTakenDown else { throw .nothingToDo }
            actions += [.takeDown(decision), .closeReports(upheld: true)]
        case .restore:
            guard isTakenDown else { throw .nothingToDo }
            actions += [.restore(decision), .closeReports(upheld: false)]
        case .dismiss: actions.append(.closeReports(upheld: false))
        case .warn, .suspend, .ban: actions += [.sanction(decision), .closeReports(upheld: true)]
        case .lift: actions += [.lift(decision), .closeReports(upheld: false)]
        case .uphold, .overturn:
            actions.append(.endAppeal(isOverturned: decision.verdict == .overturn))
            next = .closed
        }
        var details = ["decision": decision.verdict.rawValue, "reasonCode": decision.reasonCode]
        if let proposedBy { details["proposedBy"] = proposedBy.description }
        if parties.contains(moderator.id) { details["ownUpload"] = "true" }
        actions.append(.audit(AuditEntryDraft("case.decided", details, isOnSubject: true)))
        return CaseOutcome(next, actions)
    }

    func submissionAfter(_ event: SubmissionEvent) throws(CaseRefusal) -> SubmissionState {
        guard let submission else { throw .nothingToDo }
        do {
            return try submission.after(event)
        } catch {
            throw .submission(error)
        }
    }

    // MARK: Who

    /// Why nobody can do what only the holder of a case can.
    var notClaimed: CaseRefusal {
        switch status {
        case .decided, .appealed: .decided
        case .closed: .closed
        case .waiting where submission == .changesRequested: .waitingForUploader
        case .open, .claimed, .waiting: .notClaimed
        }
    }

    func teamMember(_ actor: CaseActor) throws(CaseRefusal) -> Moderator {
        guard case .moderator(let moderator) = actor, moderator.role >= .moderator else { throw .noModerator }
        return moderator
    }

    /// Somebody who may work on this case. Nobody judges their own work; administrators may, since a small market has
    /// nobody else, and the audit log says that they did. Nobody at all judges an appeal against their own decision.
    package func worker(_ actor: CaseActor) throws(CaseRefusal) -> Moderator {
        let moderator = try teamMember(actor)
        if barred.contains(moderator.id) { throw .ownDecision }
        if parties.contains(moderator.id), moderator.role < .administrator { throw .ownUpload }
        return moderator
    }

    /// The moderator, who must hold the case now: so no two ever decide one.
    func holder(_ actor: CaseActor, at now: Date) throws(CaseRefusal) -> Moderator {
        let moderator = try worker(actor)
        guard case .claimed(let holder, let until) = status, now < until else { throw notClaimed }
        guard holder == moderator.id else { throw .heldByAnother(holder, until: until) }
        return moderator
    }
}
