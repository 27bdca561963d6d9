// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// What can be done with accounts, whoever asks: the API, the web pages, or the operator's command.
public struct AccountService: Sendable {
    private let market: Market
    private let passwords: PasswordHasher
    private let attempts: SignInAttempts

    /// One hasher serves a whole process: it is what bounds how much memory and time sign-ins take.
    public init(market: Market, passwords: PasswordHasher = PasswordHasher()) {
        self.market = market
        self.passwords = passwords
        attempts = SignInAttempts(limit: market.limits.signInFailures)
    }

    private var database: PostgresClient { market.database }

    // MARK: Signing in

    /// Makes an account with a password; throws `AccountError`.
    public func register(_ request: RegisterRequest) async throws -> Account {
        let faults = AccountRules.faults(in: request)
        guard faults.isEmpty else { throw AccountError.invalid(faults) }
        let user = UserRecord(
            id: .make(at: market.now()), handle: request.handle, displayName: request.displayName ?? request.handle,
            email: request.email, passwordHash: try await passwords.hash(request.password), role: .user,
            createdAt: market.now())
        try await AccountStore.insert(user, in: database)
        return user.account
    }

    /// The account whose handle or e-mail address and password these are; throws `AccountError`. An account that does
    /// not exist takes the same time and gives the same answer as a wrong password.
    public func signIn(login: String, password: String, address: String) async throws -> Account {
        let user = try await AccountStore.user(login: login, in: database)
        let attempt = SignInAttempts.Attempt(login: login, user: user?.id, address: address, at: market.now())
        try await attempts.begin(attempt, in: database)
        let check: PasswordHasher.Check
        do {
            let isPossible = password.count <= AccountRules.passwordLengths.upperBound
            check = try await passwords.check(
                isPossible ? password : "", against: isPossible ? user?.passwordHash : nil)
        } catch {
            try await attempts.undecided(attempt, in: database)
            throw error
        }
        guard let user, check.matches else { throw AccountError.wrongCredentials }
        try await attempts.succeeded(attempt, in: database)
        guard user.disabledAt == nil else { throw AccountError.disabled }
        if check.isOutdated, let old = user.passwordHash {
            let hash = try await passwords.hash(password)
            try await AccountStore.updatePasswordHash(hash, replacing: old, of: user.id, in: database)
        }
        if Int.random(in: 0..<64) == 0 { try await sweep() }
        return user.account
    }

    /// The account as its owner sees it.
    public func account(_ id: UserID) async throws -> Account? {
        try await AccountStore.user(id: id, in: database)?.account
    }

    // MARK: Sessions

    /// Keeps a browser signed in; the secret goes into its cookie.
    func makeSession(for user: UserID, userAgent: String?) async throws -> SessionSecret {
        let secret = SessionSecret()
        let now = market.now()
        try await CredentialStore.insertSession(
            .make(at: now), of: user, secret: secret, userAgent: userAgent.map { String($0.prefix(200)) }, at: now,
            until: now.addingTimeInterval(market.limits.sessionSeconds), in: database)
        return secret
    }

    /// Signs a browser out.
    public func endSession(_ id: SessionID) async throws {
        try await CredentialStore.deleteSession(id, in: database)
    }

    // MARK: Tokens

    /// Makes a token for an account. `maker` is the caller's identity when there is one: a token can make none that may
    /// do more, or holds longer, than itself.
    public func makeToken(
        name: String, scopes: [TokenScope], expiresInDays: Int? = nil, for user: UserID, maker: Identity? = nil
    ) async throws -> NewToken {
        let request = TokenRequest(name: name, scopes: scopes, expiresInDays: expiresInDays)
        let faults = AccountRules.faults(in: request)
        guard faults.isEmpty else { throw AccountError.invalid(faults) }
        var makerToken: TokenID?
        if let maker, case .token(let id) = maker.credential {
            let beyond = scopes.filter { !maker.scopes.contains($0) }
            guard beyond.isEmpty else { throw AccountError.scopesBeyondMaker(beyond) }
            makerToken = id
        }
        let secret = TokenSecret()
        let now = market.now()
        let days = Double(expiresInDays ?? AccountRules.defaultTokenDays)
        let unique = TokenScope.all.filter { scopes.contains($0) }
        let info = try await CredentialStore.insertToken(
            .make(at: now), of: user, hash: secret.hash, name: name, scopes: unique, maker: makerToken, at: now,
            until: now.addingTimeInterval(days * 86_400), in: database)
        guard let info else { throw AccountError.tooManyTokens }
        return NewToken(token: secret.text, info: info)
    }

