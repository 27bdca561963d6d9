// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import ModerationService
import SheetCore

/// What moderators decided about a person's works and account, and their appeals. Open to whoever is kept from all
/// else.
package struct AppealPages: Sendable {
    package static let home = PagePaths.appeals
    /// Decisions, sanctions and appeals on a page, of each so many.
    private static let rowsShown = 20

    package let features: Features
    package let pages: WebPages

    package func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .user(.read), list)
        routes.get("\(Self.home)/new", access: .user(.read), show)
        routes.post(Self.home, access: .user(.reviewsWrite), submit)
    }

    private var decisions: OwnDecisionService { OwnDecisionService(moderation: features.moderation) }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        func pageRequest(_ name: String) -> PageRequest {
            PageRequest(cursor: request.query(name), limit: Self.rowsShown, parameter: name)
        }
        let person = identity.userID
        let sanctions = try await SanctionService(moderation: features.moderation).list(
            of: person, pageRequest("sanctions"), forModerators: false)
        let imposing = try await decisions.imposing(sanctions.sanctions.map(\.id), on: person)
        let notices = try await CopyrightService(moderation: features.moderation).notices(
            behind: sanctions.sanctions.map(\.id), on: person)
        let works = try await decisions.works(of: person, pageRequest("decisions"))
        let appeals = try await AppealService(moderation: features.moderation).mine(person, pageRequest("appeals"))
        let view = AppealsView(
            sanctions: sanctions, imposing: imposing, notices: notices, works: works, appeals: appeals,
            isLodged: context.done == "lodged", now: features.now())
        return try pages.answer(
            .appeals, view, head: PageHead(title: "Decisions and appeals", place: .account, viewer: identity))
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await page(context, request.query("case"))
    }

    private func submit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            _ = try await AppealService(moderation: features.moderation).submit(
                AppealRequest(subject: .case, id: form["case"] ?? "", text: form["text"] ?? ""),
                by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther(PageAddress(Self.home).with("done", "lodged").text)
        } catch {
            return try await page(context, form["case"], problem: try FormProblem(error), form: form)
        }
    }

    private func page(
        _ context: MarketRequestContext, _ id: String?, problem: FormProblem? = nil,
        form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        guard let id = id.flatMap({ CaseID($0) }),
            let decision = try await decisions.last(of: id, for: identity.userID)
        else { throw APIError.notFound("This decision") }
        let view = AppealView(decision, problem: problem, form: form, now: features.now())
        return try pages.answer(
            .appeal, view, head: PageHead(title: "Appeal: \(view.about)", place: .account, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}
