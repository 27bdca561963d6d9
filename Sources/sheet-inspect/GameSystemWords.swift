// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Which game systems' words stand on a sheet. The words are data: `game-systems.json`.
struct GameSystemWords {
    private struct Table: Decodable {
        let systems: [System]
    }

    private struct System: Decodable {
        let slug: String
        let name: String
        let names: [String]
        let terms: [String]
    }

    private let systems: [System]

    /// What a system needs to count as being on the sheet: its name and a word of its own, or several words.
    private static let scoreThatCounts = 3

    /// The built-in words; read-only, the same for every file.
    static let standard = GameSystemWords(json: Data(PackageResources.game_systems_json))

    init(json: Data) {
        systems = (try? JSONDecoder().decode(Table.self, from: json))?.systems ?? []
    }

    /// Names of the systems that the text speaks of, in the table's order. `words` are single words in lower case.
    func systems(in words: [String]) -> [String] {
        let text = " " + words.joined(separator: " ") + " "
        return systems.filter { score($0, in: text) >= Self.scoreThatCounts }.map(\.name)
    }

    private func score(_ system: System, in text: String) -> Int {
        let named = system.names.contains { Self.holds($0, in: text) }
        let terms = system.terms.reduce(0) { $0 + (Self.holds($1, in: text) ? 1 : 0) }
        return (named ? 2 : 0) + terms
    }

    private static func holds(_ phrase: String, in text: String) -> Bool {
        text.utf8.count > phrase.utf8.count
            && text.contains(" " + Self.words(of: phrase).joined(separator: " ") + " ")
    }

    /// The words of a text in lower case, without what is neither letter nor digit at their ends.
    static func words(of text: String) -> [String] {
        text.lowercased().split(whereSeparator: \.isWhitespace).compactMap { word in
            let bare = word.drop { !$0.isLetter && !$0.isNumber }
            let end = bare.lastIndex { $0.isLetter || $0.isNumber }
            return end.map { String(bare[...$0]) }
        }
    }
}
