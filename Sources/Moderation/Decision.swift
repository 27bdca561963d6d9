// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// What a moderator can decide on a submission.
public enum Verdict: String, Sendable, CaseIterable {
    case approve
    case requestChanges = "request_changes"
    case reject

    /// What happens to the submission.
    public var event: SubmissionEvent {
        switch self {
        case .approve: .approved
        case .requestChanges: .changesRequested
        case .reject: .rejected
        }
    }
}

/// A moderator's decision, well-formed: a verdict, a reason in a stable word, and what the uploader is told.
public struct Decision: Hashable, Sendable {
    /// What is wrong with a decision as it was written.
    public enum Fault: Hashable, Sendable {
        /// The reason is no word of lower-case letters, digits and underscores.
        case malformedReason
        /// The reason is a standard one for other verdicts.
        case reasonForOthers([Verdict])
        /// The uploader is told nothing of what to mend, or why it was refused.
        case messageMissing
        /// The message is longer than `maximumMessageLength`.
        case messageTooLong
        /// The message holds a NUL character, which cannot be stored.
        case messageNotText
    }

    /// Everything that is wrong, at once.
    public struct Malformed: Error, Hashable, Sendable {
        /// At least one.
        public let faults: [Fault]
    }

    /// Longest message, in characters.
    public static let maximumMessageLength = 4000

    /// What is decided.
    public let verdict: Verdict
    /// Why, as a stable word.
    public let reasonCode: String
    /// What the uploader is told.
    public let message: String

    /// Takes a decision whose parts fit together. An approval may go without a message: it gets the reason's text.
    public init(_ verdict: Verdict, reasonCode: String, message: String) throws(Malformed) {
        var faults: [Fault] = []
        var message = message.trimmingCharacters(in: .whitespacesAndNewlines)
        let standard = StandardReason.all.filter { $0.code == reasonCode }
        if !Self.isWellFormed(reasonCode) {
            faults.append(.malformedReason)
        } else if let verdicts = standard.first?.verdicts, !verdicts.contains(verdict) {
            faults.append(.reasonForOthers(verdicts))
        }
        if message.isEmpty, verdict == .approve { message = standard.first?.text ?? "Approved." }
        if message.isEmpty { faults.append(.messageMissing) }
        if message.count > Self.maximumMessageLength { faults.append(.messageTooLong) }
        if message.unicodeScalars.contains("\0") { faults.append(.messageNotText) }
        guard faults.isEmpty else { throw Malformed(faults: faults) }
        self.verdict = verdict
        self.reasonCode = reasonCode
        self.message = message
    }

    private static func isWellFormed(_ code: String) -> Bool {
        (1...64).contains(code.utf8.count)
            && code.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }
}

/// A reason that every market knows, with the text that the desk offers for it. A market may use words of its own.
public struct StandardReason: Hashable, Sendable {
    /// The stable word.
    public let code: String
    /// The verdicts it can stand for.
    public let verdicts: [Verdict]
    /// What it says to the uploader.
    public let text: String

    /// The list.
    public static let all: [StandardReason] = [
        .init("meets_guidelines", [.approve], "Your sheet meets the guidelines and is published. Thank you."),
        .init("unclear_metadata", [.requestChanges], "Please say more clearly what the sheet is for and what changed."),
        .init("wrong_game_system", [.requestChanges, .reject], "The sheet is for another game system than it says."),
        .init("wrong_license", [.requestChanges, .reject], "The licence does not fit what is on the sheet."),
        .init("poor_readability", [.requestChanges, .reject], "Parts of the sheet cannot be read on screen or paper."),
        .init("regions_need_work", [.requestChanges], "The zoom regions miss or cut parts of the sheet."),
        .init("unsafe_content", [.requestChanges, .reject], "The file carries something that a sheet must not carry."),
        .init("duplicate", [.reject], "The market has this sheet already."),
        .init("not_a_sheet", [.reject], "This is not a character sheet."),
        .init("copyright", [.reject], "The sheet uses work of others without their leave."),
        .init("prohibited_content", [.reject], "The sheet shows what the rules of this market forbid."),
        .init("spam", [.reject], "This is advertising."),
        .init("other", Verdict.allCases, "See the message."),
    ]

    private init(_ code: String, _ verdicts: [Verdict], _ text: String) {
        self.code = code
        self.verdicts = verdicts
        self.text = text
    }
}

/// What a decision does, once the rules allow it.
public struct Ruling: Hashable, Sendable {
    /// Where the submission goes.
    public let submission: SubmissionState
    /// Where the case goes.
    public let status: CaseStatus
    /// Whether a version is published.
    public let publishes: Bool
    /// Whether an administrator decided on their own upload; the audit log says so.
    public let ownUpload: Bool
}

/// Why a decision cannot be made.
public enum RulingRefusal: Error, Hashable, Sendable {
    /// The case does not allow it.
    case ofCase(CaseRefusal)
    /// The submission does not allow it.
    case ofSubmission(SubmissionRefusal)
}

extension Decision {
    /// What this decision does to a case and its submission, or why it cannot be made.
    public func ruling(
        by moderator: Moderator, on status: CaseStatus, submission: SubmissionState, uploader: UserID, at now: Date
    ) throws(RulingRefusal) -> Ruling {
        let next: CaseStatus
        do {
            next = try status.decided(by: moderator, uploader: uploader, at: now)
        } catch {
            throw .ofCase(error)
        }
        do {
            return Ruling(
                submission: try submission.after(verdict.event), status: next, publishes: verdict == .approve,
                ownUpload: moderator.id == uploader)
        } catch {
            throw .ofSubmission(error)
        }
    }
}
