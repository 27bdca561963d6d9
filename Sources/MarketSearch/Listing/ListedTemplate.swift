// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// A template as the database gave it for a list: read into a value, or written as JSON, when that is needed.
package struct ListedTemplate: Sendable {
    package let id: TemplateID
    private let row: PostgresRow

    /// What `TemplateSummary` reads of listings `l`.
    package static let columns: PostgresQuery = """
        l.id, l.slug, l.name, l.summary, l.game_system, l.author, l.rating, l.rating_count, l.downloads,
            l.number, l.page_count, l.license, l.language, l.tags, l.updated_at, l.kind
        """
    /// How many columns these are.
    package static let columnCount = 16

    /// Of a row that begins with `columns`.
    package init(_ row: PostgresRow) throws {
        id = try row.get(0)
        self.row = row
    }

    package var summary: TemplateSummary {
        get throws { try TemplateSummary(row) }
    }

    /// Everything that the summary is made of.
    package var text: [UInt8] { row.text(ofFirst: Self.columnCount) }
}

extension TemplateSummary {
    /// Reads the columns `id, slug, name, summary, game_system, handle, rating, rating_count, downloads, number,
    /// page_count, license, language, tags, updated_at, kind` from the row's beginning.
    package init(_ row: PostgresRow) throws {
        let id: TemplateID = try row.get(0)
        let version: SemanticVersion = try row.get(9)
        let key = id.description
        let number = version.description
        self.init(
            id: id, slug: try row.get(1), name: try row.get(2), summary: try row.get(3), gameSystem: try row.get(4),
            author: try row.get(5), rating: try row.get(6), ratingCount: try row.get(7), downloads: try row.get(8),
            previewURL: Paths.preview(key, number, page: 0), downloadURL: Paths.download(key, number),
            version: version, pageCount: try row.get(10), license: try row.get(11), language: try row.get(12),
            tags: try row.get(13), updatedAt: try row.get(14), kind: try row.get(15))
    }
}
