// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketSearch
import MarketWire
import NIOCore
import Postgres
import SheetCore

/// A template in full as the database gave it: read into a value when that is needed.
package struct DetailRow: Sendable {
    let id: TemplateID
    private let row: PostgresRow

    /// Of a row of `VersionStore.details`.
    init(_ row: PostgresRow) throws {
        id = try row.get(0)
        self.row = row
    }

    /// The template, read.
    var detail: TemplateDetail {
        get throws {
            let summary = try TemplateSummary(row)
            return TemplateDetail(
                summary: summary, description: try row.get(34), createdAt: try row.get(35),
                latest: try VersionDetail(row, at: 16, template: summary.id),
                deprecation: try Deprecation(row, at: 36), ratings: try RatingSummary(row, at: 41))
        }
    }

    /// Its JSON and entity tag, from a memory where that has them.
    func written(_ memory: DetailCache) throws -> DetailCache.Written {
        // Everything that the template is made of.
        try memory.written(id, says: row.text(ofFirst: row.columns.count)) {
            let detail = try self.detail
            let body = try ByteBuffer.json(detail)
            return .init(body: body, tag: EntityTag.of(body, state: detail.editState))
        }
    }
}
