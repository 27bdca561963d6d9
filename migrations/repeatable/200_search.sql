-- Catalog: the search. What it reads are tables derived from templates (20261124000400_search.sql): triggers keep them through
-- the functions here, and rebuild_listings(), rebuild_terms() and rebuild_popular() make them anew.
-- A change of what a listing says takes effect for a template with its next change, and for all with the next rebuild.
-- An index that is new goes into index_listings() here and, for the tables that are there, into a numbered migration
-- (CREATE INDEX CONCURRENTLY).

-- The text of a template ----------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION search_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT regexp_replace(public.market_text(value), '([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
    $$;
COMMENT ON FUNCTION search_text IS 'Text without accents, in which each character of a script that sets no blanks between words is a word.';

CREATE OR REPLACE FUNCTION listing_filters(
    game_system text, tags text[], license text, language text, kind text, handle text, rating double precision, page_count integer
) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
        SELECT array_to_tsvector(
            ARRAY['=s:' || $1, '=c:' || lower($3), '=k:' || $5, '=a:' || lower($6), '=r:' || floor($7 * 2), '=p:' || least($8, 17)]
            || ARRAY(SELECT '=t:' || tag FROM unnest($2) AS tag)
            -- zh-Hant-TW is found as zh and as zh-hant, too (RFC 4647, section 3.3.1).
            || ARRAY(SELECT '=l:' || array_to_string((string_to_array(lower($4), '-'))[1:n], '-') FROM generate_series(1, 8) AS n))
    $$;
COMMENT ON FUNCTION listing_filters IS 'What lists are filtered by, as lexemes that no word can be: s system, c licence, l language, k kind, a author, r half stars, p pages, t tag.';

CREATE OR REPLACE FUNCTION form_field_filter(submission uuid) RETURNS tsvector
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
        SELECT array_to_tsvector(ARRAY['=f:' || EXISTS (
            SELECT FROM public.submission_pages AS p WHERE p.submission_id = $1 AND p.form_fields > 0)])
    $$;
COMMENT ON FUNCTION form_field_filter IS 'Likewise: f whether there are form fields to fill in.';

CREATE OR REPLACE FUNCTION listing_facets(filters tsvector) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT ARRAY(SELECT f FROM unnest(tsvector_to_array($1)) AS f WHERE substr(f, 2, 1) IN ('s', 't', 'c', 'l', 'f', 'k', 'r', 'p')) $$;

CREATE OR REPLACE FUNCTION listing_bloom_filter(lexemes text[], part integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT coalesce(bit_or(1::bigint << (hashtextextended(l, 2 * $2 + n) & 63)::integer), 0)
        FROM unnest($1) AS l, generate_series(0, 1) AS n
        WHERE substr(l, 2, 1) IN ('s', 't', 'c', 'l', 'k')
    $$;
COMMENT ON FUNCTION listing_bloom_filter IS 'A superimposed code (Bloom 1970) of filters: two bits in each of the parts 0 and 1 for each lexeme. Who has not all the bits of what is asked for does not fit; of who has them, one in some hundred does not either.';

CREATE OR REPLACE FUNCTION download_magnitude(downloads bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT floor(ln((downloads + 1)::double precision))::integer $$;
COMMENT ON FUNCTION download_magnitude IS 'How often downloads have grown by e: what relevance makes of them.';

CREATE OR REPLACE FUNCTION term_variants(term text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$
        SELECT CASE WHEN length(term) BETWEEN 3 AND 24
            THEN ARRAY(SELECT term UNION SELECT left(term, n - 1) || substr(term, n + 1) FROM generate_series(1, length(term)) AS n)
            ELSE ARRAY[term] END
    $$;

CREATE OR REPLACE VIEW current_listings AS
    SELECT t.id, t.updated_at, coalesce(t.published_at, t.created_at) AS published_at, t.downloads, t.rating_lower, t.trending,
        t.rating, t.page_count, t.game_system, market_text(lower(t.name)) COLLATE "C" AS name_key, f.filters,
        t.slug, t.name, t.summary, u.handle AS author, t.rating_count, v.number, t.license, t.language, t.tags, t.kind,
        listing_bloom_filter(tsvector_to_array(f.filters), 0) AS bloom_low, listing_bloom_filter(tsvector_to_array(f.filters), 1) AS bloom_high
    FROM templates AS t JOIN users AS u ON u.id = t.owner_id JOIN versions AS v ON v.id = t.latest_version_id
    CROSS JOIN LATERAL (
        SELECT listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count)
            || form_field_filter(v.submission_id) AS filters
        OFFSET 0
    ) AS f
    WHERE t.latest_version_id IS NOT NULL;

CREATE OR REPLACE VIEW current_listing_words AS
    SELECT t.id,
        every.words
        || array_to_tsvector(ARRAY(
            SELECT '=w:' || t.game_system || '/' || s.word
            FROM unnest(tsvector_to_array(every.words)) AS w JOIN system_words AS s ON s.word = w COLLATE "C"))
        || listing_filters(t.game_system, t.tags, t.license, t.language, t.kind, u.handle, t.rating, t.page_count)
            || form_field_filter(v.submission_id) AS words,
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

-- Indexes and triggers of the tables of lists, or of those that will take their places --------------------------------

CREATE OR REPLACE FUNCTION index_listings(listings regclass, words regclass, suffix text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    sort record;
BEGIN
    -- An index alone answers only for pages that were vacuumed since they changed.
    EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_scale_factor = 0.005)', listings);
    EXECUTE format('COMMENT ON COLUMN %s.bloom_low IS %L', listings, 'listing_bloom_filter() of the filters, part 0.');
    EXECUTE format('COMMENT ON COLUMN %s.bloom_high IS %L', listings, 'listing_bloom_filter() of the filters, part 1.');
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT listings_pkey%s PRIMARY KEY (id)', listings, suffix);
    FOR sort IN VALUES ('updated', 'updated_at DESC, id DESC'), ('newest', 'published_at DESC, id DESC'),
        ('downloads', 'downloads DESC, id DESC'), ('rating', 'rating_lower DESC, id DESC'),
        ('trending', 'trending DESC, id DESC'), ('name', 'name_key, id')
    LOOP
        EXECUTE format('CREATE INDEX listings_by_%s%s ON %s (%s) INCLUDE (bloom_low, bloom_high, rating, page_count)',
            sort.column1, suffix, listings, sort.column2);
        EXECUTE format('CREATE INDEX listings_of_system_by_%s%s ON %s (game_system, %s) INCLUDE (bloom_low, bloom_high, rating, page_count)',
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

-- Keeping them --------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION refresh_listing(template uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listings AS l SELECT * FROM current_listings AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, published_at = excluded.published_at,
        downloads = excluded.downloads, rating_lower = excluded.rating_lower, trending = excluded.trending,
        rating = excluded.rating, page_count = excluded.page_count, game_system = excluded.game_system,
        name_key = excluded.name_key, filters = excluded.filters,
        slug = excluded.slug, name = excluded.name, summary = excluded.summary, author = excluded.author,
        rating_count = excluded.rating_count, number = excluded.number, license = excluded.license,
        language = excluded.language, tags = excluded.tags, kind = excluded.kind,
        bloom_low = excluded.bloom_low, bloom_high = excluded.bloom_high;
    IF NOT FOUND THEN
        DELETE FROM listings AS l WHERE l.id = template;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION refresh_listing_words(template uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listing_words AS l SELECT * FROM current_listing_words AS c WHERE c.id = template
    ON CONFLICT (id) DO UPDATE SET words = excluded.words, updated_at = excluded.updated_at,
        published_at = excluded.published_at, name_key = excluded.name_key, magnitude = excluded.magnitude
        WHERE (l.words, l.updated_at, l.published_at, l.name_key, l.magnitude)
            <> (excluded.words, excluded.updated_at, excluded.published_at, excluded.name_key, excluded.magnitude);
    IF NOT EXISTS (SELECT FROM current_listings AS c WHERE c.id = template) THEN
        DELETE FROM listing_words AS l WHERE l.id = template;
    END IF;
END $$;

-- A generation keeps what it says of a template, or says nothing of it any more.
CREATE OR REPLACE FUNCTION words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM popular_listings AS p WHERE p.id = OLD.id;
        DELETE FROM former_popular_listings AS p WHERE p.id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        -- Sorted: two publications enter their new words in one order.
        INSERT INTO search_terms AS s
            SELECT word, 1, term_variants(word) FROM (SELECT unnest(tsvector_to_array(NEW.words)) COLLATE "C" AS word ORDER BY 1) AS w
            WHERE word NOT LIKE '=%' AND length(word) <= 40
            ON CONFLICT (term) DO NOTHING;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION facets_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO facet_changes SELECT s, substr(f, 2, 1), substr(f, 4), -1
            FROM unnest(tsvector_to_array(OLD.filters)) AS f, unnest(ARRAY['', OLD.game_system]) AS s WHERE f ~ '^=[scltkrpf]:';
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO facet_changes SELECT s, substr(f, 2, 1), substr(f, 4), 1
            FROM unnest(tsvector_to_array(NEW.filters)) AS f, unnest(ARRAY['', NEW.game_system]) AS s WHERE f ~ '^=[scltkrpf]:';
    END IF;
    RETURN NULL;
END $$;

-- Only other words leave the popular ones; what they say of the keys is not asked there.
CREATE OR REPLACE FUNCTION attach_listing_triggers() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    CREATE TRIGGER listing_words_came_or_went AFTER INSERT OR DELETE ON listing_words FOR EACH ROW EXECUTE FUNCTION words_changed();
    CREATE TRIGGER listing_words_changed AFTER UPDATE OF words ON listing_words
        FOR EACH ROW WHEN (OLD.words <> NEW.words) EXECUTE FUNCTION words_changed();
    CREATE TRIGGER listings_came_or_went AFTER INSERT OR DELETE ON listings FOR EACH ROW EXECUTE FUNCTION facets_changed();
    CREATE TRIGGER listings_changed AFTER UPDATE OF filters ON listings
        FOR EACH ROW WHEN (OLD.filters <> NEW.filters) EXECUTE FUNCTION facets_changed();
END $$;

CREATE OR REPLACE FUNCTION template_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('market.bulk', true) = 'on' THEN RETURN NULL; END IF;
    PERFORM refresh_listing(NEW.id);
    IF TG_OP = 'INSERT' OR (OLD.name, OLD.summary, OLD.game_system, OLD.owner_id, OLD.tags, OLD.license, OLD.language, OLD.kind,
            OLD.page_count, floor(OLD.rating * 2), OLD.latest_version_id, OLD.updated_at, OLD.published_at)
        IS DISTINCT FROM (NEW.name, NEW.summary, NEW.game_system, NEW.owner_id, NEW.tags, NEW.license, NEW.language, NEW.kind,
            NEW.page_count, floor(NEW.rating * 2), NEW.latest_version_id, NEW.updated_at, NEW.published_at)
    THEN
        PERFORM refresh_listing_words(NEW.id);
    ELSIF download_magnitude(OLD.downloads) <> download_magnitude(NEW.downloads) THEN
        -- Not here: whoever counts downloads holds many templates, and would wait for whoever holds the words.
        INSERT INTO stale_listings VALUES (NEW.id);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION template_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM listings AS l WHERE l.id = OLD.id;
    DELETE FROM listing_words AS l WHERE l.id = OLD.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION regions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refresh_listing_words(t.id) FROM templates AS t JOIN versions AS v ON v.id = t.latest_version_id
        WHERE v.submission_id = NEW.submission_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION names_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'users' THEN
        INSERT INTO stale_listings SELECT t.id FROM templates AS t WHERE t.owner_id = NEW.id AND t.latest_version_id IS NOT NULL;
    ELSE
        INSERT INTO stale_listings SELECT l.id FROM listings AS l WHERE l.game_system = NEW.slug;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION refresh_stale_listings(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
BEGIN
    WITH part AS (SELECT ctid FROM stale_listings LIMIT most FOR UPDATE SKIP LOCKED),
        taken AS (DELETE FROM stale_listings WHERE ctid IN (SELECT ctid FROM part) RETURNING id),
        kept AS (SELECT DISTINCT id FROM taken)
    SELECT count(*) FROM (SELECT refresh_listing(id), refresh_listing_words(id) FROM kept ORDER BY id) AS done INTO found;
    RETURN found;
END $$;

CREATE OR REPLACE FUNCTION aggregate_facet_changes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(5640002) THEN RETURN 0; END IF;
    WITH taken AS (DELETE FROM facet_changes RETURNING *), sums AS (
        SELECT game_system, facet, value, sum(change) AS change FROM taken GROUP BY 1, 2, 3 HAVING sum(change) <> 0
    )
    INSERT INTO facet_counts AS f SELECT * FROM sums
    ON CONFLICT (game_system, facet, value) DO UPDATE SET count = f.count + excluded.count;
    GET DIAGNOSTICS folded = ROW_COUNT;
    DELETE FROM facet_counts WHERE count <= 0;
    RETURN folded;
END $$;

-- Making them anew ----------------------------------------------------------------------------------------------------

-- Readers wait only for the names to change hands; publications wait while this runs, some minutes for a million templates.
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
        FROM listings_next, unnest(tsvector_to_array(filters)) AS f WHERE f ~ '^=[scltkrpf]:'
        GROUP BY GROUPING SETS ((game_system, f), (f));
    -- From here on readers wait.
    DROP TABLE listings, listing_words;
    ALTER TABLE listings_next RENAME TO listings;
    ALTER TABLE listing_words_next RENAME TO listing_words;
    PERFORM rename_next_indexes();
    PERFORM attach_listing_triggers();
    TRUNCATE facet_counts, facet_changes;
    INSERT INTO facet_counts SELECT * FROM counted_facets;
    ANALYZE facet_counts;
    -- What somebody is entering just now stays, and is looked after twice.
    DELETE FROM stale_listings;
END $$;

CREATE OR REPLACE FUNCTION rename_next_indexes() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT c.relname FROM pg_class AS c WHERE c.relname LIKE 'listing%\_next' AND c.relkind = 'i' AND pg_table_is_visible(c.oid) LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', name, left(name, -5));
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION rebuild_terms() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    made bigint;
BEGIN
    -- Written over, not emptied: searching goes on.
    CREATE TEMP TABLE counted ON COMMIT DROP AS
        SELECT word COLLATE "C" AS term, ndoc AS uses FROM ts_stat('SELECT words FROM listing_words', 'abcd') WHERE length(word) <= 40;
    GET DIAGNOSTICS made = ROW_COUNT;
    INSERT INTO search_terms AS s SELECT term, uses, term_variants(term) FROM counted ORDER BY term
        ON CONFLICT (term) DO UPDATE SET uses = excluded.uses WHERE s.uses <> excluded.uses;
    CREATE UNIQUE INDEX ON counted (term);
    ANALYZE counted;
    DELETE FROM search_terms AS s WHERE NOT EXISTS (SELECT FROM counted AS c WHERE c.term = s.term);
    RETURN made;
END $$;

-- Readers go on with the old generation until the names change hands, which waits for them for a second at most.
CREATE OR REPLACE FUNCTION rebuild_popular(most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    made bigint;
    next integer;
BEGIN
    PERFORM pg_advisory_xact_lock(5640001);
    -- Whoever changes a template meanwhile waits: he could not tell the new generation of it.
    LOCK TABLE listing_words IN SHARE ROW EXCLUSIVE MODE;
    SELECT greatest(coalesce(max(generation), 0) + 1, extract(epoch FROM clock_timestamp())::integer) INTO next FROM popular_listings;
    CREATE TABLE popular_next (LIKE popular_listings) WITH (toast_tuple_target = 8160);
    INSERT INTO popular_next (generation, place, id, downloads, filters, words, facets)
        SELECT next, row_number() OVER (ORDER BY top.downloads DESC, top.id DESC), top.id, top.downloads, top.filters,
            w.words, listing_facets(top.filters)
        FROM (SELECT * FROM listings ORDER BY downloads DESC, id DESC LIMIT most) AS top
        JOIN listing_words AS w ON w.id = top.id
        ORDER BY 2;
    GET DIAGNOSTICS made = ROW_COUNT;
    -- Inserting fills gaps with later rows; this writes them one behind the other.
    CREATE INDEX popular_next_by_place ON popular_next (place);
    CLUSTER popular_next USING popular_next_by_place;
    ALTER TABLE popular_next ADD CONSTRAINT popular_next_pkey PRIMARY KEY (id);
    CREATE INDEX popular_next_by_word ON popular_next USING gin (words) WITH (fastupdate = off);
    ANALYZE popular_next;
    SET LOCAL lock_timeout = '1s';
    DROP TABLE former_popular_listings;
    ALTER TABLE popular_listings RENAME TO former_popular_listings;
    ALTER INDEX popular_listings_pkey RENAME TO former_popular_listings_pkey;
    ALTER INDEX popular_listings_by_place RENAME TO former_popular_listings_by_place;
    ALTER INDEX popular_listings_by_word RENAME TO former_popular_listings_by_word;
    ALTER TABLE popular_next RENAME TO popular_listings;
    ALTER INDEX popular_next_pkey RENAME TO popular_listings_pkey;
    ALTER INDEX popular_next_by_place RENAME TO popular_listings_by_place;
    ALTER INDEX popular_next_by_word RENAME TO popular_listings_by_word;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION rebuild_search(popular integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM rebuild_listings();
    PERFORM rebuild_terms();
    ANALYZE search_terms;
    PERFORM rebuild_popular(popular);
END $$;
COMMENT ON FUNCTION rebuild_search IS 'For nodes of before: the steps one by one, each in a transaction of its own, keep nobody waiting.';

-- The first time ------------------------------------------------------------------------------------------------------

-- A later run of this file leaves the tables as they are.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_index WHERE indrelid = 'listings'::regclass) THEN
        PERFORM index_listings('listings', 'listing_words', '');
        PERFORM attach_listing_triggers();
        -- PostgreSQL takes a table that it knows nothing of for ten pages; these are empty.
        ANALYZE listings, listing_words, popular_listings, search_terms, facet_counts, system_words;
    END IF;
END $$;
