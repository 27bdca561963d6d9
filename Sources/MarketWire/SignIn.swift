// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Somebody at whom people can sign in.
public struct SignInProvider: Sendable, Codable, Equatable {
    /// Its name in addresses.
    public var id: String
    /// Its name for people.
    public var name: String
    /// Where a browser begins.
    public var signInURL: String

    public init(id: String, name: String, signInURL: String) {
        self.id = id
        self.name = name
        self.signInURL = signInURL
    }
}

/// `GET /auth/providers`.
public struct SignInProviderList: Sendable, Codable, Equatable {
    /// The providers that are set up here.
    public var providers: [SignInProvider]

    public init(providers: [SignInProvider]) {
        self.providers = providers
    }
}

/// An identity at a provider that the account can be entered with.
public struct LinkedIdentity: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: IdentityID
    /// The provider's name for people.
    public var provider: String
    /// The provider's issuer identifier.
    public var issuer: String
    /// The e-mail address that the provider told when it was linked.
    public var email: String?
    /// When it was linked.
    public var linkedAt: Date
    /// When it was used last; `nil` if never.
    public var lastUsedAt: Date?

    public init(
        id: IdentityID, provider: String, issuer: String, email: String?, linkedAt: Date, lastUsedAt: Date?
    ) {
        self.id = id
        self.provider = provider
        self.issuer = issuer
        self.email = email
        self.linkedAt = linkedAt
        self.lastUsedAt = lastUsedAt
    }
}

/// `GET /me/identities`.
public struct LinkedIdentityList: Sendable, Codable, Equatable {
    /// The page's linked identities.
    public var identities: [LinkedIdentity]

    public init(identities: [LinkedIdentity]) {
        self.identities = identities
    }
}
