// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// The page of a member's collection, for everybody who may see it.
struct MemberCollectionPages: Sendable {
    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/authors/{handle}/collections/{id}", access: .optionalAuthentication, show)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let id = MemberCollectionID(try context.path("id")) else {
            throw MemberCollectionError.noSuchCollection
        }
        let viewer = context.identity
        async let systems = CatalogStore.gameSystems(features.database)
        let detail = try await MemberCollectionService(catalog: features.catalog).detail(id, for: viewer?.userID)
        // Under another's name it would seem to be theirs.
        guard try context.path("handle") == detail.collection.owner else {
            throw MemberCollectionError.noSuchCollection
        }
        let view = MemberCollectionView(detail, systems: try await systems, viewer: viewer, now: features.now())
        let summary = detail.collection.summary
        return try pages.answer(
            .memberCollection, view,
            head: PageHead(
                title: Phrase(verbatim: detail.collection.title) + " by \(detail.collection.owner)",
                place: .collections, viewer: viewer,
                summary: summary.isEmpty
                    ? "Sheets that \(detail.collection.owner) chose." : Phrase(verbatim: summary),
                language: context.language),
            headers: detail.collection.isListed ? [:] : [.robotsTag: "noindex"])
    }
}

struct MemberCollectionView: Sendable {
    let name: String
    let text: String
    let hasText: Bool
    let size: Phrase
    let owner: String
    let ownerAddress: String
    let updated: DisplayTime
    let cards: [HomeView.Card]
    let hasCards: Bool
    let isUnlisted: Bool
    /// Only its owner is told.
    let isHidden: Bool
    let editAddress: String?
    let reportAddress: String?

    init(_ detail: MemberCollectionDetail, systems: [GameSystem], viewer: Identity?, now: Date) {
        let names = systems.namesBySlug
        let collection = detail.collection
        let isOwn = viewer?.handle == collection.owner
        name = collection.title
        text = collection.summary
        hasText = !collection.summary.isEmpty
        size = DisplayText.count(detail.items.count, "sheet")
        owner = collection.owner
        ownerAddress = PagePaths.author(collection.owner)
        updated = DisplayTime(collection.updatedAt, now: now)
        cards = detail.items.map {
            HomeView.Card($0.template, gameSystem: names[$0.template.gameSystem], note: $0.note, now: now)
        }
        hasCards = !cards.isEmpty
        isUnlisted = !collection.isListed
        isHidden = collection.isHidden ?? false
        editAddress = isOwn ? PagePaths.ownCollection(collection.id) : nil
        reportAddress = isOwn ? nil : PagePaths.memberCollection(collection) + "/report"
    }
}

extension HTTPField.Name {
    /// What search engines may do with an answer.
    static let robotsTag = Self("X-Robots-Tag") ?? .server
}
