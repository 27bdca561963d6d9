// SPDX-License-Identifier: Apache-2.0
import MarketWire

/// What cannot be done with an account.
package enum AccountError: Error, Equatable, Sendable {
    /// Values break the rules; what is wrong with each.
    case invalid([ProblemDocument.Detail])
    /// The handle is somebody's.
    case handleTaken
    /// The e-mail address was proved by another account meanwhile; only who opens its e-mails learns that.
    case emailTaken
    /// Name or password is wrong; which of them is not said.
    case wrongCredentials
    /// The account may not be used.
    case disabled
    /// Too many failed attempts.
    case tooManyAttempts(retryAfterSeconds: Int)
    /// A token cannot make one that may do more than itself.
    case scopesBeyondMaker([TokenScope])
    /// The account has as many tokens as it may.
    case tooManyTokens
    /// A token cannot make one for moderators or administrators.
    case staffTokenNeedsSession
    /// The password is known from leaks of other sites.
    case breachedPassword
    /// The password was right; a code is needed too. The ticket begins the second step, where there is one.
    case secondFactorRequired(ticket: String?)
    /// The role demands a second factor that the account has not.
    case secondFactorEnrolmentRequired
    /// The code is not right.
    case invalidCode
    /// A ticket or link that holds no more.
    case invalidLink
    /// There is a second factor already.
    case secondFactorExists
    /// There is no second factor to do this with.
    case noSecondFactor
    /// The operator set no key to keep a second factor's secret with.
    case cannotSeal
    /// The account has no e-mail address, or it is proved already.
    case nothingToVerify
    /// Too many e-mails were asked for.
    case tooManyEmails(retryAfterSeconds: Int)
    /// No account has this handle.
    case noSuchUser(String)
}
