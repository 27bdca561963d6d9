// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketSearch
import MarketWire
import MemberPages
import Moderation
import ModerationService
import SheetCore

/// The queue as a page, and the way to the next case.
struct QueuePages: Sendable {
    private static let shown = 50

    let features: Features
    let pages: WebPages
    let service: CaseService

    func register(on routes: APIRoutes) {
        routes.get("/moderation", access: .moderator, show)
        routes.post("/moderation/next", access: .moderator, next)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        let asked = try QueueQuery(request)
        let filter = asked.filter(for: identity)
        let overview = QueueOverview(moderation: features.moderation)
        async let systems = CatalogStore.gameSystems(features.database)
        async let staff = MarketStateStore.staff(features.database)
        async let counts = overview.counts(filter, for: identity)
        let list = try await overview.cases(
            filter, PageRequest(cursor: request.query("cursor"), limit: Self.shown))
        let view = QueueView(
            list, navigation: StaffNavigation(at: .queue, for: identity), asked: asked, counts: try await counts,
            unanswered: try await overview.unanswered(list.cases),
            systems: try await systems, viewer: identity.handle, isNothingLeft: context.done == "none",
            isAlone: try await staff < 2, now: features.now())
        var head = PageHead(title: "Review queue", place: .moderation, viewer: identity, scripts: ["shortcuts.js"])
        head.hint = VisitHint.queue.unlessClosed(request, features.platform)
        return try pages.answer(.queue, view, head: head)
    }

    /// Claims the most urgent case and leads to it.
    private func next(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let kind = try await request.form()["kind"].flatMap { CaseKind(rawValue: $0) }
        let found = try await service.next(
            kind: kind, by: try context.requireIdentity(), requestID: context.requestID)
        guard let found else {
            return .seeOther(PageAddress(StaffNavigation.Place.queue.rawValue).with("done", "none").text)
        }
        return .seeOther("\(StaffNavigation.Place.queue.rawValue)/cases/\(found.id)")
    }
}
