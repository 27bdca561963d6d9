-- A word of a game system's name stands in all templates of that system and in hardly any of another's. Asked for such a word in
-- another system, PostgreSQL went through both long lists for nothing, 20 to 40 ms at a million templates. A lexeme of both
-- tells it at once. The words are those of the systems that there are when the tables of lists are made anew: then all rows
-- have the lexemes, which is what makes them of use: the next migration does that. None is ever taken away.

CREATE TABLE system_words (
    word text COLLATE "C" PRIMARY KEY
);
COMMENT ON TABLE system_words IS 'Words of game systems'' slugs, names and aliases. Whatever has one has the lexeme =w:system/word in listing_words, too.';

CREATE OR REPLACE VIEW current_listing_words AS
    SELECT t.id,
        every.words
        || array_to_tsvector(ARRAY(
            SELECT '=w:' || t.game_system || '/' || s.word
            FROM unnest(tsvector_to_array(every.words)) AS w JOIN system_words AS s ON s.word = w COLLATE "C"))
        || listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count) AS words,
        t.updated_at, coalesce(t.published_at, t.created_at) AS published_at, market_text(lower(t.name)) COLLATE "C" AS name_key,
        download_magnitude(t.downloads) AS magnitude
    FROM templates AS t
    JOIN users AS u ON u.id = t.owner_id
    JOIN game_systems AS g ON g.slug = t.game_system
    JOIN versions AS v ON v.id = t.latest_version_id
    CROSS JOIN LATERAL (
        SELECT setweight(to_tsvector('simple', search_text(t.name)), 'A')
            || setweight(to_tsvector('simple', search_text(concat_ws(' ', g.slug, g.name, array_to_string(g.aliases, ' '),
                   array_to_string(t.tags, ' '), u.handle, u.display_name))), 'B') AS words
        OFFSET 0
    ) AS strong
    LEFT JOIN LATERAL (
        SELECT left(string_agg(s.page_text, ' ' ORDER BY s.page_index), 8000) AS words,
            left(string_agg((SELECT string_agg(region ->> 'name', ' ') FROM jsonb_array_elements(s.regions) AS region), ' '
                ORDER BY s.page_index), 2000) AS regions
        FROM submission_pages AS s WHERE s.submission_id = v.submission_id
    ) AS p ON true
    CROSS JOIN LATERAL (
        SELECT strong.words
            || array_to_tsvector(ARRAY(SELECT '=n:' || word FROM unnest(tsvector_to_array(strong.words)) AS word))
            || setweight(to_tsvector('simple', search_text(concat_ws(' ', t.summary, p.regions))), 'C')
            || to_tsvector('simple', search_text(left(coalesce(p.words, ''), 1600))) AS words
        OFFSET 0
    ) AS every;
COMMENT ON VIEW current_listing_words IS 'Weights: A name, B system with aliases, tags and author, C summary and regions, D what is printed on the sheet; the words of A and B once more as =n:word, since an index does not know weights; words of systems'' names once more as =w:system/word; and the filters.';

CREATE OR REPLACE FUNCTION rebuild_listings() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- No generation of popular templates is made meanwhile: it locks the words before the listings, this the other way round.
    PERFORM pg_advisory_xact_lock(5640001);
    LOCK TABLE templates IN SHARE ROW EXCLUSIVE MODE;
    INSERT INTO system_words
        SELECT DISTINCT word COLLATE "C" FROM game_systems AS g, unnest(tsvector_to_array(to_tsvector('simple',
            search_text(concat_ws(' ', g.slug, g.name, array_to_string(g.aliases, ' ')))))) AS word
        ON CONFLICT DO NOTHING;
    ANALYZE system_words;
    CREATE TABLE listings_next (LIKE listings);
    CREATE TABLE listing_words_next (LIKE listing_words) WITH (toast_tuple_target = 8160);
    INSERT INTO listings_next SELECT * FROM current_listings ORDER BY id;
    INSERT INTO listing_words_next SELECT * FROM current_listing_words ORDER BY id;
    PERFORM index_listings('listings_next', 'listing_words_next', '_next');
    ANALYZE listings_next, listing_words_next;
    CREATE TEMP TABLE counted_facets ON COMMIT DROP AS
        SELECT coalesce(game_system, '') AS game_system, substr(f, 2, 1) AS facet, substr(f, 4) AS value, count(*) AS count
        FROM listings_next, unnest(tsvector_to_array(filters)) AS f WHERE f ~ '^=[scltkrp]:'
        GROUP BY GROUPING SETS ((game_system, f), (f));
    -- From here on readers wait.
    DROP TABLE listings, listing_words;
    ALTER TABLE listings_next RENAME TO listings;
    ALTER TABLE listing_words_next RENAME TO listing_words;
    PERFORM rename_next_indexes();
    PERFORM watch_listings();
    TRUNCATE facet_counts, facet_changes;
    INSERT INTO facet_counts SELECT * FROM counted_facets;
    ANALYZE facet_counts;
    -- What somebody is entering just now stays, and is looked after twice.
    DELETE FROM stale_listings;
END $$;
