// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import SheetCore

/// Suggestions, similar templates and curated collections.
package struct SearchRoutes: Sendable {
    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func register(on routes: APIRoutes) {
        routes.withCost(.search).get("/suggest", access: .optionalAuthentication, suggest)
        routes.withCost(.search).get("/templates/{id}/similar", access: .optionalAuthentication, similar)
        routes.get("/collections", access: .optionalAuthentication, collections)
        routes.get("/collections/{slug}", access: .optionalAuthentication, collection)
        routes.conditional.put("/collections/{slug}", access: .moderator, putCollection)
        routes.conditional.delete("/collections/{slug}", access: .moderator, deleteCollection)
    }

    /// Suggestions of each kind.
    private static let suggestions = 5
    /// Similar templates.
    private static let similar = 12

    private var service: CollectionService { CollectionService(catalog: catalog) }

    @Sendable private func suggest(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let text = (request.query("q") ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.count <= SearchWords.maximumLength else {
            throw APIError.validation([
                .init(pointer: "q", detail: "At most \(SearchWords.maximumLength) characters.")
            ])
        }
        return try await catalog.responses.response(to: request, context: context) { [catalog] in
            let list =
                text.isEmpty
                ? SuggestionList()
                : try await Suggestions(database: catalog.database, cache: catalog.searches).list(
                    text, count: Self.suggestions)
            return .init(body: try .json(list))
        }
    }

    @Sendable private func similar(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        return try await catalog.responses.response(to: request, context: context) { [catalog] in
            let statistics = try await catalog.searches.statistics(catalog.database)
            let found = try await SimilarStore.similar(to: key, count: Self.similar, statistics, catalog.database)
            guard let found else {
                throw APIError.notFound("This template")
            }
            return .init(body: try catalog.summaries.json(SimilarList(templates: []), with: found))
        }
    }

    @Sendable private func collections(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let pageRequest = try request.pageRequest(usually: PageRequest.longest)
        return try await catalog.responses.response(to: request, context: context) { [service] in
            let list = try await service.list(pageRequest)
            return .init(body: try .json(list), headers: request.nextPageLink(list.nextCursor))
        }
    }

    @Sendable private func collection(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let slug = try slug(context)
        return try await catalog.responses.response(to: request, context: context) { [service] in
            let state = try await service.state(of: slug.text)
            let body = try ByteBuffer.json(try await service.detail(slug.text))
            return .init(body: body, tag: EntityTag.of(body, state: state))
        }
    }

    @Sendable private func putCollection(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let slug = try slug(context)
        let edit = try await request.json(CollectionEdit.self)
        let (detail, isNew) = try await service.put(
            slug, edit, if: Precondition(request), by: try context.requireIdentity(),
            requestID: context.requestID)
        return try .json(detail, status: isNew ? .created : .ok)
    }

    @Sendable private func deleteCollection(
        _ request: Request, _ context: MarketRequestContext
    ) async throws -> Response {
        try await service.delete(
            try slug(context), if: Precondition(request), by: try context.requireIdentity(),
            requestID: context.requestID)
        return .empty()
    }

    private func slug(_ context: MarketRequestContext) throws(APIError) -> Slug {
        guard let slug = Slug(try context.path("slug")) else { throw .notFound("This collection") }
        return slug
    }
}
