// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Somebody's part in a template; each may do what the ones after may.
public enum AuthorRole: String, Sendable, Codable, CaseIterable {
    /// Answers for it and says who else works on it. One person.
    case owner
    /// Edits the entry, uploads and withdraws versions.
    case maintainer
    /// Uploads versions that leave the entry as it is, and corrects zoom regions.
    case contributor
}

/// One of a template's authors.
public struct TemplateAuthor: Sendable, Codable, Equatable {
    /// The account's name in addresses.
    public var handle: String
    /// What the author may do.
    public var role: AuthorRole
    /// Since when.
    public var since: Date

    public init(handle: String, role: AuthorRole, since: Date) {
        self.handle = handle
        self.role = role
        self.since = since
    }
}

/// `GET /templates/{id}/authors`: the owner first, then in the order they came.
public struct AuthorList: Sendable, Codable, Equatable {
    /// The page's authors.
    public var authors: [TemplateAuthor]

    public init(authors: [TemplateAuthor]) {
        self.authors = authors
    }
}

/// `PUT /templates/{id}/authors/{handle}`: another part for an author, by the owner.
public struct AuthorChange: Sendable, Codable, Equatable {
    /// What the author may do.
    public var role: AuthorRole

    public init(role: AuthorRole) {
        self.role = role
    }
}

/// What became of an invitation.
public enum InvitationState: String, Sendable, Codable, CaseIterable {
    /// Neither answered nor past its end.
    case open
    /// The invited person has the role since.
    case accepted
    /// By the invited person; the owner may invite again.
    case declined
    /// Taken back by the owner.
    case withdrawn
    /// Not answered before its end.
    case expired
}

/// An offer of a part in a template; with the role `owner`, of the template itself.
public struct Invitation: Sendable, Codable, Equatable {
    /// Its identifier.
    public var id: InvitationID
    /// The template's id.
    public var templateId: TemplateID
    /// The template's short name in addresses.
    public var templateSlug: String
    /// What people call the template.
    public var templateName: String
    /// What the author may do.
    public var role: AuthorRole
    /// Handle of who offers.
    public var inviter: String
    /// Handle of who is asked.
    public var invitee: String
    /// Where it stands.
    public var state: InvitationState
    /// When it was made.
    public var createdAt: Date
    /// When it ends.
    public var expiresAt: Date

    public init(
        id: InvitationID, templateId: TemplateID, templateSlug: String, templateName: String, role: AuthorRole,
        inviter: String, invitee: String, state: InvitationState, createdAt: Date, expiresAt: Date
    ) {
        self.id = id
        self.templateId = templateId
        self.templateSlug = templateSlug
        self.templateName = templateName
        self.role = role
        self.inviter = inviter
        self.invitee = invitee
        self.state = state
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// `GET /me/invitations` and `GET /templates/{id}/invitations`: the open ones, newest first.
public struct InvitationList: Sendable, Codable, Equatable {
    /// The page's invitations.
    public var invitations: [Invitation]
    /// Where the next page begins; `nil` on the last.
    @AlwaysWritten public var nextCursor: String?

    public init(invitations: [Invitation], nextCursor: String? = nil) {
        self.invitations = invitations
        self.nextCursor = nextCursor
    }
}

/// `POST /templates/{id}/invitations`.
public struct InvitationRequest: Sendable, Codable, Equatable {
    /// The account's name in addresses.
    public var handle: String
    /// What the author may do.
    public var role: AuthorRole

    public init(handle: String, role: AuthorRole) {
        self.handle = handle
        self.role = role
    }
}
