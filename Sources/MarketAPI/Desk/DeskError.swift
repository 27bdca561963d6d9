// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import Moderation
import SheetCore

/// What cannot be done at the desk.
public enum DeskError: Error, Equatable, Sendable {
    /// There is no such case.
    case noSuchCase
    /// The decision's parts do not fit together.
    case malformed(Decision.Malformed)
    /// The case does not allow it.
    case refused(CaseRefusal)
    /// The submission does not allow it.
    case submission(SubmissionRefusal)
}

extension DeskError: APIErrorConvertible {
    /// As the caller is told of it.
    public var apiError: APIError {
        switch self {
        case .noSuchCase: .notFound("This case")
        case .malformed(let malformed): .validation(malformed.faults.map(\.detail))
        case .refused(let refusal): refusal.apiError
        case .submission(let refusal):
            APIError(.conflict, .conflict, "The submission is '\(refusal.state.rawValue)' and cannot be decided.")
        }
    }
}

extension CaseRefusal {
    fileprivate var apiError: APIError {
        switch self {
        case .decided: APIError(.conflict, .caseDecided, "This case is decided already.")
        case .heldByAnother(_, let until):
            APIError(.conflict, .caseNotClaimed, "Another moderator has this case until \(WireJSON.time(until)).")
        case .notClaimed: APIError(.conflict, .caseNotClaimed, "Claim this case first; a claim ends after a while.")
        case .ownUpload:
            APIError(.forbidden, .forbidden, "This is your own upload. Another moderator has to decide on it.")
        case .noModerator: APIError(.forbidden, .forbidden, "This needs a moderator.")
        }
    }
}

extension Decision.Fault {
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
        }
    }
}
