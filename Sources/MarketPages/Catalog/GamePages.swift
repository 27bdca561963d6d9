// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// The games that sheets are for.
struct GamePages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get(PagePaths.games, access: .optionalAuthentication, list)
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let viewer = context.identity
        return try await pages.cached(request, context, by: features.catalog.responses) { [features, pages] in
            let view = GameListView(try await CatalogStore.gameSystems(features.database))
            return try pages.render(
                .gameList, view,
                head: PageHead(
                    title: "Games", place: .browse, viewer: viewer, summary: "The games that there are sheets for.",
                    language: context.language))
        }
    }
}

struct GameListView: Sendable {
    struct Line: Sendable {
        let address: String
        let name: String
        let publisher: String?
        let sheets: Phrase
        let hasSheets: Bool
    }

    let lines: [Line]

    init(_ systems: [GameSystem]) {
        lines = systems.map { system in
            Line(
                address: PageAddress("/").with("gameSystem", system.slug).text, name: system.name,
                publisher: system.publisher, sheets: DisplayText.count(system.templateCount, "sheet"),
                hasSheets: system.templateCount > 0)
        }
    }
}

extension PagePaths {
    package static let games = "/games"
    package static let proposeGame = "/games/propose"
    package static let inbox = "/account/inbox"
}
