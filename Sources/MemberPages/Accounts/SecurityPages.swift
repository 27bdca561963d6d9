// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// What guards an account, for people: address, password, second factor, browsers.
struct SecurityPages: Sendable {
    static let home = PagePaths.security
    /// Browsers on a page.
    static let browsersShown = 50

    let features: Features
    let pages: WebPages
    let service: AccountService

    func register(on routes: APIRoutes) {
        let costly = routes.withCost(.signIn)
        routes.get(Self.home, access: .session) { try await page($0, $1) }
        routes.post("\(Self.home)/profile", access: .session, editProfile)
        costly.post("\(Self.home)/password", access: .session, changePassword)
        routes.post("\(Self.home)/email", access: .session, changeEmail)
        routes.post("\(Self.home)/email/verification", access: .session, resendVerification)
        routes.post("\(Self.home)/sessions/end-others", access: .session, endOtherSessions)
        routes.post("\(Self.home)/sessions/{id}/end", access: .session, endSession)
        routes.get("/account/confirm", access: .enrolling, confirmForm)
        costly.post("/account/confirm", access: .enrolling, confirm)
        routes.get("/account/second-factor", access: .enrolling) { try await enrolPage($0, $1) }
        routes.post("/account/second-factor", access: .enrolling, begin)
        routes.post("/account/second-factor/activate", access: .enrolling, activate)
        routes.post("/account/second-factor/recovery-codes", access: .session, renewCodes)
        routes.post("/account/second-factor/off", access: .session, turnOff)
    }

    // MARK: The page

    private func page(
        _ request: Request, _ context: MarketRequestContext, place: SecurityView.Place? = nil,
        problem: FormProblem? = nil
    ) async throws -> Response {
        let (identity, user) = try await caller(context)
        let view = SecurityView(
            user: user, factor: try await service.secondFactor.state(of: user),
            sessions: try await service.sessions(
                of: identity, PageRequest(cursor: request.query("browsers"), limit: Self.browsersShown)),
            isConfirmed: isConfirmed(identity),
            languages: features.accounts.emailTemplates?.languages ?? [], note: SecurityView.Note(context.done),
            place: place, problem: problem, now: features.now())
        return try pages.answer(
            .security, view, head: PageHead(title: "Security", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func editProfile(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            _ = try await service.edit(
                try context.requireIdentity(),
                AccountEdit(displayName: form["displayName"], language: form["language"]))
            return Self.done(.profile)
        } catch {
            return try await page(request, context, place: .profile, problem: try FormProblem(error))
        }
    }

    private func changePassword(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            try await service.changePassword(of: try context.requireIdentity(), to: form["password"] ?? "")
            return Self.done(.password)
        } catch {
            return try await page(request, context, place: .password, problem: try FormProblem(error))
        }
    }

    private func changeEmail(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            try await service.changeEmail(
                of: try context.requireIdentity(), to: form["email"] ?? "", address: context.clientAddress)
            return Self.done(.email)
        } catch {
            return try await page(request, context, place: .email, problem: try FormProblem(error))
        }
    }

    private func resendVerification(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        do {
            try await service.resendVerification(to: try context.requireIdentity(), address: context.clientAddress)
            return Self.done(.email)
        } catch {
            return try await page(request, context, place: .email, problem: try FormProblem(error))
        }
    }

    private func endOtherSessions(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.endOtherSessions(of: try context.requireIdentity())
        return Self.done(.sessions)
    }

    private func endSession(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = SessionID(try context.path("id")),
            try await service.endSession(id, of: try context.requireIdentity())
        else { throw APIError.notFound("This session") }
        return Self.done(.sessions)
    }

    private static func done(_ note: SecurityView.Note) -> Response {
        .seeOther(PageAddress(home).with("done", note.rawValue).text)
    }

    // MARK: Showing that it is you

    private func confirmForm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await confirmPage(context, next: ReturnPath(request.query("next")), problem: nil)
    }

    private func confirm(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let next = ReturnPath(form["next"])
        do {
            try await service.confirm(
                try context.requireIdentity(),
                ConfirmationRequest(password: form["password"], code: form["code"] ?? ""),
                address: context.clientAddress)
            return .seeOther(next.text == "/" ? Self.home : next.text)
        } catch {
            return try await confirmPage(context, next: next, problem: FormProblem(error))
        }
    }

    private func confirmPage(
        _ context: MarketRequestContext, next: ReturnPath, problem: FormProblem?
    ) async throws -> Response {
        let (identity, user) = try await caller(context)
        let view = ConfirmView(
            handle: user.handle, next: next.text, asksForCode: user.hasSecondFactor,
            hasPassword: user.passwordHash != nil, problem: problem?.summary)
        return try pages.answer(
            .confirm, view, head: PageHead(title: "Is it you?", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: The second factor

    private func enrolPage(
        _ request: Request, _ context: MarketRequestContext, problem: FormProblem? = nil
    ) async throws -> Response {
        let (identity, user) = try await caller(context)
        guard !user.hasSecondFactor else { return .seeOther("\(Self.home)#second-factor") }
        let view = EnrolView(
            enrolment: try await service.secondFactor.begun(for: user), isRequired: identity.mustEnrol,
            problem: problem)
        return try pages.answer(
            .enrol, view, head: PageHead(title: "Second factor", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    /// Asked where a page does something else for who has to confirm first.
    private func isConfirmed(_ identity: Identity) -> Bool {
        (try? identity.requireConfirmation(at: features.now())) != nil
    }

    private func begin(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let (identity, user) = try await caller(context)
        guard isConfirmed(identity) else {
            return .seeOther(PageAddress("/account/confirm").with("next", "/account/second-factor").text)
        }
        _ = try await service.secondFactor.begin(for: user)
        return .seeOther("/account/second-factor")
    }

    private func activate(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        // Who has to confirm is sent to do so.
        guard let session = try? identity.requireConfirmation(at: features.now()) else {
            return .seeOther(PageAddress("/account/confirm").with("next", "/account/second-factor").text)
        }
        let form = try await request.form()
        do {
            let codes = try await service.secondFactor.activate(
                form["code"] ?? "", for: identity.userID, keeping: session)
            return try codesPage(codes, identity, isNew: true)
        } catch {
            return try await enrolPage(request, context, problem: FormProblem(error))
        }
    }

    private func renewCodes(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        try identity.requireConfirmation(at: features.now())
        return try codesPage(try await service.secondFactor.renewCodes(of: identity.userID), identity, isNew: false)
    }

    private func turnOff(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        try identity.requireConfirmation(at: features.now())
        try await service.secondFactor.remove(of: identity.userID)
        return Self.done(.factorOff)
    }

    /// Not by a redirect: this answer is the only place where the codes ever stand.
    private func codesPage(_ codes: [String], _ identity: Identity, isNew: Bool) throws -> Response {
        try pages.answer(
            .recoveryCodes, RecoveryCodesView(codes: codes, isNew: isNew),
            head: PageHead(title: "Recovery codes", place: .account, viewer: identity))
    }

    private func caller(_ context: MarketRequestContext) async throws -> (Identity, UserRecord) {
        let identity = try context.requireIdentity()
        guard let user = try await AccountStore.user(id: identity.userID, in: features.database) else {
            throw APIError.authenticationRequired
        }
        return (identity, user)
    }
}
