// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    private static var me: String { "\(Paths.base)/me" }
    private static var auth: String { "\(Paths.base)/auth" }

    // MARK: Signing in

    /// The providers that people can sign in with.
    public func signInProviders() async throws -> [SignInProvider] {
        try await requests.json(.get("\(Self.auth)/providers"), as: SignInProviderList.self).providers
    }

    /// Ends a sign-in with the code of the second factor.
    public func finishSignIn(_ code: SecondFactorRequest) async throws -> Account {
        try await requests.json(try .send(.post, "\(Self.auth)/second-factor", code))
    }

    /// Proves once more who is there, before something that matters.
    public func confirmSession(_ proof: ConfirmationRequest) async throws {
        try await requests.discard(try .send(.post, "\(Self.auth)/confirm", proof))
    }

    /// Proves an e-mail address by the code that was sent to it.
    public func verifyEmail(_ proof: EmailVerification) async throws {
        try await requests.discard(try .send(.post, "\(Self.auth)/verify-email", proof))
    }

    /// Has an e-mail sent that leads to a new password, if there is such an account.
    public func forgotPassword(_ request: PasswordResetRequest) async throws {
        try await requests.discard(try .send(.post, "\(Self.auth)/forgot-password", request))
    }

    /// Sets the password by the code of that e-mail.
    public func resetPassword(_ reset: PasswordReset) async throws {
        try await requests.discard(try .send(.post, "\(Self.auth)/reset-password", reset))
    }

    /// Makes a token worthless that somebody found lying about.
    public func revokeLeakedToken(_ found: TokenRevocation) async throws {
        try await requests.discard(try .send(.post, "\(Self.auth)/tokens/revoke", found, repeatable: true))
    }

    // MARK: The account

    /// Changes what the account says of itself.
    public func editAccount(_ edit: AccountEdit) async throws -> Account {
        try await requests.json(try .send(.patch, Self.me, edit))
    }

    /// Sets another password.
    public func changePassword(_ change: PasswordChange) async throws {
        try await requests.discard(try .send(.put, "\(Self.me)/password", change))
    }

    /// Asks for another address; it counts once it was proved.
    public func changeEmail(_ change: EmailChange) async throws {
        try await requests.discard(try .send(.put, "\(Self.me)/email", change))
    }

    /// Has the e-mail that proves the address sent again.
    public func resendVerification() async throws {
        try await requests.discard(try .send(.post, "\(Self.me)/email/verification"))
    }

    /// Where the account is signed in.
    public func sessions(limit: Int? = nil) -> CursorSequence<SessionInfo> {
        entries("\(Self.me)/sessions", limit: limit, as: SessionList.self) { ($0.sessions, $0.nextCursor) }
    }

    /// Signs out whoever uses that session, wherever that is.
    public func endSession(_ id: SessionID) async throws {
        try await requests.discard(try .send(.delete, "\(Self.me)/sessions/\(id)", repeatable: true))
    }

    /// Ends all sessions but the one that asks.
    public func endOtherSessions() async throws {
        try await requests.discard(try .send(.delete, "\(Self.me)/sessions", repeatable: true))
    }

    /// The identities at providers that the account can be entered with.
    public func identities() async throws -> [LinkedIdentity] {
        try await requests.json(.get("\(Self.me)/identities"), as: LinkedIdentityList.self).identities
    }

    /// Takes an identity off the account.
    public func unlinkIdentity(_ id: IdentityID) async throws {
        try await requests.discard(try .send(.delete, "\(Self.me)/identities/\(id)", repeatable: true))
    }

    // MARK: The second factor

    /// Whether a second factor is on.
    public func secondFactor() async throws -> SecondFactorState {
        try await requests.json(.get("\(Self.me)/second-factor"))
    }

    /// Begins one: what an authenticator app is told.
    public func beginSecondFactor() async throws -> SecondFactorEnrolment {
        try await requests.json(try .send(.post, "\(Self.me)/second-factor"))
    }

    /// Turns it on by its first code, and gives the recovery codes.
    public func activateSecondFactor(_ code: SecondFactorCode) async throws -> RecoveryCodes {
        try await requests.json(try .send(.post, "\(Self.me)/second-factor/activate", code))
    }

    /// Makes new recovery codes; the earlier ones are worthless.
    public func renewRecoveryCodes() async throws -> RecoveryCodes {
        try await requests.json(try .send(.post, "\(Self.me)/second-factor/recovery-codes"))
    }

    /// Turns it off.
    public func removeSecondFactor() async throws {
        try await requests.discard(try .send(.delete, "\(Self.me)/second-factor", repeatable: true))
    }
}