    /// The account's tokens that were not revoked, newest first.
    public func tokens(of user: UserID) async throws -> [TokenInfo] {
        try await CredentialStore.tokens(of: user, in: database)
    }

    /// Revokes a token of the caller's account at once; `false` when it has none such, or one that may do more than the
    /// caller's own.
    public func revokeToken(_ id: TokenID, by identity: Identity) async throws -> Bool {
        var own: TokenID?
        if case .token(let id) = identity.credential { own = id }
        return try await CredentialStore.revokeToken(
            id, of: identity.userID, within: identity.scopes, own: own, at: market.now(), in: database)
    }

    // MARK: The operator's work

    /// The service's own account, which nobody can sign in to: it owns the example sheets.
    @discardableResult
    public func ensureSystemUser(handle: String = "sheetmarket", role: UserRole = .user) async throws -> UserRecord {
        try await AccountStore.upsert(
            UserRecord(
                id: .make(at: market.now()), handle: handle,
                displayName: handle == "sheetmarket" ? "Sheetmarket" : handle,
                email: "\(handle)@accounts.invalid", role: role, createdAt: market.now()),
            in: database)
    }

    /// A token with every scope for the administrator `handle`, whose account is made when there is none: what the
    /// first start writes to `admin-token`.
    public func administratorToken(handle: String = "admin", expiresInDays: Int = 366) async throws -> NewToken {
        let user = try await ensureSystemUser(handle: handle, role: .administrator)
        let token = try await makeToken(
            name: "first start", scopes: TokenScope.all, expiresInDays: expiresInDays, for: user.id)
        try await database.withTransaction { connection in
            _ = try await AuditLog.append(
                connection, actor: .system, action: "token.made", subject: "user:\(user.id)",
                details: ["handle": handle, "token": token.info.id.description], at: market.now())
        }
        return token
    }

    /// Accounts by handle, those after `handle`.
    public func users(after handle: String? = nil, limit: Int = 100) async throws -> [UserRecord] {
        try await AccountStore.users(after: handle, limit: limit, in: database)
    }

    /// Gives an account a role; throws `AccountError.noSuchUser`.
    public func setRole(
        _ role: UserRole, of handle: String, by actor: AuditActor, requestID: String? = nil
    ) async throws {
        try await database.withTransaction { connection in
            guard let user = try await AccountStore.user(handle: handle, in: connection),
                let before = try await AccountStore.setRole(role, handle: handle, in: connection)
            else { throw AccountError.noSuchUser(handle) }
            try await AuditLog.append(
                connection, actor: actor, action: "user.role_changed", subject: "user:\(user.id)",
                details: ["handle": handle, "from": before.rawValue, "to": role.rawValue], requestID: requestID,
                at: market.now())
        }
    }

    /// Disables an account or lets it be used again; throws `AccountError.noSuchUser`.
    public func setDisabled(
        _ isDisabled: Bool, of handle: String, by actor: AuditActor, requestID: String? = nil
    ) async throws {
        try await database.withTransaction { connection in
            guard let user = try await AccountStore.user(handle: handle, in: connection),
                try await AccountStore.setDisabled(isDisabled, handle: handle, at: market.now(), in: connection)
            else { throw AccountError.noSuchUser(handle) }
            try await AuditLog.append(
                connection, actor: actor, action: isDisabled ? "user.disabled" : "user.enabled",
                subject: "user:\(user.id)", details: ["handle": handle], requestID: requestID, at: market.now())
        }
    }

    /// Removes failures, sessions and tokens that no longer count.
    public func sweep() async throws {
        try await SignInAttempts.sweep(at: market.now(), in: database)
        try await CredentialStore.sweep(at: market.now(), in: database)
    }
}
