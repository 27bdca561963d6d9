// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// Curated collections, for everybody; `CollectionForms` is how moderators change them.
package struct CollectionPages: Sendable {
    /// Collections on a page: fills rows of two, three and four.
    package static let pageSize = 24
    /// Collections on the front page.
    package static let shelvesShown = 4

    package let features: Features
    package let pages: WebPages

    package func register(on routes: APIRoutes) {
        routes.get("/collections", access: .optionalAuthentication, list)
        routes.get("/collections/{slug}", access: .optionalAuthentication, show)
    }

    private func list(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let pageRequest = try request.pageRequest(usually: Self.pageSize)
        let viewer = context.identity
        return try await pages.cached(request, context, by: features.catalog.responses) { [features, pages] in
            let service = CollectionService(catalog: features.catalog)
            let list = try await service.list(pageRequest)
            let view = CollectionsView(
                list, pictures: try await service.pictures(of: list, count: CollectionTile.picturesShown))
            return try pages.render(
                .collections, view,
                head: PageHead(
                    title: "Collections", place: .collections, viewer: viewer,
                    summary: "Character sheets that belong together, chosen by the moderators.",
                    language: context.language))
        }
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let slug = try Self.slug(context)
        let viewer = context.identity
        return try await pages.cached(request, context, by: features.catalog.responses) { [features, pages] in
            async let systems = CatalogStore.gameSystems(features.database)
            let detail = try await CollectionService(catalog: features.catalog).detail(slug.text)
            let view = CollectionView(detail, systems: try await systems, now: features.now())
            return try pages.render(
                .collection, view,
                head: PageHead(
                    title: Phrase(verbatim: detail.title), place: .collections, viewer: viewer,
                    summary: detail.summary.isEmpty ? nil : Phrase(verbatim: detail.summary), language: context.language
                ))
        }
    }

    /// What the front page shows of them: the first ones that hold something. None beside a search.
    package static func shelves(_ features: Features, beside query: CatalogQuery) async throws -> [TemplateCollection] {
        guard query.isFront else { return [] }
        let list = try await CollectionService(catalog: features.catalog).list(PageRequest(limit: shelvesShown * 3))
        return Array(list.collections.filter { $0.templateCount > 0 }.prefix(shelvesShown))
    }

    /// `{slug}` of the path.
    package static func slug(_ context: MarketRequestContext) throws(APIError) -> Slug {
        guard let slug = Slug(try context.path("slug")) else { throw .notFound("This collection") }
        return slug
    }
}

/// The list of collections.
struct CollectionsView: Sendable {
    let tiles: [CollectionTile]
    let hasTiles: Bool
    let next: String
    let hasNext: Bool

    init(_ list: CollectionList, pictures: [String: [String]]) {
        tiles = list.collections.map { collection in
            let shown = pictures[collection.slug] ?? []
            return CollectionTile(
                address: "/collections/\(collection.slug)", name: collection.title, text: collection.summary,
                pictures: shown, count: collection.templateCount)
        }
        hasTiles = !tiles.isEmpty
        next = PageAddress("/collections").with("cursor", list.nextCursor).text
        hasNext = list.nextCursor != nil
    }
}

struct CollectionView: Sendable {
    let name: String
    let text: String
    let hasText: Bool
    let size: Phrase
    let updated: DisplayTime
    let cards: [HomeView.Card]
    let hasCards: Bool
    let editAddress: String

    init(_ detail: CollectionDetail, systems: [GameSystem], now: Date) {
        let names = systems.namesBySlug
        name = detail.title
        text = detail.summary
        hasText = !detail.summary.isEmpty
        size = DisplayText.count(detail.items.count, "sheet")
        updated = DisplayTime(detail.updatedAt, now: now)
        cards = detail.items.map {
            HomeView.Card($0.template, gameSystem: names[$0.template.gameSystem], note: $0.note, now: now)
        }
        hasCards = !cards.isEmpty
        editAddress = "\(PagePaths.collectionForms)/\(detail.slug)"
    }
}
