// SPDX-License-Identifier: Apache-2.0
import SheetLayout

/// Which game systems' words stand on a sheet. The words are data: `game-systems.json`.
struct GameSystemWords {
    private struct System {
        let name: String
        let names: [[Substring]]
        let terms: [[Substring]]
    }

    private let systems: [System]

    /// What a system needs to count as being on the sheet: its name and a word of its own, or several words.
    private static let scoreThatCounts = 3

    /// The built-in words; read-only, the same for every file.
    static let standard = GameSystemWords(json: PackageResources.game_systems_json)

    init(json: [UInt8]) {
        systems = (ShippedJSON(json)?["systems"]?.items ?? []).map { system in
            System(
                name: system["name"]?.text ?? "",
                names: (system["names"]?.texts ?? []).map(SheetWords.words),
                terms: (system["terms"]?.texts ?? []).map(SheetWords.words)
            )
        }
    }

    /// Names of the systems that a sheet speaks of, in the table's order.
    func systems(in words: [Substring]) -> [String] {
        var places: [Substring: [Int]] = [:]
        for (place, word) in words.enumerated() { places[word, default: []].append(place) }
        func holds(_ phrase: [Substring]) -> Bool {
            guard let first = phrase.first, let starts = places[first] else { return false }
            return starts.contains { words[$0...].starts(with: phrase) }
        }
        return systems.filter { system in
            (system.names.contains(where: holds) ? 2 : 0) + system.terms.count(where: holds) >= Self.scoreThatCounts
        }.map(\.name)
    }
}
