// SPDX-License-Identifier: Apache-2.0
import SheetLayout

/// Which game systems' words stand on a sheet. The words are data: `game-systems.txt`.
struct GameSystemWords {
    private struct System {
        let name: String
        var names: [ArraySlice<UInt8>] = []
        var terms: [ArraySlice<UInt8>] = []
    }

    private var systems: [System] = []

    /// What a system needs to count as being on the sheet: its name and a word of its own, or several words.
    private static let scoreThatCounts = 3

    /// The built-in words; read-only, the same for every file.
    static let standard = GameSystemWords(PackageResources.game_systems_txt)

    /// Takes `TermLines` that have each system's name for a heading, and below it its `names` and `terms`.
    init(_ text: [UInt8]) {
        TermLines.read(text) { system, kind, term in
            if systems.last?.name != system { systems.append(System(name: system)) }
            let last = systems.count - 1
            if kind == "names" { systems[last].names.append(term) } else { systems[last].terms.append(term) }
        }
    }

    /// Names of the systems that a sheet speaks of, in the table's order.
    func systems(in words: [Substring]) -> [String] {
        var places: [Substring: [Int]] = [:]
        for (place, word) in words.enumerated() { places[word, default: []].append(place) }
        func holds(_ phrase: ArraySlice<UInt8>) -> Bool {
            // Few phrases begin with a word of the sheet; only they are taken apart.
            if let first = Self.plainBeginning(of: phrase), places[first] == nil { return false }
            let phrase = SheetWords.words(of: String(decoding: phrase, as: UTF8.self))
            guard let first = phrase.first, let starts = places[first] else { return false }
            return starts.contains { words[$0...].starts(with: phrase) }
        }
        return systems.filter { system in
            (system.names.contains(where: holds) ? 2 : 0) + system.terms.count(where: holds) >= Self.scoreThatCounts
        }.map(\.name)
    }

    /// The first word where it can be told by its bytes: small letters and digits, and behind them what is no letter.
    private static func plainBeginning(of phrase: ArraySlice<UInt8>) -> Substring? {
        let word = phrase.prefix { (97...122).contains($0) || (48...57).contains($0) }
        if word.isEmpty || phrase[word.endIndex...].first.map({ $0 >= 128 || (65...90).contains($0) }) ?? false {
            return nil
        }
        return Substring(decoding: word, as: UTF8.self)
    }
}
