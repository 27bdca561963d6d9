// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketSearch
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization

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

    /// Everything that the template is made of.
    fileprivate var text: [UInt8] { row.text(ofFirst: row.columns.count) }
}

/// The answers about templates in full, so that one which is looked up again, after a change elsewhere in the catalog or for
/// somebody signed in, is not read, written and hashed again. Known as `SummaryCache` knows its templates: by what the row
/// says, byte for byte.
package final class DetailCache: Sendable {
    /// A template's JSON and its entity tag.
    struct Written: Sendable {
        let body: ByteBuffer
        let tag: String
    }

    private struct Known: Sendable {
        let text: [UInt8]
        let written: Written

        /// The key and the table's own upkeep count too.
        var cost: Int { text.count + written.body.readableBytes + 320 }
    }

    private struct State {
        var known: LRUCache<TemplateID, Known>
        var hits = 0
        var misses = 0
    }

    private let state: Mutex<State>

    /// Remembers at most `capacityBytes`; with 0 nothing.
    package init(capacityBytes: Int = 32 << 20) {
        state = Mutex(State(known: LRUCache(capacity: capacityBytes)))
    }

    /// Hits and misses so far, and how much is cached.
    package var figures: SummaryCache.Figures {
        state.withLock { .init(hits: $0.hits, misses: $0.misses, bytes: $0.known.cost) }
    }

    func written(_ row: DetailRow) throws -> Written {
        let text = row.text
        let remembered = state.withLock { state -> Known? in
            guard let known = state.known.use(row.id), known.text == text else { return nil }
            state.hits += 1
            return known
        }
        if let remembered { return remembered.written }
        let detail = try row.detail
        let body = try ByteBuffer.json(detail)
        let made = Known(text: text, written: Written(body: body, tag: EntityTag.of(body, state: detail.editState)))
        state.withLock { state in
            state.misses += 1
            state.known.enter(made, for: row.id, cost: made.cost)
        }
        return made.written
    }
}
