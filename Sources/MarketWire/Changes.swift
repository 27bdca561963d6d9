// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// Something that happened to the catalog.
public struct CatalogChange: Sendable, Codable, Equatable {
    /// What a mirror has to do about it. Open: there may be more.
    public struct Kind: RawRepresentable, Hashable, Sendable, Codable {
        /// The word as it stands in JSON.
        public let rawValue: String

        /// Any word, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The template is on offer now.
        public static let templateAdded = Self(rawValue: "template_added")
        /// The template reads differently now.
        public static let templateChanged = Self(rawValue: "template_changed")
        /// The template is no longer on offer: a tombstone.
        public static let templateRemoved = Self(rawValue: "template_removed")
        /// There is one more version.
        public static let versionAdded = Self(rawValue: "version_added")
        /// The version reads differently now, or stands otherwise.
        public static let versionChanged = Self(rawValue: "version_changed")
        /// The version can no longer be had: a tombstone.
        public static let versionRemoved = Self(rawValue: "version_removed")
    }

    /// What kind it is of.
    public var kind: Kind
    /// Why: `published`, `edited`, `renamed`, `transferred`, `author`, `deprecated`, `undeprecated`, `successor`, `offer`,
    /// `yanked`, `unyanked`, `channel`, `regions`, `taken_down`, `restored`, `erased`. Open: there may be more.
    public var reason: String
    /// The reason code of a take-down.
    public var code: String?
    /// The template's id.
    public var templateId: TemplateID
    /// The template's slug at that time.
    public var slug: String
    /// The version's number, where it is about one.
    public var version: SemanticVersion?
    /// When it happened.
    public var at: Date

    public init(
        kind: Kind, reason: String, code: String? = nil, templateId: TemplateID, slug: String,
        version: SemanticVersion? = nil, at: Date
    ) {
        self.kind = kind
        self.reason = reason
        self.code = code
        self.templateId = templateId
        self.slug = slug
        self.version = version
        self.at = at
    }
}

/// All that is public of a template on offer: what a mirror keeps.
public struct MirroredTemplate: Sendable, Codable, Equatable {
    /// As `GET /templates/{id}` answers.
    public var template: TemplateDetail
    /// As `GET /templates/{id}/versions` answers.
    public var versions: [VersionDetail]

    public init(template: TemplateDetail, versions: [VersionDetail]) {
        self.template = template
        self.versions = versions
    }
}

/// `GET /changes`: what happened, oldest first.
public struct ChangeList: Sendable, Codable, Equatable {
    /// The page's changes, oldest first.
    public var changes: [CatalogChange]
    /// The templates that `changes` tell of as they are now, with `include=templates`; those that are not on offer now
    /// are missing.
    public var templates: [MirroredTemplate]?
    /// Where to go on, now or in some weeks.
    public var nextCursor: String

    public init(changes: [CatalogChange], templates: [MirroredTemplate]? = nil, nextCursor: String) {
        self.changes = changes
        self.templates = templates
        self.nextCursor = nextCursor
    }
}

/// A file with the whole public catalog as it stood at some moment.
public struct CatalogDump: Sendable, Codable, Equatable {
    /// `catalog-2026-11-21.jsonl.gz`.
    public var name: String
    /// When it was made.
    public var createdAt: Date
    /// Of the file's bytes.
    public var sha256: ContentHash
    /// Length in bytes.
    public var sizeBytes: Int
    /// How many templates are in it.
    public var templateCount: Int
    /// Where `GET /changes` goes on.
    public var cursor: String
    /// Address of the file, relative to the server.
    public var url: String

    public init(
        name: String, createdAt: Date, sha256: ContentHash, sizeBytes: Int, templateCount: Int, cursor: String,
        url: String
    ) {
        self.name = name
        self.createdAt = createdAt
        self.sha256 = sha256
        self.sizeBytes = sizeBytes
        self.templateCount = templateCount
        self.cursor = cursor
        self.url = url
    }
}

/// `GET /dumps`.
public struct CatalogDumpList: Sendable, Codable, Equatable {
    /// The newest first.
    public var dumps: [CatalogDump]

    public init(dumps: [CatalogDump]) {
        self.dumps = dumps
    }
}

/// A line of a dump: one of its members is there. Open: there may be other lines.
public struct CatalogDumpLine: Sendable, Codable, Equatable {
    /// What the first line says.
    public struct Header: Sendable, Codable, Equatable {
        /// `sheetmarket.dump.1`.
        public var format: String
        /// When it was made.
        public var createdAt: Date
        /// Where `GET /changes` goes on.
        public var cursor: String

        public init(format: String, createdAt: Date, cursor: String) {
            self.format = format
            self.createdAt = createdAt
            self.cursor = cursor
        }
    }

    /// The first line.
    public var header: Header?
    /// A line that tells of a game system.
    public var gameSystem: GameSystem?
    /// A line that tells of a template.
    public var template: TemplateDetail?
    /// Beside `template`: its versions.
    public var versions: [VersionDetail]?
    /// The last line: how many templates there were. A file without it is not whole.
    public var templateCount: Int?

    /// Any of them.
    public init(
        header: Header? = nil, gameSystem: GameSystem? = nil, template: TemplateDetail? = nil,
        versions: [VersionDetail]? = nil, templateCount: Int? = nil
    ) {
        self.header = header
        self.gameSystem = gameSystem
        self.template = template
        self.versions = versions
        self.templateCount = templateCount
    }
}
