// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// The games that sheets can be for; moderators add some, change what is said of them, and answer to those who propose
/// one.
struct GameSystemPages: Sendable {
    private static let home = StaffNavigation.Place.games.rawValue

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(Self.home, access: .moderator) { try await show($0, $1) }
        routes.post(Self.home, access: .moderator, add)
        routes.post("\(Self.home)/proposals/{id}/decline", access: .moderator, decline)
        routes.get("\(Self.home)/{slug}", access: .moderator) { try await edit($0, $1) }
        routes.post("\(Self.home)/{slug}", access: .moderator, save)
    }

    private var proposals: GameProposalService { GameProposalService(platform: features.platform) }

    private func decline(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = GameProposalID(try context.path("id")) else { throw GameProposalError.noSuchProposal }
        let form = try await request.form()
        do {
            try await proposals.decline(
                id, reason: form["reason"] ?? "", by: try context.requireIdentity(), requestID: context.requestID)
            return .seeOther("\(Self.home)#proposals")
        } catch {
            return try await show(request, context, declining: id, problem: try FormProblem(error), form: form)
        }
    }

    /// Adds a game; where the form was filled in from a proposal, that one is answered.
    private func add(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        let proposal = form["proposal"].flatMap { GameProposalID($0) }
        do {
            _ = try await GameSystemService(platform: features.platform).add(
                slug: form["slug"] ?? "", name: form["name"] ?? "", publisher: form["publisher"],
                aliases: Self.aliases(form),
                by: try context.requireIdentity(), requestID: context.requestID
            ) { [proposals] slug, connection in
                if let proposal { try await proposals.added(proposal, as: slug.text, in: connection) }
            }
        } catch {
            return try await show(request, context, problem: try FormProblem(error), form: form)
        }
        features.catalog.catalogChanged()
        return .seeOther(Self.home)
    }

    private static func aliases(_ form: QueryParameters) -> [String] {
        (form["aliases"] ?? "").split(separator: ",").map(String.init)
    }

    // MARK: - One game

    private func edit(
        _ request: Request, _ context: MarketRequestContext, problem: FormProblem? = nil, form: QueryParameters? = nil
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        let slug = try context.path("slug")
        let systems = try await CatalogStore.gameSystems(features.database)
        guard let system = systems.first(where: { $0.slug == slug }) else {
            let service = GameSystemService(platform: features.platform)
            guard let present = try await service.present(of: slug) else { throw GameSystemError.noSuchSystem }
            return FormerNameRedirects.moved(to: "\(Self.home)/\(present)")
        }
        let view = EditGameView(
            navigation: StaffNavigation(at: .games, for: viewer), system, of: systems,
            isUnchosen: request.query("merge") == "unchosen", problem: problem, form: form)
        return try pages.answer(
            .editGame, view, head: PageHead(title: "\(system.name)", place: .moderation, viewer: viewer),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }

    private func save(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            try await GameSystemService(platform: features.platform).edit(
                try context.path("slug"), name: form["name"] ?? "", publisher: form["publisher"],
                aliases: Self.aliases(form), by: try context.requireIdentity(), requestID: context.requestID)
        } catch {
            return try await edit(request, context, problem: try FormProblem(error), form: form)
        }
        features.catalog.catalogChanged()
        return .seeOther(Self.home)
    }

    private func show(
        _ request: Request, _ context: MarketRequestContext, declining: GameProposalID? = nil,
        problem: FormProblem? = nil, form: QueryParameters = QueryParameters(nil)
    ) async throws -> Response {
        let viewer = try context.requireIdentity()
        async let systems = CatalogStore.gameSystems(features.database)
        let open = try await proposals.open()
        let chosen = (form["proposal"] ?? request.query("proposal")).flatMap { GameProposalID($0) }
        var view = GameSystemsView(
            navigation: StaffNavigation(at: .games, for: viewer), try await systems,
            proposal: open.first { $0.id == chosen }, problem: declining == nil ? problem : nil, form: form)
        view.show(open, declining: declining, problem: problem, reason: form["reason"], now: features.now())
        return try pages.answer(
            .games, view, head: PageHead(title: "Games", place: .moderation, viewer: viewer),
            status: problem?.status ?? .ok, headers: problem?.headers ?? [:])
    }
}

struct GameSystemsView: Sendable {
    struct Line: Sendable {
        let address: String
        let editAddress: String
        let name: String
        let slug: String
        let publisher: String?
        let aliases: String
        let sheets: Phrase
    }

