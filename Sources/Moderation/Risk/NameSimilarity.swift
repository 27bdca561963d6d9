// SPDX-License-Identifier: Apache-2.0

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

/// Damerau's and Levenshtein's distance: letters put in, left out, exchanged, and neighbours that changed places.
enum EditDistance {
    /// The distance; `nil` when it is more than `limit`.
    static func between(_ left: [Character], _ right: [Character], atMost limit: Int) -> Int? {
        guard abs(left.count - right.count) <= limit else { return nil }
        var before: [Int] = []
        var last = Array(0...right.count)
        for i in 0..<left.count {
            var row = [i + 1]
            row.reserveCapacity(right.count + 1)
            for j in 0..<right.count {
                var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            guard (row.min() ?? 0) <= limit else { return nil }
            before = last
            last = row
        }
        let distance = last[right.count]
        return distance <= limit ? distance : nil
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
