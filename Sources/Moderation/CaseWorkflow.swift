// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Somebody who works on cases.
public struct Moderator: Hashable, Sendable {
    /// The account.
    public let id: UserID
    /// `moderator` or `administrator`.
    public let role: UserRole

    /// Both parts.
    public init(id: UserID, role: UserRole) {
        self.id = id
        self.role = role
    }

    /// Whether this moderator may work on a case of `uploader`'s. Nobody judges their own upload; administrators may,
    /// since a small market has nobody else, and the audit log says that they did.
    public func mayWork(onUploadsOf uploader: UserID) -> Bool {
        id != uploader || role >= .administrator
    }
}

/// Where a case stands. A claim is a lease: it ends by itself, and then anybody may take the case over.
public enum CaseStatus: Hashable, Sendable {
    /// Waits for a moderator.
    case open
    /// In the hands of a moderator until `until`.
    case claimed(by: UserID, until: Date)
    /// Over.
    case decided

    /// Who holds the case at `now`, if anybody.
    public func holder(at now: Date) -> UserID? {
        if case .claimed(let holder, let until) = self, now < until { return holder }
        return nil
    }
}

/// Why a moderator cannot do that with a case.
public enum CaseRefusal: Error, Hashable, Sendable {
    /// The case is over.
    case decided
    /// Somebody else has it.
    case heldByAnother(UserID, until: Date)
    /// Nobody holds it, or the holder's time is over.
    case notClaimed
    /// It is about the moderator's own upload.
    case ownUpload
    /// The account is no moderator's.
    case noModerator
}

extension CaseStatus {
    /// What a claim did.
    public enum Claim: Hashable, Sendable {
        /// Nobody had the case.
        case taken
        /// The moderator had it already and has it longer now.
        case renewed
        /// The time of another was over.
        case takenOver(from: UserID)
    }

    /// Claims the case for `seconds`: an open one, one's own again, or one whose holder's time is over.
    public func claimed(
        by moderator: Moderator, uploader: UserID, at now: Date, for seconds: TimeInterval
    ) throws(CaseRefusal) -> (status: CaseStatus, claim: Claim) {
        try Self.check(moderator, uploader)
        let status = CaseStatus.claimed(by: moderator.id, until: now.addingTimeInterval(seconds))
        switch self {
        case .decided: throw .decided
        case .open: return (status, .taken)
        case .claimed(moderator.id, _): return (status, .renewed)
        case .claimed(let holder, let until):
            guard now >= until else { throw .heldByAnother(holder, until: until) }
            return (status, .takenOver(from: holder))
        }
    }

    /// Gives the case back: its holder can, and an administrator for anybody.
    public func released(by moderator: Moderator, at now: Date) throws(CaseRefusal) -> CaseStatus {
        switch self {
        case .decided: throw .decided
        case .open: throw .notClaimed
        case .claimed(let holder, let until):
            guard holder == moderator.id || moderator.role >= .administrator else {
                throw now < until ? .heldByAnother(holder, until: until) : .notClaimed
            }
            return .open
        }
    }

    /// Ends the case: only who holds it now can, so that no two ever decide one.
    public func decided(by moderator: Moderator, uploader: UserID, at now: Date) throws(CaseRefusal) -> CaseStatus {
        try Self.check(moderator, uploader)
        switch self {
        case .decided: throw .decided
        case .open: throw .notClaimed
        case .claimed(let holder, let until):
            guard now < until else { throw .notClaimed }
            guard holder == moderator.id else { throw .heldByAnother(holder, until: until) }
            return .decided
        }
    }

    private static func check(_ moderator: Moderator, _ uploader: UserID) throws(CaseRefusal) {
        guard moderator.role >= .moderator else { throw .noModerator }
        guard moderator.mayWork(onUploadsOf: uploader) else { throw .ownUpload }
    }
}
