// SPDX-License-Identifier: Apache-2.0

/// Where an upload stands on its way to becoming a version (blueprint, section 5).
public enum SubmissionState: String, Sendable, Codable, CaseIterable {
    /// Stored; no reader has looked at it yet.
    case received
    /// A reader takes it apart, and what it found is checked.
    case inspecting
    /// Nothing refuses it by itself: a moderator decides.
    case awaitingReview = "awaiting_review"
    /// It became a version.
    case published
    /// By the inspection or by a moderator; the reasons stand in its findings or in the decision.
    case rejected
    /// A moderator wants it mended; what the uploader sends then is inspected anew.
    case changesRequested = "changes_requested"
    /// By the uploader, before anything was decided.
    case withdrawn

    /// Whether nothing more can happen to the submission.
    public var isFinal: Bool {
        switch self {
        case .published, .rejected, .withdrawn: true
        case .received, .inspecting, .awaitingReview, .changesRequested: false
        }
    }

    /// Whether it has been inspected and people have the next word: a moderator, or the uploader who is to mend it.
    public var isUnderReview: Bool {
        switch self {
        case .awaitingReview, .changesRequested: true
        case .received, .inspecting, .published, .rejected, .withdrawn: false
        }
    }
}

/// Whether a version is offered.
public enum VersionState: String, Sendable, Codable, CaseIterable {
    /// Offered, and `latest` when it is the highest.
    case published
    /// Downloadable by its exact number, never offered as latest.
    case yanked
    /// Gone, by a moderator's decision.
    case takenDown = "taken_down"
}

/// To whom a version is offered.
public enum ReleaseChannel: String, Sendable, Codable, CaseIterable {
    /// To everybody.
    case stable
    /// To those who take previews as well; pre-releases are always here.
    case beta
}

/// Who withdrew a version.
public enum Withdrawer: String, Sendable, Codable, CaseIterable {
    /// One of its authors, who can put it back.
    case author
    /// An administrator of the market; only an administrator can put it back.
    case administrator
}

/// What an account may do; each may do what the one before may.
public enum UserRole: String, Sendable, Codable, CaseIterable, Comparable {
    /// Uploads, reviews and reports; what a new account is.
    case user
    /// Decides cases, and sees what is not public.
    case moderator
    /// Runs the market, and gives others their roles.
    case administrator

    /// From `user` to `administrator`.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .user: 0
        case .moderator: 1
        case .administrator: 2
        }
    }
}
