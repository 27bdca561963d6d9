// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `POST /auth/register`.
public struct RegisterRequest: Sendable, Codable, Equatable {
    /// The public name: 3 to 32 lower-case letters, digits and hyphens.
    public var handle: String
    /// Absent for an account without one, where the market takes such.
    public var email: String?
    /// 10 to 256 characters, and none of those that many use.
    public var password: String
    /// The name that people see; the handle where absent.
    public var displayName: String?

    public init(handle: String, email: String?, password: String, displayName: String? = nil) {
        self.handle = handle
        self.email = email
        self.password = password
        self.displayName = displayName
    }
}

/// `POST /auth/login`.
public struct LoginRequest: Sendable, Codable, Equatable {
    /// Handle, or e-mail address that was proved.
    public var login: String
    /// The password that the account begins with.
    public var password: String

    public init(login: String, password: String) {
        self.login = login
        self.password = password
    }
}

/// `GET /me`, and the answer to registering and signing in.
public struct Account: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: UserID
    /// The account's name in addresses.
    public var handle: String
    /// The name that people see; the handle where absent.
    public var displayName: String
    /// Empty for an account without one.
    public var email: String
    /// What the account may do.
    public var role: UserRole
    /// When it was made.
    public var createdAt: Date
    /// Whether the address was proved to be the holder's; notices go nowhere else.
    public var emailVerified: Bool?
    /// The language of e-mails; absent for the default.
    public var language: String?
    /// Whether signing in asks for a second factor.
    public var hasSecondFactor: Bool?
    /// What keeps the account from anything now; of `GET /me` alone.
    public var sanctions: [SanctionInfo]?

    public init(
        id: UserID, handle: String, displayName: String, email: String, role: UserRole, createdAt: Date,
        emailVerified: Bool? = nil, language: String? = nil, hasSecondFactor: Bool? = nil,
        sanctions: [SanctionInfo]? = nil
    ) {
        self.emailVerified = emailVerified
        self.language = language
        self.hasSecondFactor = hasSecondFactor
        self.sanctions = sanctions
        self.id = id
        self.handle = handle
        self.displayName = displayName
        self.email = email
        self.role = role
        self.createdAt = createdAt
    }
}

/// What a token may be used for. Open: a newer server may know more scopes.
public struct TokenScope: RawRepresentable, Hashable, Sendable, Codable {
    /// `templates:write`, …
    public let rawValue: String

    /// Any scope, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Read what the account may read.
    public static let read = Self(rawValue: "read")
    /// Upload and edit templates.
    public static let templatesWrite = Self(rawValue: "templates:write")
    /// Write reviews, replies and reports, and vote.
    public static let reviewsWrite = Self(rawValue: "reviews:write")
    /// Say where news is sent.
    public static let webhooks = Self(rawValue: "webhooks")
    /// All that the market knows of the person.
    public static let account = Self(rawValue: "account")
    /// Work as a moderator, when the account's role allows it.
    public static let moderation = Self(rawValue: "moderation")
    /// Administer, when the account's role allows it.
    public static let administration = Self(rawValue: "administration")

    /// Whether it is of use to moderators and administrators alone.
    public var isForStaff: Bool { self == .moderation || self == .administration }

    /// All that this version knows.
    public static let all: [TokenScope] = [
        .read, .templatesWrite, .reviewsWrite, .webhooks, .account, .moderation, .administration,
    ]
}

/// `POST /auth/tokens`.
public struct TokenRequest: Sendable, Codable, Equatable {
    /// What the owner calls it.
    public var name: String
    /// What the token may do.
    public var scopes: [TokenScope]
    /// 1 to 366 days; 90 when absent.
    public var expiresInDays: Int?
    /// Handle or proved e-mail address, when nobody is signed in yet: how a program gets its first token.
    public var login: String?
    /// Goes with `login`.
    public var password: String?
    /// Slugs or ids: the token acts on these templates alone; on all when absent.
    public var templates: [String]?
    /// Goes with `password` when the account has a second factor: six digits, or a recovery code.
    public var code: String?

    public init(
        name: String, scopes: [TokenScope], expiresInDays: Int? = nil, login: String? = nil, password: String? = nil,
        code: String? = nil, templates: [String]? = nil
    ) {
        self.code = code
        self.templates = templates
        self.name = name
        self.scopes = scopes
        self.expiresInDays = expiresInDays
        self.login = login
        self.password = password
    }
}

/// A token as its owner's list shows it, without its secret.
public struct TokenInfo: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: TokenID
    /// What people call it.
    public var name: String
    /// What the token may do.
    public var scopes: [TokenScope]
    /// When it was made.
    public var createdAt: Date
    /// When it ends.
    public var expiresAt: Date
    /// When it was used last; `nil` if never.
    public var lastUsedAt: Date?
    /// What the token acts on; absent for one that acts on all that its owner may.
    public var templates: [TokenTemplate]?

    public init(
        id: TokenID, name: String, scopes: [TokenScope], createdAt: Date, expiresAt: Date, lastUsedAt: Date?,
        templates: [TokenTemplate]? = nil
    ) {
        self.templates = templates
        self.id = id
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.lastUsedAt = lastUsedAt
    }
}

/// A template that a token is limited to.
public struct TokenTemplate: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: TemplateID
    /// Its present slug.
    public var slug: String
    /// What people call it.
    public var name: String

    public init(id: TemplateID, slug: String, name: String) {
        self.id = id
        self.slug = slug
        self.name = name
    }
}

/// `POST /auth/tokens/revoke`: for whoever holds a token, its owner or not.
public struct TokenRevocation: Sendable, Codable, Equatable {
    /// The secret; it is shown once.
    public var token: String

    public init(token: String) {
        self.token = token
    }
}

/// The answer to `POST /auth/tokens`: the only time the secret is shown.
public struct NewToken: Sendable, Codable, Equatable {
    /// What goes behind `Authorization: Bearer`.
    public var token: String
    /// What is shown of it from now on.
    public var info: TokenInfo

    public init(token: String, info: TokenInfo) {
        self.token = token
        self.info = info
    }
}

/// `GET /auth/tokens`.
public struct TokenList: Sendable, Codable, Equatable {
    /// The page's tokens.
    public var tokens: [TokenInfo]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(tokens: [TokenInfo], nextCursor: String? = nil) {
        self.tokens = tokens
        self.nextCursor = nextCursor
    }
}
