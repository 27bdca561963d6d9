// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketHTTP
import MarketWire
import Moderation
import SheetCore

extension CaseError: APIErrorConvertible {
    package var apiError: APIError {
        switch self {
        case .noSuchCase: .notFound("This case")
        case .noSuchSubject: .validation([.init(pointer: "/subject", detail: "There is no such thing.")])
        case .malformed(let malformed): .validation(malformed.faults.map(\.detail))
        case .badText(let pointer):
            .validation([.init(pointer: pointer, detail: "One to \(NoteRequest.maximumLength) characters.")])
        case .badCaseCount:
            .validation([.init(pointer: "/cases", detail: "One to \(BulkDecisionRequest.maximumCases) cases.")])
        case .refused(let refusal): refusal.apiError
        }
    }
}

extension CaseRefusal {
    fileprivate var apiError: APIError {
        switch self {
        case .decided: APIError(.conflict, .caseDecided, "This case is decided already.")
        case .closed: APIError(.conflict, .caseDecided, "This case is closed.")
        case .notDecided: APIError(.conflict, .conflict, "This case is not decided yet.")
        case .heldByAnother(_, let until):
            APIError(.conflict, .caseNotClaimed, "Another moderator has this case until \(WireJSON.time(until)).")
        case .notClaimed: APIError(.conflict, .caseNotClaimed, "Claim this case first; a claim ends after a while.")
        case .reasonMissing:
            .validation([.init(pointer: "/reason", detail: "Say why the case is taken out of another's hands.")])
        case .verdictForOthers(let verdicts):
            .validation([
                .init(
                    pointer: "/decision",
                    detail: "Possible decisions: \(verdicts.map { "'\($0.rawValue)'" }.joined(separator: ", ")).")
            ])
        case .ownUpload, .ownDecision, .ownProposal, .ownRank, .noModerator, .noParty:
            APIError(.forbidden, .forbidden, whose)
        case .appealedBefore: APIError(.conflict, .appealedBefore, "This decision was appealed before.")
        case .waitingForUploader, .notWaiting, .proposalPending, .noProposal, .nothingToDo, .submission,
            .notAppealable, .tooLate, .tooEarly:
            APIError(.conflict, .conflict, obstacle)
        }
    }

    /// Why the caller may not do it.
    private var whose: String {
        switch self {
        case .ownUpload: "This is your own upload. Another moderator has to decide on it."
        case .ownDecision: "This is an appeal against your own decision. Another moderator has to decide on it."
        case .ownProposal: "You proposed this decision. Another moderator has to confirm it."
        case .ownRank: "Nobody sanctions somebody of their own rank or above; an administrator can."
        case .noParty: "This case does not concern you."
        default: "This needs a moderator."
        }
    }

    /// Why it cannot be done now.
    private var obstacle: String {
        switch self {
        case .waitingForUploader: "This case waits for the uploader."
        case .notWaiting: "This case does not wait for the uploader."
        case .proposalPending: "A decision is proposed here: confirm or decline it first."
        case .noProposal: "No decision is proposed here."
        case .submission(let refusal): "The submission is '\(refusal.state.rawValue)' and cannot be decided."
        case .notAppealable: "This decision cannot be appealed."
        case .tooLate(let end): "This could be appealed until \(WireJSON.time(end))."
        case .tooEarly(let end): "This can be appealed until \(WireJSON.time(end))."
        default: "This is so already, or has no meaning here."
        }
    }
}

extension Decision.Issue {
    fileprivate var detail: ProblemDocument.Detail {
        switch self {
        case .malformedReason:
            .init(pointer: "/reasonCode", detail: "A word of up to 64 lower-case letters, digits and underscores.")
        case .reasonForOthers(let verdicts):
            .init(
                pointer: "/reasonCode",
                detail: "This reason goes with \(verdicts.map { "'\($0.rawValue)'" }.joined(separator: " or ")).")
        case .messageMissing: .init(pointer: "/message", detail: "Tell the uploader why, and what to do about it.")
        case .messageTooLong:
            .init(pointer: "/message", detail: "At most \(Decision.maximumMessageLength) characters.")
        case .messageNotText: .init(pointer: "/message", detail: "Text without NUL characters.")
        case .malformedEvidence:
            .init(
                pointer: "/evidence",
                detail: "At most \(Decision.maximumEvidence) pieces of one to \(Decision.maximumEvidenceLength) "
                    + "characters.")
        case .endMismatch: .init(pointer: "/until", detail: "A suspension needs an end, and nothing else has one.")
        }
    }
}
