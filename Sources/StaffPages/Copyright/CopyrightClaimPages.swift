// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import MemberPages
import Moderation
import ModerationService
import SheetCore

/// Copyright notices, and what moderators decide on them.
struct CopyrightClaimPages: Sendable {
    static let home = StaffNavigation.Place.copyright.rawValue
    private static let list = "moderation.copyright.page"
    private static let rowsShown = 50

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .moderator, list)
        routes.get("\(Self.home)/{id}", access: .moderator) { try await page(try Self.id($1), $1) }
        routes.post("\(Self.home)/{id}/decision", access: .moderator, decide)
    }

    private var service: CopyrightService { CopyrightService(moderation: features.moderation) }

    private static func id(_ context: MarketRequestContext) throws(APIError) -> CopyrightNoticeID {
        guard let id = CopyrightNoticeID(try context.path("id")) else { throw .notFound("This notice") }
        return id
    }

    /// Those that wait for a moderator, or what the tab asks for.
    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = try context.requireIdentity()
        let tab = CopyrightTab(request.query("state"))
        let asked = PageRequest(cursor: request.query("cursor"), limit: Self.rowsShown)
        let name = "\(Self.list).\(tab.value)"
        async let counts = service.counts()
        let found = try await service.toldList(
            state: tab.state, before: try asked.timePosition(in: name), limit: asked.fetchLimit, for: viewer)
        let page = asked.page(found, of: name) { [Cursor.key($0.notice.receivedAt), $0.notice.id.description] }
        let view = CopyrightClaimsView(
            navigation: StaffNavigation(at: .copyright, for: viewer), page.rows, at: tab, counts: try await counts,
            next: page.next.map { PageAddress(Self.home).with("state", tab.value).with("cursor", $0).text },
            now: features.now())
        return try pages.answer(
            .copyrightClaims, view, head: PageHead(title: "Copyright notices", place: .moderation, viewer: viewer))
    }

    private func page(
        _ id: CopyrightNoticeID, _ context: MarketRequestContext, problem: FormProblem? = nil,
        form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        let view = CopyrightClaimView(
            navigation: StaffNavigation(at: .copyright, for: viewer), try await service.told(id, for: viewer),
            isDecided: context.done == "decided", problem: problem, form: form, now: features.now())
        return try pages.answer(
            .copyrightClaim, view, head: PageHead(title: "Copyright notice", place: .moderation, viewer: viewer),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func decide(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let id = try Self.id(context)
        let form = try await request.form()
        do {
            _ = try await service.decide(
                id, CopyrightDecisionRequest(decision: form["decision"] ?? "", message: form["message"] ?? ""),
                by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther(PageAddress("\(Self.home)/\(id)").with("done", "decided").text)
        } catch {
            return try await page(id, context, problem: try FormProblem(error), form: form)
        }
    }
}
