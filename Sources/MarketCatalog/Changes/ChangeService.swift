// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketPlatform
import MarketWire
import Postgres
import SheetCore

/// The change feed as callers read it.
struct ChangeService: Sendable {
    /// How long entries stay, in seconds: a mirror may sleep for a quarter of a year.
    static let keptSeconds = 90.0 * 86_400

    let platform: Platform

    /// What stands for the cursor behind the newest entry.
    private static let now = "now"

    /// The entries of that part, from the oldest of all when it has no cursor, and with `including` the templates that
    /// they tell of. Throws `cursor_expired` when some of what comes next is forgotten.
    func changes(_ asked: PageRequest, includingTemplates: Bool) async throws -> ChangeList {
        let database = platform.database
        try await ChangeStore.number(database)
        if asked.cursor == Self.now {
            return ChangeList(changes: [], nextCursor: Self.cursor(try await ChangeStore.end(database)))
        }
        let place: ChangeStore.Position
        if let start = try Self.place(asked) {
            place = start
        } else {
            place = .init(feed: try await ChangeStore.end(database).feed, position: 0)
        }
        let part = try await ChangeStore.page(after: place.position, limit: asked.limit, database)
        guard part.feed == place.feed, part.horizon <= place.position, place.position <= part.last else {
            throw CatalogError.oldChangesCursor
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

    static func cursor(_ place: ChangeStore.Position) -> String {
        Cursor(list: listName, keys: [place.feed.lowercaseText, String(place.position)]).text
    }

    private static let listName = "changes"

    private static func place(_ part: PageRequest) throws -> ChangeStore.Position? {
        try part.place(in: listName, keys: 2) { keys -> ChangeStore.Position? in
            guard let feed = UUID(uuidString: keys[0]), let position = Int64(keys[1]), position >= 0 else { return nil }
            return .init(feed: feed, position: position)
        }
    }
}
