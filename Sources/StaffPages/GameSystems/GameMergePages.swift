// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire

/// Merging a game into another: first how much moves, then the act.
struct GameMergePages: Sendable {
    private static let home = StaffNavigation.Place.games.rawValue

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("\(Self.home)/{slug}/merge", access: .moderator) { try await show($1, into: $0.query("into")) }
        routes.post("\(Self.home)/{slug}/merge", access: .moderator, merge)
    }

    private var service: GameSystemService { GameSystemService(platform: features.platform) }

    private func show(
        _ context: MarketRequestContext, into: String?, problem: FormProblem? = nil
    ) async throws -> Response {
        let uses = try await service.uses(of: try context.path("slug"))
        // Sent without a choice, as only a browser does that does not heed what is required.
        if into == nil, problem == nil { return .seeOther("\(Self.home)/\(uses.slug)?merge=unchosen#merge") }
        let other = try await service.uses(of: into ?? "")
        let view = MergeGameView(uses, into: other, problem: problem)
        return try pages.answer(
            .mergeGame, view,
            head: PageHead(
                title: "Merge \(uses.name) into \(other.name)?", place: .moderation, viewer: context.identity),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func merge(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let into = try await request.form()["into"]
        do {
            let merge = try await service.merge(
                try context.path("slug"), into: into ?? "", by: try context.requireIdentity(),
                requestID: context.requestID)
            features.catalog.catalogChanged()
            return .seeOther("\(Self.home)/\(merge.into)")
        } catch {
            return try await show(context, into: into, problem: try FormProblem(error))
        }
    }
}

struct MergeGameView: Sendable {
    let name: String
    let slug: String
    let address: String
    let action: String
    let other: String
    let into: String
    let sheets: Phrase
    let followers: Phrase
    let uploads: Phrase
    let problem: Phrase?

    init(_ uses: GameSystemUses, into other: GameSystemUses, problem: FormProblem?) {
        name = uses.name
        slug = uses.slug
        address = "\(StaffNavigation.Place.games.rawValue)/\(uses.slug)"
        action = "\(address)/merge"
        self.other = other.name
        into = other.slug
        sheets = DisplayText.count(uses.templateCount, "sheet")
        followers = DisplayText.count(uses.followerCount, "follower")
        uploads = DisplayText.count(uses.submissionCount, "upload in review", "uploads in review")
        self.problem = problem.map { $0.mistakes.isEmpty ? $0.summary : $0.mistakeText }
    }
}
