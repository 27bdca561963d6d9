// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire

/// Somebody who can say who a person is: an OpenID Connect provider, as the operator set it.
package struct IdentityProvider: Sendable {
    /// How this market proves to the provider that it is its client.
    package enum Secret: Sendable {
        /// It does not; PKCE alone binds the code.
        case none
        case shared(String)
        case apple(AppleClientKey)
    }

    /// How the provider sends people back.
    package enum ResponseMode: String, Sendable, Decodable {
        /// In the address (the usual).
        case query
        /// By a form that the provider's page sends; Apple does.
        case formPost = "form_post"
    }

    /// Its name in addresses.
    package let id: String
    /// Its name on buttons.
    package let name: String
    /// Its issuer identifier, to the letter.
    package let issuer: String
    /// What this market is called there.
    package let clientID: String
    package let secret: Secret
    /// `openid` among them.
    package let scopes: [String]
    let responseMode: ResponseMode
    /// Whether its servers may be in private networks.
    package let isPrivate: Bool

    /// A provider that takes a shared secret, or none.
    package init(
        id: String, name: String, issuer: String, clientID: String, clientSecret: String? = nil,
        scopes: [String] = Self.usualScopes, sendsForms: Bool = false, isPrivate: Bool = false
    ) {
        self.init(
            id: id, name: name, issuer: issuer, clientID: clientID,
            secret: clientSecret.map { .shared($0) } ?? .none, scopes: scopes,
            responseMode: sendsForms ? .formPost : .query, isPrivate: isPrivate)
    }

    package init(
        id: String, name: String, issuer: String, clientID: String, secret: Secret, scopes: [String],
        responseMode: ResponseMode, isPrivate: Bool
    ) {
        self.id = id
        self.name = name
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        self.scopes = scopes
        self.responseMode = responseMode
        self.isPrivate = isPrivate
    }

    /// What is asked for unless the operator says otherwise.
    package static let usualScopes = ["openid", "email", "profile"]
}

/// Prints no secret.
extension IdentityProvider: CustomStringConvertible, CustomDebugStringConvertible {
    /// Its name and issuer.
    package var description: String { "\(id) (\(issuer))" }
    package var debugDescription: String { description }
}

/// The file that names the providers: `{"providers": [{"id", "name", "issuer", "clientID", …}]}`.
package struct ProviderFile {
    private struct Contents: Decodable {
        var providers: [Entry]
    }

    private struct Entry: Decodable {
        struct Apple: Decodable {
            var teamID: String
            var keyID: String
            /// The `.p8` file, from the folder of this file.
            var privateKeyFile: String
        }

        var id: String
        var name: String
        var issuer: String?
        var clientID: String
        var clientSecret: String?
        var clientSecretFile: String?
        var scopes: [String]?
        var responseMode: IdentityProvider.ResponseMode?
        var apple: Apple?
        var allowPrivateNetwork: Bool?
    }

    /// Reads `file`; throws one error with everything that is wrong in it, without any secret.
    package static func read(_ file: URL) throws -> [IdentityProvider] {
        func problem(_ text: String) -> ConfigurationError {
            ConfigurationError(problems: ["SHEETMARKET_SIGN_IN_PROVIDERS (\(file.path)): \(text)"])
        }
        let contents: Contents
        do {
            contents = try JSONDecoder().decode(Contents.self, from: try Data(contentsOf: file))
        } catch let error as DecodingError {
            throw problem("\(error.problem.pointer): \(error.problem.detail)")
        } catch {
            throw problem("it cannot be read")
        }
        var providers: [IdentityProvider] = []
        for entry in contents.providers {
            do {
                providers.append(try provider(entry, beside: file.deletingLastPathComponent()))
            } catch let error as SettingValueError {
                throw problem("'\(entry.id)' \(error.reason)")
            }
        }
        let ids = Set(providers.map(\.id))
        let issuers = Set(providers.map(\.issuer))
        // Accounts are found by issuer and subject: two clients at one issuer would be two doors to one name.
        guard ids.count == providers.count, issuers.count == providers.count else {
            throw problem("two providers have the same id or issuer")
        }
        return providers
    }

    private static func provider(_ entry: Entry, beside folder: URL) throws -> IdentityProvider {
        guard entry.id.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, entry.id.utf8.count <= 32 else {
            throw SettingValueError("should have an id of lower-case letters, digits and hyphens")
        }
        let issuer = entry.issuer ?? (entry.apple == nil ? "" : AppleClientKey.issuer)
        let isLocal = entry.allowPrivateNetwork == true && issuer.hasPrefix("http://")
        guard issuer.hasPrefix("https://") || isLocal, let url = URL(string: issuer), url.host() != nil,
            url.query() == nil, url.fragment() == nil
        else { throw SettingValueError("needs an issuer such as https://accounts.example.org") }
        let scopes = entry.scopes ?? (entry.apple == nil ? IdentityProvider.usualScopes : ["openid", "email"])
        guard scopes.contains("openid") else { throw SettingValueError("needs the scope 'openid'") }
        func text(_ name: String) throws -> String {
            let file = URL(fileURLWithPath: name, relativeTo: folder)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else {
                throw SettingValueError("names a file that cannot be read: \(file.path)")
            }
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        var secret = IdentityProvider.Secret.none
        if let apple = entry.apple {
            secret = .apple(
                try AppleClientKey(
                    teamID: apple.teamID, keyID: apple.keyID, clientID: entry.clientID,
                    privateKey: try text(apple.privateKeyFile)))
        } else if let shared = try entry.clientSecret ?? entry.clientSecretFile.map(text) {
            secret = .shared(shared)
        }
        return IdentityProvider(
            id: entry.id, name: entry.name, issuer: issuer, clientID: entry.clientID, secret: secret, scopes: scopes,
            responseMode: entry.responseMode ?? (entry.apple == nil ? .query : .formPost),
            isPrivate: entry.allowPrivateNetwork ?? false)
    }
}
