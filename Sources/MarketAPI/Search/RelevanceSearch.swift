// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import MarketWire
import Postgres
import SheetCore

/// Reads a page of a list by relevance, section by section.
struct RelevanceSearch: Sendable {
    let database: any PostgresExecutor
    let words: SearchTermStore.Looked
    let filters: SearchFilters
    let limit: Int

    /// Popular matches that make it worth while to begin with them.
    static let worthwhile = 60

    /// Ids in order, and where the next page begins.
    struct Page: Sendable {
        var ids: [TemplateID] = []
        var next: RelevancePlace?
    }

    /// Where reading goes on.
    private enum Way {
        /// There is another line.
        case more(RelevancePlace)
        /// There may be one.
        case perhaps(RelevancePlace)
        case end
    }

    func page(from place: RelevancePlace?) async throws -> Page {
        var page = Page()
        var way: Way = if let place { .perhaps(place) } else { try await begin(&page) }
        while true {
            switch way {
            case .end: return page
            case .more(let place) where page.ids.count == limit:
                page.next = place
                return page
            case .perhaps(let place) where page.ids.count == limit:
                // Whether anything follows is known by looking.
                var probe: [TemplateID] = []
                way = try await go(&probe, room: 1, from: place)
                if !probe.isEmpty {
                    page.next = place
                    return page
                }
            case .more(let place), .perhaps(let place):
                way = try await go(&page.ids, room: limit - page.ids.count, from: place)
            }
        }
    }

    /// Enters who is called exactly that, and the first block.
    private func begin(_ page: inout Page) async throws -> Way {
        let named = Array(try await RelevanceStore.named(words, filters, database).prefix(limit))
        page.ids = named
        let popular = RelevancePlace(.popular(generation: 0, from: 0, to: 0), named: named)
        let block = try await RelevanceStore.popular(ask(popular, limit - named.count), from: 0, to: nil, database)
        guard let generation = block.generation, block.size >= Self.worthwhile else {
            return .perhaps(RelevancePlace(.few(least: nil), named: named))
        }
        return enter(
            block, generation, into: &page.ids, room: limit - named.count,
            from: RelevancePlace(.popular(generation: generation, from: 0, to: end(of: block)), named: named))
    }

    /// Enters lines at and behind `place`, as far as there is room and its section goes.
    private func go(_ ids: inout [TemplateID], room: Int, from place: RelevancePlace) async throws -> Way {
        switch place.section {
        case .popular(let generation, let from, let to):
            let block = try await block(ask(place, room), generation, from: from, to: to > from ? to : nil)
            var place = place
            if to <= from { place.section = .popular(generation: generation, from: from, to: end(of: block)) }
            return enter(block, generation, into: &ids, room: room, from: place)
        case .few(let least):
            let block = try await RelevanceStore.few(ask(place, room), least: least, database)
            let bound = least ?? (block.size == RelevanceStore.fewSize ? block.least : nil)
            ids += block.matches.prefix(room).map(\.id)
            if block.matches.count > room {
                var moved = place.moved(to: block.matches[room - 1])
                moved.section = .few(least: bound)
                return .more(moved)
            }
            guard let bound else { return .end }
            return .perhaps(RelevancePlace(.rest(generation: nil, before: bound), named: place.named))
        case .rest(let generation, let before):
            let found = try await RelevanceStore.rest(
                words, filters, before: before, generation: generation, count: room + place.named.count + 1, database
            ).filter { !place.named.contains($0) }
            ids += found.prefix(room)
            guard found.count > room else { return .end }
            return .more(RelevancePlace(.rest(generation: generation, before: found[room - 1]), named: place.named))
        }
    }

    private func enter(
        _ block: RelevanceStore.Block, _ generation: Int, into ids: inout [TemplateID], room: Int,
        from place: RelevancePlace
    ) -> Way {
        ids += block.matches.prefix(room).map(\.id)
        if block.matches.count > room, room > 0 { return .more(place.moved(to: block.matches[room - 1])) }
        if block.matches.count > room { return .more(place) }
        guard case .popular(_, _, let to) = place.section, to < Int(Int32.max) else {
            return .perhaps(RelevancePlace(.rest(generation: generation, before: nil), named: place.named))
        }
        // Of the next block only the beginning is known.
        return .perhaps(RelevancePlace(.popular(generation: generation, from: to, to: to), named: place.named))
    }

    private func ask(_ place: RelevancePlace, _ room: Int) -> RelevanceStore.Ask {
        RelevanceStore.Ask(words: words, filters: filters, behind: place, count: room + 1)
    }

    /// The last place of a block that was asked for without one.
    private func end(of block: RelevanceStore.Block) -> Int {
        block.size < RelevanceStore.blockSize ? Int(Int32.max) : block.to
    }

    /// The block of the generation that the list began with, while that is kept.
    private func block(
        _ ask: RelevanceStore.Ask, _ generation: Int, from: Int, to: Int?
    ) async throws -> RelevanceStore.Block {
        for former in [false, true] {
            let block = try await RelevanceStore.popular(ask, from: from, to: to, former: former, database)
            if block.generation == generation { return block }
        }
        throw APIError(.badRequest, .badCursor, "This cursor is too old. Begin again without one.")
    }
}

extension RelevancePlace {
    /// Behind a line of the same block.
    fileprivate func moved(to line: RelevanceStore.Match) -> RelevancePlace {
        RelevancePlace(section, rank: line.rank, id: line.id, named: named)
    }
}
