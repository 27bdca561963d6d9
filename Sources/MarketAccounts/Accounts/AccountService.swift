// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// What can be done with accounts, whoever asks: the API, the web pages, or the operator's command.
package struct AccountService: Sendable {
    package let accounts: AccountDependencies
    let passwords: PasswordHasher
    package let secondFactor: SecondFactorService
    private let attempts: SignInAttempts

    /// One hasher serves a whole process: it is what bounds how much memory and time sign-ins take.
    package init(accounts: AccountDependencies, passwords: PasswordHasher = PasswordHasher()) {
        self.accounts = accounts
        self.passwords = passwords
        attempts = SignInAttempts(limit: accounts.limits.signInFailures)
        secondFactor = SecondFactorService(accounts: accounts)
    }

    package var database: PostgresClient { accounts.database }

    // MARK: Signing in

    /// Makes an account with a password; throws `AccountError`. An e-mail asks its holder to prove the address. The
    /// answer, and the work, is the same when the address is somebody's: that one is told instead, when the e-mail is
    /// written.
    package func register(_ request: RegisterRequest, language: String? = nil) async throws -> Account {
        var request = request
        // A form that was left empty is none.
        if request.email?.isEmpty == true { request.email = nil }
        let validationErrors = AccountRules.validationErrors(in: request, emailRequired: accounts.limits.emailRequired)
        guard validationErrors.isEmpty else { throw AccountError.invalid(validationErrors) }
        let user = UserRecord(
            id: .make(at: accounts.now()), handle: request.handle, displayName: request.displayName ?? request.handle,
            email: request.email, language: language, passwordHash: try await newHash(of: request.password),
            role: .user, createdAt: accounts.now())
        try await database.withTransaction { connection in
            try await AccountStore.insert(user, in: connection)
            if user.email != nil {
                try await Mail.enqueueLink(.verify, to: user.id, in: connection)
            }
        }
        return user.account
    }

    /// The hash of a password that nobody should be known for; throws `AccountError.breachedPassword`.
    func newHash(of password: String) async throws -> String {
        if try await passwords.isBreached(password, file: accounts.leakedPasswords) {
            throw AccountError.breachedPassword
        }
        return try await passwords.hash(password)
    }

    /// The account whose handle or e-mail address and password these are; throws `AccountError`. An account that does
    /// not exist takes the same time and gives the same answer as a wrong password.
    package func signIn(login: String, password: String, address: String) async throws -> Account {
        let user = try await AccountStore.user(login: login, in: database)
        let attempt = SignInAttempts.Attempt(login: login, address: address, at: accounts.now())
        try await attempts.begin(attempt, in: database)
        let check: PasswordHasher.Check
        do {
            let isPossible = password.count <= AccountRules.passwordLengths.upperBound
            check = try await passwords.check(
                isPossible ? password : "", against: isPossible ? user?.passwordHash : nil)
        } catch {
            try await attempts.discard(attempt, in: database)
            throw error
        }
        guard let user, check.matches else { throw AccountError.wrongCredentials }
        try await attempts.succeeded(attempt, in: database)
        guard user.disabledAt == nil else { throw AccountError.disabled }
        if check.isOutdated, let old = user.passwordHash {
            let hash = try await passwords.hash(password)
            try await AccountStore.updatePasswordHash(hash, replacing: old, of: user.id, in: database)
        }
        if Int.random(in: 0..<64) == 0 { try await deleteExpired() }
        return user.account
    }

    /// The account as its owner sees it.
    package func account(_ id: UserID) async throws -> Account? {
        try await AccountStore.user(id: id, in: database)?.account
    }

    // MARK: Tokens

    /// Makes a token for an account. `maker` is the caller's identity when there is one: a token can make none that may
    /// do more, or holds longer, than itself.
    package func makeToken(
        name: String, scopes: [TokenScope], expiresInDays: Int? = nil, templates: [String]? = nil, for user: UserID,
        maker: Identity? = nil
    ) async throws -> NewToken {
        let request = TokenRequest(name: name, scopes: scopes, expiresInDays: expiresInDays, templates: templates)
        let validationErrors = AccountRules.validationErrors(in: request)
        guard validationErrors.isEmpty else { throw AccountError.invalid(validationErrors) }
        var makerToken: TokenID?
        try Self.check(maker, mayMake: scopes, at: accounts.now())
        if let maker, case .token(let id) = maker.credential {
            // What a limited token has left here is for one request, not to be handed on.
            let beyond = maker.isLimited ? scopes : scopes.filter { !maker.scopes.contains($0) }
            guard beyond.isEmpty else { throw AccountError.scopesBeyondMaker(beyond) }
            makerToken = id
        }
        var limit: [TokenTemplate]?
        if let templates { limit = try await own(templates, of: user) }
        let secret = TokenSecret()
        let now = accounts.now()
        let days = Double(expiresInDays ?? AccountRules.defaultTokenDays)
        let unique = TokenScope.all.filter { scopes.contains($0) }
        // A text of its own for each, in the letter's language.
        let told = unique.map { ($0.rawValue.replacing(":", with: "_"), "yes") }
        let info = try await database.withTransaction { connection in
            let info = try await CredentialStore.insertToken(
                .make(at: now), of: user, hash: secret.hash, name: name, scopes: unique, templates: limit,
                maker: makerToken, at: now, until: now.addingTimeInterval(days * 86_400), in: connection)
            guard let info else { throw AccountError.tooManyTokens }
            try await Mail.enqueue(
                EmailMessage(
                    template: .tokenMade, to: user,
                    values: ["token": name, "scopes": unique.map(\.rawValue).joined(separator: ", ")]
                        .merging(told) { first, _ in first }),
                in: connection)
            return info
        }
        return NewToken(token: secret.text, info: info)
    }

    /// What a caller's own credential lets it make.
    private static func check(_ maker: Identity?, mayMake scopes: [TokenScope], at now: Date) throws {
        guard let maker else { return }
        guard !maker.mustEnrol else { throw AccountError.secondFactorEnrolmentRequired }
        let isForStaff = scopes.contains(where: \.isForStaff)
        guard isForStaff || scopes.contains(.account) else { return }
        guard case .session = maker.credential else {
            // Another that may read the account is no more than the maker itself.
            if isForStaff { throw AccountError.staffTokenNeedsSession }
            return
        }
        try maker.requireConfirmation(at: now)
    }

    /// The templates of these slugs or ids; throws `AccountError.invalid` for those that the person is no author of.
    private func own(_ keys: [String], of user: UserID) async throws -> [TokenTemplate] {
        let found = try await CredentialStore.templates(keys, by: user, in: database)
        let validationErrors = keys.enumerated().compactMap { index, key -> ProblemDocument.Detail? in
            guard !found.contains(where: { $0.slug == key || $0.id == TemplateID(key) }) else { return nil }
            return .init(pointer: "/templates/\(index)", detail: "You are no author of a template of this name.")
        }
        guard validationErrors.isEmpty else { throw AccountError.invalid(validationErrors) }
        return found
    }

    /// The account's tokens that were not revoked, newest first.
    package func tokens(of user: UserID, _ pageRequest: PageRequest) async throws -> TokenList {
        let name = "tokens"
        let found = try await CredentialStore.tokens(
            of: user, before: try pageRequest.timePosition(in: name), limit: pageRequest.fetchLimit, in: database)
        let page = pageRequest.page(found, of: name) { [Cursor.key($0.createdAt), $0.id.description] }
        return TokenList(tokens: page.rows, nextCursor: page.next)
    }

    /// Revokes a token of the caller's account at once; `false` when it has none such, or one that may do more than the
    /// caller's own.
    package func revokeToken(_ id: TokenID, by identity: Identity) async throws -> Bool {
        var own: TokenID?
        if case .token(let id) = identity.credential { own = id }
        // A limited token throws itself away, nothing else.
        if identity.isLimited, id != own { return false }
        return try await database.withTransaction { [own] connection in
            try await CredentialStore.revokeToken(
                id, of: identity.userID, within: identity.scopes, own: own, at: accounts.now(), in: connection)
        }
    }

    // MARK: The operator's work

    /// The service's own account, which nobody can sign in to: it owns the example sheets.
    @discardableResult
    package func ensureSystemUser(handle: String = "sheetmarket", role: UserRole = .user) async throws -> UserRecord {
        try await AccountStore.upsert(
            UserRecord(
                id: .make(at: accounts.now()), handle: handle,
                displayName: handle == "sheetmarket" ? "Sheetmarket" : handle,
                email: "\(handle)@accounts.invalid", role: role, createdAt: accounts.now()),
            in: database)
    }

    /// A token with every scope for the administrator `handle`, whose account is made when there is none: what the
    /// first start writes to `admin-token`.
    package func administratorToken(handle: String = "admin", expiresInDays: Int = 366) async throws -> NewToken {
        let user = try await ensureSystemUser(handle: handle, role: .administrator)
        let token = try await makeToken(
            name: "first start", scopes: TokenScope.all, expiresInDays: expiresInDays, for: user.id)
        try await database.withTransaction { connection in
            _ = try await AuditLog.append(
                connection, actor: .system, action: "token.made", subject: "user:\(user.id)",
                details: ["handle": handle, "token": token.info.id.description], at: accounts.now())
        }
        return token
    }

    /// Accounts by handle, those after `handle`.
    package func users(after handle: String? = nil, limit: Int = 100) async throws -> [UserRecord] {
        try await AccountStore.users(after: handle, limit: limit, in: database)
    }

    /// Gives an account a role; throws `AccountError.noSuchUser`.
    package func setRole(
        _ role: UserRole, of handle: String, by actor: AuditActor, requestID: String? = nil
    ) async throws {
        try await database.withTransaction { connection in
            guard let user = try await AccountStore.user(handle: handle, in: connection),
                let before = try await AccountStore.setRole(role, handle: handle, in: connection)
            else { throw AccountError.noSuchUser(handle) }
            // A token that was made before gains nothing by the role where that needs a second factor.
            if role > before, accounts.limits.staffSecondFactor {
                try await CredentialStore.removeStaffScopes(of: user.id, in: connection)
            }
            try await AuditLog.append(
                connection, actor: actor, action: "user.role_changed", subject: "user:\(user.id)",
                details: ["handle": handle, "from": before.rawValue, "to": role.rawValue], requestID: requestID,
                at: accounts.now())
        }
    }

    /// Disables an account or lets it be used again; throws `AccountError.noSuchUser`.
    package func setDisabled(
        _ isDisabled: Bool, of handle: String, by actor: AuditActor, requestID: String? = nil
    ) async throws {
        try await database.withTransaction { connection in
            guard let user = try await AccountStore.user(handle: handle, in: connection),
                try await AccountStore.setDisabled(isDisabled, handle: handle, at: accounts.now(), in: connection)
            else { throw AccountError.noSuchUser(handle) }
            try await AuditLog.append(
                connection, actor: actor, action: isDisabled ? "user.disabled" : "user.enabled",
                subject: "user:\(user.id)", details: ["handle": handle], requestID: requestID, at: accounts.now())
        }
    }

    /// Takes an account's second factor away, for somebody who lost it, and signs all its browsers out; throws
    /// `AccountError.noSuchUser` or `.noSecondFactor`.
    package func resetSecondFactor(of handle: String, by actor: AuditActor, requestID: String? = nil) async throws {
        try await database.withTransaction { connection in
            guard let user = try await AccountStore.user(handle: handle, in: connection) else {
                throw AccountError.noSuchUser(handle)
            }
            guard try await SecondFactorStore.delete(of: user.id, in: connection) else {
                throw AccountError.noSecondFactor
            }
            try await SessionStore.deleteAll(of: user.id, but: nil, in: connection)
            try await Mail.enqueue(
                EmailMessage(
                    template: .secondFactorChanged, to: user.id, values: ["reset": "yes"]),
                in: connection)
            try await AuditLog.append(
                connection, actor: actor, action: "user.second_factor_reset", subject: "user:\(user.id)",
                details: ["handle": handle], requestID: requestID, at: accounts.now())
        }
    }

    /// Removes failures, sessions and tokens that no longer count.
    package func deleteExpired() async throws {
        try await SignInAttempts.deleteExpired(at: accounts.now(), in: database)
        try await SessionStore.deleteExpired(at: accounts.now(), in: database)
        try await CredentialStore.deleteExpired(at: accounts.now(), in: database)
    }
}

extension Account {
    /// What its holder can edit, for `Precondition`. Two states are the same when everything in them is.
    var editState: String {
        EntityTag.state([id.description, displayName, language ?? ""])
    }
}
