// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

/// Finds what was meant by words that the catalog has not, or hardly.
enum Spelling {
    /// A word is taken for a slip only when the other is this many times as common.
    static let leastGain = 20

    /// Corrections of those words of `words` that look like slips; empty when none does. A last word that may go on to
    /// what was found is unfinished, not misspelt.
    static func corrections(
        of words: SearchWords, found: Bool, endings: [String], _ database: some PostgresExecutor
    ) async throws -> [String: String] {
        var typed = Set(words.words)
        if found, !endings.isEmpty, let last = words.beginningParts?.last { typed.remove(last) }
        guard !typed.isEmpty else { return [:] }
        let candidates = Dictionary(
            grouping: try await SearchTermStore.candidates(for: Array(typed), database), by: \.word)
        var corrections: [String: String] = [:]
        for word in typed {
            guard let best = best(of: candidates[word] ?? [], for: folded(word)) else { continue }
            corrections[word] = best
        }
        return corrections
    }

    /// The nearest candidate, among equally near ones the commonest; `nil` when the word itself is good.
    static func best(of candidates: [SearchTermStore.Candidate], for word: String) -> String? {
        let own = candidates.first { folded($0.term) == word }?.uses ?? 0
        var best: (term: String, distance: Int, uses: Int)?
        for candidate in candidates where folded(candidate.term) != word {
            guard let distance = distance(word, candidate.term, atMost: word.count < 5 ? 1 : 2) else { continue }
            if let best, (best.distance, -best.uses) <= (distance, -candidate.uses) { continue }
            best = (candidate.term, distance, candidate.uses)
        }
        guard let best, own == 0 || best.uses >= own * leastGain else { return nil }
        return best.term
    }

    /// As terms are stored, as far as letters are concerned.
    private static func folded(_ word: String) -> String {
        word.lowercased().folding(options: [.diacriticInsensitive], locale: nil)
    }

    /// How many slips lead from one word to the other: a letter more, less, changed, or two swapped; `nil` when more
    /// than `limit` do.
    static func distance(_ first: String, _ second: String, atMost limit: Int) -> Int? {
        let a = Array(first.unicodeScalars)
        let b = Array(second.unicodeScalars)
        guard abs(a.count - b.count) <= limit, !a.isEmpty, !b.isEmpty else { return nil }
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var line = [i] + Array(repeating: 0, count: b.count)
            for j in 1...b.count {
                line[j] = min(last[j] + 1, line[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    line[j] = min(line[j], before[j - 2] + 1)
                }
            }
            before = last
            last = line
        }
        let distance = last[b.count]
        return distance <= limit ? distance : nil
    }
}
