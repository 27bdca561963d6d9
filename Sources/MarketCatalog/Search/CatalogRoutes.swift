// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import NIOCore
import SheetCore

/// Browsing, searching and reading templates.
package struct CatalogRoutes: Sendable {
    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func register(on routes: APIRoutes) {
        routes.get("/game-systems", access: .optionalAuthentication, gameSystems)
        let former = FormerNameRedirects(catalog.formerNames, database: catalog.database)
        routes.withCost(.search).wrapping(former.redirectingFormerNames)
            .get("/templates", access: .optionalAuthentication, templates)
        routes.asking.post("/updates", access: .optionalAuthentication, updates)
        let moving = routes.wrapping(MovedTemplates(database: catalog.database).redirectingMovedSlugs)
        moving.get("/templates/{id}", access: .optionalAuthentication, template)
        moving.get("/templates/{id}/versions", access: .optionalAuthentication, versions)
        moving.get("/templates/{id}/versions/{v}", access: .optionalAuthentication, version)
        moving.get("/templates/{id}/versions/{v}/regions", access: .optionalAuthentication, regions)
        moving.get("/templates/{id}/versions/{v}/outline", access: .optionalAuthentication, outline)
    }

    private var reader: VersionReader { VersionReader(database: catalog.database) }

    @Sendable private func gameSystems(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await catalog.responses.response(to: request, context: context) { [catalog] in
            let systems = try await CatalogStore.gameSystems(catalog.database)
            return .init(body: try .json(GameSystemList(gameSystems: systems)))
        }
    }

    @Sendable private func templates(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await catalog.responses.response(to: request, context: context) { [catalog] in
            let search = CatalogSearch(database: catalog.database, cache: catalog.searches)
            let page = try await search.find(CatalogQuery(request))
            return .init(
                body: try catalog.summaries.json(page.list, with: page.templates),
                headers: request.nextPageLink(page.list.nextCursor))
        }
    }

    @Sendable private func template(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let channel = try request.channel()
        let version: VersionKey = try request.flag("offered") ?? true ? .offered(channel) : .newest(channel)
        return try await catalog.responses.response(to: request, context: context) { [catalog, reader] in
            let written = try await reader.row(of: key, version).written(catalog.details)
            return .init(body: written.body, tag: written.tag)
        }
    }

    @Sendable private func versions(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let pageRequest = try request.pageRequest(usually: PageRequest.longest)
        let filter = VersionFilter(state: try request.word("state"), channel: try request.word("channel"))
        return try await catalog.responses.response(to: request, context: context) { [reader] in
            let list = try await reader.list(key, pageRequest, only: filter)
            return .init(body: try .json(list), headers: request.nextPageLink(list.nextCursor))
        }
    }

    @Sendable private func version(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        return try await catalog.responses.response(to: request, context: context) { [reader] in
            let detail = try await reader.version(version, of: key)
            let body = try ByteBuffer.json(detail)
            return .init(body: body, tag: EntityTag.of(body, state: detail.editState))
        }
    }

    @Sendable private func regions(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        return try await catalog.responses.response(to: request, context: context) { [reader] in
            .init(body: try .json(try await reader.regions(version, of: key)))
        }
    }

    @Sendable private func outline(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let version = try context.version(request)
        return try await catalog.responses.response(to: request, context: context) { [reader] in
            .init(body: try .json(try await reader.outline(version, of: key)))
        }
    }

    @Sendable private func updates(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let query = try await request.json(UpdateQuery.self)
        guard query.installed.count <= UpdateQuery.maximumCount else {
            throw APIError.validation([
                .init(pointer: "/installed", detail: "At most \(UpdateQuery.maximumCount) templates in one query.")
            ])
        }
        let entries = try await UpdateStore.entries(
            query.installed, channel: query.channel ?? .stable, catalog.database)
        return try .json(UpdateReport(updates: entries))
    }
}
