// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import MarketWire
import NIOCore
import Postgres
import SheetCore
import Synchronization

/// The JSON of templates in lists, so that a template which many lists show is read and written once.
///
/// It is known by the template and by what its row says, byte for byte. JSON is made of nothing else: what is known is
/// right whatever happened to the row, the table or the server meanwhile, and nobody needs to tell of changes. (A row's
/// `xmin` would be shorter. But it changes with figures that no list shows, and after a failover another transaction
/// may have it.)
package final class SummaryCache: Sendable {
    private struct Known: Sendable {
        let text: [UInt8]
        let json: [UInt8]

        /// The key and the table's own upkeep count too.
        var cost: Int { text.count + json.count + 256 }
    }

    private struct State {
        var known: LRUCache<TemplateID, Known>
        var hits = 0
        var misses = 0
    }

    /// Hits and misses so far, and how much is cached.
    package struct Figures: Sendable, Equatable {
        package var hits: Int
        package var misses: Int
        package var bytes: Int

        package init(hits: Int, misses: Int, bytes: Int) {
            self.hits = hits
            self.misses = misses
            self.bytes = bytes
        }
    }

    private let state: Mutex<State>

    /// Remembers at most `capacityBytes`; with 0 nothing.
    package init(capacityBytes: Int = 32 << 20) {
        state = Mutex(State(known: LRUCache(capacity: capacityBytes)))
    }

    package var figures: Figures {
        state.withLock { Figures(hits: $0.hits, misses: $0.misses, bytes: $0.known.cost) }
    }

    /// The JSON of `list`, which has no templates yet, with these as its `templates`.
    package func json(_ list: some Encodable, with templates: [ListedTemplate]) throws -> ByteBuffer {
        let frame = [UInt8](try WireJSON.encoder().encode(list))
        // No text can look like the mark: quotes in texts have a backslash. Keys are sorted, so it stands near the end.
        guard let mark = frame.indices.last(where: { frame[$0...].starts(with: Self.mark) }) else {
            throw EncodingError.invalidValue(
                list, .init(codingPath: [], debugDescription: "a list of templates has an empty member 'templates'"))
        }
        let place = mark + Self.mark.count - 1
        let pieces = try pieces(of: templates)
        var body = ByteBuffer()
        body.reserveCapacity(frame.count + pieces.reduce(0) { $0 + $1.count + 1 })
        body.writeBytes(frame[..<place])
        for (index, piece) in pieces.enumerated() {
            if index > 0 { body.writeInteger(UInt8(ascii: ",")) }
            body.writeBytes(piece)
        }
        body.writeBytes(frame[place...])
        return body
    }

    /// What an encoder writes where the templates go, before its last byte.
    private static let mark = Array(#""templates":[]"#.utf8)

    private func pieces(of templates: [ListedTemplate]) throws -> [[UInt8]] {
        let remembered = state.withLock { state in
            var remembered: [Known?] = []
            remembered.reserveCapacity(templates.count)
            for template in templates { remembered.append(state.known.use(template.id)) }
            return remembered
        }
        var pieces: [[UInt8]] = []
        pieces.reserveCapacity(templates.count)
        var fresh: [(id: TemplateID, known: Known)] = []
        let encoder = WireJSON.encoder()
        for (template, known) in zip(templates, remembered) {
            let text = template.text
            if let known, known.text == text {
                pieces.append(known.json)
                continue
            }
            let made = Known(text: text, json: [UInt8](try encoder.encode(try template.summary)))
            fresh.append((id: template.id, known: made))
            pieces.append(made.json)
        }
        remember(fresh, hits: templates.count - fresh.count)
        return pieces
    }

    private func remember(_ fresh: [(id: TemplateID, known: Known)], hits: Int) {
        state.withLock { state in
            state.hits += hits
            state.misses += fresh.count
            for (id, known) in fresh { state.known.enter(known, for: id, cost: known.cost) }
        }
    }
}
