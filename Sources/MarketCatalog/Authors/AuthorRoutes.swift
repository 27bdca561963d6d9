// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import SheetCore

/// Who works on a template.
package struct AuthorRoutes: Sendable {
    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func register(on routes: APIRoutes) {
        let moving = routes.wrapping(MovedTemplates(database: catalog.database).redirectingMovedSlugs)
        moving.get("/templates/{id}/authors", access: .optionalAuthentication, authors)
        moving.conditional.put("/templates/{id}/authors/{handle}", access: .user(.templatesWrite), change)
        moving.conditional.delete("/templates/{id}/authors/{handle}", access: .user(.templatesWrite), remove)
        moving.get("/templates/{id}/invitations", access: .user(.templatesWrite), invitations)
        moving.post("/templates/{id}/invitations", access: .user(.templatesWrite), invite)
        routes.get("/me/invitations", access: .user(.read), mine)
        for (word, answer) in [
            ("accept", AuthorService.Answer.accept), ("decline", .decline), ("withdraw", .withdraw),
        ] {
            routes.post("/invitations/{id}/\(word)", access: .user(.templatesWrite)) { _, context in
                try .json(
                    try await service.answer(
                        try Self.invitation(context), answer, by: try context.requireIdentity(),
                        requestID: context.requestID))
            }
        }
    }

    private var service: AuthorService { AuthorService(catalog: catalog) }

    private func authors(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        return try await catalog.responses.response(to: request, context: context) { [service] in
            .init(body: try .json(try await service.authors(of: key)))
        }
    }

    private func change(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let handle = try context.path("handle")
        let role = try await request.json(AuthorChange.self).role
        return try .json(
            try await service.change(
                handle, of: key, to: role, if: Precondition(request), by: try context.requireIdentity(),
                requestID: context.requestID))
    }

    private func remove(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await service.remove(
            try context.path("handle"), of: try context.template, if: Precondition(request),
            by: try context.requireIdentity(), requestID: context.requestID)
        return .empty()
    }

    private func invitations(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.invitations(
            of: try context.template, for: try context.requireIdentity(),
            try request.pageRequest(usually: PageRequest.longest))
        return try request.listed(list, next: list.nextCursor)
    }

    private func invite(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let key = try context.template
        let wish = try await request.json(InvitationRequest.self)
        return try .json(
            try await service.invite(
                to: key, wish, by: try context.requireIdentity(), requestID: context.requestID),
            status: .created)
    }

    private func mine(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let list = try await service.invitations(
            for: try context.requireIdentity().userID, try request.pageRequest(usually: PageRequest.longest))
        return try request.listed(list, next: list.nextCursor)
    }

    private static func invitation(_ context: MarketRequestContext) throws(APIError) -> InvitationID {
        guard let id = InvitationID(try context.path("id")) else { throw .notFound("This invitation") }
        return id
    }
}
