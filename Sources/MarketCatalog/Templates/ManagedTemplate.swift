// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// A template as those see it who may change something of it: also while nothing of it is on offer.
package struct ManagedTemplate: Sendable {
    package var id: TemplateID
    package var slug: String
    package var name: String
    /// Of all its versions together.
    package var downloads: Int
    /// How the caller stands to it.
    package var permissions: TemplatePermissions
    /// What is on offer; `nil` while nothing is.
    package var detail: TemplateDetail?
    /// The same, or while nothing is on offer with the newest version that can be had; `nil` when there is none either.
    package var present: TemplateDetail?
}

extension TemplatePermissions {
    /// Whether they may do anything that the page of managing a template is for; zoom regions are not corrected there.
    package var mayManage: Bool {
        TemplateAction.allCases.contains { $0 != .correctRegions && may($0) }
    }
}

extension OwnerService {
    /// The template for somebody who may change something of it; throws `forbidden` for anybody else.
    package func managed(_ key: TemplateKey, for identity: Identity) async throws -> ManagedTemplate {
        guard var template = try await OwnerStore.managed(key, for: identity, catalog.database) else {
            throw CatalogError.notFound("This template")
        }
        if !template.permissions.mayManage { try template.permissions.require(.edit) }
        template.detail = try await VersionStore.detail(.id(template.id), channel: .stable, catalog.database)
        template.present = template.detail
        if template.present == nil { template.present = try await VersionStore.managed(template.id, catalog.database) }
        return template
    }
}

extension OwnerStore {
    /// Without what is on offer; `nil` when there is no such template, or none that was ever published.
    static func managed(
        _ key: TemplateKey, for identity: Identity, _ database: some PostgresExecutor
    ) async throws -> ManagedTemplate? {
        try await database.first(
            """
            SELECT t.id, t.slug, t.name, t.downloads, \(fragment: AuthorStore.part(of: identity.userID)) AS part
            FROM templates AS t
            WHERE \(fragment: key.condition) AND EXISTS (SELECT FROM versions AS v WHERE v.template_id = t.id)
            """
        ) { row in
            ManagedTemplate(
                id: try row.get("id"), slug: try row.get("slug"), name: try row.get("name"),
                downloads: try row.get("downloads"),
                permissions: TemplatePermissions(identity, author: try row.get("part")))
        }
    }
}
