// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Hummingbird
import MarketWire
import NIOCore
import SheetCore

/// The part of a list that a caller asks for, and how its page is cut out of what is found there.
package struct PageRequest: Sendable {
    /// The default size of pages of lists that once had no pages: clients that do not follow `nextCursor` still get all
    /// that an ordinary account has.
    package static let longest = 100

    /// `nextCursor` of the page before; none asks for the first.
    package var cursor: String?
    /// Rows on the page.
    package var limit = PageRequest.longest
    /// The parameter of the query that `cursor` came in.
    package var parameter = "cursor"

    package init(cursor: String? = nil, limit: Int = PageRequest.longest, parameter: String = "cursor") {
        self.cursor = cursor
        self.limit = limit
        self.parameter = parameter
    }

    /// Rows to look for: one more than the page takes says whether another page follows.
    package var fetchLimit: Int { limit + 1 }

    /// The keys of the cursor; `nil` for the first page. Throws `bad_cursor` for what is no cursor of this list.
    package func keys(in list: String, count: Int) throws(APIError) -> [String]? {
        guard let text = cursor else { return nil }
        guard let cursor = Cursor(text, list: list, count: count) else { throw invalidCursor }
        return cursor.keys
    }

    /// What the page begins behind, as `read` makes it of the cursor's keys; `nil` for the first page. Throws
    /// `bad_cursor` for what is no cursor of this list.
    package func place<Place>(
        in list: String, keys count: Int, _ read: ([String]) -> Place?
    ) throws(APIError) -> Place? {
        guard let found = try keys(in: list, count: count) else { return nil }
        guard let place = read(found) else { throw invalidCursor }
        return place
    }

    /// The same of a list in the order of ids.
    package func place<Thing>(in list: String) throws(APIError) -> Identifier<Thing>? {
        try place(in: list, keys: 1) { Identifier<Thing>($0[0]) }
    }

    /// The same of a list in the order of times, then of ids.
    package func timePosition<Thing>(in list: String) throws(APIError) -> (at: Date, id: Identifier<Thing>)? {
        try place(in: list, keys: 2) { keys -> (at: Date, id: Identifier<Thing>)? in
            guard let at = Cursor.date(keys[0]), let id = Identifier<Thing>(keys[1]) else { return nil }
            return (at: at, id: id)
        }
    }

    /// The page of the rows that were found, at most `fetchLimit`; `keys` are those of a row's place in the list.
    package func page<Row>(_ found: [Row], of list: String, keys: (Row) -> [String]) -> ListPage<Row> {
        let rows = Array(found.prefix(limit))
        guard found.count > limit, let last = rows.last else { return ListPage(rows: rows, next: nil) }
        return ListPage(rows: rows, next: Cursor(list: list, keys: keys(last)).text)
    }

    /// The error for a malformed cursor or one that belongs to another list.
    package var invalidCursor: APIError {
        APIError(
            .badRequest, .badCursor, "This cursor is not from this list. Begin again without one.",
            errors: [.init(pointer: parameter, detail: "Use 'nextCursor' of the last answer, unchanged.")])
    }
}

/// A page of a list.
package struct ListPage<Row> {
    package var rows: [Row]
    /// Where the next one begins; `nil` on the last.
    package var next: String?

    package init(rows: [Row], next: String? = nil) {
        self.rows = rows
        self.next = next
    }
}

extension ListPage: Sendable where Row: Sendable {}

extension Request {
    /// The part of a list that the query asks for, behind the cursor in `parameter`: 1…`most` rows, `usual` when it
    /// says nothing of a size. Throws `validation_failed` for another size.
    package func pageRequest(
        usually usual: Int = 20, upTo most: Int = 100, after parameter: String = "cursor"
    ) throws(APIError) -> PageRequest {
        var pageRequest = PageRequest(cursor: query(parameter), limit: usual, parameter: parameter)
        if let text = query("limit") {
            guard let limit = Int(text), (1...most).contains(limit) else {
                throw .validation([.init(pointer: "limit", detail: "A whole number from 1 to \(most).")])
            }
            pageRequest.limit = limit
        }
        return pageRequest
    }

    /// A page of a list that is not for everybody, with the way to the next.
    package func listed(_ list: some Encodable, next: String?) throws -> Response {
        var headers = nextPageLink(next)
        headers[.cacheControl] = "private, no-cache"
        return conditionalResponse(try .json(list), headers: headers)
    }
}
