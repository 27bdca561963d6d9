// SPDX-License-Identifier: Apache-2.0
import Foundation
import Postgres

package enum SearchTermStore {
    /// What was typed, as the catalog's tables are asked for it.
    package struct TermLookup: Sendable {
        /// A `tsquery`; empty when nothing can be looked up.
        package var query: String
        /// The same of the words in names, systems, tags and authors alone; `nil` where that cannot be asked for.
        var strong: String?
        /// The whole text as names are compared.
        var nameKey: String
        /// Whether a template on offer has exactly these words as its name, which is rare.
        var isName: Bool
        /// About how many templates have the rarest of the words, as far as that can be told.
        var rarest: Int?
        /// How many templates have each of the words, and of the ways in which the last one may go on.
        package var uses: [String: Int]
        /// How the last word may go on.
        var endings: [String]
    }

    /// Most ways in which the last word may go on: the commonest ones. What is left out is found by another letter.
    static let maximumEndings = 24

    /// Looks the words up; `endings` are those that a list began with.
    package static func lookUp(
        _ words: SearchWords, endings: [String]?, _ database: some PostgresExecutor
    ) async throws -> TermLookup {
        let parts = words.beginningParts
        // The typed text comes from a subquery, `given`: with values it knows, the planner would plan anew each time.
        return try await database.one(
            """
            SELECT a.query, a.name_key, a.rarest, a.terms, a.used_terms, a.uses,
                EXISTS (SELECT FROM listings AS l
                    WHERE hashtext(l.name_key) = hashtext(a.name_key) AND l.name_key = a.name_key) AS is_name,
                CASE WHEN a.query !~ '[<!]' THEN
                    regexp_replace(a.query, '''((?:[^''\\\\]|''''|\\\\.)*)''', '''=n:\\1''', 'g') END AS strong
            FROM (
            WITH given AS MATERIALIZED (
                SELECT \(words.head)::text AS head, \(words.beginning ?? "")::text AS beginning,
                    \(parts?.whole ?? "")::text AS whole, \(parts?.last ?? "")::text AS last, \(words.text)::text AS text,
                    \(words.isAlternative)::boolean AS is_alternative, \(endings)::text[] AS endings
            ), typed AS MATERIALIZED (
                SELECT websearch_to_tsquery('simple', search_text(g.head)) AS head,
                    plainto_tsquery('simple', search_text(g.beginning)) AS beginning,
                    plainto_tsquery('simple', search_text(g.whole)) AS whole,
                    search_text(lower(g.last)) COLLATE "C" AS last, g.head AS words,
                    g.beginning AS last_words, market_text(lower(g.text)) AS name_key, g.is_alternative, g.endings
                FROM given AS g
            ), endings AS MATERIALIZED (
                SELECT coalesce(typed.endings, CASE WHEN length(last) >= 2 AND last NOT LIKE '% %' THEN ARRAY(
                    SELECT s.term FROM search_terms AS s
                    WHERE s.term >= typed.last AND s.term < typed.last || chr(1114109)
                    ORDER BY s.uses DESC, s.term LIMIT \(literal: maximumEndings)
                ) ELSE '{}' END) AS terms FROM typed
            ), continuations AS MATERIALIZED (
                SELECT (SELECT string_agg('''' || replace(replace(term, '\\', '\\\\'), '''', '''''') || '''', ' | ')
                    FROM unnest(endings.terms) AS term)::tsquery AS terms FROM endings
            ), last AS MATERIALIZED (
                SELECT CASE
                    WHEN continuations.terms IS NULL THEN beginning
                    WHEN numnode(whole) = 0 AND typed.last = ANY (endings.terms) THEN continuations.terms
                    ELSE beginning || (whole && continuations.terms) END AS query
                FROM typed, continuations, endings
            ), used AS MATERIALIZED (
                SELECT array_agg(s.term) AS terms, array_agg(s.uses) AS uses FROM search_terms AS s
                WHERE s.term = ANY ((
                    SELECT tsvector_to_array(to_tsvector('simple', search_text(concat_ws(' ', words, last_words))))
                        || endings.terms
                    FROM typed, endings)::text[])
            )
            SELECT
                (CASE
                    WHEN numnode(head) = 0 THEN last.query
                    WHEN numnode(last.query) = 0 THEN head
                    WHEN is_alternative THEN head || last.query
                    ELSE head && last.query
                END)::text AS query,
                name_key,
                CASE WHEN NOT is_alternative AND head::text !~ '[!|]' THEN least(
                    (SELECT min(coalesce(s.uses, 0))
                        FROM unnest(tsvector_to_array(to_tsvector('simple', search_text(words)))) AS lexeme
                        LEFT JOIN search_terms AS s ON s.term = lexeme),
                    CASE WHEN numnode(last.query) > 0 THEN (SELECT coalesce(sum(s.uses), 0) FROM search_terms AS s
                        WHERE s.term = ANY (endings.terms || ARRAY[typed.last::text])) END)
                END AS rarest,
                endings.terms, used.terms AS used_terms, used.uses
            FROM typed, endings, last, used
            ) AS a
            """
        ) { row in
            TermLookup(
                query: try row.get("query"), strong: try row.get("strong", as: String?.self),
                nameKey: try row.get("name_key"), isName: try row.get("is_name"),
                rarest: try row.get("rarest", as: Int?.self), uses: try uses(row), endings: try row.get("terms"))
        }
    }

    private static func uses(_ row: PostgresRow) throws -> [String: Int] {
        let terms = try row.get("used_terms", as: [String]?.self) ?? []
        let uses = try row.get("uses", as: [Int]?.self) ?? []
        return Dictionary(zip(terms, uses)) { first, _ in first }
    }

    /// A word of the catalog that may be meant.
    package struct Candidate: Sendable {
        package var word: String
        package var term: String
        package var uses: Int
    }

    /// The words of the catalog that are a slip or two away from each of `words`, and themselves where they exist.
    package static func candidates(for words: [String], _ database: some PostgresExecutor) async throws -> [Candidate] {
        try await database.all(
            """
            SELECT word, s.term, s.uses
            FROM unnest((SELECT \(words)::text[])) AS word
            JOIN search_terms AS s ON s.variants && term_variants(search_text(lower(word)) COLLATE "C")
            ORDER BY s.uses DESC, s.term
            LIMIT 2000
            """
        ) { Candidate(word: try $0.get("word"), term: try $0.get("term"), uses: try $0.get("uses")) }
    }
}
