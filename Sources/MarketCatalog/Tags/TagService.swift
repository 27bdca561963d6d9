// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres

/// Why a tag was not changed.
package enum TagError: Error, Sendable, Equatable {
    /// Nothing has such a tag.
    case noSuchTag
    /// What tags are looked for by is longer than any of them.
    case partTooLong
    /// The new name will not do; what would.
    case invalid(String)
}

/// What moderators do with the tags of all templates. Each act is one transaction and entered in the audit log.
package struct TagService: Sendable {
    private let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    /// Longest part of a tag that is looked for, in Unicode scalars.
    package static let maximumPartLength = 64

    /// Those that templates on offer have, the most used first; only those with `part` in them where that is given. Throws
    /// `TagError.partTooLong`.
    package func list(having part: String?, _ pageRequest: PageRequest) async throws -> TagList {
        let name = "tags"
        let last = try pageRequest.place(in: name, keys: 2) { keys -> TagCount? in
            Int(keys[0]).map { TagCount(tag: keys[1], templateCount: $0) }
        }
        guard (part?.unicodeScalars.count ?? 0) <= Self.maximumPartLength else { throw TagError.partTooLong }
        let part = part?.cleanedLine().lowercased() ?? ""
        let found = try await TagStore.list(
            having: part, after: last, limit: pageRequest.fetchLimit, catalog.database)
        let page = pageRequest.page(found, of: name) { [String($0.templateCount), $0.tag] }
        return TagList(tags: page.rows, nextCursor: page.next)
    }

    /// What a tag that nothing has any more is called now.
    package func present(of tag: String) async throws -> String? {
        try await FormerNameStore.present(tag: tag, catalog.database)
    }

    /// How many templates on offer have the tag.
    package func offered(with tag: String) async throws -> Int {
        try await TagStore.offered(with: tag, catalog.database)
    }

    package func detail(_ tag: String) async throws -> TagDetail {
        let uses = try await TagStore.uses(of: tag, catalog.database)
        guard uses.templates > 0 || uses.submissions > 0 else { throw TagError.noSuchTag }
        return TagDetail(
            tag: tag, templateCount: uses.templates, submissionCount: uses.submissions,
            formerNames: try await FormerNameStore.formerNames(of: tag, catalog.database))
    }

    /// The new name as it would be stored, and how many templates have that already. Throws `TagError`.
    package func proposed(_ name: String, for tag: String) async throws -> (tag: String, templateCount: Int) {
        let name = try await checked(name, for: tag, catalog.database)
        return (tag: name, templateCount: try await TagStore.uses(of: name, catalog.database).templates)
    }

    /// Gives everything that has the tag another, which it may have already. The old name leads to the new one from
    /// now on, in uploads and in addresses. Throws `TagError`.
    package func rename(
        _ tag: String, to name: String, by identity: Identity, requestID: String
    ) async throws -> TagChange {
        let change = try await catalog.database.withTransaction { connection in
            let name = try await checked(name, for: tag, connection)
            let uses = try await TagStore.replace(tag, by: name, connection)
            guard uses.templates > 0 || uses.submissions > 0 else { throw TagError.noSuchTag }
            try await FormerNameStore.add(tag: tag, leadingTo: name, at: catalog.now(), connection)
            try await audit(
                "tag.renamed", tag, ["to": name, "templates": "\(uses.templates)"], identity, requestID, connection)
            return TagChange(
                tag: tag, to: name, templateCount: uses.templates, submissionCount: uses.submissions)
        }
        catalog.catalogChanged()
        return change
    }

    /// Takes the tag off everything that has it. Throws `TagError`.
    package func remove(_ tag: String, by identity: Identity, requestID: String) async throws -> TagChange {
        let change = try await catalog.database.withTransaction { connection in
            let uses = try await TagStore.replace(tag, by: nil, connection)
            guard uses.templates > 0 || uses.submissions > 0 else { throw TagError.noSuchTag }
            try await FormerNameStore.remove(leadingTo: tag, connection)
            try await audit(
                "tag.removed", tag, ["templates": "\(uses.templates)"], identity, requestID, connection)
            return TagChange(tag: tag, templateCount: uses.templates, submissionCount: uses.submissions)
        }
        catalog.catalogChanged()
        return change
    }

    private func checked(_ name: String, for tag: String, _ database: some PostgresExecutor) async throws -> String {
        guard let name = DraftValidator.tag(name) else { throw TagError.invalid(DraftValidator.tagRule) }
        guard name != tag else { throw TagError.invalid("That is its name already.") }
        if let present = try await FormerNameStore.present(tag: name, database), present != tag {
            throw TagError.invalid("'\(name)' is called '\(present)' now.")
        }
        return name
    }

    private func audit(
        _ action: String, _ tag: String, _ details: [String: String], _ identity: Identity, _ requestID: String,
        _ connection: PostgresConnection
    ) async throws {
        try await AuditLog.append(
            connection, actor: AuditActor(identity), action: action, subject: "tag:\(tag)", details: details,
            requestID: requestID, at: catalog.now())
    }
}
