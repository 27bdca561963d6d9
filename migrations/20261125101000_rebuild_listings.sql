-- Making the tables of lists anew used to keep readers out while words were counted and popular templates gathered. It is a
-- step of its own now: readers wait only for the names to change hands. Publications wait while it runs, some minutes for a
-- million templates.

CREATE FUNCTION rebuild_listings() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- No generation of popular templates is made meanwhile: it locks the words before the listings, this the other way round.
    PERFORM pg_advisory_xact_lock(5640001);
    LOCK TABLE templates IN SHARE ROW EXCLUSIVE MODE;
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

CREATE OR REPLACE FUNCTION rebuild_search(popular integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM rebuild_listings();
    PERFORM rebuild_terms();
    ANALYZE search_terms;
    PERFORM rebuild_popular(popular);
END $$;
COMMENT ON FUNCTION rebuild_search IS 'For nodes of before: the steps one by one, each in a transaction of its own, keep nobody waiting.';

-- The magnitudes: updating each row would enter all of its words once more.
SELECT rebuild_listings();
