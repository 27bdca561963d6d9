// SPDX-License-Identifier: Apache-2.0
import MarketCommunity
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// A collection in a list of such.
struct CollectionTile: Sendable {
    /// Pictures on one.
    static let picturesShown = 3

    let address: String
    let name: String
    let text: String
    let hasText: Bool
    let pictures: [String]
    let hasPictures: Bool
    let size: Phrase

    init(address: String, name: String, text: String, pictures: [String], count: Int) {
        self.address = address
        self.name = name
        self.text = text
        hasText = !text.isEmpty
        self.pictures = pictures
        hasPictures = !pictures.isEmpty
        size = DisplayText.count(count, "sheet")
    }

    /// The listed collections of a person, with their pictures; without those that hold nothing on offer.
    static func tiles(of handle: String, _ features: Features) async throws -> [CollectionTile] {
        let list = try await MemberCollectionService(catalog: features.catalog).listed(of: handle)
        let shown = list.collections.filter { $0.templateCount > 0 }
        let pictures = try await MemberCollectionStore.pictures(
            shown.map(\.id), count: picturesShown, features.database)
        return shown.map { collection in
            CollectionTile(
                address: PagePaths.memberCollection(collection), name: collection.title, text: collection.summary,
                pictures: pictures[collection.id] ?? [], count: collection.templateCount)
        }
    }
}

/// Names the collections that a sheet is in: those of the moderators first.
struct InCollectionsView: Sendable {
    struct Line: Sendable {
        let address: String
        let name: String
        /// Whose it is, where it is a member's.
        let maker: String?
    }

    let lines: [Line]

    /// `nil` where there are none.
    init?(_ found: TemplateCollections) {
        lines =
            found.curated.map { Line(address: "/collections/\($0.slug)", name: $0.title, maker: nil) }
            + found.ofMembers.map { Line(address: PagePaths.memberCollection($0), name: $0.title, maker: $0.owner) }
        if lines.isEmpty { return nil }
    }
}

extension PagePaths {
    package static let ownCollections = "/account/collections"
    package static let newCollection = "\(ownCollections)/new"

    package static func memberCollection(_ collection: MemberCollection) -> String {
        "/authors/\(collection.owner)/collections/\(collection.id)"
    }

    package static func ownCollection(_ id: MemberCollectionID) -> String { "\(ownCollections)/\(id)" }
}
