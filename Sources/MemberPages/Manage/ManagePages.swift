// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketCatalog
import MarketHTTP
import MarketPages
import MarketPlatform
import MarketWire
import SheetCore

/// What authors do with a published sheet in a browser: its entry, its versions, and who works on it. The same services
/// say who may as for the API.
struct ManagePages: Sendable {
    private static let versionsShown = 50
    private static let invitationsShown = 50

    let features: Features
    let pages: WebPages

    func register(on routes: APIRoutes) {
        let routes = routes.wrapping(MovedTemplates(database: features.database).redirectingMovedSlugs)
        routes.get("/sheets/{id}/manage", access: .user(.templatesWrite)) { try await page($0, $1) }
        routes.post("/sheets/{id}/manage", access: .user(.templatesWrite), edit)
        routes.post("/sheets/{id}/versions/{v}/yank", access: .user(.templatesWrite), yank)
        routes.post("/sheets/{id}/versions/{v}/unyank", access: .user(.templatesWrite), unyank)
        routes.post("/sheets/{id}/versions/{v}/channel", access: .user(.templatesWrite), setChannel)
        routes.post("/sheets/{id}/deprecation", access: .user(.templatesWrite), deprecate)
        routes.post("/sheets/{id}/deprecation/delete", access: .user(.templatesWrite), undeprecate)
        routes.post("/sheets/{id}/authors/{handle}", access: .user(.templatesWrite), changePart)
        routes.post("/sheets/{id}/authors/{handle}/delete", access: .user(.templatesWrite), removeAuthor)
        routes.post("/sheets/{id}/invitations", access: .user(.templatesWrite), invite)
        routes.post("/sheets/{id}/invitations/{invitation}/withdraw", access: .user(.templatesWrite), withdraw)
    }

    private var owners: OwnerService { OwnerService(catalog: features.catalog) }
    private var people: AuthorService { AuthorService(catalog: features.catalog) }

    // MARK: The page

    private func page(
        _ request: Request, _ context: MarketRequestContext, after formError: ManageView.FormError? = nil
    ) async throws -> Response {
        let identity = try context.requireIdentity()
        let template = try await owners.managed(try context.template, for: identity)
        let key = TemplateKey.id(template.id)
        let cursor = request.query("versions")
        let versions = try await VersionReader(database: features.database).list(
            key, PageRequest(cursor: cursor, limit: Self.versionsShown, parameter: "versions"))
        let authors = try await people.authors(of: key)
        var invitations = InvitationList(invitations: [])
        if template.permissions.may(.manageAuthors) {
            invitations = try await people.invitations(
                of: key, for: identity,
                PageRequest(
                    cursor: request.query("invitations"), limit: Self.invitationsShown, parameter: "invitations"))
        }
        let view = try ManageView(
            template, versions: versions, behind: cursor, authors: authors, invitations: invitations, viewer: identity,
            note: context.done.flatMap { ManageView.Note(rawValue: $0) }, formError: formError,
            now: features.now())
        return try pages.answer(
            .manage, view, head: PageHead(title: "Manage \(template.name)", place: .browse, viewer: identity),
            status: formError?.problem.status ?? .ok, headers: formError?.problem.headers ?? [:])
    }

    /// Does what a form asks for and leads back; on a mistake shows the page again, with what was typed.
    private func act(
        _ request: Request, _ context: MarketRequestContext, at place: ManageView.Place, done note: ManageView.Note,
        _ deed: (QueryParameters, TemplateKey, Identity) async throws -> Void
    ) async throws -> Response {
        let form = try await request.form()
        do {
            let key = try context.template
            try await deed(form, key, try context.requireIdentity())
            return Self.back(to: key, note, versions: request.query("versions"))
        } catch {
            return try await page(
                request, context,
                after: ManageView.FormError(place: place, form: form, problem: try FormProblem(error)))
        }
    }

    /// To the page, with the versions behind a cursor, where somebody was among older ones.
    private static func back(
        to key: TemplateKey, _ note: ManageView.Note, versions cursor: String? = nil
    ) -> Response {
        let name =
            switch key {
            case .id(let id): id.description
            case .slug(let slug): slug.text
            }
        return .seeOther(
            PageAddress(PagePaths.sheet(name, "manage")).with("done", note.rawValue).with("versions", cursor).text)
    }

    /// Ensures that the data behind the form has not changed. A form without a revision never matches.
    private static func condition(_ form: QueryParameters) -> Precondition {
        Precondition(unchangedSince: form["revision"] ?? "")
    }

    // MARK: The entry

