// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire
import Postgres
import SheetCore

/// Pages through the catalog. Where words find hardly anything, what may have been meant by them is looked up instead.
package struct CatalogSearch: Sendable {
    package let database: any PostgresExecutor
    package let cache: SearchCache

    package init(database: any PostgresExecutor, cache: SearchCache) {
        self.database = database
        self.cache = cache
    }

    /// Lines fewer than this make us doubt the spelling.
    static let fewLines = 3

    /// What was found, and the answer around it.
    package struct Page: Sendable {
        package var templates: [ListedTemplate]
        /// The answer without them.
        package var list: TemplateList

        package var filled: TemplateList {
            get throws {
                var list = list
                list.templates = try templates.map { try $0.summary }
                return list
            }
        }
    }

    /// A page as values, for who does not hand it on as it is.
    package func page(_ query: CatalogQuery) async throws -> TemplateList { try await find(query).filled }

    package func find(_ query: CatalogQuery) async throws -> Page {
        let isFirst = query.position == nil && query.place == nil
        var (page, words) = try await found(query)
        if isFirst, !query.isLiteral, page.templates.count < Self.fewLines, let typed = query.words {
            let corrections = try await Spelling.corrections(
                of: typed, found: !page.templates.isEmpty, endings: words?.endings ?? [], database)
            if !corrections.isEmpty {
                var corrected = query
                corrected.correctedText = typed.corrected(corrections)
                let (better, correctedWords) = try await found(corrected)
                if better.templates.count > page.templates.count { (page, words) = (better, correctedWords) }
            }
        }
        if query.wantsFacets { page.list.facets = try await cache.facets(query, words: words, database) }
        return page
    }

    private func found(_ query: CatalogQuery) async throws -> (Page, SearchTermStore.TermLookup?) {
        guard let wanted = query.wanted else {
            return (sorted(query, try await CatalogStore.lines(query, database)), nil)
        }
        let words = try await cache.lookUp(wanted, endings: query.endings, database)
        guard !words.query.isEmpty else { return (Page([], next: nil), words) }
        var query = query
        query.endings = words.endings
        var found: Page
        if query.sort == .relevance {
            let search = RelevanceSearch(
                database: database, cache: cache, words: words, filters: SearchFilters(query),
                limit: query.pageRequest.limit)
            let pageRequest = try await search.page(from: query.place)
            found = Page(
                try await CatalogStore.templates(pageRequest.ids, database),
                next: pageRequest.next.map { query.cursor(after: $0) })
        } else {
            let statistics = try await cache.statistics(database)
            found = sorted(query, try await CatalogStore.lines(query, words, statistics, database))
        }
        found.list.correctedQuery = query.correctedText
        return (found, words)
    }

    private func sorted(_ query: CatalogQuery, _ lines: [CatalogStore.Line]) -> Page {
        let page = query.page(lines, position: \.position)
        return Page(page.rows.map(\.template), next: page.next)
    }
}

extension CatalogSearch.Page {
    fileprivate init(_ templates: [ListedTemplate], next: String?) {
        self.init(templates: templates, list: TemplateList(templates: [], nextCursor: next))
    }
}
