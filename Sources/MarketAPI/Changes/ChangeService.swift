// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import Postgres
import SheetCore

/// The change feed as callers read it.
struct ChangeService: Sendable {
    /// How long entries stay, in seconds: a mirror may sleep for a quarter of a year.
    static let keptSeconds = 90.0 * 86_400

    let market: Market

    /// Where a caller wants to go on.
    enum Start: Sendable {
        /// At the oldest entry of all.
        case beginning
        /// Behind the newest.
        case now
        case cursor(String)
    }

    /// The entries from there on, and with `including` the templates that they tell of. Throws `cursor_expired` when some
    /// of what comes next is forgotten.
    func changes(from start: Start, limit: Int, includingTemplates: Bool) async throws -> ChangeList {
        let database = market.database
        try await ChangeStore.number(database)
        let place: ChangeStore.Place
        switch start {
        case .now: return ChangeList(changes: [], nextCursor: Self.cursor(try await ChangeStore.end(database)))
        case .beginning: place = .init(feed: try await ChangeStore.end(database).feed, position: 0)
        case .cursor(let text): place = try Self.place(text)
        }
        let part = try await ChangeStore.part(after: place.position, limit: limit, database)
        guard part.feed == place.feed, part.horizon <= place.position, place.position <= part.last else {
            throw Self.expired
        }
        let next = part.changes.last?.position ?? place.position
        var list = ChangeList(
            changes: part.changes.map(\.change), nextCursor: Self.cursor(.init(feed: part.feed, position: next)))
        if includingTemplates {
            // Read after the entries: as new as they are, or newer.
            list.templates = try await ChangeStore.templates(Array(Set(list.changes.map(\.templateId))), database)
        }
        return list
    }

    static let expired = APIError(
        .gone, .cursorExpired,
        "Some of what comes next is no longer kept. Begin anew with the newest of 'GET /api/v1/dumps' and its cursor.")

    static func cursor(_ place: ChangeStore.Place) -> String {
        Cursor(list: "changes", keys: [place.feed.uuidString.lowercased(), String(place.position)]).text
    }

    private static func place(_ text: String) throws -> ChangeStore.Place {
        let cursor = try Cursor(text, list: "changes", count: 2)
        guard let feed = UUID(uuidString: cursor.keys[0]), let position = Int64(cursor.keys[1]), position >= 0 else {
            throw APIError(
                .badRequest, .badCursor, "This cursor is not from this list. Begin again without one.",
                errors: [.init(pointer: "since", detail: "Use 'nextCursor' of the last answer, unchanged.")])
        }
        return .init(feed: feed, position: position)
    }
}
