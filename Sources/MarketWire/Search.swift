// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `GET /suggest?q=`: what somebody may be typing.
public struct SuggestionList: Sendable, Codable, Equatable {
    public struct Template: Sendable, Codable, Equatable {
        public var id: TemplateID
        public var slug: String
        public var name: String
        public var gameSystem: String

        public init(id: TemplateID, slug: String, name: String, gameSystem: String) {
            self.id = id
            self.slug = slug
            self.name = name
            self.gameSystem = gameSystem
        }
    }

    public struct System: Sendable, Codable, Equatable {
        public var slug: String
        public var name: String

        public init(slug: String, name: String) {
            self.slug = slug
            self.name = name
        }
    }

    /// Somebody with templates on offer.
    public struct Author: Sendable, Codable, Equatable {
        public var handle: String
        public var displayName: String

        public init(handle: String, displayName: String) {
            self.handle = handle
            self.displayName = displayName
        }
    }

    public var templates: [Template]
    public var gameSystems: [System]
    public var authors: [Author]
    public var tags: [Facets.Count]
    /// What the suggestions are for, when that is not what was asked.
    public var correctedQuery: String?

    public init(
        templates: [Template] = [], gameSystems: [System] = [], authors: [Author] = [], tags: [Facets.Count] = [],
        correctedQuery: String? = nil
    ) {
        self.templates = templates
        self.gameSystems = gameSystems
        self.authors = authors
        self.tags = tags
        self.correctedQuery = correctedQuery
    }

    /// Whether there is none.
    public var isEmpty: Bool { templates.isEmpty && gameSystems.isEmpty && authors.isEmpty && tags.isEmpty }
}

/// A curated list of templates.
public struct TemplateCollection: Sendable, Codable, Equatable {
    public var slug: String
    public var title: String
    public var summary: String
    /// Templates of it that are on offer.
    public var templateCount: Int
    public var updatedAt: Date

    public init(slug: String, title: String, summary: String, templateCount: Int, updatedAt: Date) {
        self.slug = slug
        self.title = title
        self.summary = summary
        self.templateCount = templateCount
        self.updatedAt = updatedAt
    }
}

/// `GET /collections`.
public struct CollectionList: Sendable, Codable, Equatable {
    public var collections: [TemplateCollection]
    @AlwaysWritten public var nextCursor: String?

    public init(collections: [TemplateCollection], nextCursor: String? = nil) {
        self.collections = collections
        self.nextCursor = nextCursor
    }
}

/// `GET /collections/{slug}`.
public struct CollectionDetail: Sendable, Codable, Equatable {
    /// A template and why it is there.
    public struct Item: Sendable, Codable, Equatable {
        public var template: TemplateSummary
        public var note: String

        public init(template: TemplateSummary, note: String) {
            self.template = template
            self.note = note
        }
    }

    public var slug: String
    public var title: String
    public var summary: String
    public var updatedAt: Date
    /// In the curator's order.
    public var items: [Item]

    public init(slug: String, title: String, summary: String, updatedAt: Date, items: [Item]) {
        self.slug = slug
        self.title = title
        self.summary = summary
        self.updatedAt = updatedAt
        self.items = items
    }
}

/// `PUT /collections/{slug}`: the whole collection, as a moderator wants it.
public struct CollectionEdit: Sendable, Codable, Equatable {
    /// A template, by id.
    public struct Item: Sendable, Codable, Equatable {
        public var templateId: TemplateID
        public var note: String?

        public init(templateId: TemplateID, note: String? = nil) {
            self.templateId = templateId
            self.note = note
        }
    }

    public var title: String
    public var summary: String?
    public var items: [Item]

    public init(title: String, summary: String? = nil, items: [Item]) {
        self.title = title
        self.summary = summary
        self.items = items
    }
}

/// `GET /templates/{id}/similar`.
public struct SimilarList: Sendable, Codable, Equatable {
    public var templates: [TemplateSummary]
    /// Always `nil`: only the nearest are told.
    @AlwaysWritten public var nextCursor: String? = nil

    public init(templates: [TemplateSummary]) {
        self.templates = templates
    }
}
