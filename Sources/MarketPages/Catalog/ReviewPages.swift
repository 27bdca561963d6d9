// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketWire
import SheetCore

/// What the forms beside reviews do; each leads back to the sheet's page.
struct ReviewPages: Sendable {
    let features: Features

    func register(on routes: APIRoutes) {
        routes.post("/sheets/{id}/review", access: .user(.reviewsWrite), review)
        routes.post("/sheets/{id}/review/delete", access: .user(.reviewsWrite), delete)
        routes.post("/reviews/{id}/vote", access: .user(.reviewsWrite), vote)
        routes.post("/reviews/{id}/reply", access: .user(.reviewsWrite), reply)
        routes.post("/reviews/{id}/reply/delete", access: .user(.reviewsWrite), deleteReply)
    }

    private var service: ReviewService { ReviewService(platform: features.platform) }

    private func review(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let wish = ReviewRequest(stars: form["stars"].flatMap { Int($0) } ?? 0, text: form["text"])
        _ = try await service.put(wish, of: try context.template, by: try context.requireIdentity())
        return Self.back(to: try context.path("id"))
    }

    private func delete(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.delete(of: try context.template, by: try context.requireIdentity())
        return Self.back(to: try context.path("id"))
    }

    private func vote(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let isHelpful: Bool? =
            switch form["helpful"] {
            case "yes": true
            case "no": false
            default: nil
            }
        _ = try await service.vote(isHelpful, on: try context.review, by: try context.requireIdentity())
        return Self.back(to: form["sheet"])
    }

    private func reply(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let wish = ReplyRequest(text: form["text"] ?? "")
        _ = try await service.reply(wish, to: try context.review, by: try context.requireIdentity())
        return Self.back(to: form["sheet"])
    }

    private func deleteReply(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        try await service.deleteReply(
            to: try context.review, by: try context.requireIdentity(), requestID: context.requestID)
        return Self.back(to: form["sheet"])
    }

    /// To the sheet's page, or home where `sheet` names none: a form cannot send anybody elsewhere.
    private static func back(to sheet: String?) -> Response {
        guard let sheet, let key = try? TemplateKey(sheet) else { return .seeOther("/") }
        let name =
            switch key {
            case .id(let id): id.description
            case .slug(let slug): slug.text
            }
        return .seeOther(PagePaths.sheet(name) + "#reviews")
    }
}
