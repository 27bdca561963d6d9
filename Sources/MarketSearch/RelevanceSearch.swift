// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import Postgres
import SheetCore

/// Reads a page of a list by relevance, section by section.
package struct RelevanceSearch: Sendable {
    package let database: any PostgresExecutor
    package let cache: SearchCache
    package let words: SearchTermStore.TermLookup
    package let filters: SearchFilters
    package let limit: Int

    /// Words of fewer uses than this have few matches, popular or not.
    static let rareUses = 200
    /// So many matches are ranked together where they are thought to be all.
    static let fewMatches = 300.0

    /// Ids in order, and where the next page begins.
    package struct Page: Sendable {
        package var ids: [TemplateID] = []
        package var next: RelevanceCursor?
    }

    /// How reading continues.
    private enum Step {
        /// There is another line.
        case more(RelevanceCursor)
        /// There may be one.
        case perhaps(RelevanceCursor)
        case end
    }

    package func page(from place: RelevanceCursor?) async throws -> Page {
        var page = Page()
        var step: Step = if let place { .perhaps(place) } else { .perhaps(try await beginning(&page)) }
        while true {
            switch step {
            case .end: return page
            case .more(let place) where page.ids.count == limit:
                page.next = place
                return page
            case .perhaps(let place) where page.ids.count == limit:
                // Whether anything follows is known by looking.
                var probe: [TemplateID] = []
                step = try await go(&probe, room: 1, from: place)
                if !probe.isEmpty {
                    page.next = place
                    return page
                }
            case .more(let place), .perhaps(let place):
                step = try await go(&page.ids, room: limit - page.ids.count, from: place)
            }
        }
    }

    /// Adds the templates whose name is exactly the query, and answers where the others begin.
    private func beginning(_ page: inout Page) async throws -> RelevanceCursor {
        if words.isName {
            page.ids = Array(try await RelevanceStore.named(words, filters, database).prefix(limit))
        }
        let all = RelevanceCursor(.all, .few(least: nil), named: page.ids)
        if let rarest = words.rarest, rarest < Self.rareUses { return all }
        // Words may be rare together: one question then answers what would take four, if its answer is remembered.
        let matches = try await cache.statistics(database).matches(of: criteria(all).query, uses: words.uses)
        if cache.isEnabled, let matches, matches < Self.fewMatches,
            try await block(all, .few(least: nil)).matches.count < RelevanceStore.fewSize
        {
            return all
        }
        return RelevanceCursor(words.strong == nil ? .other : .strong, .start, named: page.ids)
    }

    /// Enters lines at and behind `place`, as far as there is room and its section goes.
    private func go(_ ids: inout [TemplateID], room: Int, from place: RelevanceCursor) async throws -> Step {
        switch place.section {
        case .start:
            let block = try await block(place, .popular(generation: nil, from: 0, to: nil, former: false))
            guard let generation = block.generation, block.matches.count >= RelevanceStore.worthwhile else {
                return try await few(&ids, room: room, from: place, least: nil)
            }
            let section = RelevanceCursor.Section.popular(generation: generation, from: 0, to: end(of: block))
            return enter(block, into: &ids, room: room, from: place.at(section))
        case .popular(let generation, let from, let to):
            let block = try await block(place, generation, from: from, to: to > from ? to : nil)
            let section = RelevanceCursor.Section.popular(
                generation: generation, from: from, to: to > from ? to : end(of: block))
            return enter(block, into: &ids, room: room, from: place.within(section))
        case .few(let least): return try await few(&ids, room: room, from: place, least: least)
        case .tail(let generation, let before):
            // One more than there is room for, and than were named before.
            let tail = RelevanceStore.Tail(
                criteria: criteria(place), before: before, generation: generation, least: room + 1 + place.named.count)
            let found = try await cache.tail(tail, database).filter { !place.named.contains($0) }
            ids += found.prefix(room)
            guard found.count > room else { return behind(place) }
            return .more(place.at(.tail(generation: generation, before: found[room - 1])))
        }
    }

    private func few(
        _ ids: inout [TemplateID], room: Int, from place: RelevanceCursor, least: TemplateID?
    ) async throws -> Step {
        let block = try await block(place, .few(least: least))
        // Others may come meanwhile, and the block is not to grow by them: what it ends with is on its other side.
        let bound = least ?? (block.matches.count == RelevanceStore.fewSize ? block.least : RelevanceStore.oldest)
        let matches = block.matches(behind: place, count: room + 1)
        ids += matches.prefix(room).map(\.id)
        if matches.count > room { return .more(place.at(.few(least: bound), matches[room - 1])) }
        guard let bound, bound != RelevanceStore.oldest else { return behind(place) }
        return .perhaps(place.at(.tail(generation: nil, before: bound)))
    }

    private func enter(
        _ block: RelevanceStore.Block, into ids: inout [TemplateID], room: Int, from place: RelevanceCursor
    ) -> Step {
        let matches = block.matches(behind: place, count: room + 1)
        ids += matches.prefix(room).map(\.id)
        if matches.count > room { return .more(place.at(place.section, matches[room - 1])) }
        guard case .popular(let generation, _, let to) = place.section else { return .end }
        guard to < Int(Int32.max) else { return .perhaps(place.at(.tail(generation: generation, before: nil))) }
        // Of the next block only the beginning is known.
        return .perhaps(place.at(.popular(generation: generation, from: to, to: to)))
    }

    /// Where the part behind the place's begins.
    private func behind(_ place: RelevanceCursor) -> Step {
        guard place.part == .strong else { return .end }
        return .perhaps(RelevanceCursor(.other, .start, named: place.named))
    }

    private func criteria(_ place: RelevanceCursor) -> RelevanceStore.Criteria {
        let query =
            switch (place.part, words.strong) {
            case (.strong, let strong?): strong
            case (.other, let strong?): "(\(words.query)) & !(\(strong))"
            case (.all, _), (_, nil): words.query
            }
        return RelevanceStore.Criteria(
            words: query, rankedBy: words.query, preferred: place.part == .all ? words.strong : nil, filters: filters,
            uses: words.uses)
    }

    private func block(
        _ place: RelevanceCursor, _ bounds: RelevanceStore.BlockRequest.Bounds
    ) async throws -> RelevanceStore.Block {
        try await cache.block(RelevanceStore.BlockRequest(criteria: criteria(place), bounds: bounds), database)
    }

    /// The last place of a block that was asked for without one.
    private func end(of block: RelevanceStore.Block) -> Int {
        block.matches.count < RelevanceStore.blockSize ? Int(Int32.max) : block.to
    }

    /// The block of the generation that the list began with, while that is kept.
    private func block(
        _ place: RelevanceCursor, _ generation: Int, from: Int, to: Int?
    ) async throws -> RelevanceStore.Block {
        for former in [false, true] {
            let block = try await block(
                place, .popular(generation: generation, from: from, to: to, former: former))
            if block.generation == generation { return block }
        }
        throw SearchError.oldCursor
    }
}

extension RelevanceCursor {
    /// In another section of the part: at its beginning, or behind a line of it.
    fileprivate func at(_ section: Section, _ line: RelevanceStore.Match? = nil) -> RelevanceCursor {
        RelevanceCursor(part, section, rank: line?.rank, id: line?.id, named: named)
    }

    /// The same line in a section whose bounds are known now.
    fileprivate func within(_ section: Section) -> RelevanceCursor {
        RelevanceCursor(part, section, rank: rank, id: id, named: named)
    }
}
