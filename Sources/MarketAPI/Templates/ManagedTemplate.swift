// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// A template as those see it who may change something of it: also while nothing of it is on offer.
struct ManagedTemplate: Sendable {
    var id: TemplateID
    var slug: String
    var name: String
    /// Of all its versions together.
    var downloads: Int
    /// How the caller stands to it.
    var standing: TemplateStanding
    /// What is on offer; `nil` while nothing is.
    var detail: TemplateDetail?
    /// The same, or while nothing is on offer with the newest version that can be had; `nil` when there is none either.
    var present: TemplateDetail?
}

extension TemplateStanding {
    /// Whether they may do anything that the page of managing a template is for; zoom regions are not corrected there.
    var mayManage: Bool {
        TemplateAct.allCases.contains { $0 != .correctRegions && may($0) }
    }
}

extension OwnerService {
    /// The template for somebody who may change something of it; throws `forbidden` for anybody else.
    func managed(_ key: TemplateKey, for identity: Identity) async throws -> ManagedTemplate {
        guard var template = try await OwnerStore.managed(key, for: identity, market.database) else {
            throw APIError.notFound("This template")
        }
        if !template.standing.mayManage { try template.standing.require(.edit) }
        template.detail = try await VersionStore.detail(.id(template.id), channel: .stable, market.database)
        template.present = template.detail
        if template.present == nil { template.present = try await VersionStore.managed(template.id, market.database) }
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
                standing: TemplateStanding(identity, author: try row.get("part")))
        }
    }
}
