// SPDX-License-Identifier: Apache-2.0

/// Why a decision cannot have its effect.
package enum EnforcementError: Error, Equatable, Sendable {
    /// There is no such thing, or a submission that never became a version.
    case noSuchSubject
    case isTakenDown
    case isNotDown
    /// A suspension that is over before it begins.
    case endsInThePast
    /// The sanction is over, was lifted, or never was.
    case isOver
}

/// Why moderators can neither impose nor lift a sanction; `EnforcementError` and `CaseError` have more reasons.
package enum SanctionError: Error, Equatable, Sendable {
    case noSuchAccount
    /// The account has no such sanction.
    case noSuchSanction
    /// Moderators sanction neither themselves nor those of their own role or above.
    case ofOwnRank
    /// A ban needs a case, where a second moderator confirms it.
    case banNeedsCase
    /// A moderator lifts a ban, which administrators do.
    case banIsAdministrators
    case noSuchKind
    /// The end lies in the past, or too far in the future.
    case badEnd
    /// No scope, or unknown ones.
    case badScopes
    case badReasonCode
    /// A text is empty or too long; the pointer names the field.
    case badText(pointer: String)
}
