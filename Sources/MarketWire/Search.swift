// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// `GET /suggest?q=`: what somebody may be typing.
public struct SuggestionList: Sendable, Codable, Equatable {
    /// A template that matches.
    public struct Template: Sendable, Codable, Equatable {
        /// Its identifier.
        public var id: TemplateID
        /// The short name in addresses.
        public var slug: String
        /// What people call it.
        public var name: String
        /// The game system's slug.
        public var gameSystem: String

        public init(id: TemplateID, slug: String, name: String, gameSystem: String) {
            self.id = id
            self.slug = slug
            self.name = name
            self.gameSystem = gameSystem
        }
    }

    /// A game system that matches.
    public struct System: Sendable, Codable, Equatable {
        /// The short name in addresses.
        public var slug: String
        /// What people call it.
        public var name: String

        public init(slug: String, name: String) {
            self.slug = slug
            self.name = name
        }
    }

    /// Somebody with templates on offer.
    public struct Author: Sendable, Codable, Equatable {
        /// The account's name in addresses.
        public var handle: String
        /// The name that people see.
        public var displayName: String

        public init(handle: String, displayName: String) {
            self.handle = handle
            self.displayName = displayName
        }
    }

    /// Templates that match.
    public var templates: [Template]
    /// Game systems that match.
    public var gameSystems: [System]
    /// Authors who match.
    public var authors: [Author]
    /// Tags that match, with their counts.
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
    /// The short name in addresses.
    public var slug: String
    /// The title that people see.
    public var title: String
    /// One sentence about it.
    public var summary: String
    /// Templates of it that are on offer.
    public var templateCount: Int
    /// When it changed last.
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
    /// The page's collections.
    public var collections: [TemplateCollection]
    /// Where the next page begins; `nil` on the last.
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
        /// The template, as lists show it.
        public var template: TemplateSummary
        /// What the collector says of it.
        public var note: String

        public init(template: TemplateSummary, note: String) {
            self.template = template
            self.note = note
        }
    }

    /// The short name in addresses.
    public var slug: String
    /// The title that people see.
    public var title: String
    /// One sentence about it.
    public var summary: String
    /// When it changed last.
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
        /// The template's id.
        public var templateId: TemplateID
        /// What the collector says of it.
        public var note: String?

        public init(templateId: TemplateID, note: String? = nil) {
            self.templateId = templateId
            self.note = note
        }
    }

    /// The title that people see.
    public var title: String
    /// One sentence about it.
    public var summary: String?
    /// In the order in which they are shown.
    public var items: [Item]

    public init(title: String, summary: String? = nil, items: [Item]) {
        self.title = title
        self.summary = summary
        self.items = items
    }
}

/// `GET /templates/{id}/similar`.
public struct SimilarList: Sendable, Codable, Equatable {
    /// Templates that match.
    public var templates: [TemplateSummary]
    /// Always `nil`: only the nearest are told.
    @AlwaysWritten public var nextCursor: String? = nil

    public init(templates: [TemplateSummary]) {
        self.templates = templates
    }
}
