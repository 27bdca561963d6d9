// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import Logging
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Signing in with providers: the authorization code flow of OpenID Connect with PKCE, where state, nonce and verifier
/// are made of what only this browser and this flow have.
package struct ProviderSignIn: Sendable {
    /// The URL that the browser is redirected to, and the value of its cookie.
    package struct AuthorizationRequest: Sendable {
        package var address: String
        package var browser: SessionSecret
    }

    /// What a provider sent a browser back with.
    package struct CallbackParameters: Sendable {
        package var state: String?
        package var code: String?
        package var error: String?
        /// RFC 9207.
        package var issuer: String?

        package init(state: String? = nil, code: String? = nil, error: String? = nil, issuer: String? = nil) {
            self.state = state
            self.code = code
            self.error = error
            self.issuer = issuer
        }
    }

    /// What came of it.
    package enum CallbackResult: Sendable {
        case signedIn(Account, next: String)
        /// First sign-in: the ticket keeps the identity until a name is chosen.
        case newcomer(SessionSecret)
        /// A second identity: the ticket stands for it until its person agrees to link it.
        case toLink(SessionSecret)
    }

    package let accounts: AccountDependencies

    package init(accounts: AccountDependencies) {
        self.accounts = accounts
    }

    private var database: PostgresClient { accounts.database }

    // MARK: - Going

    /// Begins a sign-in, or a link to the account `linkTo`. `browser` is what the browser's cookie holds already.
    package func begin(
        at id: String, next: String, linkTo: UserID? = nil, browser: SessionSecret?, base: String
    ) async throws -> AuthorizationRequest {
        let connection = try accounts.signIn.connection(id)
        let metadata = try await connection.describe()
        let browser = browser ?? SessionSecret()
        let state = SessionSecret()
        let flow = SignInFlow(
            provider: id, redirectURI: "\(base)/auth/oidc/\(id)/callback", next: next, linkTo: linkTo)
        try await SignInStore.insertFlow(flow, state: state, browser: browser, at: accounts.now(), in: database)
        let provider = connection.provider
        var fields = [
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", flow.redirectURI),
            ("scope", provider.scopes.joined(separator: " ")), ("state", state.text),
            ("nonce", Self.derived("nonce", state, browser)),
            ("code_challenge", Self.challenge(Self.derived("verifier", state, browser))),
            ("code_challenge_method", "S256"),
        ]
        if provider.responseMode == .formPost { fields.append(("response_mode", "form_post")) }
        let separator = metadata.authorizationEndpoint.contains("?") ? "&" : "?"
        return AuthorizationRequest(
            address: metadata.authorizationEndpoint + separator + FormText.encoded(fields), browser: browser)
    }

    /// A value that this flow has in this browser, and nothing else: neither the address bar nor the database knows it.
    package static func derived(_ purpose: String, _ state: SessionSecret, _ browser: SessionSecret) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(purpose):\(state.text)".utf8), using: SymmetricKey(data: Data(browser.text.utf8)))
        return Data(code).base64URL
    }

    /// PKCE's S256 (RFC 7636, section 4.2).
    package static func challenge(_ verifier: String) -> String {
        Data(SHA256.hash(data: Data(verifier.utf8))).base64URL
    }

    // MARK: - Coming back

    /// Ends a sign-in with what the provider sent; `caller` is who is signed in here now.
    package func finish(
        at id: String, _ back: CallbackParameters, browser: SessionSecret?, caller: UserID?, logger: Logger
    ) async throws -> CallbackResult {
        let connection = try accounts.signIn.connection(id)
        guard let browser, let state = back.state.flatMap({ SessionSecret($0) }),
            let flow = try await SignInStore.consumeFlow(
                state: state, browser: browser, provider: id, at: accounts.now(), in: database)
        else { throw ProviderSignInError.unknownFlow }
        do {
            let namesIssuer = try await connection.describe().namesIssuerInAnswers ?? false
            guard back.issuer == nil ? !namesIssuer : back.issuer == connection.provider.issuer else {
                throw ProviderError.mixedUp
            }
            guard let code = back.code else { throw ProviderSignInError.refused(String((back.error ?? "").prefix(80))) }
            let (subject, profile) = try await connection.redeem(
                code: code, verifier: Self.derived("verifier", state, browser), redirectURI: flow.redirectURI,
                nonce: Self.derived("nonce", state, browser))
            return try await resolve(connection.provider.issuer, subject, profile, flow, caller: caller)
        } catch  where error is ProviderError || error is ProviderSignInError {
            logger.info("no sign-in", metadata: ["provider": "\(id)", "reason": "\(error)"])
            throw error
        }
    }

    private func resolve(
        _ issuer: String, _ subject: String, _ profile: IdentityProfile, _ flow: SignInFlow, caller: UserID?
    ) async throws -> CallbackResult {
        let email = profile.email.flatMap { AccountRules.isEmail($0) ? $0 : nil }
        let identity = PendingIdentity(
            issuer: issuer, subject: subject, email: email, isEmailVerified: email != nil && profile.isEmailVerified,
            suggestedName: profile.preferredUsername ?? profile.name, next: flow.next, linkTo: flow.linkTo)
        let ticket = SessionSecret()
        if let linkTo = flow.linkTo {
            guard caller == linkTo else { throw ProviderSignInError.otherPerson }
            try await SignInStore.insertPendingIdentity(identity, ticket: ticket, at: accounts.now(), in: database)
            return .toLink(ticket)
        }
        // By issuer and subject alone: an e-mail address is no proof of being the same person.
        let user = try await SignInStore.recordIdentityUse(
            issuer: issuer, subject: subject, at: accounts.now(), in: database)
        if let user {
            guard let account = try await AccountStore.user(id: user, in: database), account.disabledAt == nil else {
                throw AccountError.disabled
            }
            return .signedIn(account.account, next: flow.next)
        }
        try await SignInStore.insertPendingIdentity(identity, ticket: ticket, at: accounts.now(), in: database)
        return .newcomer(ticket)
    }

    // MARK: - What waits for a word

    /// The identity that a browser's ticket stands for; throws `ProviderSignInError.unknownFlow`.
    package func pendingIdentity(_ ticket: SessionSecret?) async throws -> PendingIdentity {
        guard let ticket,
            let identity = try await SignInStore.pendingIdentity(ticket, at: accounts.now(), in: database)
        else { throw ProviderSignInError.unknownFlow }
        return identity
    }

    /// Makes the account of a newcomer; throws `AccountError` for what the form can mend. An address that the provider
    /// made sure of needs no e-mail.
    package func register(
        _ ticket: SessionSecret?, handle: String, email: String?, displayName: String?, language: String?
    ) async throws -> (account: Account, next: String) {
        // A random placeholder password that nobody knows, so that the other fields can be validated.
        let request = RegisterRequest(
            handle: handle, email: email, password: SecretText.random(43), displayName: displayName)
        let validationErrors = AccountRules.validationErrors(in: request, emailRequired: accounts.limits.emailRequired)
        guard validationErrors.isEmpty else { throw AccountError.invalid(validationErrors) }
        let now = accounts.now()
        return try await database.withTransaction { connection in
            guard let ticket,
                let identity = try await SignInStore.consumePendingIdentity(ticket, at: now, in: connection),
                identity.linkTo == nil
            else { throw ProviderSignInError.unknownFlow }
            let user = UserRecord(
                id: .make(at: now), handle: handle, displayName: displayName ?? handle, email: email,
                language: language, passwordHash: nil, role: .user, createdAt: now)
            try await AccountStore.insert(user, in: connection)
            try await SignInStore.insertIdentity(identity, of: user.id, at: now, in: connection)
            let isVouched = identity.isEmailVerified && identity.email?.lowercased() == email?.lowercased()
            // A provider's claim does not take an address that another account has verified; its holder is told by
            // e-mail.
            if let email, isVouched, try await AccountStore.user(provedEmail: email, in: connection) == nil {
                _ = try await AccountStore.setVerifiedEmail(email, of: user.id, at: now, in: connection)
            } else if email != nil {
                try await Mail.enqueueLink(.verify, to: user.id, in: connection)
            }
            return (user.account, identity.next)
        }
    }

    /// Links the identity of a ticket to the caller's account.
    package func link(_ ticket: SessionSecret?, to caller: UserID) async throws {
        try await database.withTransaction { connection in
            guard let ticket,
                let identity = try await SignInStore.consumePendingIdentity(ticket, at: accounts.now(), in: connection)
            else { throw ProviderSignInError.unknownFlow }
            guard identity.linkTo == caller else { throw ProviderSignInError.otherPerson }
            try await SignInStore.insertIdentity(identity, of: caller, at: accounts.now(), in: connection)
            try await notify(caller, "linked", identity.issuer, connection)
        }
    }

    // MARK: - What there is

    /// The identities of an account.
    package func identities(of user: UserID) async throws -> [LinkedIdentity] {
        try await SignInStore.identities(of: user, in: database).map { record in
            LinkedIdentity(
                id: record.id, provider: accounts.signIn.name(ofIssuer: record.issuer), issuer: record.issuer,
                email: record.email, linkedAt: record.linkedAt, lastUsedAt: record.lastUsedAt)
        }
    }

    /// Takes an identity off the caller's account. The caller was asked to confirm.
    package func unlink(_ id: IdentityID, by caller: Identity) async throws {
        try caller.requireConfirmation(at: accounts.now())
        let isGone = try await database.withTransaction { connection in
            guard
                let issuer = try await SignInStore.deleteIdentity(id, of: caller.userID, in: connection)
            else { return false }
            try await notify(caller.userID, "unlinked", issuer, connection)
            return true
        }
        guard isGone else { throw ProviderSignInError.noSuchIdentity }
    }

    private func notify(
        _ user: UserID, _ change: String, _ issuer: String, _ connection: PostgresConnection
    ) async throws {
        try await Mail.enqueue(
            EmailMessage(
                template: .identityChanged, to: user,
                values: ["provider": accounts.signIn.name(ofIssuer: issuer), "change": change, change: "yes"]),
            in: connection)
    }

    /// The providers, with where signing in begins.
    package func providers(next: String = "/") -> [SignInProvider] {
        accounts.signIn.connections.map { connection in
            SignInProvider(
                id: connection.provider.id, name: connection.provider.name,
                signInURL: PageAddress("/auth/oidc/\(connection.provider.id)").with("next", next == "/" ? nil : next)
                    .text)
        }
    }
}
