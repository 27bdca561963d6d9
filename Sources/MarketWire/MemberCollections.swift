// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A collection that somebody made of sheets. Those of the moderators are `TemplateCollection`.
public struct MemberCollection: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: MemberCollectionID
    /// The title that people see.
    public var title: String
    /// One sentence about it.
    public var summary: String
    /// The handle of whose it is.
    public var owner: String
    /// Whether lists and pages show it; otherwise whoever has its address may see it.
    public var isListed: Bool
    /// Whether nobody but its owner sees it, since a moderator took it down. Told to its owner.
    public var isHidden: Bool?
    /// Templates of it that are on offer.
    public var templateCount: Int
    /// When it changed last.
    public var updatedAt: Date

    public init(
        id: MemberCollectionID, title: String, summary: String, owner: String, isListed: Bool, isHidden: Bool? = nil,
        templateCount: Int, updatedAt: Date
    ) {
        self.id = id
        self.title = title
        self.summary = summary
        self.owner = owner
        self.isListed = isListed
        self.isHidden = isHidden
        self.templateCount = templateCount
        self.updatedAt = updatedAt
    }
}

/// `GET /users/{handle}/collections` and `GET /me/collections`: all of a person's, by title.
public struct MemberCollectionList: Sendable, Codable, Equatable {
    /// The page's collections.
    public var collections: [MemberCollection]

    public init(collections: [MemberCollection]) {
        self.collections = collections
    }
}

/// `GET /member-collections/{id}`.
public struct MemberCollectionDetail: Sendable, Codable, Equatable {
    /// What lists show of it.
    public var collection: MemberCollection
    /// Templates that are on offer, in the owner's order.
    public var items: [CollectionDetail.Item]

    public init(collection: MemberCollection, items: [CollectionDetail.Item]) {
        self.collection = collection
        self.items = items
    }
}

/// `POST /member-collections` and `PUT /member-collections/{id}`: the whole collection as its owner wants it.
public struct MemberCollectionEdit: Sendable, Codable, Equatable {
    /// The title that people see.
    public var title: String
    /// One sentence about it.
    public var summary: String?
    /// `true` where it is not said.
    public var isListed: Bool?
    /// In the order in which they are shown.
    public var items: [CollectionEdit.Item]

    public init(title: String, summary: String? = nil, isListed: Bool? = nil, items: [CollectionEdit.Item] = []) {
        self.title = title
        self.summary = summary
        self.isListed = isListed
        self.items = items
    }
}

/// `GET /templates/{id}/collections`: where a template is to be found, at most twenty of each kind.
public struct TemplateCollections: Sendable, Codable, Equatable {
    /// The moderators'.
    public var curated: [TemplateCollection]
    /// Listed ones of people, the last changed first.
    public var ofMembers: [MemberCollection]

    public init(curated: [TemplateCollection], ofMembers: [MemberCollection]) {
        self.curated = curated
        self.ofMembers = ofMembers
    }
}
