// SPDX-License-Identifier: Apache-2.0

/// Damerau's and Levenshtein's distance: letters put in, left out, exchanged, and neighbours that changed places.
package enum EditDistance {
    /// The distance; `nil` when it is more than `limit`.
    package static func between(_ left: [Character], _ right: [Character], atMost limit: Int) -> Int? {
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

    /// The word that `name` was probably meant to be, whatever its case; `nil` when none is near.
    package static func nearest(to name: String, among words: some Sequence<String>, atMost limit: Int = 3) -> String? {
        let letters = Array(name.lowercased())
        // Of a short word three letters are most: nothing would be left that is alike.
        let limit = min(limit, letters.count / 2)
        let found = words.compactMap { word in
            between(letters, Array(word.lowercased()), atMost: limit).map { (word: word, distance: $0) }
        }
        return found.min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
    }
}