    struct Proposal: Sendable {
        let id: String
        let name: String
        let publisher: String?
        let link: String?
        let proposer: String
        let made: DisplayTime
        let addAddress: String
        let declineAddress: String
        /// What was written as the reason, and what is wrong with it.
        let reason: String
        let mistake: Phrase?
    }

    let navigation: StaffNavigation
    let lines: [Line]
    /// The proposal that the form is filled in from.
    let proposal: String?
    private(set) var proposals: [Proposal] = []
    private(set) var hasProposals = false
    let values: [String: String]
    let mistakes: [String: Phrase]
    let problem: Phrase?

    init(
        navigation: StaffNavigation, _ systems: [GameSystem], proposal: GameProposal?, problem: FormProblem?,
        form: QueryParameters
    ) {
        self.navigation = navigation
        lines = systems.map { system in
            Line(
                address: PageAddress("/").with("gameSystem", system.slug).text,
                editAddress: "\(StaffNavigation.Place.games.rawValue)/\(system.slug)", name: system.name,
                slug: system.slug, publisher: system.publisher, aliases: system.aliases.joined(separator: ", "),
                sheets: DisplayText.number(system.templateCount))
        }
        self.proposal = proposal?.id.description
        let first = ["name": proposal?.name, "publisher": proposal?.publisher]
        values = ["name", "slug", "publisher", "aliases"].reduce(into: [:]) { values, field in
            values[field] = form[field] ?? (problem == nil ? first[field] ?? nil : nil) ?? ""
        }
        mistakes = problem?.mistakes ?? [:]
        self.problem = problem?.summary
    }

    mutating func show(
        _ open: [GameProposal], declining: GameProposalID?, problem: FormProblem?, reason: String?, now: Date
    ) {
        proposals = open.map { proposal in
            let isDeclined = proposal.id == declining
            return Proposal(
                id: proposal.id.description, name: proposal.name,
                publisher: proposal.publisher.isEmpty ? nil : proposal.publisher,
                link: proposal.link.isEmpty ? nil : proposal.link, proposer: proposal.handle,
                made: DisplayTime(proposal.createdAt, now: now),
                addAddress: PageAddress(StaffNavigation.Place.games.rawValue)
                    .with("proposal", proposal.id.description).text + "#add",
                declineAddress: "\(StaffNavigation.Place.games.rawValue)/proposals/\(proposal.id)/decline",
                reason: isDeclined ? reason ?? "" : "",
                mistake: isDeclined ? problem?.mistakes["reason"] ?? problem?.summary : nil)
        }
        hasProposals = !proposals.isEmpty
    }
}

/// What the form of a game shows: what is said of it, or what was typed and what is wrong with that. `isUnchosen` tells
/// that it was to be merged into none.
struct EditGameView: Sendable {
    let navigation: StaffNavigation
    let name: String
    let slug: String
    let action: String
    let address: String
    let sheets: Phrase
    /// The games that it can be merged into.
    let others: [Choice]
    let hasOthers: Bool
    let mergeAddress: String
    let mergeMistake: Phrase?
    let values: [String: String]
    let mistakes: [String: Phrase]
    let problem: Phrase?

    init(
        navigation: StaffNavigation, _ system: GameSystem, of systems: [GameSystem], isUnchosen: Bool,
        problem: FormProblem?, form: QueryParameters?
    ) {
        self.navigation = navigation
        name = system.name
        slug = system.slug
        action = "\(StaffNavigation.Place.games.rawValue)/\(system.slug)"
        address = PageAddress("/").with("gameSystem", system.slug).text
        sheets = DisplayText.count(system.templateCount, "sheet")
        others = systems.filter { $0.slug != system.slug }.map {
            Choice(value: $0.slug, label: Phrase(verbatim: $0.name))
        }
        hasOthers = !others.isEmpty
        mergeAddress = "\(action)/merge"
        mergeMistake = isUnchosen ? "Choose a game." : nil
        let known = [
            "name": system.name, "publisher": system.publisher ?? "", "aliases": system.aliases.joined(separator: ", "),
        ]
        values = known.reduce(into: [:]) { values, field in
            values[field.key] = if let form { form[field.key] ?? "" } else { field.value }
        }
        mistakes = problem?.mistakes ?? [:]
        self.problem = problem?.summary
    }
}
