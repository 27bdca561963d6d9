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

/// How people propose a game that is not in the list.
struct GameProposalPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(PagePaths.proposeGame, access: .user(.read), show)
        routes.post(PagePaths.proposeGame, access: .user(.reviewsWrite), propose)
    }

    private var service: GameProposalService { GameProposalService(platform: features.platform) }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await page(context, isSent: context.done == "sent")
    }

    private func propose(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            try await service.propose(
                name: form["name"] ?? "", publisher: form["publisher"] ?? "", link: form["link"] ?? "",
                by: try context.requireIdentity().userID)
            return .seeOther(PageAddress(PagePaths.proposeGame).with("done", "sent").text)
        } catch {
            return try await page(context, form: form, problem: try FormProblem(error))
        }
    }

    private func page(
        _ context: MarketRequestContext, isSent: Bool = false, form: QueryParameters = QueryParameters(nil),
        problem: FormProblem? = nil
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let view = GameProposalView(
            try await service.own(identity.userID), isSent: isSent, form: form, problem: problem, now: features.now())
        return try pages.answer(
            .proposeGame, view, head: PageHead(title: "Propose a game", place: .browse, viewer: identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}

struct GameProposalView: Sendable {
    struct Own: Sendable {
        let name: String
        let label: StateLabel
        let made: DisplayTime
        let reason: String?
        /// The form of an upload for it, once it is there.
        let upload: String?
    }

    let isSent: Bool
    let own: [Own]
    let hasOwn: Bool
    let values: [String: String]
    let problem: Phrase?
    let mistakes: [String: Phrase]

    init(_ proposals: [GameProposal], isSent: Bool, form: QueryParameters, problem: FormProblem?, now: Date) {
        self.isSent = isSent
        own = proposals.map { proposal in
            let label =
                switch proposal.state {
                case .open: StateLabel("With the moderators", "wait")
                case .added: StateLabel("Added", "good")
                case .declined: StateLabel("Not added", "quiet")
                }
            return Own(
                name: proposal.name, label: label, made: DisplayTime(proposal.createdAt, now: now),
                reason: proposal.reason.isEmpty ? nil : proposal.reason,
                upload: proposal.gameSystem.map { PageAddress("/upload").with("gameSystem", $0).text })
        }
        hasOwn = !own.isEmpty
        values = ["name", "publisher", "link"].reduce(into: [:]) { $0[$1] = form[$1] ?? "" }
        self.problem = problem?.summary
        mistakes = problem?.mistakes ?? [:]
    }
}
