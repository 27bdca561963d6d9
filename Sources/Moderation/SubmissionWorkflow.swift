// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What can happen to a submission.
package enum SubmissionEvent: String, Sendable, CaseIterable {
    /// A worker began to read the file; again, when it takes over from one that died.
    case inspectionBegan
    /// The reader found nothing that refuses the file.
    case inspectionPassed
    /// The reader found a blocker.
    case inspectionRefused
    /// No worker could bring the inspection to an end, however often it was tried.
    case inspectionGaveUp
    /// A moderator approved it.
    case approved
    /// A moderator wants something mended.
    case changesRequested
    /// A moderator refused it.
    case rejected
    /// The uploader answered instead of sending another file.
    case resumed
    /// An appeal against a moderator's refusal was right: it is looked at again. Only a case leads here.
    case reinstated
    /// The uploader does not want the clean copy that took the file's place.
    case cleaningDeclined
    /// The uploader took it back.
    case withdrawn
}

/// Why an event cannot happen to a submission now.
package struct SubmissionRefusal: Error, Hashable, Sendable {
    /// What stands against it.
    package enum Cause: Sendable, Hashable {
        /// Nothing more can happen to the submission.
        case final
        /// The file has not been inspected.
        case notInspected
        /// The inspection is over.
        case inspectionOver
        /// The uploader was asked for changes; a revised file is a submission of its own.
        case waitingForUploader
    }

    /// Where the submission stands.
    package let state: SubmissionState
    /// What was to happen.
    package let event: SubmissionEvent
    /// What stands against it.
    package let cause: Cause
}

extension SubmissionState {
    /// Where `event` leads from here. The whole of a submission's life (blueprint, section 5) is in this one table:
    ///
    ///     received          began → inspecting       gave up → rejected                    withdrawn → withdrawn
    ///     inspecting        began → inspecting       passed → awaiting_review
    ///                       refused, gave up → rejected                                    withdrawn → withdrawn
    ///     awaiting_review   approved → published     changes requested → changes_requested
    ///                       rejected, cleaning declined → rejected                         withdrawn → withdrawn
    ///     changes_requested resumed → awaiting_review                                      withdrawn → withdrawn
    ///     rejected          reinstated → awaiting_review
    ///     published, withdrawn                       nothing
    package func after(_ event: SubmissionEvent) throws(SubmissionRefusal) -> SubmissionState {
        switch (self, event) {
        case (.received, .inspectionBegan), (.inspecting, .inspectionBegan): return .inspecting
        case (.inspecting, .inspectionPassed): return .awaitingReview
        case (.inspecting, .inspectionRefused): return .rejected
        case (.received, .inspectionGaveUp), (.inspecting, .inspectionGaveUp): return .rejected
        case (.awaitingReview, .approved): return .published
        case (.awaitingReview, .changesRequested): return .changesRequested
        case (.awaitingReview, .rejected), (.awaitingReview, .cleaningDeclined): return .rejected
        case (.changesRequested, .resumed), (.rejected, .reinstated): return .awaitingReview
        case (.received, .withdrawn), (.inspecting, .withdrawn), (.awaitingReview, .withdrawn),
            (.changesRequested, .withdrawn):
            return .withdrawn
        default: throw SubmissionRefusal(state: self, event: event, cause: obstacle)
        }
    }

    /// What stands against an event that does not fit this state.
    private var obstacle: SubmissionRefusal.Cause {
        switch self {
        case .received, .inspecting: .notInspected
        case .awaitingReview: .inspectionOver
        case .changesRequested: .waitingForUploader
        case .published, .rejected, .withdrawn: .final
        }
    }
}
