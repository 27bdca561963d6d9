// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketHTTP
import MarketWire
import SheetCore

/// What `GET /templates` is asked for, checked.
package struct CatalogQuery: Sendable {
    /// The orders of the list. Each is total: what is equal is ordered by id.
    package enum Sort: String, CaseIterable, Sendable {
        case relevance, newest, updated, downloads, rating, trending, name
    }

    /// Where a page begins: behind the template with this sort key and id.
    package struct Position: Equatable, Sendable {
        package enum Key: Equatable, Sendable {
            case integer(Int)
            case number(Double)
            case text(String)
        }

        package var key: Key
        package var id: TemplateID
    }

    /// Most tags that are asked for at once.
    static let maximumTags = 10

    package var words: SearchWords?
    package var gameSystem: String?
    package var tags: [String] = []
    package var author: String?
    package var license: String?
    package var language: String?
    package var kind: TemplateKind?
    /// Whether there are form fields.
    package var isFillable: Bool?
    package var minRating: Double?
    package var minPages: Int?
    package var maxPages: Int?
    package var sort = Sort.updated
    package var pageRequest = PageRequest(limit: 20)
    /// Where the page begins; `nil` is the beginning.
    package var position: Position?
    /// The same in a list by relevance.
    package var place: RelevanceCursor?
    /// What the list began with, when that is not what was asked for: corrected words.
    var correctedText: String?
    /// How the last word went on when the list began; what is added to the catalog meanwhile does not change it.
    var endings: [String]?
    /// Whether the answer counts systems, tags, licences and languages.
    package var wantsFacets = false
    /// Whether the words are looked up as they stand, however little they find.
    package var isLiteral = false

    package init() {}

    /// All of an author's templates, the last updated first; throws `bad_cursor`.
    package init(author: String, _ pageRequest: PageRequest) throws {
        self.author = author
        self.pageRequest = pageRequest
        try begin()
    }

    /// The words that are looked up.
    package var wanted: SearchWords? {
        correctedText.map { SearchWords($0) } ?? words
    }

    /// Whether all of an author's templates are asked for, in the order that an index has them.
    var isOfAuthorAlone: Bool {
        author != nil && sort == .updated && isOpenBesideAuthor
    }

    /// Whether the front page is asked for: the whole catalog from its beginning, in whatever order.
    package var isFront: Bool {
        author == nil && pageRequest.cursor == nil && isOpenBesideAuthor
    }

    /// Whether nothing narrows the list, unless an author does.
    private var isOpenBesideAuthor: Bool {
        words == nil && gameSystem == nil && tags.isEmpty && license == nil && language == nil && kind == nil
            && isFillable == nil && minRating == nil && minPages == nil && maxPages == nil
    }

    // MARK: - Cursors

    private var listName: String { "templates.\(sort.rawValue)" }

    /// The page of the lines that were found; `position` tells where a page behind one begins.
    package func page<Line>(_ lines: [Line], position: (Line) -> Position) -> ListPage<Line> {
        pageRequest.page(lines, of: listName) { keys(position($0)) + wordKeys }
    }

    private func keys(_ position: Position) -> [String] {
        let key =
            switch position.key {
            case .integer(let value): String(value)
            case .number(let value): String(value)
            case .text(let value): value
            }
        return [key, position.id.description]
    }

    /// The cursor of the page behind `place`.
    package func cursor(after place: RelevanceCursor) -> String {
        Cursor(list: listName, keys: place.keys + wordKeys).text
    }

    private var wordKeys: [String] {
        words == nil ? [] : [correctedText ?? "", (endings ?? []).joined(separator: " ")]
    }

    /// Goes to where the part's cursor points; throws `bad_cursor`.
    package mutating func begin() throws {
        let own = sort == .relevance ? RelevanceCursor.keyCount : 2
        guard let keys = try pageRequest.keys(in: listName, count: own + wordKeys.count) else { return }
        if words != nil {
            let corrected = keys[own]
            if !corrected.isEmpty {
                guard corrected.count <= SearchWords.maximumLength else { throw pageRequest.invalidCursor }
                correctedText = corrected
            }
            endings = keys[own + 1].split(separator: " ").prefix(SearchTermStore.maximumEndings).map(String.init)
        }
        if sort == .relevance {
            guard let place = RelevanceCursor(keys: Array(keys.prefix(own))) else { throw pageRequest.invalidCursor }
            self.place = place
        } else {
            guard let id = TemplateID(keys[1]), let key = key(keys[0]) else { throw pageRequest.invalidCursor }
            position = Position(key: key, id: id)
        }
    }

    private func key(_ text: String) -> Position.Key? {
        switch sort {
        case .downloads: Int(text).map { .integer($0) }
        case .relevance, .newest, .updated: Cursor.microseconds(text).map { .integer($0) }
        case .rating, .trending: Double(text).flatMap { $0.isFinite ? .number($0) : nil }
        case .name: .text(text)
        }
    }
}
