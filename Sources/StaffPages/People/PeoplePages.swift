// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketAccounts
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import Moderation
import ModerationService
import SheetCore

/// Accounts, and what keeps them from anything.
struct PeoplePages: Sendable {
    private static let rowsShown = 50

    let features: Features
    let pages: WebPages

    private var service: SanctionService { SanctionService(moderation: features.moderation) }

    func register(on routes: APIRoutes) {
        let one = "\(StaffNavigation.Place.people.rawValue)/{handle}"
        routes.get(StaffNavigation.Place.people.rawValue, access: .moderator, list)
        routes.get(one, access: .moderator) { try await page($1) }
        routes.post("\(one)/sanctions", access: .moderator, impose)
        routes.post("\(one)/sanctions/{sanction}/lift", access: .moderator, lift)
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = try context.requireIdentity()
        let beginning = (request.query("q") ?? "").lowercased()
        if !beginning.isEmpty, request.query("sanction") == nil,
            let user = try await AccountStore.user(handle: beginning, in: features.database)
        {
            return .seeOther("\(StaffNavigation.Place.people.rawValue)/\(user.handle)")
        }
        let kind = request.query("sanction").flatMap { PeopleView.kinds.contains($0) ? $0 : nil }
        let found = try await service.people(
            after: request.query("after"), handle: beginning, having: kind, limit: Self.rowsShown + 1)
        let people = Array(found.prefix(Self.rowsShown))
        let view = PeopleView(
            navigation: StaffNavigation(at: .people, for: viewer), asked: beginning, kind: kind, people: people,
            sanctions: try await service.inForce(on: people.map(\.id)), hasMore: found.count > Self.rowsShown,
            now: features.now())
        return try pages.answer(
            .people, view, head: PageHead(title: "People", place: .moderation, viewer: viewer))
    }

    private func page(
        _ context: MarketRequestContext, problem: FormProblem? = nil, form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        let user = try await service.user(try context.path("handle"))
        let sanctions = try await service.list(
            of: user.id, PageRequest(cursor: nil, limit: PageRequest.longest), forModerators: true)
        let view = PersonView(
            navigation: StaffNavigation(at: .people, for: viewer), user, sanctions,
            reasons: features.moderation.reasons.reasons(language: viewer.language?.rawValue ?? ReasonBook.fallback),
            viewer: viewer, problem: problem,
            form: form, now: features.now())
        return try pages.answer(
            .person, view, head: PageHead(title: Phrase(verbatim: user.handle), place: .moderation, viewer: viewer),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func impose(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let handle = try context.path("handle")
        do {
            let kind = form["kind"] ?? ""
            let until = try kind == "suspend" ? form.day("until") : nil
            _ = try await service.impose(
                SanctionRequest(
                    kind: kind, until: until, reasonCode: form["reasonCode"] ?? "", message: form["message"] ?? ""),
                on: handle, by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther("\(StaffNavigation.Place.people.rawValue)/\(handle)")
        } catch {
            return try await page(context, problem: try FormProblem(error), form: form)
        }
    }

    private func lift(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let handle = try context.path("handle")
        guard let id = SanctionID(try context.path("sanction")) else { throw SanctionError.noSuchSanction }
        do {
            try await service.lift(
                id, of: handle, LiftRequest(reason: form["reason"] ?? ""), by: try context.requireIdentity(),
                requestID: context.requestID)
            return .seeOther("\(StaffNavigation.Place.people.rawValue)/\(handle)")
        } catch {
            return try await page(context, problem: try FormProblem(error), form: form)
        }
    }
}
