// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// The page on which a person takes their data along, or has it erased.
struct PrivacyPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/account/privacy", access: .session, show)
        routes.get("/account/privacy/export", access: .session, export)
        routes.post("/account/privacy/erase", access: .session, erase)
        routes.post("/account/privacy/keep", access: .session, keep)
    }

    /// What can be done here is asked for by links and forms that need a confirmation, so it is asked for first.
    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let identity = try context.requireIdentity()
        try identity.requireConfirmation(at: features.now())
        let view = PrivacyView(
            status: try await Erasure(community: features.community).status(of: identity.userID),
            graceSeconds: features.community.limits.erasureGraceSeconds, now: features.now())
        return try pages.answer(
            .privacy, view, head: PageHead(title: "Your data", place: .account, viewer: identity))
    }

    private func export(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await PersonalExportAnswer(community: features.community).answer(to: try context.requireIdentity())
    }

    private func erase(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let status = try await Erasure(community: features.community).schedule(
            by: try context.requireIdentity(),
            templates: form["templates"].flatMap { TemplatesAfterErasure(rawValue: $0) } ?? .leave)
        return .seeOther(status.eraseAt > features.now() ? "/account/privacy" : "/")
    }

    private func keep(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        _ = try await Erasure(community: features.community).cancel(try context.requireIdentity().userID)
        return .seeOther("/account/privacy")
    }
}

/// What the page on a person's data shows.
struct PrivacyView: Sendable {
    struct Wish: Sendable {
        let at: DisplayTime
        let isWithdrawn: Bool
    }

    let wish: Wish?
    let hasWish: Bool
    let grace: Phrase

    init(status: ErasureStatus?, graceSeconds: Double, now: Date) {
        wish = status.map { Wish(at: DisplayTime($0.eraseAt, now: now), isWithdrawn: $0.templates == .withdraw) }
        hasWish = status != nil
        let days = Int((graceSeconds / 86_400).rounded(.up))
        grace =
            switch days {
            case 0: "It happens at once."
            default: "You can take it back for \(DisplayText.count(days, "day"))."
            }
    }
}
