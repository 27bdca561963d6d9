// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// What owners do with their published templates, and what others may do in their place. Each act is one transaction;
/// an act on somebody else's template is entered in the audit log with it.
package struct OwnerService: Sendable {
    /// Longest reason for a yank, in characters.
    static let maximumReasonLength = 500

    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    /// Changes the entry's metadata and its slug.
    package func edit(
        _ key: TemplateKey, _ patch: TemplatePatch, if condition: Precondition = .none, by identity: Identity
    ) async throws -> TemplateDetail {
        let slug = try patch.slug.map { try Self.slug($0) }
        let detail = try await catalog.database.withTransaction { connection in
            let template = try await OwnerStore.Locked.template(key, for: identity, to: .edit, connection)
            try await check(condition, of: template, connection)
            guard let offered = template.offered else {
                throw CatalogError.conflict("This template has no version on offer; change it with the next upload.")
            }
            // The same rules as for an upload, which would say the same of the version on offer.
            let metadata = UploadMetadata(
                name: patch.name, summary: patch.summary, description: patch.description, tags: patch.tags,
                license: patch.license, language: patch.language, version: offered.description)
            let draft = try await DraftValidator.draft(
                of: metadata, baseTemplate: template.metadata, names: PresentNames(connection))
            try await OwnerStore.update(template.id, to: draft, connection)
            if let slug { try await rename(template, to: slug, connection) }
            try await catalog.templateEdited(
                TemplateEdit(template: template.id, before: template.metadata, after: draft, slug: slug),
                identity.userID, connection)
            return try await present(template, connection)
        }
        catalog.catalogChanged()
        return detail
    }

    private static func slug(_ text: String) throws(CatalogError) -> Slug {
        // What looks like an id would never be found as a slug.
        guard let slug = Slug(text), TemplateID(text) == nil else {
            throw .invalid([
                .init(
                    pointer: "/slug",
                    detail: "Lower-case letters, digits and single hyphens, at most \(Slug.maximumLength) of them.")
            ])
        }
        return slug
    }

    private func rename(
        _ template: OwnerStore.Locked, to slug: Slug, _ connection: PostgresConnection
    ) async throws {
        try template.permissions.require(.rename)
        do {
            guard try await SlugStore.rename(template.id, to: slug, connection) else {
                throw CatalogError.conflict(
                    "This template has had \(SlugStore.maximumPerTemplate) slugs, which all stay its own; "
                        + "take one of them.")
            }
        } catch let error as PostgresError where error.isUniqueViolation(constraint: "templates_slug_key") {
            throw CatalogError.slugTaken
        }
    }

    // MARK: - Withdrawing

    /// Takes a version out of the offer.
    package func yank(
        _ version: VersionKey, of key: TemplateKey, reason: String?, if condition: Precondition = .none,
        by identity: Identity, requestID: String
    ) async throws -> VersionDetail {
        let reason = try Self.reason(reason, "/reason")
        return try await change(
            version, of: key, .withdrawVersions, if: condition, by: identity
        ) { template, version, connection in
            let withdrawer = Self.withdrawer(template.permissions)
            // Saying it twice is not wrong; an administrator's word takes the place of an author's.
            guard version.state == .published || (version.withdrawer ?? .author) != withdrawer,
                version.withdrawer != .administrator
            else { return }
            try await OwnerStore.setOffer(of: version.id, withdrawnBy: withdrawer, reason: reason, connection)
            try await Publishing.recomputeLatest(connection, templateID: template.id)
            try await audit(
                "version.yanked", version.number, of: template, details: reason.map { ["reason": $0] } ?? [:],
                by: identity, requestID: requestID, connection)
        }
    }

    /// Puts a yanked version back on offer. What an administrator yanked, only an administrator puts back.
    package func unyank(
        _ version: VersionKey, of key: TemplateKey, if condition: Precondition = .none, by identity: Identity,
        requestID: String
    ) async throws -> VersionDetail {
        try await change(
            version, of: key, .withdrawVersions, if: condition, by: identity
        ) { template, version, connection in
            guard version.state == .yanked else { return }
            guard version.withdrawer != .administrator || template.permissions.role >= .administrator else {
                throw CatalogError.forbidden(
                    "An administrator withdrew this version; only an administrator can put it back.")
            }
            try await OwnerStore.setOffer(of: version.id, withdrawnBy: nil, reason: nil, connection)
            try await Publishing.recomputeLatest(connection, templateID: template.id)
            try await audit(
                "version.unyanked", version.number, of: template, by: identity, requestID: requestID, connection,
                always: version.withdrawer == .administrator)
        }
    }

    /// An author withdraws their own work, whatever else they are.
    private static func withdrawer(_ permissions: TemplatePermissions) -> Withdrawer {
        permissions.mayAsAuthor(.withdrawVersions) ? .author : .administrator
    }

    /// Offers a version to others than so far.
    package func setChannel(
        of version: VersionKey, of key: TemplateKey, to channel: ReleaseChannel, if condition: Precondition = .none,
        by identity: Identity
    ) async throws -> VersionDetail {
        try await change(
            version, of: key, .chooseChannels, if: condition, by: identity
        ) { template, version, connection in
            if version.number.isPrerelease && channel == .stable {
                throw CatalogError.invalid([
                    .init(pointer: "/channel", detail: "A pre-release can only be offered as a beta.")
                ])
            }
            try await OwnerStore.setChannel(of: version.id, to: channel, connection)
            try await Publishing.recomputeLatest(connection, templateID: template.id)
        }
    }

    private func change(
        _ key: VersionKey, of template: TemplateKey, _ act: TemplateAction, if condition: Precondition,
        by identity: Identity,
        _ body: @Sendable (OwnerStore.Locked, OwnerStore.Version, PostgresConnection) async throws -> Void
    ) async throws -> VersionDetail {
        let changed = try await catalog.database.withTransaction { connection in
            let template = try await OwnerStore.Locked.template(template, for: identity, to: act, connection)
            let version = try await version(key, of: template, connection)
            if condition.isSet {
                let present = try await VersionStore.version(
                    .number(version.number), of: .id(template.id), connection)
                try condition.check(present?.editState)
            }
            try await body(template, version, connection)
            // Read while the version is locked: whatever happens to it next, this call was done.
            guard
                let changed = try await VersionStore.version(
                    .number(version.number), of: .id(template.id), connection)
            else { throw CatalogError.notFound("This version") }
            return changed
        }
        catalog.catalogChanged()
        return changed
    }

    // MARK: - Deprecation

    /// Says that the template should no longer be used, and perhaps what to use instead.
    package func deprecate(
        _ key: TemplateKey, _ request: DeprecationRequest, if condition: Precondition = .none, by identity: Identity,
        requestID: String
    ) async throws -> TemplateDetail {
        guard let message = try Self.reason(request.message, "/message") else {
            throw CatalogError.invalid([.init(pointer: "/message", detail: "Say why.")])
        }
        let successor = try request.successor.map { try Self.successor($0) }
        return try await setDeprecation(
            key, message: message, successor: successor, if: condition, action: "template.deprecated", by: identity,
            requestID: requestID)
    }

    /// Says that the template can be used again.
    package func undeprecate(
        _ key: TemplateKey, if condition: Precondition = .none, by identity: Identity, requestID: String
    ) async throws -> TemplateDetail {
        try await setDeprecation(
            key, message: nil, successor: nil, if: condition, action: "template.undeprecated", by: identity,
            requestID: requestID)
    }

    private func setDeprecation(
        _ key: TemplateKey, message: String?, successor: TemplateKey?, if condition: Precondition, action: String,
        by identity: Identity, requestID: String
    ) async throws -> TemplateDetail {
        let detail = try await catalog.database.withTransaction { connection in
            let template = try await OwnerStore.Locked.template(key, for: identity, to: .deprecate, connection)
            // Who has a sheet is told of this also when nothing of it is on offer any more.
            try condition.check(try await present(template, connection).editState)
            var next: TemplateID?
            if let successor {
                next = try await OwnerStore.listed(successor, connection)
                if next == nil { throw Self.badSuccessor("No sheet on offer has this name.") }
            }
            do {
                try await OwnerStore.setDeprecation(
                    of: template.id, message: message, successor: next, at: catalog.now(), connection)
            } catch let error as PostgresError
                where error.isCheckViolation(constraint: "templates_successor_circle")
            {
                throw Self.badSuccessor("Its successors lead back to this template.")
            }
            try await audit(
                action, nil, of: template, details: message.map { ["message": $0] } ?? [:], by: identity,
                requestID: requestID, connection)
            return try await present(template, connection)
        }
        catalog.catalogChanged()
        return detail
    }

    /// What can be no template's name is the successor's mistake: the template that the call is about is there.
    private static func successor(_ text: String) throws(CatalogError) -> TemplateKey {
        guard let key = try? TemplateKey(text) else { throw badSuccessor("No sheet on offer has this name.") }
        return key
    }

    private static func badSuccessor(_ detail: String) -> CatalogError {
        .invalid([.init(pointer: "/successor", detail: detail)])
    }

    /// A reason, cleaned; `nil` for an empty one. Throws for one that is too long.
    private static func reason(_ text: String?, _ pointer: String) throws(CatalogError) -> String? {
        guard let line = text?.cleanedLine(), !line.isEmpty else { return nil }
        if line.unicodeScalars.count > maximumReasonLength {
            throw .invalid([.init(pointer: pointer, detail: "At most \(maximumReasonLength) characters.")])
        }
        return line
    }

    // MARK: - Regions

    /// Puts corrected zoom regions in the place of all that the version has.
    package func replaceRegions(
        of key: VersionKey, of template: TemplateKey, with list: RegionList, if condition: Precondition = .none,
        by identity: Identity, requestID: String
    ) async throws -> RegionList {
        let stored = try await catalog.database.withTransaction { connection in
            let template = try await OwnerStore.Locked.template(
                template, for: identity, to: .correctRegions, connection)
            let version = try await version(key, of: template, connection)
            if condition.isSet {
                let present = try await VersionStore.regions(key, of: .id(template.id), connection)
                try condition.check(try present.map { EntityTag.state(of: try .json($0.list)) })
            }
            let checked = try RegionRules.checked(list, pageCount: version.pageCount)
            try await catalog.replaceRegions(version.submission, checked, connection)
            try await OwnerStore.announce(template.id, connection)
            try await audit(
                "regions.replaced", version.number, of: template, by: identity, requestID: requestID, connection)
            return checked
        }
        catalog.catalogChanged()
        return stored
    }

    /// Throws unless a precondition holds of what a locked template's entry says.
    private func check(
        _ condition: Precondition, of template: OwnerStore.Locked, _ connection: PostgresConnection
    ) async throws {
        guard condition.isSet else { return }
        let present = try await VersionStore.detail(.id(template.id), channel: .stable, connection)
        try condition.check(present?.editState)
    }

    /// What a locked template says now, for whoever changes it. Throws `taken_down`, so that nothing is changed, when
    /// nobody can have any of it.
    private func present(
        _ template: OwnerStore.Locked, _ connection: PostgresConnection
    ) async throws -> TemplateDetail {
        guard let detail = try await VersionStore.managed(template.id, connection) else {
            let absence = try await VersionStore.absence(.id(template.id), connection)
            throw CatalogError.takenDown(reason: absence?.reason, code: absence?.code)
        }
        return detail
    }

    private func version(
        _ key: VersionKey, of template: OwnerStore.Locked, _ connection: PostgresConnection
    ) async throws -> OwnerStore.Version {
        guard let version = try await OwnerStore.version(key, of: template.id, connection) else {
            throw CatalogError.notFound("This version")
        }
        if version.state == .takenDown { throw CatalogError.takenDown() }
        return version
    }

    /// Enters what somebody did to other people's template.
    private func audit(
        _ action: String, _ number: SemanticVersion?, of template: OwnerStore.Locked, details: [String: String] = [:],
        by identity: Identity, requestID: String, _ connection: PostgresConnection, always: Bool = false
    ) async throws {
        guard template.permissions.author == nil || always else { return }
        var details = details
        details["version"] = number?.description
        try await AuditLog.append(
            connection, actor: AuditActor(identity), action: action, subject: "template:\(template.id)",
            details: details, requestID: requestID, at: catalog.now())
    }
}
