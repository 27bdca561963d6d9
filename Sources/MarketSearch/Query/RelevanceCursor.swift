// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A place in a list by relevance. First come a few templates whose name is exactly the query; then, as one part, those
/// that have all words in name, system, tags or author; then those that have them anywhere. Each part is read in
/// sections: blocks of the popular ones, then the rest, newest first; or, where few are popular, one block. Inside a
/// block the best match comes first.
///
/// A block is told by its bounds, never by how many there are in it, so that nothing is skipped or comes twice when
/// other templates change.
package struct RelevanceCursor: Equatable, Sendable {
    /// Where the words are.
    package enum Part: String, Sendable {
        case strong = "s"
        case other = "o"
        /// Both at once, the strong ones ranked first: what is rare is one block anyway.
        case all = "a"
    }

    /// The section of the part that the place is in.
    package enum Section: Equatable, Sendable {
        /// At the beginning of the part.
        case start
        /// In one of the blocks of a generation of popular templates: those behind place `from`, up to `to`.
        case popular(generation: Int, from: Int, to: Int)
        /// In the block of all there was, or the newest of that, down to the id `least`.
        case few(least: TemplateID?)
        /// Behind all blocks: what is older than `before` and, where a generation is named, not in that.
        case tail(generation: Int?, before: TemplateID?)
    }

    package var part: Part
    package var section: Section
    /// The last line's rank and id in the block; `nil` is the block's beginning.
    package var rank: Int?
    package var id: TemplateID?
    /// What was shown first for its name and does not come again.
    package var named: [TemplateID] = []

    /// Most templates that come first for their name; others of that name are ranked with everything else.
    static let mostNamed = 5
    static let keyCount = 7

    package var keys: [String] {
        let own: [String] =
            switch section {
            case .start: ["b", "", ""]
            case .popular(let generation, let from, let to): ["p\(generation)", String(from), String(to)]
            case .few(let least): ["f", least?.description ?? "", ""]
            case .tail(let generation, let before):
                ["r\(generation.map { String($0) } ?? "")", before?.description ?? "", ""]
            }
        return [part.rawValue] + own + [
            rank.map { String($0) } ?? "", id?.description ?? "", named.map(\.description).joined(separator: " "),
        ]
    }

    package init(
        _ part: Part, _ section: Section, rank: Int? = nil, id: TemplateID? = nil, named: [TemplateID] = []
    ) {
        self.part = part
        self.section = section
        self.rank = rank
        self.id = id
        self.named = named
    }

    /// `nil` for what `keys` never makes.
    package init?(keys: [String]) {
        guard keys.count == Self.keyCount, let part = Part(rawValue: keys[0]) else { return nil }
        let keys = keys.dropFirst().map { $0 }
        self.part = part
        // A generation is an integer of the database's, which counts from 1.
        let number = Int32(keys[0].dropFirst()).flatMap { $0 > 0 ? Int($0) : nil }
        let bound = TemplateID(keys[1])
        guard keys[1].isEmpty || bound != nil || Int(keys[1]) != nil else { return nil }
        switch keys[0].first {
        case "p":
            guard let number, let from = Int32(keys[1]), let to = Int32(keys[2]) else { return nil }
            section = .popular(generation: number, from: Int(from), to: Int(to))
        case "b": section = .start
        case "f": section = .few(least: bound)
        case "r":
            guard (number == nil) == (keys[0].count == 1) else { return nil }
            section = .tail(generation: number, before: bound)
        default: return nil
        }
        rank = Int(keys[3])
        id = TemplateID(keys[4])
        guard (rank == nil) == keys[3].isEmpty, (id == nil) == keys[4].isEmpty, (rank == nil) == (id == nil) else {
            return nil
        }
        let named = keys[5].split(separator: " ").map { TemplateID(String($0)) }
        guard named.count <= Self.mostNamed, named.allSatisfy({ $0 != nil }) else { return nil }
        self.named = named.compactMap { $0 }
    }
}
