// SPDX-License-Identifier: Apache-2.0
import Postgres

/// What the catalog's tables are asked for words that were typed a moment ago: the pages of one list, and what many look
/// for, begin with the same question. Forgotten when the catalog changes, as ready answers are.
struct WordMemory: Sendable {
    private struct Question: Hashable, Sendable {
        var words: SearchWords
        var endings: [String]?
    }

    /// How long the uses of words, which are counted daily, may be behind, in seconds.
    private static let seconds = 30.0
    private let known = ShortMemory<Question, SearchTermStore.Looked>(capacity: 8192, seconds: seconds)

    /// As `SearchTermStore.look` says.
    func look(
        _ words: SearchWords, endings: [String]?, _ database: some PostgresExecutor
    ) async throws -> SearchTermStore.Looked {
        try await known.value(for: Question(words: words, endings: endings)) {
            try await SearchTermStore.look(words, endings: endings, database)
        }
    }

    /// Forgets everything.
    func forget() { known.forget() }
}