    private func edit(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            let identity = try context.requireIdentity()
            let template = try await owners.managed(try context.template, for: identity)
            let detail = try await owners.edit(
                .id(template.id), Self.patch(form, of: template), if: Self.condition(form), by: identity)
            guard let slug = Slug(detail.summary.slug) else { return .seeOther("/") }
            return Self.back(to: .slug(slug), .saved)
        } catch {
            return try await page(
                request, context,
                after: ManageView.FormError(place: .entry, form: form, problem: try FormProblem(error)))
        }
    }

    /// What the form's fields say; a slug that is as it was is left out.
    private static func patch(_ form: QueryParameters, of template: ManagedTemplate) -> TemplatePatch {
        let slug = form["slug"]
        return TemplatePatch(
            name: form["name"] ?? "", summary: form["summary"] ?? "", description: form["description"] ?? "",
            tags: (form["tags"] ?? "").split(separator: ",").map { String($0).cleanedLine() }.filter { !$0.isEmpty },
            license: form["license"] ?? "", language: form["language"] ?? "",
            slug: slug == template.slug ? nil : slug)
    }

    // MARK: Versions

    private func yank(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let place = ManageView.Place.version(try context.path("v"))
        return try await act(request, context, at: place, done: .withdrawn) { form, key, identity in
            _ = try await owners.yank(
                try context.version(request), of: key, reason: form["reason"], if: Self.condition(form),
                by: identity, requestID: context.requestID)
        }
    }

    private func unyank(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let place = ManageView.Place.version(try context.path("v"))
        return try await act(request, context, at: place, done: .offered) { form, key, identity in
            _ = try await owners.unyank(
                try context.version(request), of: key, if: Self.condition(form), by: identity,
                requestID: context.requestID)
        }
    }

    private func setChannel(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let place = ManageView.Place.version(try context.path("v"))
        return try await act(request, context, at: place, done: .channel) { form, key, identity in
            guard let channel = form["channel"].flatMap({ ReleaseChannel(rawValue: $0) }) else {
                throw APIError.validation([.init(pointer: "/channel", detail: "Choose one of these.")])
            }
            _ = try await owners.setChannel(
                of: try context.version(request), of: key, to: channel, if: Self.condition(form), by: identity)
        }
    }

    // MARK: Deprecation

    private func deprecate(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await act(request, context, at: .deprecation, done: .deprecated) { form, key, identity in
            let wish = DeprecationRequest(message: form["message"] ?? "", successor: form["successor"])
            _ = try await owners.deprecate(
                key, wish, if: Self.condition(form), by: identity, requestID: context.requestID)
        }
    }

    private func undeprecate(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await act(request, context, at: .undeprecation, done: .undeprecated) { form, key, identity in
            _ = try await owners.undeprecate(
                key, if: Self.condition(form), by: identity, requestID: context.requestID)
        }
    }

    // MARK: People

    private func changePart(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await act(request, context, at: .people, done: .changed) { form, key, identity in
            _ = try await people.change(
                try context.path("handle"), of: key, to: try Self.role(form), if: Self.condition(form), by: identity,
                requestID: context.requestID)
        }
    }

    private func removeAuthor(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let handle = try context.path("handle")
        let identity = try context.requireIdentity()
        let answer = try await act(request, context, at: .people, done: .removed) { form, key, identity in
            try await people.remove(
                handle, of: key, if: Self.condition(form), by: identity, requestID: context.requestID)
        }
        // A person who has left can no longer manage the template.
        let hasLeft = answer.status == .seeOther && handle.lowercased() == identity.handle
        return hasLeft ? .seeOther("/account") : answer
    }

    private func invite(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let form = try await request.form()
        do {
            let key = try context.template
            let wish = InvitationRequest(handle: form["handle"] ?? "", role: try Self.role(form))
            _ = try await people.invite(
                to: key, wish, by: try context.requireIdentity(), requestID: context.requestID)
            return Self.back(to: key, .invited)
        } catch {
            let place: ManageView.Place = form["role"] == AuthorRole.owner.rawValue ? .handover : .invitation
            return try await page(
                request, context,
                after: ManageView.FormError(place: place, form: form, problem: try FormProblem(error)))
        }
    }

    private func withdraw(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        try await act(request, context, at: .invitations, done: .uninvited) { _, _, identity in
            guard let id = InvitationID(try context.path("invitation")) else {
                throw APIError.notFound("This invitation")
            }
            _ = try await people.answer(id, .withdraw, by: identity, requestID: context.requestID)
        }
    }

    private static func role(_ form: QueryParameters) throws(APIError) -> AuthorRole {
        guard let role = form["role"].flatMap({ AuthorRole(rawValue: $0) }) else {
            throw .validation([.init(pointer: "/role", detail: "Choose one of these.")])
        }
        return role
    }
}
