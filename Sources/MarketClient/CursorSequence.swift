// SPDX-License-Identifier: Apache-2.0

/// All elements of a list that the server hands out in pages; the next page is fetched when it is needed.
public struct CursorSequence<Element: Sendable>: AsyncSequence, Sendable {
    typealias Page = (elements: [Element], nextCursor: String?)
    let fetch: @Sendable (_ cursor: String?) async throws -> Page

    /// Goes through the pages.
    public struct Iterator: AsyncIteratorProtocol {
        let fetch: @Sendable (String?) async throws -> Page
        var page: ArraySlice<Element> = []
        var cursor: String?
        var ended = false

        /// The next element; throws what the call for its page throws.
        public mutating func next() async throws -> Element? {
            while page.isEmpty {
                guard !ended else { return nil }
                let (elements, next) = try await fetch(cursor)
                page = elements[...]
                // A server that repeats its cursor would be asked for ever.
                ended = next == nil || next == cursor
                cursor = next
            }
            return page.popFirst()
        }
    }

    /// Begins at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(fetch: fetch) }

    /// All elements.
    public func all() async throws -> [Element] {
        try await collect(upTo: .max)
    }

    /// The first `limit` elements.
    public func collect(upTo limit: Int) async throws -> [Element] {
        var found: [Element] = []
        guard limit > 0 else { return found }
        for try await element in self {
            found.append(element)
            if found.count == limit { break }
        }
        return found
    }
}
