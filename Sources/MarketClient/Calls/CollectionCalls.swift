// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire

extension MarketClient {
    /// The collections, page by page as they are read.
    public func collections(limit: Int? = nil) -> CursorSequence<TemplateCollection> {
        entries("\(Paths.base)/collections", limit: limit, as: CollectionList.self) { ($0.collections, $0.nextCursor) }
    }

    /// A collection with its templates.
    public func collection(_ slug: String) async throws -> CollectionDetail {
        try await requests.json(.get("\(Paths.base)/collections/\(try Self.segment(slug))"))
    }

    /// Makes a collection, or puts this in the place of what it was; for moderators.
    public func setCollection(_ slug: String, to edit: CollectionEdit) async throws -> CollectionDetail {
        let path = "\(Paths.base)/collections/\(try Self.segment(slug))"
        return try await requests.json(try .send(.put, path, edit, repeatable: true))
    }

    /// Deletes a collection; for moderators.
    public func deleteCollection(_ slug: String) async throws {
        let path = "\(Paths.base)/collections/\(try Self.segment(slug))"
        try await requests.discard(try .send(.delete, path, repeatable: true))
    }

    /// What would move with a game when it is merged into another; for moderators.
    public func gameSystemUses(_ slug: String) async throws -> GameSystemUses {
        try await requests.json(.get("\(Paths.base)/moderation/game-systems/\(try Self.segment(slug))"))
    }

    /// Merges a game into another, which cannot be undone; for moderators.
    public func mergeGameSystem(_ slug: String, into other: String) async throws -> GameSystemMerge {
        let path = "\(Paths.base)/moderation/game-systems/\(try Self.segment(slug))/merge"
        return try await requests.json(try .send(.post, path, GameSystemMergeRequest(into: other)))
    }

    /// The tags of templates on offer, the most used first; only those with `part` in them where that is given. For
    /// moderators.
    public func tags(having part: String? = nil, limit: Int? = nil) -> CursorSequence<TagCount> {
        entries("\(Paths.base)/moderation/tags", [("q", part)], limit: limit, as: TagList.self) {
            ($0.tags, $0.nextCursor)
        }
    }

    /// What would change with a tag; for moderators.
    public func tag(_ tag: String) async throws -> TagDetail {
        try await requests.json(.get("\(Paths.base)/moderation/tags/\(try Self.segment(tag))"))
    }

    /// Renames a tag, or merges it into another; for moderators.
    public func renameTag(_ tag: String, to name: String) async throws -> TagChange {
        let path = "\(Paths.base)/moderation/tags/\(try Self.segment(tag))/rename"
        return try await requests.json(try .send(.post, path, TagRenameRequest(to: name)))
    }

    /// Takes a tag off everything that has it; for moderators.
    public func removeTag(_ tag: String) async throws -> TagChange {
        try await requests.json(try .send(.delete, "\(Paths.base)/moderation/tags/\(try Self.segment(tag))"))
    }
}
