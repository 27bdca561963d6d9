// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketWire
import SheetCore

/// What people show of themselves.
package struct ProfileRoutes: Sendable {
    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func register(on routes: APIRoutes) {
        routes.get("/users/{handle}", access: .optionalAuthentication, show)
        routes.get("/me/profile", access: .user(.read), own)
        routes.put("/me/profile", access: .user(.account), put)
    }

    private var service: ProfileService { ProfileService(catalog: catalog) }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let handle = Slug(try context.path("handle")) else { throw ProfileError.noSuchPerson }
        return try await catalog.responses.response(to: request, context: context) { [service] in
            .init(body: try .json(try await service.shown(handle.text)))
        }
    }

    private func own(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let profile = try await service.own(try context.requireIdentity().userID)
        return request.conditionalResponse(try .json(profile), headers: [.cacheControl: "private, no-cache"])
    }

    private func put(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let edit = try await request.json(ProfileEdit.self)
        return try .json(try await service.put(edit, of: try context.requireIdentity().userID))
    }
}
