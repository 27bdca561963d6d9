// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire
import SheetCore

/// What somebody may want to do to a template.
package enum TemplateAction: Sendable, CaseIterable {
    /// Upload a version that leaves the entry as it is.
    case uploadVersion
    /// Change what the entry says, by hand or with a version.
    case edit
    /// Give it another slug.
    case rename
    /// Yank versions and put them back.
    case withdrawVersions
    /// Say whom a version is offered to.
    case chooseChannels
    case correctRegions
    case deprecate
    /// Say whether the operator may learn from it.
    case allowTraining
    /// Invite authors, change their parts, remove them, hand the template over.
    case manageAuthors
}

/// How somebody stands to a template. Every question "may this person do that to this template" is answered here.
package struct TemplatePermissions: Sendable, Equatable {
    /// Their part in it; `nil` for no author.
    package var author: AuthorRole?
    /// Their role; `user` where their credential lacks its scope.
    package var role: UserRole

    /// How `identity` stands to a template in which it has the part `author`.
    package init(_ identity: Identity, author: AuthorRole?) {
        self.author = author
        role =
            switch identity.role {
            case .administrator where identity.scopes.contains(.administration): .administrator
            case .moderator, .administrator: identity.scopes.contains(.moderation) ? .moderator : .user
            case .user: .user
            }
    }

    /// Whether they may, as an author or as staff.
    package func may(_ act: TemplateAction) -> Bool {
        mayAsAuthor(act) || mayAsStaff(act)
    }

    /// Whether they may, being an author.
    package func mayAsAuthor(_ act: TemplateAction) -> Bool {
        switch author {
        case .owner: true
        case .maintainer:
            switch act {
            case .uploadVersion, .edit, .withdrawVersions, .chooseChannels, .correctRegions, .deprecate: true
            case .rename, .manageAuthors, .allowTraining: false
            }
        case .contributor: act == .uploadVersion || act == .correctRegions
        case nil: false
        }
    }

    private func mayAsStaff(_ act: TemplateAction) -> Bool {
        switch act {
        case .correctRegions: role >= .moderator
        case .withdrawVersions, .deprecate: role >= .administrator
        case .uploadVersion, .edit, .rename, .chooseChannels, .manageAuthors, .allowTraining: false
        }
    }

    /// Throws `forbidden` unless they may.
    package func require(_ act: TemplateAction) throws(CatalogError) {
        guard !may(act) else { return }
        guard let author else { throw CatalogError.forbidden("This template is somebody else's.") }
        throw CatalogError.forbidden(
            "You are this template's \(author.rawValue), who may not do this; \(Self.requirementText(act)) can.")
    }

    private static func requirementText(_ act: TemplateAction) -> String {
        let maintainer = TemplatePermissions(author: .maintainer, role: .user)
        return maintainer.may(act) ? "its owner or a maintainer" : "its owner"
    }

    package init(author: AuthorRole?, role: UserRole) {
        self.author = author
        self.role = role
    }
}
