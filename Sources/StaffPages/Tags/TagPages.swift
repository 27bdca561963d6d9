// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire

/// The tags that authors use, which moderators rename, merge and take off. Each of these is shown first with how much
/// it changes.
struct TagPages: Sendable {
    private static let home = StaffNavigation.Place.tags.rawValue
    private static let tagsShown = 50

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .moderator, list)
        routes.get("\(Self.home)/{tag}", access: .moderator) { try await show($1) }
        routes.get("\(Self.home)/{tag}/rename", access: .moderator, askToRename)
        routes.post("\(Self.home)/{tag}/rename", access: .moderator, rename)
        routes.get("\(Self.home)/{tag}/remove", access: .moderator) { try await ask($1) }
        routes.post("\(Self.home)/{tag}/remove", access: .moderator, remove)
    }

    private var service: TagService { TagService(catalog: features.catalog) }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = try context.requireIdentity()
        let asked = request.query("q") ?? ""
        let found = try await service.list(
            having: asked, PageRequest(cursor: request.query("cursor"), limit: Self.tagsShown))
        let view = TagsView(navigation: StaffNavigation(at: .tags, for: viewer), found, asked: asked)
        return try pages.answer(.tags, view, head: PageHead(title: "Tags", place: .moderation, viewer: viewer))
    }

    private func show(
        _ context: MarketRequestContext, to: String? = nil, problem: FormProblem? = nil
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        let tag = try context.path("tag")
        if let present = try await service.present(of: tag) {
            return FormerNameRedirects.moved(to: "\(Self.home)/\(present)")
        }
        let view = TagView(
            navigation: StaffNavigation(at: .tags, for: viewer), try await service.detail(tag),
            offered: try await service.offered(with: tag), to: to, problem: problem)
        return try pages.answer(
            .tag, view, head: PageHead(title: Phrase(verbatim: tag), place: .moderation, viewer: viewer),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    // MARK: - Renaming

    private func askToRename(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let to = request.query("to") ?? ""
        do {
            return try await ask(
                context, to: try await service.proposed(to, for: try context.path("tag")))
        } catch {
            return try await show(context, to: to, problem: try FormProblem(error))
        }
    }

    private func rename(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let to = try await request.form()["to"] ?? ""
        do {
            let change = try await service.rename(
                try context.path("tag"), to: to, by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther("\(Self.home)/\(change.to ?? "")")
        } catch {
            return try await show(context, to: to, problem: try FormProblem(error))
        }
    }

    // MARK: - Taking off

    private func remove(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        _ = try await service.remove(
            try context.path("tag"), by: try context.requireIdentity(), requestID: context.requestID)
        return .seeOther(Self.home)
    }

    private func ask(
        _ context: MarketRequestContext, to other: (tag: String, templateCount: Int)? = nil
    ) async throws -> Response {
        let view = ChangeTagView(try await service.detail(try context.path("tag")), to: other)
        return try pages.answer(
            .changeTag, view, head: PageHead(title: view.heading, place: .moderation, viewer: context.identity))
    }
}
