// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketCatalog
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// Collections that people make of sheets. Only their owner changes them; moderators take them down like a review.
package struct MemberCollectionService: Sendable {
    /// Most collections of a person.
    package static let maximum = 50
    package static let maximumItems = 200
    package static let maximumTitleLength = 100
    package static let maximumTextLength = 500
    /// Collections that a template's page names, of each kind.
    static let shownWith = 20

    package let catalog: CatalogDependencies

    package init(catalog: CatalogDependencies) {
        self.catalog = catalog
    }

    private var database: PostgresClient { catalog.database }

    // MARK: - Reading

    package func own(_ user: UserID) async throws -> MemberCollectionList {
        MemberCollectionList(collections: try await MemberCollectionStore.own(user, database))
    }

    /// What the person of this handle shows in lists.
    package func listed(of handle: String) async throws -> MemberCollectionList {
        guard let user = try await AccountStore.user(handle: handle, in: database), user.disabledAt == nil else {
            throw MemberCollectionError.noSuchPerson
        }
        return MemberCollectionList(collections: try await MemberCollectionStore.listed(of: user.id, database))
    }

    package func detail(_ id: MemberCollectionID, for viewer: UserID?) async throws -> MemberCollectionDetail {
        guard let collection = try await MemberCollectionStore.collection(id, for: viewer, database) else {
            throw MemberCollectionError.noSuchCollection
        }
        return MemberCollectionDetail(
            collection: collection, items: try await MemberCollectionStore.items(id, database))
    }

    /// Collections that a template is in.
    package func collections(with key: TemplateKey) async throws -> TemplateCollections {
        try await collections(with: try await VersionReader(database: database).detail(key).summary.id)
    }

    /// The same of a template that is known to be on offer.
    package func collections(with template: TemplateID) async throws -> TemplateCollections {
        async let curated = MemberCollectionStore.curated(with: template, limit: Self.shownWith, database)
        let ofMembers = try await MemberCollectionStore.listed(with: template, limit: Self.shownWith, database)
        return TemplateCollections(curated: try await curated, ofMembers: ofMembers)
    }

    /// An own collection as it is edited: what its form shows.
    package func editing(
        _ id: MemberCollectionID, by user: UserID
    ) async throws -> (collection: MemberCollection, lines: [MemberCollectionStore.Line], state: String) {
        guard let collection = try await MemberCollectionStore.ownCollection(id, of: user, database) else {
            throw MemberCollectionError.noSuchCollection
        }
        let lines = try await MemberCollectionStore.lines(id, database)
        return (collection, lines, Self.state(of: collection, lines))
    }

    /// Which of somebody's collections hold a template.
    package func holding(_ template: TemplateID, of user: UserID) async throws -> Set<MemberCollectionID> {
        try await MemberCollectionStore.holding(template, of: user, database)
    }

    /// The state that a change must be of; `nil` for anybody but its owner.
    package func state(of id: MemberCollectionID, for user: UserID) async throws -> String? {
        guard let collection = try await MemberCollectionStore.ownCollection(id, of: user, database) else { return nil }
        return Self.state(of: collection, try await MemberCollectionStore.lines(id, database))
    }

    private static func state(of collection: MemberCollection, _ lines: [MemberCollectionStore.Line]) -> String {
        EntityTag.state(
            [collection.title, collection.summary, String(collection.isListed)]
                + lines.flatMap { [$0.id.description, $0.note] })
    }

    // MARK: - Changing

    package func make(_ edit: MemberCollectionEdit, by user: UserID) async throws -> MemberCollectionDetail {
        let edit = try checked(edit)
        let id = MemberCollectionID.make(at: catalog.now())
        try await database.withTransaction { connection in
            _ = try await AccountStore.lock(user, in: connection)
            try await refuseMissing(edit.items, connection)
            try await MemberCollectionStore.insert(id, edit, of: user, at: catalog.now(), connection)
            guard try await MemberCollectionStore.count(of: user, connection) <= Self.maximum else {
                throw MemberCollectionError.tooMany(maximum: Self.maximum)
            }
        }
        catalog.catalogChanged()
        return try await detail(id, for: user)
    }

    package func put(
        _ id: MemberCollectionID, _ edit: MemberCollectionEdit, if condition: Precondition = .none, by user: UserID
    ) async throws -> MemberCollectionDetail {
        let edit = try checked(edit)
        try await change(id, by: user, if: condition) { connection in
            try await refuseMissing(edit.items, connection)
            try await MemberCollectionStore.update(id, edit, at: catalog.now(), connection)
        }
        return try await detail(id, for: user)
    }

    package func delete(
        _ id: MemberCollectionID, if condition: Precondition = .none, by user: UserID
    ) async throws {
        try await change(id, by: user, if: condition) { connection in
            guard try await MemberCollectionStore.delete(id, of: user, connection) else {
                throw MemberCollectionError.noSuchCollection
            }
        }
    }

    /// Puts a template at the end, unless it is in it.
    package func add(_ key: TemplateKey, to id: MemberCollectionID, by user: UserID) async throws {
        let template = try await VersionReader(database: database).detail(key).summary.id
        try await rearrange(id, by: user) { lines in
            guard !lines.contains(where: { $0.templateId == template }) else { return }
            guard lines.count < Self.maximumItems else {
                throw MemberCollectionError.isFull(maximum: Self.maximumItems)
            }
            lines.append(.init(templateId: template))
        }
    }

    package func remove(_ key: TemplateKey, from id: MemberCollectionID, by user: UserID) async throws {
        guard let template = try await MemberCollectionStore.template(key, database) else {
            throw MemberCollectionError.noSuchTemplate
        }
        try await rearrange(id, by: user) { lines in lines.removeAll { $0.templateId == template } }
    }

    private func rearrange(
        _ id: MemberCollectionID, by user: UserID, _ change: @Sendable (inout [CollectionEdit.Item]) throws -> Void
    ) async throws {
        try await self.change(id, by: user) { connection in
            let before = try await MemberCollectionStore.lines(id, connection).map {
                CollectionEdit.Item(templateId: $0.id, note: $0.note)
            }
            var items = before
            try change(&items)
            guard items != before else { return }
            try await MemberCollectionStore.setItems(items, of: id, connection)
            try await MemberCollectionStore.touch(id, at: catalog.now(), connection)
        }
    }

    /// Changes an own collection under its lock.
    private func change(
        _ id: MemberCollectionID, by user: UserID, if condition: Precondition = .none,
        _ change: (PostgresConnection) async throws -> Void
    ) async throws {
        try await database.withTransaction { connection in
            guard try await MemberCollectionStore.lock(id, of: user, connection),
                let collection = try await MemberCollectionStore.ownCollection(id, of: user, connection)
            else { throw MemberCollectionError.noSuchCollection }
            if condition.isSet {
                try condition.check(Self.state(of: collection, try await MemberCollectionStore.lines(id, connection)))
            }
            try await change(connection)
        }
        catalog.catalogChanged()
    }

    private func refuseMissing(_ items: [CollectionEdit.Item], _ connection: PostgresConnection) async throws {
        let present = try await MemberCollectionStore.present(items.map(\.templateId), connection)
        let problems = items.enumerated().filter { !present.contains($1.templateId) }
            .map { ProblemDocument.Detail(pointer: "/items/\($0.offset)/templateId", detail: "No such template.") }
        guard problems.isEmpty else { throw MemberCollectionError.invalid(problems) }
    }

    private func checked(_ edit: MemberCollectionEdit) throws -> MemberCollectionEdit {
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
        guard edit.items.count <= Self.maximumItems else {
            problems.append(.init(pointer: "/items", detail: "At most \(Self.maximumItems) templates."))
            throw MemberCollectionError.invalid(problems)
        }
        var seen: Set<TemplateID> = []
        for (index, item) in edit.items.enumerated() {
            edit.items[index].note = text(item.note ?? "", "/items/\(index)/note", to: Self.maximumTextLength)
            if !seen.insert(item.templateId).inserted {
                problems.append(.init(pointer: "/items/\(index)/templateId", detail: "It is in the list already."))
            }
        }
        if !problems.isEmpty { throw MemberCollectionError.invalid(problems) }
        return edit
    }
}
