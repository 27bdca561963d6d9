// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketPlatform
import MarketWire
import SheetCore

/// Who is calling, as their session or token says.
package struct Identity: Sendable, Equatable {
    /// What the caller showed.
    package enum Credential: Sendable, Equatable {
        /// A browser's cookie.
        case session(SessionID)
        /// A program's token.
        case token(TokenID)
    }

    package let userID: UserID
    /// Its public name.
    package let handle: String
    /// What the account may do.
    package let role: UserRole
    /// What the caller showed.
    package let credential: Credential
    /// What this credential may be used for; a session carries every scope.
    package let scopes: Set<TokenScope>
    /// Whether the token is for named templates only, and `scopes` what is left of its scopes for this request.
    package let isLimited: Bool
    /// When the holder last showed password or second factor in this session; `nil` for a token.
    package let confirmedAt: Date?
    /// Whether the account lacks the second factor that its role demands: `role` is then no more than `user`, all that
    /// a session may do is to set one up, and a token has no staff's scope.
    package let mustEnrol: Bool
    /// The language that the account says it reads; on a request, the one in which pages answer.
    package var language: PageLanguage?

    package init(
        userID: UserID, handle: String, role: UserRole, credential: Credential, scopes: Set<TokenScope>,
        isLimited: Bool = false, confirmedAt: Date? = nil, mustEnrol: Bool = false, language: PageLanguage? = nil
    ) {
        self.language = language
        self.isLimited = isLimited
        self.confirmedAt = confirmedAt
        self.mustEnrol = mustEnrol
        self.userID = userID
        self.handle = handle
        self.role = role
        self.credential = credential
        self.scopes = scopes
    }
}

/// Who may call a route; every route states one.
package enum Access: Sendable, Equatable {
    /// No authentication: credentials are not even read. For responses that are the same for everyone.
    case withoutAuthentication
    /// Authentication is optional, but a credential that is sent must be valid.
    case optionalAuthentication
    /// Those who can prove a right that is in the address itself, such as a signed download.
    case signedAddress
    /// Signed-in callers; a token needs the scope.
    case user(TokenScope)
    /// Callers with a browser session; tokens are refused.
    case session
    /// The same, also for those of whom nothing else is taken before they have set up a second factor.
    case enrolling
    /// Moderators and administrators; a token needs `moderation`.
    case moderator
    /// Administrators; a token needs `administration`.
    case administrator

    /// The scope that a token needs.
    package var scope: TokenScope? {
        switch self {
        case .withoutAuthentication, .optionalAuthentication, .signedAddress, .session, .enrolling: nil
        case .user(let scope): scope
        case .moderator: .moderation
        case .administrator: .administration
        }
    }

    /// The lowest role that may call.
    package var role: UserRole {
        switch self {
        case .withoutAuthentication, .optionalAuthentication, .signedAddress, .user, .session, .enrolling: .user
        case .moderator: .moderator
        case .administrator: .administrator
        }
    }

    /// Throws unless `identity` may call.
    package func check(_ identity: Identity?) throws(APIError) {
        let needsSession = self == .session || self == .enrolling
        guard needsSession || scope != nil else { return }
        guard let identity else { throw .authenticationRequired }
        if identity.mustEnrol, self != .enrolling, identity.isOfSession || role > .user {
            throw .secondFactorEnrolmentRequired
        }
        if needsSession { _ = try identity.requireSession() }
        guard let scope else { return }
        guard identity.role >= role else {
            throw APIError(
                .forbidden, .forbidden, "This needs the role '\(role.rawValue)'; you are '\(identity.role.rawValue)'.")
        }
        guard identity.scopes.contains(scope) else {
            if identity.isLimited {
                throw APIError(
                    .forbidden, .insufficientScope,
                    "This token is for named templates only, and not for this, or it lacks the scope "
                        + "'\(scope.rawValue)'.")
            }
            throw APIError(
                .forbidden, .insufficientScope,
                "This token lacks the scope '\(scope.rawValue)'. Make one that has it under your account's tokens.")
        }
    }
}

extension Identity {
    /// Whether it acts as a moderator: the role alone does not make a token one.
    package var moderates: Bool { role >= .moderator && scopes.contains(.moderation) }

    /// What is left to an account that lacks the second factor its role demands. Its programs go on as a user's: only a
    /// browser can set one up.
    package var lackingSecondFactor: Identity {
        let kept: Set<TokenScope> = isOfSession ? [] : scopes.filter { !$0.isForStaff }
        return Identity(
            userID: userID, handle: handle, role: .user, credential: credential, scopes: kept, isLimited: isLimited,
            confirmedAt: confirmedAt, mustEnrol: true, language: language)
    }

    fileprivate var isOfSession: Bool { if case .session = credential { true } else { false } }

    /// How long a confirmation holds, in seconds.
    static let confirmationSeconds = 600.0

    /// The session; throws `forbidden` for a token.
    package func requireSession() throws(APIError) -> SessionID {
        guard case .session(let id) = credential else {
            throw APIError(
                .forbidden, .forbidden, "No token can do this: sign in with a browser, under your account's security.")
        }
        return id
    }

    /// For sensitive acts: throws `confirmation_required` unless the holder showed password or second factor in this
    /// session just now, and `forbidden` for a token.
    @discardableResult
    package func requireConfirmation(at now: Date) throws(APIError) -> SessionID {
        let id = try requireSession()
        guard let confirmedAt, now.timeIntervalSince(confirmedAt) < Self.confirmationSeconds else {
            throw APIError(
                .forbidden, .confirmationRequired,
                "Show that it is you: POST /api/v1/auth/confirm, or the page /account/confirm, then do this again.")
        }
        return id
    }
}

extension APIError {
    /// `403` for a moderator or administrator without a second factor, where they need one.
    package static var secondFactorEnrolmentRequired: APIError {
        APIError(
            .forbidden, .secondFactorEnrolmentRequired,
            "Your role needs a second factor: set one up under your account's security first.")
    }
}
