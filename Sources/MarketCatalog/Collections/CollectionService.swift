// SPDX-License-Identifier: Apache-2.0
import MarketAccounts
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// What moderators do with curated collections. Each act is one transaction and entered in the audit log.
package struct CollectionService: Sendable {
    static let maximumTitleLength = 100
    package static let maximumTextLength = 500
    package static let maximumItems = 200

    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    /// By title.
    package func list(_ pageRequest: PageRequest) async throws -> CollectionList {
        let name = "collections"
        let last = try pageRequest.place(in: name, keys: 2) { CollectionStore.Position(title: $0[0], slug: $0[1]) }
        let found = try await CollectionStore.list(after: last, limit: pageRequest.fetchLimit, catalog.database)
        let page = pageRequest.page(found, of: name) { [$0.title, $0.slug] }
        return CollectionList(collections: page.rows, nextCursor: page.next)
    }

    package func detail(_ slug: String) async throws -> CollectionDetail {
        guard let collection = try await CollectionStore.collection(slug, catalog.database) else {
            throw CatalogError.notFound("This collection")
        }
        return CollectionDetail(
            slug: collection.slug, title: collection.title, summary: collection.summary,
            updatedAt: collection.updatedAt, items: try await CollectionStore.items(slug, catalog.database))
    }

    /// What can be edited of a collection, as tags and forms tell it. Whoever shows a collection reads this first: a
    /// change that comes between is found when it is sent back.
    package func state(of slug: String) async throws -> String {
        guard let state = try await Self.state(of: slug, catalog.database) else {
            throw CatalogError.notFound("This collection")
        }
        return state
    }

    /// All that curators have put into it, also what is not on offer now: that comes and goes without them.
    private static func state(of slug: String, _ database: some PostgresExecutor) async throws -> String? {
        guard let collection = try await CollectionStore.collection(slug, database) else { return nil }
        let lines = try await CollectionStore.lines(slug, database)
        return EntityTag.state(
            [collection.slug, collection.title, collection.summary] + lines.flatMap { [$0.id.description, $0.note] })
    }

    /// Locks the collection until the transaction ends, and throws unless it satisfies the precondition.
    private func check(_ condition: Precondition, of slug: Slug, _ connection: PostgresConnection) async throws {
        // Also without one, or who makes a collection would come between.
        try await CollectionStore.lock(slug.text, connection)
        guard condition.isSet else { return }
        try condition.check(try await Self.state(of: slug.text, connection))
    }

    /// Makes or replaces a collection; whether it is new.
    package func put(
        _ slug: Slug, _ edit: CollectionEdit, if condition: Precondition = .none, by identity: Identity,
        requestID: String
    ) async throws -> (detail: CollectionDetail, isNew: Bool) {
        let edit = try checked(edit)
        let isNew = try await catalog.database.withTransaction { connection in
            try await check(condition, of: slug, connection)
            let missing = try await CollectionStore.missing(edit.items.map(\.templateId), connection)
            let problems = edit.items.enumerated().filter { missing.contains($1.templateId) }
                .map { ProblemDocument.Detail(pointer: "/items/\($0.offset)/templateId", detail: "No such template.") }
            guard problems.isEmpty else { throw CatalogError.invalid(problems) }
            let isNew = try await CollectionStore.put(slug.text, edit, connection)
            let details = ["templates": String(edit.items.count)]
            try await audit("collection.put", slug, details, identity, requestID, connection)
            return isNew
        }
        catalog.catalogChanged()
        return (try await detail(slug.text), isNew)
    }

    package func delete(
        _ slug: Slug, if condition: Precondition = .none, by identity: Identity, requestID: String
    ) async throws {
        try await catalog.database.withTransaction { connection in
            try await check(condition, of: slug, connection)
            guard try await CollectionStore.delete(slug.text, connection) else {
                throw CatalogError.notFound("This collection")
            }
            try await audit("collection.deleted", slug, [:], identity, requestID, connection)
        }
        catalog.catalogChanged()
    }

    /// Puts a template at a collection's end, unless it is in it already.
    package func add(_ template: Slug, to slug: Slug, by identity: Identity, requestID: String) async throws {
        try await catalog.database.withTransaction { connection in
            try await CollectionStore.lock(slug.text, connection)
            guard try await CollectionStore.collection(slug.text, connection) != nil else {
                throw CatalogError.notFound("This collection")
            }
            guard let id = try await CollectionStore.ids(of: [template.text], connection)[template.text] else {
                throw CatalogError.notFound("This template")
            }
            guard try await CollectionStore.append(id, to: slug.text, connection) else { return }
            let count = try await CollectionStore.lines(slug.text, connection).count
            guard count <= Self.maximumItems else {
                throw CatalogError.invalid([
                    .init(pointer: "/collection", detail: "It is full: at most \(Self.maximumItems) templates.")
                ])
            }
            let details = ["templates": String(count), "added": template.text]
            try await audit("collection.put", slug, details, identity, requestID, connection)
        }
        catalog.catalogChanged()
    }

    /// The collection as its curators edit it, including templates that are not on offer.
    package func lines(_ slug: Slug) async throws -> [CollectionStore.Line] {
        try await CollectionStore.lines(slug.text, catalog.database)
    }

    /// The templates that have, or once had, these slugs.
    package func templates(_ slugs: [String]) async throws -> [String: TemplateID] {
        try await CollectionStore.ids(of: slugs, catalog.database)
    }

    /// Addresses of pictures of the first templates in each collection of a list, at most `count` of one.
    package func pictures(of list: CollectionList, count: Int) async throws -> [String: [String]] {
        try await CollectionStore.pictures(list.collections.map(\.slug), count: count, catalog.database)
    }

    private func checked(_ edit: CollectionEdit) throws(CatalogError) -> CollectionEdit {
        var problems: [ProblemDocument.Detail] = []
        func text(_ value: String, _ pointer: String, from least: Int = 0, to most: Int) -> String {
            let cleaned = value.cleanedLine()
            if !(least...most).contains(cleaned.unicodeScalars.count) {
                problems.append(.init(pointer: pointer, detail: "\(least) to \(most) characters."))
            }
            return cleaned
        }
        var edit = edit
        edit.title = text(edit.title, "/title", from: 1, to: Self.maximumTitleLength)
        edit.summary = text(edit.summary ?? "", "/summary", to: Self.maximumTextLength)
        if edit.items.count > Self.maximumItems {
            problems.append(.init(pointer: "/items", detail: "At most \(Self.maximumItems) templates."))
        } else {
            var seen: Set<TemplateID> = []
            for index in edit.items.indices {
                edit.items[index].note = text(
                    edit.items[index].note ?? "", "/items/\(index)/note", to: Self.maximumTextLength)
                if !seen.insert(edit.items[index].templateId).inserted {
                    problems.append(.init(pointer: "/items/\(index)/templateId", detail: "It is in the list already."))
                }
            }
        }
        if !problems.isEmpty { throw .invalid(problems) }
        return edit
    }

    private func audit(
        _ action: String, _ slug: Slug, _ details: [String: String], _ identity: Identity, _ requestID: String,
        _ connection: PostgresConnection
    ) async throws {
        try await AuditLog.append(
            connection, actor: AuditActor(identity), action: action, subject: "collection:\(slug.text)",
            details: details, requestID: requestID, at: catalog.now())
    }
}
