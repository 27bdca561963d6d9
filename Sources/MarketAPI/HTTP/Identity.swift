// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

/// Who is calling, as their session or token says.
public struct Identity: Sendable, Equatable {
    /// What the caller showed.
    public enum Credential: Sendable, Equatable {
        /// A browser's cookie.
        case session(SessionID)
        /// A program's token.
        case token(TokenID)
    }

    /// The account.
    public let userID: UserID
    /// Its public name.
    public let handle: String
    /// What the account may do.
    public let role: UserRole
    /// What the caller showed.
    public let credential: Credential
    /// What this credential may be used for; a session carries every scope.
    public let scopes: Set<TokenScope>

    /// All parts.
    public init(
        userID: UserID, handle: String, role: UserRole, credential: Credential, scopes: Set<TokenScope>
    ) {
        self.userID = userID
        self.handle = handle
        self.role = role
        self.credential = credential
        self.scopes = scopes
    }
}

/// Who may call a route; every route states one.
public enum Access: Sendable, Equatable {
    /// Everybody, without being asked who they are: files that are the same for all.
    case everybody
    /// Everybody. A credential that is shown must still be a good one.
    case anyone
    /// Those who can prove a right that is in the address itself, such as a signed download.
    case signedAddress
    /// Whoever is signed in; a token needs the scope.
    case user(TokenScope)
    /// Moderators and administrators; a token needs `moderation`.
    case moderator
    /// Administrators; a token needs `administration`.
    case administrator

    /// The scope that a token needs.
    var scope: TokenScope? {
        switch self {
        case .everybody, .anyone, .signedAddress: nil
        case .user(let scope): scope
        case .moderator: .moderation
        case .administrator: .administration
        }
    }

    /// The lowest role that may call.
    var role: UserRole {
        switch self {
        case .everybody, .anyone, .signedAddress, .user: .user
        case .moderator: .moderator
        case .administrator: .administrator
        }
    }

    /// Throws unless `identity` may call.
    func check(_ identity: Identity?) throws(APIError) {
        guard let scope else { return }
        guard let identity else { throw .authenticationRequired }
        guard identity.role >= role else {
            throw APIError(
                .forbidden, .forbidden, "This needs the role '\(role.rawValue)'; you are '\(identity.role.rawValue)'.")
        }
        guard identity.scopes.contains(scope) else {
            throw APIError(
                .forbidden, .insufficientScope,
                "This token lacks the scope '\(scope.rawValue)'. Make one that has it under your account's tokens.")
        }
    }
}
