// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// How a name could be taken for another.
package enum NameSimilarity: String, Sendable, Codable, CaseIterable {
    /// The same letters.
    case same
    /// Other characters that look the same.
    case confusable
    /// Some typing errors apart.
    case near

    /// How `name` could be taken for `known`; `nil` when it could not.
    static func of(_ name: RiskFacts.Name, to known: RiskFacts.Name) -> NameSimilarity? {
        let mine = letters(name.text)
        let theirs = letters(known.text)
        guard !mine.isEmpty, !theirs.isEmpty else { return nil }
        if mine == theirs { return .same }
        if name.skeletons.contains(where: { known.skeletons.contains($0) }) { return .confusable }
        let limit = limit(for: min(mine.count, theirs.count))
        guard limit > 0, abs(mine.count - theirs.count) <= limit else { return nil }
        // A family of sheets has numbers in its names: A4 and A5, volume 1 and 2.
        if mine.filter({ !$0.isNumber }) == theirs.filter({ !$0.isNumber }) { return nil }
        return EditDistance.between(mine, theirs, atMost: limit) == nil ? nil : .near
    }

    /// Typing errors that make names of so many letters alike: none in short ones.
    static func limit(for letters: Int) -> Int {
        switch letters {
        case ..<6: 0
        case 6..<11: 1
        case 11..<20: 2
        default: 3
        }
    }

    private static func letters(_ text: String) -> [Character] {
        FoldedText(text).words.flatMap { Array($0.text) }
    }
}

extension RiskFacts {
    /// Most known names that are kept.
    private static let maximumKnownNames = 50

    /// Keeps of `names` those that one of the submission's could be taken for.
    package mutating func compareNames(to names: [Name]) {
        let near = names.filter { known in self.names.contains { NameSimilarity.of($0, to: known) != nil } }
        knownNames = Array(near.prefix(Self.maximumKnownNames))
    }
}
