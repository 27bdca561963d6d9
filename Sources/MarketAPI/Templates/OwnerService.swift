// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import MarketWire
import Postgres
import SheetCore

/// What owners do with their published templates, and what others may do in their place. Each act is one transaction;
/// an act on somebody else's template is entered in the audit log with it.
struct OwnerService: Sendable {
    /// Longest reason for a yank, in characters.
    static let maximumReasonLength = 500

    let market: Market

    private var reader: VersionReader { VersionReader(database: market.database) }

    /// Changes what the entry says.
    func edit(_ key: TemplateKey, _ patch: TemplatePatch, by identity: Identity) async throws -> TemplateDetail {
        try await market.database.withTransaction { connection in
            let template = try await lock(key, for: identity, orAtLeast: nil, connection)
            guard let offered = template.offered else {
                throw APIError(
                    .conflict, .conflict, "This template has no version on offer; change it with the next upload.")
            }
            // The same rules as for an upload, which would say the same of the version on offer.
            let metadata = UploadMetadata(
                name: patch.name, summary: patch.summary, description: patch.description, tags: patch.tags,
                license: patch.license, language: patch.language, version: offered.description)
            let draft = try await DraftCheck.draft(of: metadata, basis: template.metadata) { _ in true }
            try await OwnerStore.update(template.id, to: draft, connection)
        }
        market.responses.removeAll()
        return try await reader.detail(key)
    }

    /// Takes a version out of the offer.
    func yank(
        _ version: VersionKey, of key: TemplateKey, reason: String?, by identity: Identity, requestID: String
    ) async throws -> VersionDetail {
        let reason = reason?.cleanedLine()
        if let reason, reason.unicodeScalars.count > Self.maximumReasonLength {
            throw APIError.validation([
                .init(pointer: "/reason", detail: "At most \(Self.maximumReasonLength) characters.")
            ])
        }
        return try await move(
            version, of: key, from: .published, to: .yanked, reason: reason?.isEmpty == true ? nil : reason,
            action: "version.yanked", by: identity, requestID: requestID)
    }

    /// Puts a yanked version back on offer.
    func unyank(
        _ version: VersionKey, of key: TemplateKey, by identity: Identity, requestID: String
    ) async throws -> VersionDetail {
        try await move(
            version, of: key, from: .yanked, to: .published, reason: nil, action: "version.unyanked", by: identity,
            requestID: requestID)
    }

    private func move(
        _ key: VersionKey, of template: TemplateKey, from: VersionState, to: VersionState, reason: String?,
        action: String, by identity: Identity, requestID: String
    ) async throws -> VersionDetail {
        let number = try await market.database.withTransaction { connection in
            let template = try await lock(template, for: identity, orAtLeast: .administrator, connection)
            let version = try await version(key, of: template, connection)
            // Saying it twice is not wrong.
            guard version.state == from else { return version.number }
            try await OwnerStore.setState(of: version.id, to: to, reason: reason, connection)
            try await Publishing.recomputeLatest(connection, templateID: template.id)
            try await audit(
                action, version.number, of: template, details: reason.map { ["reason": $0] } ?? [:], by: identity,
                requestID: requestID, connection)
            return version.number
        }
        market.responses.removeAll()
        return try await reader.version(.number(number), of: template)
    }

    /// Puts corrected zoom regions in the place of all that the version has.
    func replaceRegions(
        of key: VersionKey, of template: TemplateKey, with list: RegionList, by identity: Identity, requestID: String
    ) async throws -> RegionList {
        let stored = try await market.database.withTransaction { connection in
            let template = try await lock(template, for: identity, orAtLeast: .moderator, connection)
            let version = try await version(key, of: template, connection)
            let checked = try RegionRules.checked(list, pageCount: version.pageCount)
            try await OwnerStore.replaceRegions(of: version.submission, with: checked, connection)
            try await OwnerStore.announce(template.id, connection)
            try await audit(
                "regions.replaced", version.number, of: template, by: identity, requestID: requestID, connection)
            return checked
        }
        market.responses.removeAll()
        return stored
    }

    /// Locks the template for its owner, or for somebody of at least `role`.
    private func lock(
        _ key: TemplateKey, for identity: Identity, orAtLeast role: UserRole?, _ connection: PostgresConnection
    ) async throws -> OwnerStore.Locked {
        guard let template = try await OwnerStore.lock(key, connection) else {
            throw APIError.notFound("This template")
        }
        let isAllowed = template.owner == identity.userID || (role.map { identity.role >= $0 } ?? false)
        guard isAllowed else {
            throw APIError(.forbidden, .forbidden, "This template is somebody else's.")
        }
        return template
    }

    private func version(
        _ key: VersionKey, of template: OwnerStore.Locked, _ connection: PostgresConnection
    ) async throws -> OwnerStore.Version {
        guard let version = try await OwnerStore.version(key, of: template.id, connection) else {
            throw APIError.notFound("This version")
        }
        if version.state == .takenDown { throw VersionReader.takenDown(nil) }
        return version
    }

    private func audit(
        _ action: String, _ number: SemanticVersion, of template: OwnerStore.Locked, details: [String: String] = [:],
        by identity: Identity, requestID: String, _ connection: PostgresConnection
    ) async throws {
        guard identity.userID != template.owner else { return }
        try await AuditLog.append(
            connection, actor: AuditActor(identity), action: action, subject: "template:\(template.id)",
            details: details.merging(["version": number.description]) { $1 }, requestID: requestID, at: market.now())
    }
}
