// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import SheetCore

extension MarketClient {
    /// What can be done with an open invitation.
    public enum InvitationAnswer: String, Sendable {
        /// By the invited person, who has the role from then on.
        case accept
        /// By the invited person.
        case decline
        /// By the owner, who takes it back.
        case withdraw
    }

    /// Who works on a template: the owner first.
    public func authors(of key: String) async throws -> [TemplateAuthor] {
        try await requests.json(.get(try templatePath(key) + "/authors"), as: AuthorList.self).authors
    }

    /// Offers somebody a part in a template; the part `owner` offers the template itself.
    public func invite(_ handle: String, to key: String, as role: AuthorRole) async throws -> Invitation {
        let path = try templatePath(key) + "/invitations"
        return try await requests.json(try .send(.post, path, InvitationRequest(handle: handle, role: role)))
    }

    /// The open invitations of a template, for its owner.
    public func invitations(of key: String, limit: Int? = nil) async throws -> [Invitation] {
        try await allInvitations(at: try templatePath(key) + "/invitations", limit)
    }

    /// What the caller can answer.
    public func myInvitations(limit: Int? = nil) async throws -> [Invitation] {
        try await allInvitations(at: "\(Paths.base)/me/invitations", limit)
    }

    private func allInvitations(at path: String, _ limit: Int?) async throws -> [Invitation] {
        let list: CursorSequence<Invitation> = entries(path, limit: limit, as: InvitationList.self) {
            ($0.invitations, $0.nextCursor)
        }
        return try await list.all(by: { $0.id })
    }

    /// Answers an invitation, or takes it back.
    public func answer(_ invitation: InvitationID, _ answer: InvitationAnswer) async throws -> Invitation {
        try await requests.json(try .send(.post, "\(Paths.base)/invitations/\(invitation)/\(answer.rawValue)"))
    }

    /// Gives an author another part.
    public func change(_ handle: String, of key: String, to role: AuthorRole) async throws -> [TemplateAuthor] {
        try await requests.json(
            try .send(.put, try authorPath(key, handle), AuthorChange(role: role), repeatable: true),
            as: AuthorList.self
        ).authors
    }

    /// Removes an author; one who is not the owner may remove themselves.
    public func remove(_ handle: String, of key: String) async throws {
        try await requests.discard(try .send(.delete, try authorPath(key, handle)))
    }

    private func authorPath(_ key: String, _ handle: String) throws -> String {
        "\(try templatePath(key))/authors/\(try Self.segment(handle))"
    }
}
