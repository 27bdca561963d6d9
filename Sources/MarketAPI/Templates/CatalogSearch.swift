// SPDX-License-Identifier: Apache-2.0
import MarketWire
import Postgres
import SheetCore

/// Pages through the catalog. Where words find hardly anything, what may have been meant by them is looked up instead.
struct CatalogSearch: Sendable {
    let database: any PostgresExecutor
    var words = WordMemory()

    /// Lines fewer than this make us doubt the spelling.
    static let fewLines = 3

    func page(_ query: CatalogQuery) async throws -> TemplateList {
        let isFirst = query.position == nil && query.place == nil
        var (list, words) = try await found(query)
        if isFirst, list.templates.count < Self.fewLines, let typed = query.words {
            let corrections = try await Spelling.corrections(
                of: typed, found: !list.templates.isEmpty, endings: words?.endings ?? [], database)
            if !corrections.isEmpty {
                var corrected = query
                corrected.correctedText = typed.corrected(corrections)
                let (better, looked) = try await found(corrected)
                if better.templates.count > list.templates.count { (list, words) = (better, looked) }
            }
        }
        if query.wantsFacets { list.facets = try await FacetStore.facets(query, words: words, database) }
        return list
    }

    private func found(_ query: CatalogQuery) async throws -> (TemplateList, SearchTermStore.Looked?) {
        guard let wanted = query.wanted else {
            return (sorted(query, try await CatalogStore.lines(query, words: nil, database)), nil)
        }
        let words = try await self.words.look(wanted, endings: query.endings, database)
        guard !words.query.isEmpty else { return (TemplateList(templates: [], nextCursor: nil), words) }
        var query = query
        query.endings = words.endings
        var list: TemplateList
        if query.sort == .relevance {
            let search = RelevanceSearch(
                database: database, words: words, filters: SearchFilters(query), limit: query.limit)
            let page = try await search.page(from: query.place)
            list = TemplateList(
                templates: try await CatalogStore.summaries(page.ids, database),
                nextCursor: page.next.map { query.cursor(after: $0) })
        } else {
            list = sorted(query, try await CatalogStore.lines(query, words: words, database))
        }
        list.correctedQuery = query.correctedText
        return (list, words)
    }

    private func sorted(_ query: CatalogQuery, _ lines: [CatalogStore.Line]) -> TemplateList {
        let page = lines.prefix(query.limit)
        return TemplateList(
            templates: page.map(\.summary),
            nextCursor: lines.count > query.limit ? page.last.map { query.cursor(after: $0.position) } : nil)
    }
}
