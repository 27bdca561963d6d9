// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// How one got in: perhaps all the way.
package enum SignInOutcome: Sendable {
    /// What goes into the browser's cookie.
    case signedIn(SessionSecret)
    /// The second factor is awaited; the ticket begins that step.
    case secondFactor(ticket: String)
}

// What comes after the password: the second step, the session, and showing again that it is you.
extension AccountService {
    /// How long the second step may take, in seconds.
    static let ticketSeconds = 600.0
    /// Wrong codes that one ticket takes.
    static let ticketFailures = 5

    // MARK: Signing in

    /// Goes on for somebody who showed who they are by a password, or at another provider: signs the browser in, or
    /// gives a ticket for the second step.
    package func admit(_ account: Account, from device: SignInDevice) async throws -> SignInOutcome {
        guard account.hasSecondFactor == true else {
            return .signedIn(try await makeSession(for: account.id, from: device))
        }
        let ticket = SessionSecret()
        try await SecondFactorStore.insertTicket(
            ticket, of: account.id, until: accounts.now().addingTimeInterval(Self.ticketSeconds), in: database)
        return .secondFactor(ticket: ticket.text)
    }

    /// The second step: signs the browser in. Throws `AccountError.invalidLink` for a ticket that holds no more,
    /// `.invalidCode`, or `.tooManyAttempts`.
    package func finishSignIn(
        ticket: String, code: String, from device: SignInDevice, address: String
    ) async throws -> (account: Account, secret: SessionSecret) {
        guard let ticket = SessionSecret(ticket),
            let id = try await SecondFactorStore.ticket(ticket, at: accounts.now(), in: database)
        else { throw AccountError.invalidLink }
        do {
            try await secondFactor.check(code, of: id, address: address)
        } catch AccountError.invalidCode {
            try await SecondFactorStore.failTicket(ticket, limit: Self.ticketFailures, in: database)
            throw AccountError.invalidCode
        }
        guard try await SecondFactorStore.consumeTicket(ticket, in: database),
            let user = try await AccountStore.user(id: id, in: database)
        else { throw AccountError.invalidLink }
        guard user.disabledAt == nil else { throw AccountError.disabled }
        return (user.account, try await makeSession(for: id, from: device))
    }

    /// What a token that is asked for with a password needs besides: the second factor, where there is one, and one at
    /// all for the scopes of moderators and administrators, where their role demands it.
    func checkSecondFactor(
        of account: Account, code: String?, scopes: [TokenScope], address: String
    ) async throws {
        if account.hasSecondFactor == true {
            guard let code else { throw AccountError.secondFactorRequired(ticket: nil) }
            try await secondFactor.check(code, of: account.id, address: address)
        } else if accounts.limits.staffSecondFactor, account.role >= .moderator, scopes.contains(where: \.isForStaff) {
            throw AccountError.secondFactorEnrolmentRequired
        }
    }

    // MARK: Sessions

    /// Keeps a browser signed in; the secret goes into its cookie. Its holder hears of it when the browser or the
    /// network is a new one.
    package func makeSession(for user: UserID, from device: SignInDevice) async throws -> SessionSecret {
        let secret = SessionSecret()
        let now = accounts.now()
        try await database.withTransaction { connection in
            try await SessionStore.insert(
                .make(at: now), of: user, hash: secret.hash, device: device, at: now,
                until: now.addingTimeInterval(accounts.limits.sessionSeconds), in: connection)
            guard try await SessionStore.recognize(device, of: user, at: now, in: connection) else { return }
            try await Mail.enqueue(
                EmailMessage(
                    template: .signIn, to: user,
                    values: [
                        "device": DeviceName(userAgent: device.userAgent).text, "network": device.network ?? "unknown",
                        "time": DisplayTime(now, now: now).exact.description,
                    ]),
                in: connection)
        }
        return secret
    }

    /// Signs a browser out.
    package func endSession(_ id: SessionID) async throws {
        try await database.withTransaction { _ = try await SessionStore.delete(id, in: $0) }
    }

    /// The caller's sessions.
    package func sessions(of identity: Identity, _ pageRequest: PageRequest) async throws -> SessionList {
        let current = try identity.requireSession()
        // Another browser's list has another beginning.
        let name = "sessions.\(current)"
        let found = try await SessionStore.list(
            of: identity.userID, current: current, after: try pageRequest.timePosition(in: name),
            limit: pageRequest.fetchLimit,
            at: accounts.now(), in: database)
        let page = pageRequest.page(found, of: name) { [Cursor.key($0.createdAt), $0.id.description] }
        return SessionList(sessions: page.rows, nextCursor: page.next)
    }

    /// Signs one of the caller's browsers out; `false` when it has none such.
    package func endSession(_ id: SessionID, of identity: Identity) async throws -> Bool {
        try await database.withTransaction { try await SessionStore.delete(id, of: identity.userID, in: $0) }
    }

    /// Signs all of the caller's other browsers out.
    package func endOtherSessions(of identity: Identity) async throws {
        let session = try identity.requireSession()
        try await database.withTransaction { connection in
            _ = try await SessionStore.deleteAll(of: identity.userID, but: session, in: connection)
        }
    }

    /// Notes that the holder of a session showed again who they are: with the second factor if there is one, else with
    /// the password. Throws `AccountError`.
    package func confirm(_ identity: Identity, _ request: ConfirmationRequest, address: String) async throws {
        let session = try identity.requireSession()
        guard let user = try await AccountStore.user(id: identity.userID, in: database) else {
            throw AccountError.wrongCredentials
        }
        if user.hasSecondFactor {
            guard let code = request.code else { throw AccountError.secondFactorRequired(ticket: nil) }
            try await secondFactor.check(code, of: user.id, address: address)
        } else {
            _ = try await signIn(login: user.handle, password: request.password ?? "", address: address)
        }
        try await database.withTransaction { try await SessionStore.confirm(session, at: accounts.now(), in: $0) }
    }
}
