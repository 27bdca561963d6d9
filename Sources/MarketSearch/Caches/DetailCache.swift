// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore
import Synchronization

/// The answers about templates in full, so that one which is looked up again, after a change elsewhere in the catalog or for
/// somebody signed in, is not read and written again. Known as `SummaryCache` knows its templates, by what the row says:
/// here by the hash of that, which is made each time, and shorter.
package final class DetailCache: Sendable {
    /// A template's JSON and its entity tag.
    package struct Written: Sendable {
        package let body: ByteBuffer
        package let tag: String

        package init(body: ByteBuffer, tag: String) {
            (self.body, self.tag) = (body, tag)
        }
    }

    private struct Known: Sendable {
        /// The hash of what the row said.
        let row: ContentHash
        let written: Written

        /// The key and the table's own upkeep count too.
        var cost: Int { written.body.storageCapacity + 384 }
    }

    private struct State {
        var known: LRUCache<TemplateID, Known>
        var hits = 0
        var misses = 0
    }

    private let state: Mutex<State>

    /// Remembers at most `capacityBytes`; with 0 nothing.
    package init(capacityBytes: Int = 64 << 20) {
        state = Mutex(State(known: LRUCache(capacity: capacityBytes)))
    }

    /// Hits and misses so far, and how much is cached.
    package var figures: SummaryCache.Figures {
        state.withLock { .init(hits: $0.hits, misses: $0.misses, bytes: $0.known.cost) }
    }

    /// What is written of a template whose row says `text`: from memory, or else by `write`.
    package func written(_ id: TemplateID, says text: [UInt8], _ write: () throws -> Written) throws -> Written {
        let row = ContentHash(hashing: text)
        let remembered = state.withLock { state -> Known? in
            guard let known = state.known.use(id), known.row == row else { return nil }
            state.hits += 1
            return known
        }
        if let remembered { return remembered.written }
        let made = Known(row: row, written: try write())
        state.withLock { state in
            state.misses += 1
            state.known.enter(made, for: id, cost: made.cost)
        }
        return made.written
    }
}
