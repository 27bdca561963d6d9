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
}
