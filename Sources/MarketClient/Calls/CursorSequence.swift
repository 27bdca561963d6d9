// SPDX-License-Identifier: Apache-2.0

/// All elements of a list that the server hands out in pages; the next page is fetched when it is needed. How many elements
/// a page has is what calls take as `limit`, 1…100; the server decides where it is `nil`.
public struct CursorSequence<Element: Sendable>: AsyncSequence, Sendable {
    typealias Page = (elements: [Element], nextCursor: String?)
    let fetch: @Sendable (_ cursor: String?) async throws -> Page

    /// Goes through the pages.
    public struct Iterator: AsyncIteratorProtocol {
        let fetch: @Sendable (String?) async throws -> Page
        /// How many more may come; an empty page counts as one.
        var left = Int.max
        var page: ArraySlice<Element> = []
        var cursor: String?
        /// Hashes of the cursors that were followed.
        var passed: Set<Int> = []
        var emptyPages = 0
        var ended = false

        /// The next element; throws what the call for its page throws, and `unreadableAnswer` for a list that cannot end.
        public mutating func next() async throws -> Element? {
            while page.isEmpty {
                guard !ended else { return nil }
                // A server that repeats a cursor would be asked for ever.
                if let cursor, passed.contains(cursor.hashValue) {
                    throw MarketClientError.unreadableAnswer("a list leads back to where it was")
                }
                guard left > 0, emptyPages < CursorSequence.mostEmptyPages else {
                    throw MarketClientError.unreadableAnswer("a list has no end")
                }
                let (elements, next) = try await fetch(cursor)
                guard next?.utf8.count ?? 0 <= CursorSequence.longestCursor else {
                    throw MarketClientError.unreadableAnswer("the cursor of a list is too long")
                }
                if let cursor { passed.insert(cursor.hashValue) }
                emptyPages = elements.isEmpty ? emptyPages + 1 : 0
                left -= Swift.max(elements.count, 1)
                page = elements[...]
                ended = next == nil
                cursor = next
            }
            return page.popFirst()
        }
    }

    /// Begins at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(fetch: fetch) }

    /// Behind so many entries `all` asks for no more.
    static var mostEntries: Int { 100_000 }
    /// So many pages in a row may be empty: each may name another cursor, and nobody would be given an element to stop at.
    static var mostEmptyPages: Int { 16 }
    /// In bytes; each is sent in an address.
    static var longestCursor: Int { 4096 }
    /// Of all answers that `all` keeps the entries of.
    static var mostBytes: Int { 256 << 20 }

    /// All elements; throws `unreadableAnswer` for a list without an end.
    public func all() async throws -> [Element] { try await all(upTo: Self.mostBytes) }

    func all(upTo bytes: Int) async throws -> [Element] {
        try await AnswerBudget.$current.withValue(AnswerBudget(bytes)) {
            var iterator = makeAsyncIterator()
            iterator.left = Self.mostEntries
            var found: [Element] = []
            while let element = try await iterator.next() { found.append(element) }
            return found
        }
    }

    /// All elements, each once: a server that knows of no cursors answers the whole list where a page was asked for.
    func all<Key: Hashable>(by key: @Sendable (Element) -> Key) async throws -> [Element] {
        var known: Set<Key> = []
        return try await all().filter { known.insert(key($0)).inserted }
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

extension MarketClient {
    /// A list of the API, page by page as it is read.
    func entries<Answer: Decodable & Sendable, Element: Sendable>(
        _ path: String, _ query: Call.Query = [], limit: Int?, as type: Answer.Type,
        _ content: @escaping @Sendable (Answer) -> CursorSequence<Element>.Page
    ) -> CursorSequence<Element> {
        CursorSequence { cursor in
            let answer: Answer = try await requests.json(.get(path, query + Self.page(cursor, limit)))
            return content(answer)
        }
    }

    /// Where a page begins, and how many entries it has.
    static func page(_ cursor: String?, _ limit: Int?) -> Call.Query {
        [("cursor", cursor), ("limit", limit?.description)]
    }
}
