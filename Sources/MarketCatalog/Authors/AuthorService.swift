// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Who works on a template: invitations, their answers, parts, and handing it over. Each act is one transaction with
/// its entry in the audit log.
package struct AuthorService: Sendable {
    /// How long an invitation can be answered, in seconds.
    static let invitationSeconds = 14.0 * 86_400
    /// Most authors of a template beside its owner, those who are asked counted.
    static let maximumAuthors = 20

    /// What can be done with an open invitation.
    package enum Answer: Sendable {
        case accept, decline, withdraw

        package var state: InvitationState {
            switch self {
            case .accept: .accepted
            case .decline: .declined
            case .withdraw: .withdrawn
            }
        }
    }

    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    package func authors(of key: TemplateKey) async throws -> AuthorList {
        let authors = try await AuthorStore.list(key, catalog.database)
        if authors.isEmpty { throw CatalogError.notFound("This template") }
        return AuthorList(authors: authors)
    }

    // MARK: - Invitations

    /// What somebody can answer.
    package func invitations(for user: UserID, _ part: PageRequest) async throws -> InvitationList {
        let name = "invitations.mine"
        let found = try await InvitationStore.open(
            for: user, at: catalog.now(), before: try part.place(in: name), limit: part.fetchLimit, catalog.database)
        let page = part.page(found, of: name) { [$0.id.description] }
        return InvitationList(invitations: page.rows, nextCursor: page.next)
    }

    /// What is offered of a template, for its owner.
    package func invitations(
        of key: TemplateKey, for identity: Identity, _ part: PageRequest
    ) async throws -> InvitationList {
        // Reads take no lock and no transaction.
        guard let template = try await OwnerStore.managed(key, for: identity, catalog.database) else {
            throw CatalogError.notFound("This template")
        }
        try template.permissions.require(.manageAuthors)
        let name = "invitations"
        let found = try await InvitationStore.open(
            of: template.id, at: catalog.now(), before: try part.place(in: name), limit: part.fetchLimit,
            catalog.database)
        let page = part.page(found, of: name) { [$0.id.description] }
        return InvitationList(invitations: page.rows, nextCursor: page.next)
    }

    /// Offers somebody a part in a template; the part `owner` offers the template itself.
    package func invite(
        to key: TemplateKey, _ request: InvitationRequest, by identity: Identity, requestID: String
    ) async throws -> Invitation {
        let id = InvitationID.make(at: catalog.now())
        do {
            try await catalog.database.withTransaction { connection in
                let template = try await OwnerStore.Locked.template(key, for: identity, to: .manageAuthors, connection)
                // Read after the lock was had.
                let now = catalog.now()
                let invitee = try await invitee(request, to: template, connection)
                try await InvitationStore.expire(of: template.id, at: now, connection)
                if try await InvitationStore.places(of: template.id, connection) >= Self.maximumAuthors {
                    throw CatalogError.conflict(
                        "A template has at most \(Self.maximumAuthors) authors beside its owner, open invitations counted."
                    )
                }
                try await InvitationStore.insert(
                    id, of: template.id, role: request.role, inviter: identity.userID, invitee: invitee.id, at: now,
                    until: now.addingTimeInterval(Self.invitationSeconds), connection)
                try await record(
                    request.role == .owner ? "template.transfer_offered" : "template.author_invited", template.id,
                    ["to": invitee.handle, "part": request.role.rawValue], by: identity, requestID, connection)
            }
        } catch let error as PostgresError
            where error.isUniqueViolation(constraint: "template_invitations_invitee_key")
        {
            throw CatalogError.conflict("They are invited already; withdraw that invitation first.")
        } catch let error as PostgresError
            where error.isUniqueViolation(constraint: "template_invitations_transfer_key")
        {
            throw CatalogError.conflict("The template is offered to somebody already; withdraw that first.")
        }
        return try await invitation(id)
    }

    private func invitee(
        _ request: InvitationRequest, to template: OwnerStore.Locked, _ connection: PostgresConnection
    ) async throws -> UserRecord {
        func wrong(_ detail: String) -> CatalogError { .invalid([.init(pointer: "/handle", detail: detail)]) }
        guard let user = try await AccountStore.user(handle: request.handle.lowercased(), in: connection),
            user.disabledAt == nil
        else { throw wrong("Nobody has this name.") }
        if user.id == template.owner { throw wrong("They own this template.") }
        let part = try await AuthorStore.part(of: user.id, in: template.id, connection)
        if let part, request.role != .owner {
            throw wrong("They are a \(part.rawValue) already; change their role instead.")
        }
        return user
    }

    /// Answers an invitation, or takes it back. To anybody but those two it does not exist.
    package func answer(
        _ id: InvitationID, _ answer: Answer, by identity: Identity, requestID: String
    ) async throws -> Invitation {
        try await catalog.database.withTransaction { connection in
            guard let before = try await InvitationStore.fetch(id, at: catalog.now(), connection),
                let template = try await OwnerStore.lock(
                    .id(before.invitation.templateId), for: identity, connection),
                before.invitee == identity.userID || template.permissions.may(.manageAuthors)
            else { throw CatalogError.notFound("This invitation") }
            guard answer == .withdraw ? template.permissions.may(.manageAuthors) : before.invitee == identity.userID
            else {
                throw CatalogError.forbidden(
                    answer == .withdraw
                        ? "Only the person who sent the invitation can withdraw it."
                        : "Only the person invited can answer it.")
            }
            let now = catalog.now()
            guard try await InvitationStore.end(id, as: answer.state, at: now, connection) else {
                let state = try await InvitationStore.fetch(id, at: now, connection)?.invitation.state ?? .expired
                throw CatalogError.conflict("This invitation is \(state.rawValue).")
            }
            try await apply(answer, before, template, at: now, by: identity, requestID, connection)
        }
        catalog.catalogChanged()
        return try await invitation(id)
    }

    private func apply(
        _ answer: Answer, _ record: InvitationStore.Record, _ template: OwnerStore.Locked, at now: Date,
        by identity: Identity, _ requestID: String, _ connection: PostgresConnection
    ) async throws {
        let part = record.invitation.role
        var action = "template.invitation_\(answer.state.rawValue)"
        if answer == .accept {
            if part == .owner {
                try await AuthorStore.transfer(template.id, from: template.owner, to: identity.userID, connection)
                try await InvitationStore.withdrawAll(of: template.id, at: now, connection)
                action = "template.transferred"
            } else {
                try await AuthorStore.set(identity.userID, as: part, of: template.id, connection)
                action = "template.author_joined"
            }
        }
        try await self.record(
            action, template.id,
            ["from": record.invitation.inviter, "to": record.invitation.invitee, "part": part.rawValue], by: identity,
            requestID, connection)
    }

    private func invitation(_ id: InvitationID) async throws -> Invitation {
        guard let record = try await InvitationStore.fetch(id, at: catalog.now(), catalog.database) else {
            throw CatalogError.notFound("This invitation")
        }
        return record.invitation
    }

    // MARK: - Authors

    /// Gives an author another part.
    package func change(
        _ handle: String, of key: TemplateKey, to role: AuthorRole, if condition: Precondition = .none,
        by identity: Identity, requestID: String
    ) async throws -> AuthorList {
        if role == .owner {
            throw CatalogError.invalid([
                .init(pointer: "/role", detail: "A template is handed over by an invitation with the role 'owner'.")
            ])
        }
        let id = try await catalog.database.withTransaction { connection in
            let template = try await OwnerStore.Locked.template(key, for: identity, to: .manageAuthors, connection)
            try await check(condition, of: template, connection)
            let author = try await author(handle, of: template, connection)
            try await AuthorStore.set(author.id, as: role, of: template.id, connection)
            try await record(
                "template.author_changed", template.id, ["author": author.handle, "part": role.rawValue], by: identity,
                requestID, connection)
            return template.id
        }
        catalog.catalogChanged()
        return try await authors(of: .id(id))
    }

    /// Removes an author: by the owner, or by themselves.
    package func remove(
        _ handle: String, of key: TemplateKey, if condition: Precondition = .none, by identity: Identity,
        requestID: String
    ) async throws {
        try await catalog.database.withTransaction { connection in
            let isOwn = handle.lowercased() == identity.handle
            let template = try await OwnerStore.Locked.template(
                key, for: identity, to: isOwn ? nil : .manageAuthors, connection)
            try await check(condition, of: template, connection)
            let author = try await author(handle, of: template, connection)
            try await AuthorStore.delete(author.id, of: template.id, connection)
            try await record(
                "template.author_left", template.id, ["author": author.handle], by: identity, requestID, connection)
        }
        catalog.catalogChanged()
    }

    /// Throws unless a precondition holds of who works on a locked template.
    private func check(
        _ condition: Precondition, of template: OwnerStore.Locked, _ connection: PostgresConnection
    ) async throws {
        guard condition.isSet else { return }
        let present = AuthorList(authors: try await AuthorStore.list(.id(template.id), connection))
        try condition.check(EntityTag.state(of: try .json(present)))
    }

    /// An author beside the owner.
    private func author(
        _ handle: String, of template: OwnerStore.Locked, _ connection: PostgresConnection
    ) async throws -> UserRecord {
        guard let user = try await AccountStore.user(handle: handle.lowercased(), in: connection),
            let part = try await AuthorStore.part(of: user.id, in: template.id, connection)
        else { throw CatalogError.notFound("This author") }
        if part == .owner {
            throw CatalogError.conflict("The owner stays until somebody accepts the template.")
        }
        return user
    }

    private func record(
        _ action: String, _ template: TemplateID, _ details: [String: String], by identity: Identity,
        _ requestID: String, _ connection: PostgresConnection
    ) async throws {
        try await AuditLog.append(
            connection, actor: AuditActor(identity), action: action, subject: "template:\(template)",
            details: details, requestID: requestID, at: catalog.now())
    }
}
