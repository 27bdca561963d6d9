-- The newest of a word's matches are those that two indexes agree on: the word's and the time's. Months among the words were
-- to tell them, but were never counted, and go with each template's next change. Publications wait for the indexes, some
-- seconds for a million templates.

CREATE INDEX listing_words_by_updated ON listing_words (updated_at);
CREATE INDEX listing_words_by_published ON listing_words (published_at);

CREATE OR REPLACE VIEW current_listing_words AS
    SELECT t.id,
        strong.words
        || array_to_tsvector(ARRAY(SELECT '=n:' || word FROM unnest(tsvector_to_array(strong.words)) AS word))
        || setweight(to_tsvector('simple', search_text(concat_ws(' ', t.summary, p.regions))), 'C')
        || to_tsvector('simple', search_text(left(coalesce(p.words, ''), 1600)))
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
    ) AS p ON true;
COMMENT ON VIEW current_listing_words IS 'Weights: A name, B system with aliases, tags and author, C summary and regions, D what is printed on the sheet; the words of A and B once more as =n:word, since an index does not know weights; and the filters.';

CREATE OR REPLACE FUNCTION index_listings(listings regclass, words regclass, suffix text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    sort record;
BEGIN
    -- An index alone answers only for pages that were vacuumed since they changed.
    EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.005)', listings);
    EXECUTE format('COMMENT ON COLUMN %s.marks_low IS %L', listings, 'listing_marks() of the filters, part 0.');
    EXECUTE format('COMMENT ON COLUMN %s.marks_high IS %L', listings, 'listing_marks() of the filters, part 1.');
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listings_pkey%s PRIMARY KEY (id)', listings, suffix);
    FOR sort IN VALUES ('updated', 'updated_at DESC, id DESC'), ('newest', 'published_at DESC, id DESC'),
        ('downloads', 'downloads DESC, id DESC'), ('rating', 'rating_lower DESC, id DESC'),
        ('trending', 'trending DESC, id DESC'), ('name', 'name_key, id')
    LOOP
        EXECUTE format('CREATE INDEX listings_by_%s%s ON %s (%s) INCLUDE (marks_low, marks_high, rating, page_count)',
            sort.column1, suffix, listings, sort.column2);
        EXECUTE format('CREATE INDEX listings_of_system_by_%s%s ON %s (game_system, %s) INCLUDE (marks_low, marks_high, rating, page_count)',
            sort.column1, suffix, listings, sort.column2);
    END LOOP;
    EXECUTE format('CREATE INDEX listings_of_author_by_updated%s ON %s (lower(author), updated_at DESC, id DESC)', suffix, listings);
    EXECUTE format('CREATE INDEX listings_by_same_name%s ON %s (hashtext(name_key), downloads DESC, id DESC)', suffix, listings);
    EXECUTE format('CREATE INDEX listings_by_filters%s ON %s USING gin (filters) WITH (fastupdate = off)', suffix, listings);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listing_words_pkey%s PRIMARY KEY (id)', words, suffix);
    EXECUTE format('CREATE INDEX listing_words_by_word%s ON %s USING gin (words) WITH (fastupdate = off)', suffix, words);
    EXECUTE format('CREATE INDEX listing_words_by_updated%s ON %s (updated_at)', suffix, words);
    EXECUTE format('CREATE INDEX listing_words_by_published%s ON %s (published_at)', suffix, words);
END $$;
