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
    public var providers: [SignInProvider]

    public init(providers: [SignInProvider]) {
        self.providers = providers
    }
}

/// An identity at a provider that the account can be entered with.
public struct LinkedIdentity: Sendable, Codable, Equatable {
    public var id: IdentityID
    /// The provider's name for people.
    public var provider: String
    /// The provider's issuer identifier.
    public var issuer: String
    /// The e-mail address that the provider told when it was linked.
    public var email: String?
    public var linkedAt: Date
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
    public var identities: [LinkedIdentity]

    public init(identities: [LinkedIdentity]) {
        self.identities = identities
    }
}
